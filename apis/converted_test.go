package apis_test

import (
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/shared"
)

// TestConvertedCorpusReplacesGraphs checks that a live graph can be replaced by what the Dynamo operator converts it to, and the other way
// round: both say the same, so nothing has changed that cannot.
func TestConvertedCorpusReplacesGraphs(t *testing.T) {
	others := map[string]string{v1alpha1.Version: v1beta1.Version, v1beta1.Version: v1alpha1.Version}
	validators := validators(t)
	for _, manifest := range shared.August(t) {
		if !manifest.Valid {
			continue
		}
		other := others[manifest.Version]
		path := filepath.Join(shared.Converted(t, other), manifest.Name+".yaml")
		t.Run(manifest.Version+"/"+manifest.Name, func(t *testing.T) {
			written, converted := readManifest(t, manifest.Path), readConverted(t, path)
			for _, err := range validators[served{"Namespaced", other}].ValidateUpdate(converted, at(written, other)) {
				t.Errorf("converted: %v", err)
			}
			for _, err := range validators[served{"Namespaced", manifest.Version}].ValidateUpdate(written, at(converted, manifest.Version)) {
				t.Errorf("converted back: %v", err)
			}
		})
	}
}

// at is an object as it is read at a version.
func at(object *unstructured.Unstructured, version string) *unstructured.Unstructured {
	object = object.DeepCopy()
	object.SetAPIVersion(v1beta1.Group + "/" + version)
	return object
}

// readConverted reads what the operator has made of a manifest, without what is wrong in it: types of components that v1beta1 does not have,
// which the operator takes over from services, and booleans where the program that wrote the file did not quote y and n.
func readConverted(t testing.TB, path string) *unstructured.Unstructured {
	t.Helper()
	manifest := readManifest(t, path)
	spec, ok := quoted(manifest.Object["spec"]).(map[string]any)
	if !ok {
		t.Fatalf("%s has no spec", path)
	}
	manifest.Object["spec"] = spec
	components, _ := spec["components"].([]any)
	for _, component := range components {
		fields, ok := component.(map[string]any)
		if !ok {
			t.Fatalf("%s: a component is no object", path)
		}
		switch fields["type"] {
		case "frontend", "worker", "prefill", "decode", "planner", "epp":
		default:
			delete(fields, "type")
		}
	}
	return manifest
}

// quoted is a tree in which the values of environment variables are strings.
func quoted(tree any) any {
	switch tree := tree.(type) {
	case map[string]any:
		for key, value := range tree {
			tree[key] = quoted(value)
		}
		if value, ok := tree["value"].(bool); ok {
			tree["value"] = map[bool]string{true: "y", false: "n"}[value]
		}
	case []any:
		for i, value := range tree {
			tree[i] = quoted(value)
		}
	}
	return tree
}
