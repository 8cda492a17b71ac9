package apis_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/schema"
)

// definitions are the generated files, by the flavour of the API.
var definitions = map[string]string{
	"Namespaced": filepath.Join("dynamographdeployment", "definition.yaml"),
	"Claims":     filepath.Join("xdynamographdeployment", "definition.yaml"),
}

// TestDefinitionsAreAccepted asks the API server's own validation of the definitions that Crossplane derives: that they
// are structural, that every CEL rule compiles, and that the rules stay within the cost budget.
func TestDefinitionsAreAccepted(t *testing.T) {
	for name, path := range definitions {
		t.Run(name, func(t *testing.T) {
			crds, err := schema.Load(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, crd := range crds {
				errs, err := schema.Check(crd)
				if err != nil {
					t.Fatal(err)
				}
				for _, err := range errs {
					t.Errorf("%s %s: %v", crd.Spec.Scope, crd.Name, err)
				}
			}
		})
	}
}

// TestDefinitionSize holds the definitions under the size that etcd and package registries take with room to spare, and
// under the size that client-side kubectl apply can write into its annotation.
func TestDefinitionSize(t *testing.T) {
	const (
		maxFile       = 900_000
		maxAnnotation = 262_144
	)
	for name, path := range definitions {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if len(data) > maxFile {
				t.Errorf("%s has %d bytes, want at most %d", path, len(data), maxFile)
			}
			encoded, err := yaml.YAMLToJSON(data)
			if err != nil {
				t.Fatal(err)
			}
			var compact bytes.Buffer
			if err := json.Compact(&compact, encoded); err != nil {
				t.Fatal(err)
			}
			if compact.Len() > maxAnnotation {
				t.Errorf("%s has %d bytes of JSON, want at most %d for client-side apply", path, compact.Len(), maxAnnotation)
			}
			t.Logf("%d bytes, %d bytes of JSON", len(data), compact.Len())
		})
	}
}
