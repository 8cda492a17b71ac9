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

// onSets is a cluster with two replicas of component Worker, each a LeaderWorkerSet of its own.
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
			pods[key] = inGroup().read(resource.GetResource())
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

// TestPodsOfOneReplica shows that pods that another step of the Composition has made for one replica stay those of that replica, without a
// number in texts of their own, until the user changes the component.
func TestPodsOfOneReplica(t *testing.T) {
	for name, special := range map[string]string{"Text": "special", "NameOfFirst": "llama-worker-0", "NameOfSecond": "llama-worker-1"} {
		t.Run(name, func(t *testing.T) {
			c := onSets(t)
			render := c.render
			c.render = func(i int, image, mark string) (string, fields) {
				if i == 1 && image == "one" {
					image = special
				}
				return render(i, image, mark)
			}
			for _, image := range []string{"one", "other-rules", "one"} {
				c.run(rendering{written: "a", image: image})
				if diff := cmp.Diff([]string{"one", special}, runs(c.observed)); diff != "" {
					t.Errorf("images by the rules of %s: -want, +got:\n%s", image, diff)
				}
			}
			if diff := cmp.Diff([]string{"1 a"}, revisions(c.observed)); diff != "" {
				t.Errorf("The revision of the graph stays the same: -want, +got:\n%s", diff)
			}
			c.run(rendering{written: "b", image: "two"})
			if diff := cmp.Diff([]string{"two", "two"}, runs(c.observed)); diff != "" {
				t.Errorf("A change of the user is carried out in all replicas: -want, +got:\n%s", diff)
			}
		})
	}
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
