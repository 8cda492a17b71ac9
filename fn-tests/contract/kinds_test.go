package contract

import (
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane/function-sdk-go/logging"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/corpus"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/shared"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/kinds"
)

// TestKindsOfExamples holds the table of kinds to what graphs become.
func TestKindsOfExamples(t *testing.T) {
	binary := harness.New(t)
	clusters, err := filepath.Glob(filepath.Join(harness.Root(), "examples/cluster/*.yaml"))
	if err != nil || len(clusters) == 0 {
		t.Fatalf("no clusters: %v", err)
	}
	for _, example := range harness.ExamplesV1alpha1(t) {
		for _, cluster := range clusters {
			areListed(t, example.Name, binary.Render(t, harness.Render{XR: example.XR, Composition: example.Composition, Cluster: cluster}))
		}
	}
}

// TestKindsOfOwnManifests does the same with the manifests of the corpus.
func TestKindsOfOwnManifests(t *testing.T) {
	manifests := corpus.Manifests(t)
	for i, output := range harness.New(t).RenderAll(t, corpus.Renders(t, manifests)) {
		areListed(t, manifests[i].Name, output)
	}
}

// TestKindsOfCorpus does the same with manifests outside of the repository.
func TestKindsOfCorpus(t *testing.T) {
	manifests := shared.Corpus(t)
	renders := make([]harness.Render, len(manifests))
	for i, m := range manifests {
		renders[i] = harness.Render{XR: m.Path, Cluster: harness.GroveKAI}
	}
	for i, output := range harness.New(t).RenderAll(t, renders) {
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
