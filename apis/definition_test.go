package apis_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/schema"
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

// TestDefinitionSize holds the definitions, and those that Crossplane derives from them, under the 1.5 MiB that etcd takes, with room
// for what servers add.
func TestDefinitionSize(t *testing.T) {
	const maxSize = 1_000_000
	for name, path := range definitions {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			definition, err := yaml.YAMLToJSON(data)
			if err != nil {
				t.Fatal(err)
			}
			sizes := map[string]int{path: len(definition)}
			crds, err := schema.Parse(data)
			if err != nil {
				t.Fatal(err)
			}
			for _, crd := range crds {
				encoded, err := json.Marshal(crd)
				if err != nil {
					t.Fatal(err)
				}
				sizes[crd.Name] = len(encoded)
			}
			for name, size := range sizes {
				if size > maxSize {
					t.Errorf("%s has %d bytes of JSON, want at most %d", name, size, maxSize)
				}
				t.Logf("%s has %d bytes of JSON", name, size)
			}
		})
	}
}

// TestVersionsAreAlike checks that both versions have one schema and the same columns, and that only the stored one describes its fields:
// without conversion, what the schema of a version lacks is pruned.
func TestVersionsAreAlike(t *testing.T) {
	for name, path := range definitions {
		t.Run(name, func(t *testing.T) {
			crds, err := schema.Load(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, crd := range crds {
				beta, alpha := crd.Spec.Versions[0], crd.Spec.Versions[1]
				if beta.Name != v1beta1.Version || !beta.Storage || beta.Deprecated || alpha.Name != v1alpha1.Version || alpha.Storage || !alpha.Deprecated {
					t.Errorf("%s: want v1beta1 stored and v1alpha1 deprecated, got %s and %s", crd.Name, beta.Name, alpha.Name)
				}
				if diff := cmp.Diff(beta.AdditionalPrinterColumns, alpha.AdditionalPrinterColumns); diff != "" {
					t.Errorf("%s: columns of v1beta1 -, of v1alpha1 +\n%s", crd.Name, diff)
				}
				for _, part := range []string{"spec", "status"} {
					stored, other := beta.Schema.OpenAPIV3Schema.Properties[part], alpha.Schema.OpenAPIV3Schema.Properties[part]
					if diff := cmp.Diff(stored, other, cmpopts.IgnoreFields(extv1.JSONSchemaProps{}, "Description")); diff != "" {
						t.Errorf("%s: %s of v1beta1 -, of v1alpha1 +\n%s", crd.Name, part, diff)
					}
				}
				if components := beta.Schema.OpenAPIV3Schema.Properties["spec"].Properties["components"]; components.Description == "" {
					t.Errorf("%s: spec.components of v1beta1 has no description", crd.Name)
				}
			}
		})
	}
}
