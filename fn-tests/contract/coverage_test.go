package contract

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/conversion"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/api"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/corpus"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/kinds"
)

// TestEveryField checks that a manifest sets each field of the API, and each value that a field can have.
func TestEveryField(t *testing.T) {
	fields, err := api.Fields(filepath.Join(harness.Root(), api.Definition))
	if err != nil {
		t.Fatal(err)
	}
	graphs := graphsOf(t)
	for _, graph := range slices.Clone(graphs) {
		// A field that both forms have needs one manifest. Suite fn-tests/api sets it in each of them.
		for _, convert := range []func(map[string]any) (map[string]any, []conversion.Warning){conversion.ToV1beta1, conversion.ToV1alpha1} {
			converted, _ := convert(graph.Object)
			graphs = append(graphs, &unstructured.Unstructured{Object: converted})
		}
	}
	for _, field := range fields {
		var set []any
		for _, graph := range graphs {
			set = append(set, valuesAt(graph.Object, strings.Split(field.Path, "."))...)
		}
		if len(set) == 0 {
			t.Errorf("%s: no manifest in fn-tests/support/corpus/manifests sets it; add one", field.Path)
		}
		for _, value := range field.Values {
			if !slices.Contains(set, any(value)) {
				t.Errorf("%s: no manifest in fn-tests/support/corpus/manifests sets %s; add one", field.Path, value)
			}
		}
	}
}

// TestEveryComponentType checks that there is a component of each type that has defaults, of another type, and of none.
func TestEveryComponentType(t *testing.T) {
	known := []string{
		v1alpha1.ComponentFrontend, v1alpha1.ComponentWorker, v1alpha1.ComponentPrefill, v1alpha1.ComponentDecode, v1alpha1.ComponentPlanner, v1alpha1.ComponentEPP,
	}
	others := map[bool]int{}
	found := map[string]bool{}
	for _, component := range componentsOf(t) {
		componentType, given := component["componentType"].(string)
		if slices.Contains(known, componentType) {
			found[componentType] = true
		} else {
			others[given]++
		}
	}
	for _, componentType := range known {
		if !found[componentType] {
			t.Errorf("componentType %s: no manifest in fn-tests/support/corpus/manifests has a service of it; add one", componentType)
		}
	}
	if others[true] == 0 || others[false] == 0 {
		t.Errorf("want services of a type that is not known, and without a type; got %d and %d", others[true], others[false])
	}
}

// TestEveryEngine checks that each engine is found by its command, on one node and on several, and that there are engines that are not
// known.
func TestEveryEngine(t *testing.T) {
	engines := enginesOf(t)
	type kind struct {
		engine    string
		multinode bool
	}
	found := map[kind]int{}
	for _, component := range componentsOf(t) {
		if component["componentType"] != v1alpha1.ComponentWorker {
			continue
		}
		container, _, _ := unstructured.NestedMap(component, "extraPodSpec", "mainContainer")
		_, multinode := component["multinode"]
		command := fmt.Sprint(container["command"], container["args"])
		i := slices.IndexFunc(engines, func(engine string) bool { return strings.Contains(command, "dynamo."+engine) })
		if i < 0 {
			found[kind{"", multinode}]++
			continue
		}
		found[kind{engines[i], multinode}]++
	}
	for _, engine := range append(engines, "") {
		for _, multinode := range []bool{false, true} {
			if found[kind{engine, multinode}] == 0 {
				t.Errorf("engine %q, multinode %v: no manifest in fn-tests/support/corpus/manifests has a worker that runs it; add one", engine, multinode)
			}
		}
	}
}

// enginesOf the API.
func enginesOf(t *testing.T) []string {
	t.Helper()
	fields, err := api.Fields(filepath.Join(harness.Root(), api.Definition))
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(fields, func(f api.Field) bool { return f.Path == "spec.backendFramework" })
	if i < 0 || len(fields[i].Values) == 0 {
		t.Fatal("the API has no field spec.backendFramework with the names of the engines")
	}
	return fields[i].Values
}

// TestEveryRule checks that there is a manifest for each file of rules, which is refused by them or warned.
func TestEveryRule(t *testing.T) {
	paths := harness.Glob(t, "internal/validate/*.go")
	named := map[string]bool{}
	for _, m := range corpus.Manifests(t) {
		_, file := filepath.Split(m.Name)
		named[file] = true
	}
	for _, path := range paths {
		subject := strings.TrimSuffix(filepath.Base(path), ".go")
		// validate.go has no rule: it calls the others.
		if strings.HasSuffix(subject, "_test") || subject == "validate" {
			continue
		}
		if !named["refused-"+subject] && !named["warned-"+subject] {
			t.Errorf("internal/validate/%s.go: there is no refused-%[1]s.yaml and no warned-%[1]s.yaml in fn-tests/support/corpus/manifests; add one that breaks its rules", subject)
		}
	}
}

