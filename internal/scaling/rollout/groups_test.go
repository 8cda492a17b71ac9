package rollout

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protojson"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/scaling/gang"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

const firstGroup = "llama-worker-0"

// grouped is what Pace makes of a set of one replica that is live, and of what the steps before desire. Generations are told by their numbers.
type grouped struct {
	// Group that the pods name, and the image and the mark of the set.
	Group, Image, Mark string

	// Groups are the PodGroups that are desired, with their priority.
	Groups []string
}

// renewal plays Crossplane: what is desired is observed in the next call.
type renewal struct {
	*testing.T

	observed map[string]*fnv1.Resource
	// generations in the order in which they came.
	generations []string
}

// call Pace with what step lws desires of such a set. Without applies, what is desired is lost, as when Crossplane cannot apply it.
func (r *renewal) call(want fields, applies bool) grouped {
	r.Helper()
	want.group = firstGroup
	req := request(nil, []fields{want})
	generation, _ := gang.GenerationOf(r.observed["leaderworkerset-worker-0"].GetResource())
	key, name := "schedulinggroup-worker-0", firstGroup
	if generation != "" {
		key, name = key+"."+generation, name+"-"+generation
	}
	group := resource.MustStructJSON(fmt.Sprintf(`{"apiVersion":"scheduling.k8s.io/v1beta1","kind":"PodGroup","metadata":{"name":%q},"spec":{"priorityClassName":%q}}`, name, want.priority))
	if live, ok := r.observed[key]; ok {
		group = live.GetResource()
	}
	req.Desired.Resources[key] = &fnv1.Resource{Resource: group}
	req.Observed.Resources = maps.Clone(r.observed)
	desired, _ := paced(r.T, req, nil, nil)
	if applies {
		r.observed = desired
	}
	return r.read(desired)
}

func (r *renewal) read(desired map[string]*fnv1.Resource) grouped {
	set := desired["leaderworkerset-worker-0"].GetResource()
	worker := tree.At(templateOf(set), "workerTemplate")
	g := grouped{
		Group: r.number(tree.Text(worker, "podGroupName", "spec", "schedulingGroup")), Mark: restartMark(set),
		Image: worker.GetFields()["spec"].GetStructValue().GetFields()["containers"].GetListValue().GetValues()[0].GetStructValue().GetFields()["image"].GetStringValue(),
	}
	if leader := r.number(tree.Text(templateOf(set), "podGroupName", "leaderTemplate", "spec", "schedulingGroup")); leader != g.Group {
		r.Errorf("the leader is in PodGroup %s, and its workers are in %s", leader, g.Group)
	}
	for _, key := range slices.Sorted(maps.Keys(desired)) {
		if group := desired[key].GetResource(); strings.HasPrefix(key, "schedulinggroup-") {
			g.Groups = append(g.Groups, r.number(tree.Name(group))+" "+tree.Text(group, "priorityClassName", "spec"))
		}
	}
	slices.Sort(g.Groups)
	return g
}

// number of a generation, for its name.
func (r *renewal) number(name string) string {
	if name == firstGroup {
		return "first"
	}
	i := slices.Index(r.generations, name)
	if i < 0 {
		r.generations = append(r.generations, name)
		i = len(r.generations) - 1
	}
	return fmt.Sprintf("renewed %d", i+1)
}

// TestGroups follows the PodGroups of Kubernetes of one replica.
func TestGroups(t *testing.T) {
	one := fields{image: "1", priority: "low"}
	steps := []struct {
		reason string
		want   fields
		fails  bool
		got    grouped
	}{
		{reason: "The pods of a new replica are in the first PodGroup.", want: one, got: grouped{Group: "first", Image: "1", Groups: []string{"first low"}}},
		{reason: "They stay in it.", want: one, got: grouped{Group: "first", Image: "1", Groups: []string{"first low"}}},
		{
			reason: "New pods are in another PodGroup, with the priority that they have, while the first one is there for the pods that end.",
			want:   fields{image: "2", priority: "high"}, fails: true, got: grouped{Group: "renewed 1", Image: "2", Groups: []string{"first low", "renewed 1 high"}},
		},
		{
			reason: "The same call has the same answer.",
			want:   fields{image: "2", priority: "high"}, got: grouped{Group: "renewed 1", Image: "2", Groups: []string{"first low", "renewed 1 high"}},
		},
		{reason: "They stay in that one.", want: fields{image: "2", priority: "high"}, got: grouped{Group: "renewed 1", Image: "2", Groups: []string{"renewed 1 high"}}},
		{reason: "A restart has new pods, too.", want: fields{image: "2", priority: "high", mark: "a"}, got: grouped{Group: "renewed 2", Image: "2", Mark: "a", Groups: []string{"renewed 1 high", "renewed 2 high"}}},
		{
			reason: "What was written before has other pods than before.",
			want:   fields{image: "2", priority: "high"}, got: grouped{Group: "renewed 3", Image: "2", Groups: []string{"renewed 2 high", "renewed 3 high"}},
		},
		{reason: "Labels of the set are not those of pods.", want: fields{image: "2", priority: "high", labels: map[string]string{"a": "b"}}, got: grouped{Group: "renewed 3", Image: "2", Groups: []string{"renewed 3 high"}}},
	}
	r := &renewal{T: t, observed: map[string]*fnv1.Resource{}}
	for i, step := range steps {
		if diff := cmp.Diff(step.got, r.call(step.want, !step.fails)); diff != "" {
			t.Fatalf("step %d: %s\n-want, +got:\n%s", i, step.reason, diff)
		}
	}
}

// TestGroupBeforeItsPods shows that a PodGroup which exists before its pods keeps what the API server has made of it, and cannot change.
func TestGroupBeforeItsPods(t *testing.T) {
	r := &renewal{T: t, observed: map[string]*fnv1.Resource{}}
	r.call(fields{image: "1", priority: "low"}, true)
	live := maps.Clone(r.observed)
	r.call(fields{image: "2", priority: "high"}, true)
	for key, group := range r.observed {
		if strings.HasPrefix(key, "schedulinggroup-worker-0.") {
			live[key] = &fnv1.Resource{Resource: tree.WithText(group.GetResource(), "admitted", "priorityClassName", "spec")}
		}
	}
	r.observed = live
	want := grouped{Group: "renewed 1", Image: "2", Groups: []string{"first low", "renewed 1 admitted"}}
	if diff := cmp.Diff(want, r.call(fields{image: "2", priority: "high"}, true)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestGroupsOfUsers shows that a PodGroup that is not one of the chain is not renewed.
func TestGroupsOfUsers(t *testing.T) {
	observed := []fields{fields{group: "theirs", status: upStatus()}.hashed(0)}
	desired, _ := paced(t, request(observed, []fields{{image: "2", group: "theirs"}}), nil, nil)
	encoded, err := protojson.Marshal(templateOf(desired["leaderworkerset-worker-0"].GetResource()))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(encoded), `"theirs"`); n != 2 || len(desired) != 1 {
		t.Errorf("want the PodGroup of the user in both templates and no other, got %v", desired)
	}
}
