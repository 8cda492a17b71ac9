package contract

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane/function-sdk-go/logging"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/corpus"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/kinds"
)

// TestKindsOfOwnManifests holds the table of kinds to what graphs become.
func TestKindsOfOwnManifests(t *testing.T) {
	manifests := corpus.Manifests(t)
	for i, output := range harness.New(t).RenderAll(t, corpus.Renders(t, manifests)) {
		areListed(t, manifests[i].Name, output)
	}
}

// areListed reports composed objects whose kind, version and key are not in one row of the table. A graph that is refused composes nothing.
func areListed(t *testing.T, name string, output harness.Output) {
	t.Helper()
	for _, object := range output.Composed {
		key := object.GetAnnotations()["crossplane.io/composition-resource-name"]
		if gvk := object.GroupVersionKind(); kinds.OfKey(key).GroupVersionKind != gvk {
			t.Errorf("%s composes %s with key %s, which internal/kinds/kinds.go does not list", name, gvk, key)
		}
	}
}

// TestSteps shows which steps compose each kind. What steps are given must not be the memory into which they write.
func TestSteps(t *testing.T) {
	wired := crossplane.InProcess(crossplane.Servers(logging.NewNopLogger()))
	all, composed := manifests(t), map[string]bool{}
	for on, p := range platforms(t, harness.Composition) {
		for _, name := range slices.Sorted(maps.Keys(all)) {
			r, err := p.pipeline.Reconcile(t.Context(), crossplane.NewGraph(harness.Read(t, all[name])[0], p.cluster), wired)
			if err != nil && !errors.Is(err, crossplane.ErrFatal) {
				t.Fatalf("%s on %s: %v", name, on, err)
			}
			for _, call := range r.Calls {
				for key, resource := range call.Response.GetDesired().GetResources() {
					if _, before := call.Request.GetDesired().GetResources()[key]; !before {
						composed[identity(resource.GetResource()).kind+" by "+call.Step] = true
					}
				}
			}
		}
	}
	listed := map[string]bool{}
	for _, k := range kinds.Composed() {
		for _, step := range k.Steps {
			listed[k.Kind+" by "+string(step)] = true
		}
	}
	if diff := cmp.Diff(listed, composed); diff != "" {
		t.Errorf("-kinds and steps in internal/kinds/kinds.go, +those that compose them:\n%s", diff)
	}
}
