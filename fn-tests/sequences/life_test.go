package sequences

import (
	"bytes"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/schema"
)

// TestLives plays every life in testdata, and pins what the graph says of itself at each step.
func TestLives(t *testing.T) {
	t.Parallel()
	binary := harness.New(t)
	definition, err := schema.LoadSet(filepath.Join(harness.Root(), "apis", "dynamographdeployment", "definition.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob(filepath.Join("testdata", "lifecycle", "*.life.yaml"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("there are no lives in testdata: %v", err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".life.yaml")
		t.Run(name, func(t *testing.T) {
			life := Read(t, path)
			played := life.Play(t, binary)
			pin(t, name, played)
			for _, r := range played {
				if r.Output.Err == nil {
					for _, broken := range definition.Validate(r.Output.Composite) {
						t.Errorf("step %s: the status is not as the API has it: %v", r.Step, broken)
					}
				}
			}
			checkConditions(t, played)
			repeat(t, binary, played)
		})
	}
}

// pin what the graph says of itself.
func pin(t *testing.T, name string, played []Reconcile) {
	t.Helper()
	said := make([]*unstructured.Unstructured, 0, len(played))
	for _, r := range played {
		words := map[string]any{"step": r.Step}
		if r.Output.Err != nil {
			words["refused"] = r.Output.Stderr
		} else {
			conditions := map[string]any{}
			for conditionType, line := range Conditions(r.Output.Composite) {
				conditions[conditionType] = line
			}
			status, _, _ := unstructured.NestedMap(r.Output.Composite.Object, "status")
			words["state"], words["services"], words["conditions"] = status["state"], status["services"], conditions
		}
		said = append(said, &unstructured.Unstructured{Object: words})
	}
	harness.Golden(t, filepath.Join("testdata", "lifecycle", "golden", name+".yaml"), harness.Format(t, said...))
}

// checkConditions checks that a graph always has the same conditions, and that none that was known once is Unknown again.
func checkConditions(t *testing.T, played []Reconcile) {
	t.Helper()
	known := map[string]string{}
	var types []string
	for _, r := range played {
		if r.Output.Err != nil {
			continue
		}
		conditions := Conditions(r.Output.Composite)
		if types == nil {
			types = slices.Sorted(maps.Keys(conditions))
		}
		if diff := cmp.Diff(types, slices.Sorted(maps.Keys(conditions))); diff != "" {
			t.Errorf("step %s: the conditions of a graph are always the same: -before, +now:\n%s", r.Step, diff)
		}
		for conditionType, line := range conditions {
			unknown := strings.HasPrefix(line, "Unknown")
			if step, ok := known[conditionType]; ok && unknown {
				t.Errorf("step %s: condition %s is Unknown, and was known at step %s", r.Step, conditionType, step)
			}
			if !unknown {
				known[conditionType] = r.Step
			}
		}
	}
}

// repeat every step with nothing left of the status that the steps before it wrote but which generation it was written for. What a graph says of
// itself depends on what is observed of its objects and on whether its spec has been seen, and on nothing else, so that it cannot alternate.
func repeat(t *testing.T, binary *harness.Binary, played []Reconcile) {
	t.Helper()
	var renders []harness.Render
	for _, r := range played {
		xr := harness.Read(t, r.Render.XR)[0]
		forget(xr)
		forgetful := r.Render
		forgetful.XR = harness.Write(t, xr)
		renders = append(renders, forgetful)
	}
	for i, out := range binary.RenderAll(t, renders) {
		if before := played[i]; !bytes.Equal(before.Output.Stdout, out.Stdout) {
			t.Errorf("step %s, rendered without its status: -before, +now:\n%s", before.Step, cmp.Diff(string(before.Output.Stdout), string(out.Stdout)))
		}
	}
}

// forget the status of a graph but for the generation that it was written for.
func forget(xr *unstructured.Unstructured) {
	seen, written, _ := unstructured.NestedInt64(xr.Object, "status", "observedGeneration")
	delete(xr.Object, "status")
	if written {
		xr.Object["status"] = map[string]any{"observedGeneration": seen}
	}
}
