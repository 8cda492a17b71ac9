package upgrade

import (
	"maps"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/compositiontest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/corpus"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/written"
)

// A build of the functions, which knows some formats of what users have written. A later build also builds pods otherwise.
func build(formats written.Formats, later bool) crossplane.Functions {
	servers := crossplane.Servers(logging.NewNopLogger())
	servers["plan"] = plan.NewFunctionWith(logging.NewNopLogger(), formats)
	if later {
		for _, name := range []string{"grove", "lws"} {
			servers[name] = otherRules{servers[name]}
		}
	}
	return crossplane.InProcess(servers)
}

// A livingGraph is one of the corpus, on its platform.
type livingGraph struct {
	matrix

	pipeline *crossplane.Pipeline
	objects  []*unstructured.Unstructured

	// restarted says that its user restarts it.
	restarted bool
}

// create the graph with a build of the functions.
func (l *livingGraph) create(t *testing.T, with crossplane.Functions) *crossplane.Graph {
	t.Helper()
	g := crossplane.NewGraph(l.source, l.objects)
	l.reconcile(t, g, with)
	if l.restarted {
		g.Edit(func(xr *unstructured.Unstructured) {
			_ = unstructured.SetNestedField(xr.Object, "now", "spec", "restart", "id")
		})
		for range 3 {
			l.reconcile(t, g, with)
		}
	}
	return g
}

func (l *livingGraph) reconcile(t *testing.T, g *crossplane.Graph, with crossplane.Functions) {
	t.Helper()
	for range 3 {
		if _, err := l.pipeline.Run(t.Context(), g, with); err != nil {
			t.Fatal(err)
		}
	}
}

// keeps the pods that the graph has with another build of the functions.
func (l *livingGraph) keeps(t *testing.T, g *crossplane.Graph, with crossplane.Functions, what string) {
	t.Helper()
	before := l.pods(t, g)
	l.reconcile(t, g, with)
	is(t, g, "Synced", "True")
	if diff := cmp.Diff(before, l.pods(t, g)); diff != "" {
		t.Errorf("%s: the pods of a graph that its user did not change: -before, +after:\n%s", what, diff)
	}
}

// TestFormats upgrades to a build with a new format of what users have written, goes back, and forth again, for each field that the new format
// has: live graphs that say something in the field keep their pods, and an edit by their user takes effect with each build.
func TestFormats(t *testing.T) {
	graphs := graphsByField(t)
	for _, field := range slices.Sorted(maps.Keys(graphs)) {
		t.Run(field, func(t *testing.T) {
			formats := written.Formats{{Number: 1, Lacks: []string{field}}, {Number: 2}}
			older, newer := build(formats[:1], false), build(formats, true)
			l := graphs[field]
			if l == nil {
				t.Fatal("no graph of the corpus says anything in the field")
			}
			upgraded := l.create(t, older)
			l.keeps(t, upgraded, newer, "forth")
			l.keeps(t, upgraded, older, "back")
			l.keeps(t, upgraded, newer, "forth again")

			born := l.create(t, newer)
			l.keeps(t, born, older, "back from the build that created it")
			for what, with := range map[string]crossplane.Functions{"older": older, "newer": newer} {
				edited, before := born.Clone(), l.pods(t, born)
				edited.Edit(markPods)
				l.reconcile(t, edited, with)
				if cmp.Equal(before, l.pods(t, edited)) {
					t.Errorf("an edit has no effect with the %s build", what)
				}
				l.keeps(t, edited, newer, "forth after an edit with the "+what+" build")
				l.keeps(t, edited, older, "back after an edit with the "+what+" build")
			}
		})
	}
}

// TestFormatsApart shows what the formats of the build before are for: without them, an upgrade replaces all pods.
func TestFormatsApart(t *testing.T) {
	l := livingGraphs(t)[0]
	g := l.create(t, build(written.Formats{{Number: 1}}, false))
	before := l.pods(t, g)
	l.reconcile(t, g, build(written.Formats{{Number: 2}}, true))
	if cmp.Equal(before, l.pods(t, g)) {
		t.Error("want other pods: builds without a common format cannot tell that nothing has changed")
	}
}

// markPods with a label and an annotation, as a user would. A build that does not know labels or annotations sees the other one.
func markPods(xr *unstructured.Unstructured) {
	for _, field := range []string{"labels", "annotations"} {
		_ = unstructured.SetNestedField(xr.Object, "true", "spec", field, "edited")
	}
}

