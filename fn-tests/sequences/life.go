package sequences

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// Life of one graph.
type Life struct {
	// XR is the manifest that the user applies, Cluster what the cluster offers.
	XR      string `json:"xr"`
	Cluster string `json:"cluster"`

	Steps []Step `json:"steps"`
}

// Step is one reconcile. What it does not record stays as it was.
type Step struct {
	Name string `json:"name"`

	// Spec is what the user changes, merged into the spec.
	Spec map[string]any `json:"spec,omitempty"`

	// Observed is what controllers have written into composed resources, by composition resource name.
	Observed map[string]map[string]any `json:"observed,omitempty"`

	// Children are what Grove has made from the PodCliqueSet.
	Children []map[string]any `json:"children,omitempty"`
}

// Reconcile is what one step rendered.
type Reconcile struct {
	Step   string
	Render harness.Render
	Output harness.Output
}

// Read a life.
func Read(t testing.TB, path string) Life {
	t.Helper()
	data, err := os.ReadFile(filepath.Clean(path))
	if err != nil {
		t.Fatal(err)
	}
	life := Life{}
	if err := yaml.UnmarshalStrict(data, &life); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return life
}

// Play a life from the first render on.
func (l *Life) Play(t testing.TB, binary *harness.Binary) []Reconcile {
	t.Helper()
	xr := harness.Read(t, l.XR)[0]
	written := map[string]map[string]any{}
	var children, observed []*unstructured.Unstructured
	var played []Reconcile
	for i, step := range l.Steps {
		changeSpec(t, xr, step.Spec, int64(i+1))
		maps.Copy(written, step.Observed)
		if step.Children != nil {
			children = childrenOf(xr, step.Children)
		}
		for _, object := range observed {
			merge(object.Object, written[harness.Key(object)])
		}
		render := harness.Render{
			XR:       harness.Write(t, xr),
			Cluster:  harness.Write(t, append(harness.Read(t, l.Cluster), children...)...),
			Observed: "",
			// What is not desired of the status any more is removed, as by the API server.
			ChangesOnly: true,
		}
		if len(observed) > 0 {
			render.Observed = harness.Write(t, observed...)
		}
		out := binary.Render(t, render)
		if out.Err == nil {
			out.Composite = apply(xr, out.Composite)
		}
		played = append(played, Reconcile{Step: step.Name, Render: render, Output: out})
		if out.Err == nil {
			xr, observed = out.Composite.DeepCopy(), nil
			for _, object := range out.Composed {
				observed = append(observed, object.DeepCopy())
			}
		}
	}
	return played
}

// apply what a render changes to a graph.
func apply(xr, changes *unstructured.Unstructured) *unstructured.Unstructured {
	applied := xr.DeepCopy()
	merge(applied.Object, changes.Object)
	return applied
}

// changeSpec of a graph, which then has another generation.
func changeSpec(t testing.TB, xr *unstructured.Unstructured, spec map[string]any, generation int64) {
	t.Helper()
	if generation > 1 && spec == nil {
		return
	}
	xr.SetGeneration(generation)
	current, _, err := unstructured.NestedMap(xr.Object, "spec")
	if err != nil {
		t.Fatal(err)
	}
	merge(current, spec)
	xr.Object["spec"] = current
}

// childrenOf the PodCliqueSet of a graph, as Grove labels them.
func childrenOf(xr *unstructured.Unstructured, recorded []map[string]any) []*unstructured.Unstructured {
	children := make([]*unstructured.Unstructured, 0, len(recorded))
	for _, content := range recorded {
		child := &unstructured.Unstructured{Object: maps.Clone(content)}
		child.SetAPIVersion("grove.io/v1alpha1")
		child.SetNamespace(xr.GetNamespace())
		child.SetLabels(map[string]string{
			"app.kubernetes.io/managed-by": "grove-operator",
			"app.kubernetes.io/part-of":    xr.GetName(),
		})
		children = append(children, child)
	}
	return children
}

// merge one tree into another. A status is its controller's, and replaces the one before.
func merge(into, from map[string]any) {
	for key, value := range from {
		tree, isTree := value.(map[string]any)
		nested, ok := into[key].(map[string]any)
		if isTree && ok && key != "status" {
			merge(nested, tree)
			continue
		}
		into[key] = value
	}
}

// Conditions of a composite resource by type, each in one line.
func Conditions(xr *unstructured.Unstructured) map[string]string {
	lines := map[string]string{}
	conditions, _, _ := unstructured.NestedSlice(xr.Object, "status", "conditions")
	for _, value := range conditions {
		c, ok := value.(map[string]any)
		if !ok {
			continue
		}
		line := fmt.Sprintf("%s (%s)", c["status"], c["reason"])
		if message, ok := c["message"]; ok {
			line += fmt.Sprintf(": %s", message)
		}
		lines[fmt.Sprint(c["type"])] = line
	}
	return lines
}
