package apis_test

import (
	"os"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/corpus"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/schema"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/shared"
)

// TestOwnCorpusIsAccepted checks that the definition accepts each manifest of the corpus that the functions do not refuse.
func TestOwnCorpusIsAccepted(t *testing.T) {
	validators := validators(t)
	for _, manifest := range corpus.Manifests(t) {
		t.Run(manifest.Name, func(t *testing.T) {
			object := readManifest(t, manifest.Path)
			if errs := validators[servedAt(object)].Validate(object); len(errs) > 0 && !manifest.Refused {
				t.Errorf("%v", errs)
			}
		})
	}
}

// TestCorpusIsAccepted checks that a manifest that upstream's definition accepted is accepted by ours, and reports which
// of the others are.
func TestCorpusIsAccepted(t *testing.T) {
	manifests := append(shared.Corpus(t), shared.August(t)...)
	validators := validators(t)

	for _, manifest := range manifests {
		t.Run(manifest.Version+"/"+manifest.Name, func(t *testing.T) {
			errs := validators[served{"Namespaced", manifest.Version}].Validate(readManifest(t, manifest.Path))
			for _, err := range errs {
				if manifest.Valid {
					t.Errorf("%v", err)
				} else {
					t.Logf("refused: %v", err)
				}
			}
			if !manifest.Valid && len(errs) == 0 {
				t.Log("accepted, although upstream's definition refused it")
			}
		})
	}
}

// served is a version in a flavour of the API.
type served struct{ flavour, version string }

// servedAt is where a manifest of the namespaced flavour is submitted.
func servedAt(manifest *unstructured.Unstructured) served {
	return served{"Namespaced", manifest.GroupVersionKind().Version}
}

// validators returns those of the kind that users write: the composite resource, or the claim.
func validators(t testing.TB) map[served]*schema.Validator {
	t.Helper()
	validators := map[served]*schema.Validator{}
	for flavour, path := range definitions {
		crds, err := schema.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, version := range []string{v1alpha1.Version, v1beta1.Version} {
			validators[served{flavour, version}], err = schema.New(crds[len(crds)-1], version)
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	return validators
}

func readManifest(t testing.TB, path string) *unstructured.Unstructured {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return parseManifest(t, data)
}

func parseManifest(t testing.TB, data []byte) *unstructured.Unstructured {
	t.Helper()
	manifest := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(data, &manifest.Object); err != nil {
		t.Fatal(err)
	}
	return manifest
}
