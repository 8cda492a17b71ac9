package upgrade

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/compositiontest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/written"
)

// A draft is what the user of a graph may edit, with a release of Dynamo. The first format of a fix does not see the hidden value.
type draft struct {
	hidden, visible int
	sidecar         bool

	release string
}

// values that its pods have, with nothing else of the same beginning.
func (d draft) values(hides bool) []string {
	values := []string{fmt.Sprintf("visible-%d", d.visible)}
	if hides {
		values = append(values, fmt.Sprintf("hidden-%d", d.hidden))
	}
	return slices.Sorted(slices.Values(values))
}

// A fix of a format.
type fix struct {
	reason  string
	formats written.Formats

	// version of the API, the fields of the spec, and whether pods have the hidden value.
	version string
	spec    func(draft) map[string]any
	shows   func(draft) bool
}

func variable(name, value string) map[string]any { return map[string]any{"name": name, "value": value} }

// main container, which overrides the variable of the graph.
func (d draft) main() map[string]any {
	return map[string]any{
		"image": "registry.example.org/runtime:" + d.release, "command": []any{"python3", "-m", "dynamo.vllm"}, "args": []any{"--model", "m"},
		"env": []any{variable("HIDDEN", "own"), variable("VISIBLE", fmt.Sprintf("visible-%d", d.visible))},
	}
}

// env of the graph.
func (d draft) env() []any { return []any{variable("HIDDEN", fmt.Sprintf("hidden-%d", d.hidden))} }

// fixes are those of this release, in each version of the API, and another one.
func fixes() map[string]fix {
	const image = "registry.example.org/frontend:1.4.0"
	components := func(d draft) map[string]any {
		worker := map[string]any{"componentType": "worker", "extraPodSpec": map[string]any{"mainContainer": d.main()}}
		if d.sidecar {
			worker["frontendSidecar"] = map[string]any{"image": image}
		}
		return map[string]any{"Worker": worker}
	}
	return map[string]fix{
		"Sidecar": {
			reason: "A variable of the graph that the main container overrides is one of the sidecar.", formats: written.Current(), version: "v1alpha1",
			spec:  func(d draft) map[string]any { return map[string]any{"envs": d.env(), "services": components(d)} },
			shows: func(d draft) bool { return d.sidecar },
		},
		"SidecarOfComponent": {
			reason: "A container of a component may be the sidecar.", formats: written.Current(), version: "v1beta1",
			spec: func(d draft) map[string]any {
				main := d.main()
				main["name"] = "main"
				containers := []any{main}
				worker := map[string]any{"name": "Worker", "type": "worker"}
				if d.sidecar {
					worker["frontendSidecar"] = "frontend"
					containers = append(containers, map[string]any{"name": "frontend", "image": image})
				}
				worker["podTemplate"] = map[string]any{"spec": map[string]any{"containers": containers}}
				return map[string]any{"env": d.env(), "components": []any{worker}}
			},
			shows: func(d draft) bool { return d.sidecar },
		},
		"Labels": {
			reason: "A format that does not see labels is fixed.", formats: written.Formats{{Number: 1, Lacks: []string{"labels"}}, {Number: 2}}, version: "v1alpha1",
			spec: func(d draft) map[string]any {
				return map[string]any{"labels": map[string]any{"edited": fmt.Sprintf("hidden-%d", d.hidden)}, "services": components(d)}
			},
			shows: func(draft) bool { return true },
		},
	}
}

// A walk is a live graph that has been edited, and upgraded or not.
type walk struct {
	*livingGraph
	fix

	graph *crossplane.Graph
	draft draft
	// newer says which build the graph has.
	newer  bool
	builds map[bool]crossplane.Functions

	// known says that the newer build has seen what the user has written last.
	known bool
	steps []string
}

