package e2e

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
)

// TestNamespaced runs everything about graphs that are composite resources themselves, on one control plane, with the chain of
// functions. The other tests run the one function that is the default.
func TestNamespaced(tt *testing.T) {
	tt.Parallel()
	t := repeating(tt)
	s := start(t, chainConfiguration, newGrove)
	t.Run("Install", s.install)
	t.Run("ExamplesAccepted", s.examplesAccepted)
	t.Run("CorpusAccepted", s.corpusAccepted)
	s.startWorkloads(t, gpusPerNode)
	t.Run("Live", s.live)
	t.Run("Resting", s.resting)
	t.Run("ChangedOver", s.changeOver)
	t.Run("Permissions", s.permissions)
}

// install shows the way from packages in a registry to a graph that is ready.
func (s *suite) install(t *T) {
	xr := example(t, "disagg-vllm")
	ref := controlplane.RefOf(xr)
	s.apply(t, xr)
	s.eventually(t, "the graph is synced, and waits for pods", s.is(ref, "Synced", "True", "Ready", "False"))

	composed := s.composed(t, ref)
	t.Logf("composed: %v", slices.Sorted(maps.Keys(composed)))
	if composed["podcliqueset"] == nil {
		t.Fatal("want a PodCliqueSet")
	}
	composite, err := s.composite(ref)
	if err != nil {
		t.Fatal(err)
	}
	for key, object := range composed {
		if diff := cmp.Diff(ref.Namespace, object.GetNamespace()); diff != "" {
			t.Errorf("%s: namespace: -want, +got:\n%s", key, diff)
		}
		owners := object.GetOwnerReferences()
		if len(owners) != 1 || owners[0].UID != composite.GetUID() || owners[0].Controller == nil || !*owners[0].Controller {
			t.Errorf("%s: want the composite resource as its only owner and controller, got %v", key, owners)
		}
	}

	s.operators.Work(true)
	defer s.operators.Work(false)
	s.eventually(t, "the graph is ready", s.is(ref, "Synced", "True", "Ready", "True", "Responsive", "True"))
	for _, path := range []string{
		"/apis/pkg.crossplane.io/v1/configurations",
		"/apis/pkg.crossplane.io/v1/functions",
		"/apis/nvidia.com/v1alpha1/namespaces/inference/dynamographdeployments",
	} {
		table, err := s.Table(s.ctx, path)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s\n%s", path, table)
	}
}

// TestOlderGrove runs the examples with the CRDs of an older Grove, whose topologies have another kind.
func TestOlderGrove(tt *testing.T) {
	tt.Parallel()
	t := repeating(tt)
	s := start(t, namespacedConfiguration, oldGrove)
	t.Run("ExamplesAccepted", s.examplesAccepted)
	t.Run("SharingNeedsGrove", s.sharingNeedsGrove)
}
