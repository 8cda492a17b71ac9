package engine_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/api"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/engine"
)

// TestAPI checks that a graph can name each engine of the table, and no other.
func TestAPI(t *testing.T) {
	fields, err := api.Fields(filepath.Join(harness.Root(), api.Definition))
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(fields, func(f api.Field) bool { return f.Path == "spec.backendFramework" })
	if i < 0 {
		t.Fatalf("%s has no field spec.backendFramework", api.Definition)
	}
	if diff := cmp.Diff(slices.Sorted(slices.Values(fields[i].Values)), engine.Frameworks()); diff != "" {
		t.Errorf("-marker Enum of BackendFramework in apis/v1alpha1/dynamographdeployment.go, +All of internal/backend/engine/engine.go "+
			"(make generate writes the definition):\n%s", diff)
	}
}