// TestWalks upgrades live graphs to a build that fixes a format, and then edits them, and goes back and forth, in each order. Whatever has happened
// before, pods are as their user wants them with the newer build, another build alone replaces none that are, and the older one does not see the
// hidden value. Workers of the newer release of Dynamo have generations.
func TestWalks(t *testing.T) {
	for name, f := range fixes() {
		for cluster, release := range map[string]string{"none": "1.4.0", "grove-kai": "1.5.0"} {
			t.Run(name+"-on-"+cluster, func(t *testing.T) {
				w := walk{fix: f, draft: draft{hidden: 1, visible: 1, sidecar: true, release: release}, builds: map[bool]crossplane.Functions{false: build(f.formats[:1], false), true: build(f.formats, true)}}
				source := &unstructured.Unstructured{Object: map[string]any{
					"apiVersion": "nvidia.com/" + f.version, "kind": "DynamoGraphDeployment", "metadata": map[string]any{"name": "llama", "namespace": "inference"},
					"spec": f.spec(w.draft),
				}}
				w.livingGraph = &livingGraph{
					matrix:   matrix{name: name, cluster: cluster, source: source},
					pipeline: compositiontest.Pipeline(t, harness.Composition, nil), objects: harness.Read(t, "examples/cluster/"+cluster+".yaml"),
				}
				w.graph = w.create(t, w.builds[false])
				w.step(t, "forth", func(w *walk) { w.newer = true })
				w.further(t, 3)
			})
		}
	}
}

// further steps of each kind.
func (w *walk) further(t *testing.T, steps int) {
	t.Helper()
	if steps == 0 {
		return
	}
	kinds := map[string]func(*walk){
		"the other build":    func(w *walk) { w.newer = !w.newer },
		"the visible value":  func(w *walk) { w.draft.visible = 3 - w.draft.visible },
		"with or without it": func(w *walk) { w.draft.sidecar = !w.draft.sidecar },
	}
	if w.newer || w.known {
		kinds["the hidden value"] = func(w *walk) { w.draft.hidden = 3 - w.draft.hidden }
	}
	for i, kind := range slices.Sorted(maps.Keys(kinds)) {
		if steps == 1 && !harness.Sampled(i+len(strings.Join(w.steps, "")), 3) {
			continue
		}
		next := *w
		next.graph, next.steps = w.graph.Clone(), slices.Clone(w.steps)
		next.step(t, kind, kinds[kind])
		next.further(t, steps-1)
	}
}

// step changes the build or what the user has written.
func (w *walk) step(t *testing.T, kind string, change func(*walk)) {
	t.Helper()
	before, draft, fresh := w.pods(t, w.graph), w.draft, w.isFresh()
	w.steps = append(w.steps, kind)
	change(w)
	if w.draft != draft {
		w.graph.Edit(func(xr *unstructured.Unstructured) {
			spec, _ := xr.Object["spec"].(map[string]any)
			maps.Copy(spec, w.spec(w.draft))
		})
	}
	edit := w.draft
	edit.hidden = draft.hidden
	unseen := !w.newer && edit == draft
	w.known = w.newer || w.known && unseen
	w.reconcile(t, w.graph, w.builds[w.newer])
	is(t, w.graph, "Synced", "True")
	if w.newer && !w.isFresh() {
		t.Errorf("%s\nafter %s: want pods with %q, got %q", w.reason, strings.Join(w.steps, ", "), w.draft.values(w.shows(w.draft)), w.shown())
	}
	if diff := cmp.Diff(before, w.pods(t, w.graph)); (unseen || w.draft == draft && fresh) && diff != "" {
		t.Errorf("%s\nafter %s: pods that the build has no reason to replace: -before, +after:\n%s", w.reason, strings.Join(w.steps, ", "), diff)
	}
}

// isFresh reports whether the pods are what the user wants.
func (w *walk) isFresh() bool { return cmp.Equal(w.draft.values(w.shows(w.draft)), w.shown()) }

// shown are the values that workloads have.
func (w *walk) shown() []string {
	var all []string
	for _, object := range w.graph.Objects() {
		if slices.Contains([]string{"Deployment", "PodCliqueSet"}, object.GetKind()) {
			all = append(all, texts(object.Object)...)
		}
	}
	all = slices.DeleteFunc(all, func(text string) bool {
		return !strings.HasPrefix(text, "hidden-") && !strings.HasPrefix(text, "visible-")
	})
	slices.Sort(all)
	return slices.Compact(all)
}

// texts in a value.
func texts(value any) []string {
	var all []string
	switch value := value.(type) {
	case string:
		return []string{value}
	case map[string]any:
		for _, field := range value {
			all = append(all, texts(field)...)
		}
	case []any:
		for _, element := range value {
			all = append(all, texts(element)...)
		}
	}
	return all
}
