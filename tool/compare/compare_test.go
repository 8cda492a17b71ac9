package compare

import (
	"bytes"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/tool/check"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
)

type fields = map[string]any

func TestDifferences(t *testing.T) {
	container := func(more fields) fields {
		c := fields{"name": "main", "image": "a:1"}
		maps.Copy(c, more)
		return fields{"spec": fields{"containers": []any{c}}}
	}
	cases := map[string]struct {
		reason        string
		before, after fields
		want          []Field
	}{
		"Equal": {reason: "Nothing differs.", before: container(nil), after: container(nil)},
		"Value": {
			reason: "An item of a list is told apart by its name.", before: container(nil), after: container(fields{"image": "a:2"}),
			want: []Field{{Path: "spec.containers[main].image", Before: "a:1", After: "a:2"}},
		},
		"Added": {
			reason: "A list that is new is one field.", before: container(nil), after: container(fields{"ports": []any{fields{"name": "http"}}}),
			want: []Field{{Path: "spec.containers[main].ports", After: []any{fields{"name": "http"}}}},
		},
		"List": {
			reason: "A list without names is one value.", before: fields{"a": []any{"x", "y"}}, after: fields{"a": []any{"x"}},
			want: []Field{{Path: "a", Before: []any{"x", "y"}, After: []any{"x"}}},
		},
		"Twice": {
			reason: "A list in which a name occurs twice is one value.", before: fields{"a": []any{fields{"name": "x"}, fields{"name": "x"}}}, after: fields{"a": []any{fields{"name": "x"}}},
			want: []Field{{Path: "a", Before: []any{fields{"name": "x"}, fields{"name": "x"}}, After: []any{fields{"name": "x"}}}},
		},
		"Dots": {
			reason: "A key with dots is in brackets.", before: fields{"limits": fields{"nvidia.com/gpu": "1"}}, after: fields{"limits": fields{"nvidia.com/gpu": "2"}},
			want: []Field{{Path: "limits[nvidia.com/gpu]", Before: "1", After: "2"}},
		},
		"Variable": {
			reason: "The value of a variable may be secret.",
			before: container(fields{"env": []any{fields{"name": "A", "value": "x"}}}), after: container(fields{"env": []any{fields{"name": "A", "value": "y"}}}),
			want: []Field{{Path: "spec.containers[main].env[A].value", Before: redacted, After: redacted}},
		},
		"Container": {
			reason: "Values of a container that is removed may be secret, too.",
			before: fields{"containers": []any{fields{"name": "main"}, fields{"name": "side", "command": []any{"run"}, "image": "b"}}},
			after:  fields{"containers": []any{fields{"name": "main"}}},
			want:   []Field{{Path: "containers[side]", Before: fields{"name": "side", "command": redacted, "image": "b"}}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, differences(tc.before, tc.after)); diff != "" {
				t.Errorf("%s\ndifferences(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestReasons(t *testing.T) {
	for path, want := range map[string]string{
		"spec.containers[main].image":                                                 "image",
		"leaderTemplate.spec.containers[main].args":                                   "args",
		"worker-0.spec.containers[main].resources.limits[a/gpu]":                      "resources",
		"spec.containers[sidecar].image":                                              "image of sidecar",
		"spec.containers[main].env[HF_HOME].value":                                    "env HF_HOME",
		"spec.initContainers[wait]":                                                   "container wait",
		"spec.tolerations":                                                            "tolerations",
		"spec.volumes[cache].emptyDir":                                                "volumes",
		"metadata.labels[example.org/team]":                                           "label example.org/team",
		"metadata.annotations.team":                                                   "annotation team",
		"workerTemplate.metadata.annotations[nvidia.com/restartAt]":                   "spec.restart",
		"workerTemplate.metadata.labels[nvidia.com/dynamo-worker-hash]":               "generation of the workers",
		"leaderTemplate.spec.containers[main].env[DYN_NAMESPACE_WORKER_SUFFIX].value": "generation of the workers",
		"metadata.annotations[dynamo.nvidia.com/epp-config-hash]":                     "eppConfig",
		"metadata.annotations":                                                        "annotations",
		"size":                                                                        "size",
	} {
		if got := reasonOf(path); got != want {
			t.Errorf("reasonOf(%q): want %q, got %q", path, want, got)
		}
	}
	var many []Field
	for _, path := range []string{"spec.a", "spec.b", "spec.b", "spec.c", "spec.d", "spec.e"} {
		many = append(many, Field{Path: path})
	}
	if diff := cmp.Diff([]string{"a", "b", "c", "2 more"}, reasons(many)); diff != "" {
		t.Errorf("many reasons: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a", "b", "c", "d"}, reasons(many[:5])); diff != "" {
		t.Errorf("a single one more is named: -want, +got:\n%s", diff)
	}
}

// TestWords checks the effect on a component, and its words.
func TestWords(t *testing.T) {
	of := func(image, mark string) *structpb.Struct {
		pods := fields{"spec": fields{"containers": []any{fields{"name": "main", "image": image}}}}
		if mark != "" {
			pods["metadata"] = fields{"annotations": fields{"nvidia.com/restartAt": mark}}
		}
		s, err := structpb.NewStruct(pods)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	one := func(image string, replicas, size int64) map[string]workload {
		return map[string]workload{"deployment-worker": {pods: of(image, ""), replicas: replicas, size: size}}
	}
	cases := map[string]struct {
		reason        string
		before, after map[string]workload
		how           how
		effect        Effect
		restarting    int64
		text          string
	}{
		"Nothing": {reason: "Nothing changes.", before: one("a", 2, 1), after: one("a", 2, 1), effect: Nothing, text: "nothing changes"},
		"Created": {reason: "A replica has several pods.", after: one("a", 2, 4), effect: Created, text: "is created with 8 pods"},
		"Deleted": {reason: "All pods go.", before: one("a", 1, 1), effect: Deleted, text: "is deleted with its pod"},
		"Scales":  {reason: "Replicas restart nothing.", before: one("a", 2, 1), after: one("a", 3, 1), effect: Scales, text: "2 -> 3 replicas, no pod restarts"},
		"Restarts": {
			reason: "Another template restarts all pods.", before: one("a", 2, 2), after: one("b", 2, 2), effect: Restarts, restarting: 4, text: "all 4 pods restart (image)",
		},
		"One":  {reason: "It may be only one.", before: one("a", 1, 1), after: one("b", 1, 1), effect: Restarts, restarting: 1, text: "its pod restarts (image)"},
		"Once": {reason: "A strategy may stop all at once.", before: one("a", 2, 1), after: one("b", 2, 1), how: atOnce, effect: Restarts, restarting: 2, text: "all 2 pods restart at once (image)"},
		"OnDelete": {
			reason: "A strategy may restart none.", before: one("a", 2, 1), after: one("b", 2, 1), how: onDelete, effect: Changed,
			text: "pods keep running until they are deleted, new pods differ (image)",
		},
		"OnDeleteAndScales": {
			reason: "It scales nevertheless.", before: one("a", 2, 1), after: one("b", 3, 1), how: onDelete, effect: Scales,
			text: "2 -> 3 replicas, no pod restarts; new pods differ (image)",
		},
		"In": {
			reason: "Pods that stop do not restart.", before: one("a", 3, 1), after: one("b", 2, 1), effect: Restarts, restarting: 2,
			text: "3 -> 2 replicas, and all remaining 2 pods restart (image)",
		},
		"Out": {
			reason: "Neither do pods that are new.", before: one("a", 2, 1), after: one("b", 3, 1), effect: Restarts, restarting: 2,
			text: "2 -> 3 replicas, and all 2 pods restart (image)",
		},
		"FromZero": {
			reason: "Without pods there is nothing to restart.", before: one("a", 0, 1), after: one("b", 2, 1), effect: Scales,
			text: "0 -> 2 replicas, no pod restarts; new pods differ (image)",
		},
		"Zero": {
			reason: "Without pods only the next ones differ.", before: one("a", 0, 1), after: one("b", 0, 1), effect: Changed, text: "no pod restarts, new pods differ (image)",
		},
		"Sets": {
			reason: "Only the pods of some replicas may differ.",
			before: map[string]workload{"leaderworkerset-worker-0": {pods: of("a", ""), replicas: 1, size: 2}, "leaderworkerset-worker-1": {pods: of("b", ""), replicas: 1, size: 2}},
			after:  map[string]workload{"leaderworkerset-worker-0": {pods: of("b", ""), replicas: 1, size: 2}, "leaderworkerset-worker-1": {pods: of("b", ""), replicas: 1, size: 2}},
			effect: Restarts, restarting: 2, text: "2 of 4 pods restart (image)",
		},
		"Asked": {
			reason: "A restart may be asked for.",
			before: one("a", 2, 1),
			after:  map[string]workload{"deployment-worker": {pods: of("a", "now"), replicas: 2, size: 1}},
			effect: Restarts, restarting: 2, text: "all 2 pods restart (spec.restart)",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := componentOf("Worker", tc.before, tc.after)
			got.word(tc.how)
			if got.Effect != tc.effect || got.Restarting != tc.restarting || got.Text != tc.text {
				t.Errorf("%s\nwant %s of %d pods: %q, got %s of %d pods: %q", tc.reason, tc.effect, tc.restarting, tc.text, got.Effect, got.Restarting, got.Text)
			}
		})
	}
}

// TestHow checks how pods restart, by the strategies of workloads.
// TestAdd checks what the effects on parts of a graph make of the graph.
func TestAdd(t *testing.T) {
	cases := map[string]struct {
		reason string
		parts  []Effect
		want   Effect
	}{
		"Kept":    {reason: "What is kept is no change.", parts: []Effect{Kept, Nothing}, want: Nothing},
		"Comes":   {reason: "A graph is not created with one of its objects.", parts: []Effect{Created}, want: Changed},
		"Goes":    {reason: "A graph is not deleted with one of its objects.", parts: []Effect{Deleted}, want: Changed},
		"Highest": {reason: "The most important effect counts.", parts: []Effect{Changed, Restarts, Scales}, want: Restarts},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			g := &Graph{Effect: Nothing}
			for _, part := range tc.parts {
				g.add(part)
			}
			if g.Effect != tc.want {
				t.Errorf("%s\nadd(...): want %s, got %s", tc.reason, tc.want, g.Effect)
			}
		})
	}
}

// TestIsTold checks which objects have no line of their own.
func TestIsTold(t *testing.T) {
	cases := map[string]struct {
		reason string
		graph  Effect
		object Object
		want   bool
	}{
		"Workload": {reason: "A workload comes with its component.", graph: Changed, object: Object{Kind: kindDeployment, Effect: Created}, want: true},
		"Service":  {reason: "Other objects do not.", graph: Changed, object: Object{Kind: "Service", Effect: Deleted}},
		"Whole":    {reason: "All objects come with their graph.", graph: Created, object: Object{Kind: "Service", Effect: Created}, want: true},
		"Claim":    {reason: "A claim takes data with it, so it is always named.", graph: Deleted, object: Object{Kind: kindClaim, Effect: Deleted}},
		"Changed":  {reason: "What changes in a workload beside its pods is named.", graph: Changed, object: Object{Kind: kindDeployment, Effect: Changed}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			g := &Graph{Effect: tc.graph}
			if got := g.isTold(&tc.object); got != tc.want {
				t.Errorf("%s\nisTold(...): want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}

func TestHow(t *testing.T) {
	object := func(path ...string) *unstructured.Unstructured {
		o := &unstructured.Unstructured{Object: fields{}}
		if err := unstructured.SetNestedField(o.Object, path[len(path)-1], path[:len(path)-1]...); err != nil {
			t.Fatal(err)
		}
		return o
	}
	s := &side{objects: map[string]*unstructured.Unstructured{
		"deployment-worker": object("spec", "strategy", "type", "Recreate"), "deployment-other": object("spec", "strategy", "type", "RollingUpdate"),
	}}
	grove := &side{objects: map[string]*unstructured.Unstructured{"podcliqueset": object("spec", "updateStrategy", "type", "OnDelete")}}
	got := []how{s.howPodsRestart("worker"), s.howPodsRestart("other"), s.howPodsRestart("absent"), grove.howPodsRestart("worker")}
	if diff := cmp.Diff([]how{atOnce, rolling, rolling, onDelete}, got); diff != "" {
		t.Errorf("howPodsRestart(...): -want, +got:\n%s", diff)
	}
}

// TestOutside checks that pods and replicas are those of components, and everything else is that of objects.
func TestOutside(t *testing.T) {
	set := &unstructured.Unstructured{Object: fields{
		"kind":     "PodCliqueSet",
		"metadata": fields{"name": "a", "uid": "b", "annotations": fields{"dynamo.nvidia.com/revision": "c", "team": "d"}},
		"spec": fields{"replicas": int64(1), "template": fields{
			"terminationDelay":       "4h",
			"cliques":                []any{fields{"name": "w", "labels": fields{"x": "y"}, "spec": fields{"replicas": int64(2), "podSpec": fields{}, "roleName": "w"}}},
			"podCliqueScalingGroups": []any{fields{"name": "g", "replicas": int64(2)}},
		}},
		"status": fields{"replicas": int64(1)},
	}}
	want := fields{
		"kind":     "PodCliqueSet",
		"metadata": fields{"name": "a", "annotations": fields{"team": "d"}},
		"spec": fields{"template": fields{
			"terminationDelay":       "4h",
			"cliques":                []any{fields{"name": "w", "spec": fields{"roleName": "w"}}},
			"podCliqueScalingGroups": []any{fields{"name": "g"}},
		}},
	}
	if diff := cmp.Diff(want, outside(set)); diff != "" {
		t.Errorf("outside(...): -want, +got:\n%s", diff)
	}
}

// TestSecret checks that a change of the data of a Secret is known, and its values are not.
func TestSecret(t *testing.T) {
	secret := func(value string) map[string]*unstructured.Unstructured {
		return map[string]*unstructured.Unstructured{"ssh-secret": {Object: fields{"kind": "Secret", "metadata": fields{"name": "key"}, "data": fields{"private.key": value}}}}
	}
	shown := secret(redacted)
	before, after := &side{objects: shown, live: secret("b25l")}, &side{objects: shown, live: secret("dHdv")}
	want := []Object{{
		Kind: "Secret", Name: "key", Effect: Changed, Text: "changes (data)", Fields: []Field{{Path: "data", Before: redacted, After: redacted}},
	}}
	if diff := cmp.Diff(want, objectsOf(before, after)); diff != "" {
		t.Errorf("objectsOf(...): -want, +got:\n%s", diff)
	}
	if got := objectsOf(before, before); len(got) != 1 || got[0].Effect != Nothing {
		t.Errorf("want nothing changed, got %+v", got)
	}
}

// TestMarkdown checks that nothing that people write becomes markup.
func TestMarkdown(t *testing.T) {
	r := &Report{Graphs: []Graph{
		{Name: "a/b", Effect: Refused, Note: "*note*", Refusals: []check.Finding{{Message: "<img> @all [x](y) `z`\n# title", Code: "DGD101"}}},
		{Name: "a/c", Effect: Restarts, Components: []Component{{
			Name: "W", Effect: Restarts, Text: "all 2 pods restart (image)", Fields: []Field{{Path: "a|b", Before: "`x`|" + strings.Repeat("y", 200)}},
		}}},
	}}
	var out bytes.Buffer
	if err := r.Write(&out, Markdown, Options{Fields: true}); err != nil {
		t.Fatal(err)
	}
	want := Marker + "\n\n### `a/b`: is refused, and nothing changes\n\nNote: \\*note\\*\n\n" +
		"- **refused**: &lt;img&gt; @&#8203;all \\[x\\](y) \\`z\\` \\# title \\[DGD101\\]\n" +
		"\n### `a/c`: pods restart\n\n- **W**: all 2 pods restart (image)\n\n<details><summary>1 field</summary>\n\n| | field | before | after |\n|---|---|---|---|\n" +
		"| W | `a\\|b` | ``\"`x`\\|" + strings.Repeat("y", 95) + "...`` |  |\n\n</details>\n\n2 graphs compared: 1 refused, 1 with restarts\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("Write(...): -want, +got:\n%s", diff)
	}
}

// TestColors checks that only text for a terminal has colors, and only for what is worth attention.
func TestColors(t *testing.T) {
	r := &Report{Graphs: []Graph{{Name: "a/b", Effect: Restarts, Components: []Component{
		{Name: "W", Effect: Restarts, Text: "its pod restarts"},
		{Name: "X", Effect: Changed, Text: "no pod restarts, new pods differ"},
	}}}}
	for colored, want := range map[bool]string{
		false: "a/b: pods restart\n  W: its pod restarts\n  X: no pod restarts, new pods differ\n",
		true:  "a/b: \x1b[33;1mpods restart\x1b[0m\n  \x1b[33;1mW\x1b[0m: its pod restarts\n  X: no pod restarts, new pods differ\n",
	} {
		var out bytes.Buffer
		if err := r.Write(&output.Writer{Out: &out, Colored: colored}, output.FormatText, Options{}); err != nil {
			t.Fatal(err)
		}
		if out.String() != want {
			t.Errorf("colored %t: want %q, got %q", colored, want, out.String())
		}
	}
}
