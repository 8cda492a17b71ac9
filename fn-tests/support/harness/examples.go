package harness

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Example is one of the manifests under examples/, and the Composition that it is for.
type Example struct {
	Name        string
	XR          string
	Composition string

	// NeedsGrove says that no other orchestrator can run the graph.
	NeedsGrove bool
}

// Examples of the repository in v1beta1. Those of the claims flavour are the composite resources of claims.
func Examples(t testing.TB) []Example {
	t.Helper()
	return examplesIn(t, "examples")
}

// ExamplesV1alpha1 are the same graphs in v1alpha1, under the same names.
func ExamplesV1alpha1(t testing.TB) []Example {
	t.Helper()
	return examplesIn(t, "examples/v1alpha1")
}

// ExampleV1alpha1 is the path of an example with services, for tests that change them.
func ExampleV1alpha1(name string) string {
	return filepath.Join("examples", "v1alpha1", name+".yaml")
}

// SharesBetweenPods reports whether a graph shares GPU memory between pods, for which it needs Grove.
func SharesBetweenPods(graph *unstructured.Unstructured) bool {
	text := fmt.Sprint(graph.Object["spec"])
	return strings.Contains(text, "gpuMemoryService:map[") && strings.Contains(strings.ToLower(text), "mode:interpod")
}

func examplesIn(t testing.TB, folder string) []Example {
	t.Helper()
	var examples []Example
	for _, flavour := range []struct{ pattern, composition string }{
		{folder + "/*.yaml", Composition},
		{folder + "/claims/*-xr.yaml", ClaimsComposition},
	} {
		paths, err := filepath.Glob(filepath.Join(Root(), flavour.pattern))
		if err != nil || len(paths) == 0 {
			t.Fatalf("no examples match %s: %v", flavour.pattern, err)
		}
		for _, path := range paths {
			name := strings.TrimSuffix(filepath.Base(path), ".yaml")
			if !strings.HasPrefix(name, "functions") {
				examples = append(examples, Example{Name: name, XR: path, Composition: flavour.composition, NeedsGrove: SharesBetweenPods(Read(t, path)[0])})
			}
		}
	}
	return examples
}
