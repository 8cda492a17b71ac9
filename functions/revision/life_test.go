package revision

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	observation "github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// act is one thing that happens to a live graph, and what becomes of its pods.
type act struct {
	reason string

	// before is done to the cluster; nil: nothing.
	before func(*cluster)
	render rendering

	// image that all pods of the component run then, with the mark of their restart, and the revisions that exist.
	image     string
	revisions []string
	// outdated says that the status calls the component outdated.
	outdated bool
	// warns says that there is a warning.
	warns bool
}

// loseRevisions as if somebody had deleted them.
func loseRevisions(c *cluster) {
	maps.DeleteFunc(c.observed, func(key string, _ *fnv1.Resource) bool { return names.IsRevisionKey(key) })
}

// loseNewest revision as if somebody had deleted it, of several.
func loseNewest(c *cluster) {
	if h := readHistory(c.observed); len(h) > 1 {
		delete(c.observed, h[0].key)
	}
}

// forget everything that tells of revisions, as of a graph that was adopted.
func forget(c *cluster) {
	loseRevisions(c)
	for _, resource := range c.observed {
		resource.Resource = tree.With(resource.GetResource(), nil, "annotations", "metadata")
	}
	c.status = tree.With(c.status, nil, "revision", "services", "Worker")
}

// fromNewerRelease has the revisions in a form that is not known here, and so under another name.
func fromNewerRelease(c *cluster) {
	rewriteRevisions(c, func(object *structpb.Struct) *structpb.Struct {
		return tree.With(object, structpb.NewNumberValue(observation.RevisionFormat+1), "format", "data")
	})
}

// breakRevisions so that the pods in them cannot be read.
func breakRevisions(c *cluster) {
	rewriteRevisions(c, func(object *structpb.Struct) *structpb.Struct {
		return tree.WithText(object, "{", "pods", "data", "components", "Worker")
	})
}

// rewriteRevisions with other data, and so under another name.
func rewriteRevisions(c *cluster, change func(*structpb.Struct) *structpb.Struct) {
	for key, resource := range maps.Clone(c.observed) {
		if !names.IsRevisionKey(key) {
			resource.Resource = tree.WithText(resource.GetResource(), "llama-other", metadata.AnnotationRevision, "metadata", "annotations")
			continue
		}
		delete(c.observed, key)
		other := tree.WithText(change(resource.GetResource()), "llama-other", "name", "metadata")
		c.observed[string(names.KeyRevision("other"))] = &fnv1.Resource{Resource: other}
	}
}

func edited(c *cluster) { c.generation++ }

