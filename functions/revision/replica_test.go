package revision

import (
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// onSets is a cluster with two replicas of service Worker, each a LeaderWorkerSet of its own.
func onSets(t *testing.T) *cluster {
	t.Helper()
	c := clusters(t)["LeaderWorkerSets"]
	c.t = t
	return c
}

// podsIn the LeaderWorkerSets, by key.
func podsIn(resources map[string]*fnv1.Resource) map[string]*structpb.Struct {
	pods := map[string]*structpb.Struct{}
	for key, resource := range resources {
		if !names.IsRevisionKey(key) {
			pods[key] = group{}.read(resource.GetResource())
		}
	}
	return pods
}

// TestTextsOfUsers shows that no text of a user is taken for the name or the number of a replica.
func TestTextsOfUsers(t *testing.T) {
	for name, text := range map[string]string{
		"First": "llama-worker-0", "Second": "llama-worker-1", "Third": "llama-worker-2", "Contains": "x-llama-worker-0-y",
		"Extends": "llama-worker-01", "Number": "0", "Another": "1",
	} {
		t.Run(name, func(t *testing.T) {
			c := onSets(t)
			want := podsIn(c.request(rendering{written: "a", image: text}).GetDesired().GetResources())
			c.run(rendering{written: "a", image: text})
			if diff := cmp.Diff(want, podsIn(c.observed), protocmp.Transform()); diff != "" {
				t.Errorf("A new graph has the pods that are built: -want, +got:\n%s", diff)
			}
			for range 2 {
				c.run(rendering{written: "a", image: "other-rules"})
				if diff := cmp.Diff(want, podsIn(c.observed), protocmp.Transform()); diff != "" {
					t.Errorf("Other rules leave the pods of each replica alone: -want, +got:\n%s", diff)
				}
			}
			for key, resource := range c.observed {
				if replicas := tree.At(resource.GetResource(), "data", "components", "Worker", "replicas"); len(replicas.GetFields()) > 0 {
					t.Errorf("Replicas only differ in what is numbered, but %s has pods of single ones: %v", key, replicas)
				}
			}
		})
	}
}

// withImage are the pods with another image.
func withImage(pods *structpb.Struct, image string) *structpb.Struct {
	return tree.MapTexts(pods, func(key, text string) string {
		if key == "image" {
			return image
		}
		return text
	})
}

// TestEarlierBuilds shows that live graphs from builds that found what is numbered by its text keep their pods.
func TestEarlierBuilds(t *testing.T) {
	const second = "leaderworkerset-worker-1"
	// runSecond lets replica 1 run an image.
	runSecond := func(c *cluster, image string) {
		live := c.observed[second]
		live.Resource = group{}.write(live.GetResource(), withImage(group{}.read(live.GetResource()), image))
	}
	// store pods for replica 1, as replica 0 would have them.
	store := func(c *cluster, image string) {
		rewriteComponent(c, func(component *structpb.Struct) *structpb.Struct {
			pods, err := decodePods(tree.Text(component, "pods"))
			if err != nil {
				c.t.Fatal(err)
			}
			return tree.WithText(component, encodePods(withImage(pods, image)), "1", "replicas")
		})
	}
	cases := map[string]struct {
		reason string
		// image in the graph, and what an earlier build has done.
		image  string
		before func(*cluster)
		// want are the images of both replicas, whatever the rules are.
		want []string
	}{
		"Rewritten": {
			reason: "A replica whose text was rewritten keeps it, because its pods run with it.",
			image:  "llama-worker-0",
			before: func(c *cluster) { runSecond(c, "llama-worker-1") },
			want:   []string{"llama-worker-0", "llama-worker-1"},
		},
		"NotRewritten": {
			reason: "A replica whose text was not rewritten yet keeps the user's.",
			image:  "llama-worker-0",
			before: func(*cluster) {},
			want:   []string{"llama-worker-0", "llama-worker-0"},
		},
		"Stored": {
			reason: "Pods that were stored for one replica, because the text of the user is its name, are those of all replicas.",
			image:  "llama-worker-1",
			before: func(c *cluster) { store(c, "llama-worker-0") },
			want:   []string{"llama-worker-1", "llama-worker-1"},
		},
		"OfAnotherStep": {
			reason: "Pods that another step of the Composition has made for one replica stay those of that replica.",
			image:  "one",
			before: func(c *cluster) { store(c, "special"); runSecond(c, "special") },
			want:   []string{"one", "special"},
		},
		"NameByAnotherStep": {
			reason: "The name of a replica in pods that another step of the Composition has made stays the name of that replica.",
			image:  "one",
			before: func(c *cluster) { store(c, "llama-worker-0"); runSecond(c, "llama-worker-1") },
			want:   []string{"one", "llama-worker-1"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := onSets(t)
			c.run(rendering{written: "a", image: tc.image})
			tc.before(c)
			revision, want := revisionKeys(c), podsIn(c.observed)
			for _, image := range []string{"other-rules", tc.image, "other-rules"} {
				c.run(rendering{written: "a", image: image})
				if diff := cmp.Diff(tc.want, runs(c.observed)); diff != "" {
					t.Errorf("%s\nimages by the rules of %s: -want, +got:\n%s", tc.reason, image, diff)
				}
				if diff := cmp.Diff(want, podsIn(c.observed), protocmp.Transform()); diff != "" {
					t.Errorf("%s\npods by the rules of %s: -want, +got:\n%s", tc.reason, image, diff)
				}
			}
			if diff := cmp.Diff(revision, revisionKeys(c)); diff != "" {
				t.Errorf("%s\nThe revision of the graph stays the same: -want, +got:\n%s", tc.reason, diff)
			}
			c.run(rendering{written: "b", image: "two"})
			if diff := cmp.Diff([]string{"two", "two"}, runs(c.observed)); diff != "" {
				t.Errorf("%s\nA change of the user is carried out in all replicas: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// rewriteComponent Worker in the revision, whose name stays: what is in it counts.
func rewriteComponent(c *cluster, change func(*structpb.Struct) *structpb.Struct) {
	for key, resource := range c.observed {
		if names.IsRevisionKey(key) {
			components := tree.At(resource.GetResource(), "data", "components")
			changed := structpb.NewStructValue(change(tree.At(components, "Worker")))
			resource.Resource = tree.With(resource.GetResource(), changed, "Worker", "data", "components")
		}
	}
}

func revisionKeys(c *cluster) map[string]bool {
	keys := map[string]bool{}
	for key := range c.observed {
		if names.IsRevisionKey(key) {
			keys[key] = true
		}
	}
	return keys
}

// TestRenumber shows what of the pods of a replica is numbered, and what of it may be the user's own.
func TestRenumber(t *testing.T) {
	own := numbering{name: func(i int32) string { return "g-w-" + strconv.Itoa(int(i)) }, groups: true, natives: true, channels: true}
	theirs := numbering{name: own.name}
	template := func(instance, group, channel string) fields {
		return fields{
			"metadata": fields{
				"labels":      fields{metadata.LabelInstance: instance, "theirs": "g-w-0"},
				"annotations": fields{metadata.AnnotationGroupName: group, "theirs": "0"},
			},
			"spec": fields{
				"schedulerName": "g-w-0", "schedulingGroup": fields{"podGroupName": group},
				"containers":     []any{fields{"name": "main", "env": []any{fields{"name": metadata.LabelInstance, "value": "g-w-0"}}}},
				"resourceClaims": []any{fields{"name": "other", "resourceClaimTemplateName": "g-w-0"}, fields{"name": names.MNNVLClaim, "resourceClaimTemplateName": channel}},
			},
		}
	}
	pods := func(instance, group, channel string) fields {
		return fields{"size": 2, leaderTemplate: template(instance, group, channel), workerTemplate: template(instance, group, channel)}
	}
	cases := map[string]struct {
		reason    string
		numbering numbering
		pods      fields
		want      fields
	}{
		"Own":       {reason: "What this project numbers gets the number of the other replica.", numbering: own, pods: pods("0", "g-w-0", "g-w-0"), want: pods("3", "g-w-3", "g-w-3")},
		"OfTheUser": {reason: "A group and a channel of the user are those of all replicas.", numbering: theirs, pods: pods("0", "g-w-0", "g-w-0"), want: pods("3", "g-w-0", "g-w-0")},
		"Others":    {reason: "What another step has set to something else stays.", numbering: own, pods: pods("zero", "g-w", "g-w-1"), want: pods("zero", "g-w", "g-w-1")},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			before, want := object(t, tc.pods), object(t, tc.want)
			if diff := cmp.Diff(want, tc.numbering.renumber(before, 0, 3), protocmp.Transform()); diff != "" {
				t.Errorf("%s\nrenumber(...): -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(object(t, tc.pods), before, protocmp.Transform()); diff != "" {
				t.Errorf("%s\nThe pods themselves do not change: -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(before, tc.numbering.renumber(tc.numbering.renumber(before, 0, 3), 3, 0), protocmp.Transform()); diff != "" {
				t.Errorf("%s\nThere and back is nothing: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
