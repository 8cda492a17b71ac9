package definitions

import (
	"maps"
	"path/filepath"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/shared"
)

// TestCopies checks that the copies differ from the definitions of their projects in nothing but descriptions. To add a version,
// make its folder, and have the test write it.
func TestCopies(t *testing.T) {
	folders, err := filepath.Glob("*-v*")
	if err != nil || len(folders) == 0 {
		t.Fatalf("want folders of definitions, got none: %v", err)
	}
	for _, folder := range folders {
		t.Run(folder, func(t *testing.T) {
			originals, err := filepath.Glob(filepath.Join(shared.Path(t, 1, "crds", folder), "*.yaml"))
			if err != nil || len(originals) == 0 {
				t.Fatalf("cannot find the definitions of %s: %v", folder, err)
			}
			for _, original := range originals {
				harness.Golden(t, filepath.Join(folder, filepath.Base(original)), withoutDescriptions(t, original))
			}
			if copies, err := filepath.Glob(filepath.Join(folder, "*")); err != nil || len(copies) != len(originals) {
				t.Errorf("want %d definitions, got %v (%v)", len(originals), copies, err)
			}
		})
	}
}

// withoutDescriptions is the definition in a file, a third of its size.
func withoutDescriptions(t *testing.T, path string) []byte {
	t.Helper()
	data := harness.File(t, path)
	definition := map[string]any{}
	if err := yaml.Unmarshal(data, &definition); err != nil {
		t.Fatal(err)
	}
	strip(definition)
	short, err := yaml.Marshal(definition)
	if err != nil {
		t.Fatal(err)
	}
	return short
}

// strip the descriptions of all schemas. A property that is called description has a schema, and stays.
func strip(node any) {
	switch typed := node.(type) {
	case map[string]any:
		maps.DeleteFunc(typed, func(name string, child any) bool {
			_, text := child.(string)
			return name == "description" && text
		})
		for _, child := range typed {
			strip(child)
		}
	case []any:
		for _, child := range typed {
			strip(child)
		}
	}
}