// unusual are graphs that say what no other does, by platform.
func unusual() map[string][]map[string]any {
	worker := func(fields map[string]any) map[string]any {
		fields["componentType"] = "worker"
		return map[string]any{
			"apiVersion": "nvidia.com/v1alpha1", "kind": "DynamoGraphDeployment", "metadata": map[string]any{"name": "llama", "namespace": "inference"},
			"spec": map[string]any{"services": map[string]any{"Worker": fields}},
		}
	}
	main := map[string]any{"image": "registry.example.org/runtime:1.5.0", "command": []any{"python3", "-m", "dynamo.vllm"}, "args": []any{"--model", "m"}}
	role := func(name, metrics string) map[string]any {
		return map[string]any{"name": name, "podTemplate": map[string]any{
			"metadata": map[string]any{"annotations": map[string]any{"nvidia.com/enable-metrics": metrics}},
			"spec":     map[string]any{"containers": []any{map[string]any{"name": "main", "image": "registry.example.org/runtime:1.6.0", "command": []any{"serve", name}}}},
		}}
	}
	return map[string][]map[string]any{"grove-kai": {
		worker(map[string]any{"multinode": map[string]any{"nodeCount": int64(2)}, "roles": []any{role("leader", "true"), role("worker", "false")}}),
	}, "deployment": {
		worker(map[string]any{
			"annotations": map[string]any{"nvidia.com/enable-metrics": "false"}, "extraPodMetadata": map[string]any{"annotations": map[string]any{"nvidia.com/enable-metrics": "true"}},
			"extraPodSpec": map[string]any{"mainContainer": main},
		}),
		worker(map[string]any{"resources": map[string]any{"limits": map[string]any{"gpuType": "example.org/gpu"}}, "extraPodSpec": map[string]any{"mainContainer": main}}),
	}}
}

// livingGraphs are the graphs of the corpus that are accepted, each on its platform.
func livingGraphs(t *testing.T) []*livingGraph {
	t.Helper()
	pipelines, objects := map[string]*crossplane.Pipeline{}, map[string][]*unstructured.Unstructured{}
	for _, p := range corpus.Platforms() {
		pipelines[p.Name], objects[p.Name] = compositiontest.Pipeline(t, harness.Composition, p.Input), harness.Read(t, p.Cluster)
	}
	var all []*livingGraph
	alone := unusual()
	for _, platform := range slices.Sorted(maps.Keys(alone)) {
		for _, object := range alone[platform] {
			source := &unstructured.Unstructured{Object: object}
			plain := livingGraph{matrix: matrix{name: "unusual", source: source}, pipeline: pipelines[platform], objects: objects[platform]}
			restarted := plain
			restarted.restarted = true
			all = append(all, &plain, &restarted)
		}
	}
	for _, m := range corpus.Manifests(t) {
		if !m.Refused {
			all = append(all, &livingGraph{
				matrix: matrix{name: m.Name, cluster: m.Platform.Cluster, source: harness.Read(t, m.Path)[0]}, pipeline: pipelines[m.Platform.Name], objects: objects[m.Platform.Name],
			})
		}
	}
	return all
}

// graphsByField are graphs that say something in each field of what is hashed. It is nil if none does.
func graphsByField(t *testing.T) map[string]*livingGraph {
	t.Helper()
	graphs, left := map[string]*livingGraph{}, 0
	for i, field := range hashedFields(t) {
		if harness.Sampled(i, 5) {
			graphs[field] = nil
			left++
		}
	}
	functions := build(written.Current(), false)
	for _, l := range livingGraphs(t) {
		if left == 0 {
			break
		}
		live := l.create(t, functions)
		if live.Condition("Synced")["status"] != "True" {
			// A checkpoint may be missing that the graph waits for.
			continue
		}
		settled, err := l.pipeline.Reconcile(t.Context(), live, functions)
		if err != nil {
			t.Fatal(err)
		}
		req := settled.Calls[0].Request
		whole := hashes(t, written.Formats{{Number: 1}}, req)
		for field, found := range graphs {
			if found == nil && !cmp.Equal(whole, hashes(t, written.Formats{{Number: 1, Lacks: []string{field}}}, req)) {
				graphs[field] = l
				left--
			}
		}
	}
	return graphs
}

// hashes that step plan writes in some formats.
func hashes(t *testing.T, formats written.Formats, req *fnv1.RunFunctionRequest) map[string]string {
	t.Helper()
	rsp, err := plan.NewFunctionWith(logging.NewNopLogger(), formats).RunFunction(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	components := rsp.GetContext().GetFields()[contextKey].GetStructValue().GetFields()["services"].GetStructValue()
	for name, component := range components.GetFields() {
		all[name] = component.GetStructValue().GetFields()["written"].GetStringValue()
	}
	return all
}

// hashedFields of a component, from the source of their type.
func hashedFields(t *testing.T) []string {
	t.Helper()
	source := harness.File(t, "functions/plan/written/component.go")
	definition := regexp.MustCompile(`(?s)type component struct \{.*?\n\}`).Find(source)
	var fields []string
	for _, match := range regexp.MustCompile("`json:\"([a-zA-Z]+)").FindAllSubmatch(definition, -1) {
		if name := string(match[1]); name != "format" {
			fields = append(fields, name)
		}
	}
	if len(fields) == 0 {
		t.Fatal("the type has no fields")
	}
	return fields
}
