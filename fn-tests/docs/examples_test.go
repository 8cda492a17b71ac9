package docs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// everything is a cluster with all that a graph can use.
const everything = "examples/cluster/all.yaml"

// beside is the path of a file in the folder of a graph.
func beside(graph, file string) string { return filepath.Join("examples", graph, file) }

// render an example on a cluster with everything, with the policy beside it, if there is one.
func render(t *testing.T, binary *harness.Binary, name string) harness.Output {
	t.Helper()
	out := binary.RenderAccepted(t, harness.Render{
		XR: filepath.Join("examples", name+".yaml"), Composition: policyOf(t, name), Cluster: everything, Everything: true,
	})
	return out
}

// policyOf a graph: the Composition with the input of step plan in its folder.
func policyOf(t *testing.T, name string) string {
	t.Helper()
	path := beside(name, "input.yaml")
	if _, err := os.Stat(filepath.Join(harness.Root(), path)); err != nil {
		return harness.Composition
	}
	fields := harness.Read(t, path)[0].Object
	delete(fields, "apiVersion")
	delete(fields, "kind")
	return harness.WithInput(t, harness.Composition, fields)
}

// TestNoWarnings checks that examples render without warnings, which would puzzle whoever tries them.
func TestNoWarnings(t *testing.T) {
	binary := harness.New(t)
	for _, e := range harness.Examples(t) {
		if e.Composition != harness.Composition {
			continue
		}
		t.Run(e.Name, func(t *testing.T) {
			out := render(t, binary, e.Name)
			for _, o := range out.Composed {
				if severity := o.Object["severity"]; o.GetKind() == "Result" && severity != "Normal" {
					t.Errorf("%v: %v", severity, o.Object["message"])
				}
			}
		})
	}
}

// TestExamplesPage checks that docs/examples.md lists each example and each file beside one.
func TestExamplesPage(t *testing.T) {
	page := harness.File(t, filepath.Join("docs", "examples.md"))
	paths := map[string]bool{}
	for _, pattern := range []string{"*.yaml", "*/*.yaml", "claims/*.yaml"} {
		found := harness.Glob(t, filepath.Join("examples", pattern))
		for _, path := range found {
			rel, err := filepath.Rel(harness.Root(), path)
			if err != nil {
				t.Fatal(err)
			}
			paths[rel] = true
		}
	}
	// Fewer would mean that the folders have moved.
	const least = 40
	if len(paths) < least {
		t.Errorf("there are %d files, want at least %d", len(paths), least)
	}
	for path := range paths {
		if strings.HasPrefix(path, "examples/v1alpha1/") {
			continue
		}
		if !strings.Contains(string(page), "(../"+path+")") {
			t.Errorf("docs/examples.md has no link to %s", path)
		}
	}
}

// byKey are the composed objects of a render.
func byKey(out harness.Output) map[string]*unstructured.Unstructured {
	objects := map[string]*unstructured.Unstructured{}
	for _, o := range out.Composed {
		if key := harness.Key(o); key != "" {
			objects[key] = o
		}
	}
	return objects
}