// TestEveryOrchestrator checks that graphs run on each orchestrator, with each scheduler of gangs, and that every kind is composed.
func TestEveryOrchestrator(t *testing.T) {
	manifests := corpus.Manifests(t)
	composed, orchestrators := map[string]bool{}, map[string]bool{}
	for i, out := range harness.New(t).RenderAll(t, corpus.Renders(t, manifests)) {
		m := &manifests[i]
		isAsNamed(t, m, out)
		if out.Err != nil {
			continue
		}
		orchestrator, _, _ := unstructured.NestedString(out.Composite.Object, "status", "orchestrator")
		orchestrators[orchestrator] = true
		for _, object := range out.Composed {
			composed[object.GetKind()] = true
			if scheduler, ok, _ := unstructured.NestedString(object.Object, "spec", "leaderWorkerTemplate", "leaderTemplate", "spec", "schedulerName"); ok {
				orchestrators[orchestrator+" with "+scheduler] = true
			}
		}
	}
	wantOrchestrators := []string{"Deployment", "Grove", "LeaderWorkerSet", "LeaderWorkerSet with kai-scheduler", "LeaderWorkerSet with volcano"}
	if diff := cmp.Diff(wantOrchestrators, slices.Sorted(maps.Keys(orchestrators))); diff != "" {
		t.Errorf("orchestrators that run manifests: -want, +got:\n%s", diff)
	}
	for _, kind := range kinds.ComposedNames() {
		if !composed[kind] {
			t.Errorf("%s: no manifest in fn-tests/support/corpus/manifests has one composed; add one", kind)
		}
	}
}

// isAsNamed checks that a manifest becomes what its name says.
func isAsNamed(t *testing.T, m *corpus.Manifest, out harness.Output) {
	t.Helper()
	switch {
	case m.Refused && len(out.Refusals()) == 0:
		t.Errorf("%s: is rendered, want it refused", m.Name)
	case m.Refused && len(out.Stdout) > 0:
		t.Errorf("%s: is refused, but something was printed:\n%s", m.Name, out.Stdout)
	case !m.Refused && out.Err != nil:
		t.Errorf("%s: %v: %s", m.Name, out.Err, out.Stderr)
	case m.Warned && len(out.Warnings()) == 0:
		t.Errorf("%s: want a warning", m.Name)
	}
}

// TestComments checks that each manifest says what it shows, and that their number is worth the name.
func TestComments(t *testing.T) {
	manifests := corpus.Manifests(t)
	if len(manifests) < 60 {
		t.Errorf("want at least 60 manifests, got %d", len(manifests))
	}
	for _, m := range manifests {
		if !strings.HasSuffix(m.Shows, ".") {
			t.Errorf("%s: the first line is no comment with a sentence about what the manifest shows: %q", m.Name, m.Shows)
		}
	}
}

// graphsOf all manifests.
func graphsOf(t *testing.T) []*unstructured.Unstructured {
	t.Helper()
	var graphs []*unstructured.Unstructured
	for _, m := range corpus.Manifests(t) {
		graphs = append(graphs, harness.Read(t, m.Path)[0])
	}
	return graphs
}

// componentsOf all manifests that are not refused.
func componentsOf(t *testing.T) []map[string]any {
	t.Helper()
	var components []map[string]any
	for _, m := range corpus.Manifests(t) {
		if m.Refused {
			continue
		}
		for _, component := range valuesAt(harness.Read(t, m.Path)[0].Object, []string{"spec", "services", "*"}) {
			if component, ok := component.(map[string]any); ok {
				components = append(components, component)
			}
		}
	}
	return components
}

// valuesAt a path of the API in a tree: * stands for any key, and [] after a name for any item.
func valuesAt(tree any, path []string) []any {
	if len(path) == 0 {
		return []any{tree}
	}
	fields, _ := tree.(map[string]any)
	name, isList := strings.CutSuffix(path[0], "[]")
	var children []any
	switch value, ok := fields[name]; {
	case name == "*":
		children = slices.Collect(maps.Values(fields))
	case !ok:
		return nil
	case isList && len(path) > 1:
		children, _ = value.([]any)
	default:
		children = []any{value}
	}
	var values []any
	for _, child := range children {
		values = append(values, valuesAt(child, path[1:])...) //nolint:gosec // An empty path has returned.
	}
	return values
}