// TestLife takes graphs on every kind of workload through what happens to them.
func TestLife(t *testing.T) {
	created := act{reason: "A new graph runs what is rendered.", render: rendering{written: "a", image: "one"}, image: "one", revisions: []string{"1 a"}}
	cases := map[string][]act{
		"Rules": {
			created,
			{reason: "Other rules leave the pods of a live graph alone.", render: rendering{written: "a", image: "two"}, image: "one", revisions: []string{"1 a"}, outdated: true},
			{reason: "What other rules would make of a graph is not told for ever.", render: rendering{written: "a", image: "one"}, image: "one", revisions: []string{"1 a"}},
		},
		"Edit": {
			created,
			{reason: "What the user changes is carried out, by the rules of today.", before: edited, render: rendering{written: "b", image: "two"}, image: "two", revisions: []string{"1 a", "2 b"}},
			{reason: "Going back gives the pods of before, whatever the rules are now.", before: edited, render: rendering{written: "a", image: "three"}, image: "one", revisions: []string{"2 b", "3 a"}, outdated: true},
		},
		"History": {
			created,
			{reason: "The state of before stays for comparison.", render: rendering{written: "b", image: "b"}, image: "b", revisions: []string{"1 a", "2 b"}},
			{reason: "Two states of before stay.", render: rendering{written: "c", image: "c"}, image: "c", revisions: []string{"1 a", "2 b", "3 c"}},
			{reason: "The run of an edit keeps the state that the workloads are observed with.", render: rendering{written: "d", image: "d"}, image: "d", revisions: []string{"1 a", "2 b", "3 c", "4 d"}},
			{reason: "A state that no workload runs and that is older than two others goes.", render: rendering{written: "d", image: "d"}, image: "d", revisions: []string{"2 b", "3 c", "4 d"}},
		},
		"Restart": {
			created,
			{reason: "A restart takes the pods of today, with its mark.", render: rendering{written: "a@1", image: "two", mark: "1"}, image: "two@1", revisions: []string{"1 a", "2 a@1"}},
			{reason: "The mark stays with the pods.", render: rendering{written: "a@1", image: "three", mark: "1"}, image: "two@1", revisions: []string{"1 a", "2 a@1"}, outdated: true},
		},
		"Lost": {
			created,
			{reason: "A revision that somebody deletes is recorded again from the live workload.", before: loseRevisions, render: rendering{written: "a", image: "two"}, image: "one", revisions: []string{"1 a"}, outdated: true, warns: true},
			{reason: "The user is told once.", render: rendering{written: "a", image: "two"}, image: "one", revisions: []string{"1 a"}, outdated: true},
		},
		"NewestLost": {
			created,
			{reason: "A restart with the rules of before changes nothing but the mark.", render: rendering{written: "a@1", image: "one", mark: "1"}, image: "one@1", revisions: []string{"1 a", "2 a@1"}},
			{
				reason: "If somebody deletes the revision of the restart, the one before it has the same pods, but the user has not changed anything since.", before: loseNewest,
				render: rendering{written: "a@1", image: "two", mark: "1"}, image: "one@1", revisions: []string{"1 a", "2 a@1"}, outdated: true, warns: true,
			},
			{reason: "The user is told once.", render: rendering{written: "a@1", image: "two", mark: "1"}, image: "one@1", revisions: []string{"1 a", "2 a@1"}, outdated: true},
			{
				reason: "An edit is carried out although the revision is lost.", before: loseNewest,
				render: rendering{written: "b@1", image: "two", mark: "1"}, image: "two@1", revisions: []string{"1 a", "2 a@1", "3 b@1"}, warns: true,
			},
		},
		"Unreadable": {
			created,
			{reason: "A revision that cannot be read is recorded again from the live workload.", before: breakRevisions, render: rendering{written: "a", image: "two"}, image: "one", revisions: []string{"1 a", "2 a"}, outdated: true, warns: true},
		},
		"LostAndEdited": {
			created,
			{reason: "An edit is carried out although the revision is lost.", before: loseRevisions, render: rendering{written: "b", image: "two"}, image: "two", revisions: []string{"1 b"}},
		},
		"Unrecorded": {
			created,
			{reason: "A graph without revisions gets its first one from its workloads.", before: forget, render: rendering{written: "a", image: "two"}, image: "one", revisions: []string{"1 a"}, outdated: true},
		},
		"UnrecordedAndEdited": {
			created,
			{reason: "An edit since the last status is carried out although nothing is recorded.", before: func(c *cluster) { forget(c); edited(c) }, render: rendering{written: "b", image: "two"}, image: "two", revisions: []string{"1 b"}},
		},
		"NewerRelease": {
			created,
			{reason: "What a newer release has recorded stays, and the pods are recorded once more in a form that is known here.", before: fromNewerRelease, render: rendering{written: "a", image: "two"}, image: "one", revisions: []string{"1 a", "2 a"}, outdated: true, warns: true},
		},
	}
	for name, acts := range cases {
		for kind := range clusters(t) {
			t.Run(name+"/"+kind, func(t *testing.T) {
				c := clusters(t)[kind]
				for _, a := range acts {
					c.t = t
					a.play(t, c)
				}
			})
		}
	}
}

func (a act) play(t *testing.T, c *cluster) {
	t.Helper()
	if a.before != nil {
		a.before(c)
	}
	rsp := c.run(a.render)
	var want []string
	for range c.workloads {
		image := a.image
		if c.orchestrator == "Grove" && a.render.image != "" {
			// The clique that no component of the graph has is as it was rendered.
			image = imagesOfSet(a)
		}
		want = append(want, image)
	}
	if diff := cmp.Diff(want, runs(c.observed)); diff != "" {
		t.Errorf("%s\npods: -want, +got:\n%s", a.reason, diff)
	}
	if diff := cmp.Diff(a.revisions, revisions(c.observed)); diff != "" {
		t.Errorf("%s\nrevisions: -want, +got:\n%s", a.reason, diff)
	}
	status := tree.At(c.status, "services", "Worker", "revision")
	if got := status.GetFields()["outdated"].GetBoolValue(); got != a.outdated {
		t.Errorf("%s\noutdated: want %t, got %t: %s", a.reason, a.outdated, got, tree.Text(status, "reason"))
	}
	if got := len(rsp.GetResults()) > 0; got != a.warns {
		t.Errorf("%s\nwarnings: want %t, got %v", a.reason, a.warns, rsp.GetResults())
	}
}

// imagesOfSet are the images of a PodCliqueSet of which one clique belongs to no component.
func imagesOfSet(a act) string {
	pinned, mark := a.image, ""
	if a.render.mark != "" {
		pinned, mark = a.image[:len(a.image)-len(a.render.mark)-1], "@"+a.render.mark
	}
	if pinned == a.render.image {
		return pinned + mark
	}
	return pinned + a.render.image + mark
}

// TestRest shows that a graph at rest is not written.
func TestRest(t *testing.T) {
	for kind, c := range clusters(t) {
		t.Run(kind, func(t *testing.T) {
			c.t = t
			r := rendering{written: "a", image: "one"}
			c.run(r)
			before := proto.CloneOf(&fnv1.State{Resources: c.observed})
			c.run(r)
			if diff := cmp.Diff(before, &fnv1.State{Resources: c.observed}, protocmp.Transform()); diff != "" {
				t.Errorf("A second run desires what the first one has: -want, +got:\n%s", diff)
			}
		})
	}
}
