package e2e

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
)

const (
	// reconcilesAtRest is how often Crossplane must reconcile a graph in a row without writing anything of it. Each costs four of the
	// hundred tokens that a graph has in Crossplane's circuit breaker: docs/install.md.
	reconcilesAtRest = 3
	// mostReconciles of a graph for each change of what is composed for it: one puts it back, and that is another change.
	mostReconciles = 10
	// drifting is the key of an object that every graph with a worker has, and that no controller and no pod looks at.
	drifting = "discovery-serviceaccount"
	// driftingLabel of that object, whose value is Crossplane's.
	driftingLabel = "app.kubernetes.io/component"
)

// reconcile has Crossplane reconcile graphs: it has done so when it has put back what somebody else has changed. No graph itself is written
// for that.
func (s *suite) reconcile(t testing.TB, graphs ...*unstructured.Unstructured) {
	t.Helper()
	before := map[controlplane.Ref]string{}
	for _, g := range graphs {
		object := s.composed(t, controlplane.RefOf(g))[drifting]
		if object == nil {
			t.Fatalf("%s has no %s", controlplane.RefOf(g), drifting)
		}
		ref := controlplane.RefOf(object)
		before[ref] = object.GetLabels()[driftingLabel]
		if err := s.Client.Patch(s.ctx, ref, map[string]any{"metadata": map[string]any{"labels": map[string]any{driftingLabel: "drifted"}}}); err != nil {
			t.Fatalf("cannot change %s: %v", ref, err)
		}
	}
	for ref, want := range before {
		s.eventually(t, ref.String()+" is put back", func() error {
			object, err := s.Client.Get(s.ctx, ref)
			if err != nil {
				return err
			}
			if got := object.GetLabels()[driftingLabel]; got != want {
				return fmt.Errorf("label %s is %q, want %q", driftingLabel, got, want)
			}
			return nil
		})
	}
}

// versions of what graphs consist of, by the names of the graphs and the keys of the objects. What drifts is left out.
func (s *suite) versions(t testing.TB, graphs ...*unstructured.Unstructured) map[string]map[string]string {
	t.Helper()
	all := map[string]map[string]string{}
	for _, g := range graphs {
		all[g.GetName()] = map[string]string{}
		for key, object := range s.composed(t, controlplane.RefOf(g)) {
			if key != drifting {
				all[g.GetName()][key] = object.GetResourceVersion()
			}
		}
	}
	return all
}

// graphVersions are those of graphs themselves and of their composite resources.
func (s *suite) graphVersions(t testing.TB, graphs ...*unstructured.Unstructured) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, g := range graphs {
		live, err := s.Client.Get(s.ctx, controlplane.RefOf(g))
		if err != nil {
			t.Fatal(err)
		}
		composite, err := s.compositeOf(live)
		if err != nil {
			t.Fatal(err)
		}
		all[g.GetName()] = []string{live.GetResourceVersion(), composite.GetResourceVersion()}
	}
	return all
}

// versionsAtRest are the versions of what graphs consist of, once Crossplane reconciles the graphs without writing anything of them. What it
// has cached is then what there is.
func (s *suite) versionsAtRest(t testing.TB, graphs ...*unstructured.Unstructured) map[string]map[string]string {
	t.Helper()
	of, last := s.graphVersions(t, graphs...), s.versions(t, graphs...)
	calm := 0
	s.eventually(t, "the graphs are at rest", func() error {
		s.reconcile(t, graphs...)
		nowOf, now := s.graphVersions(t, graphs...), s.versions(t, graphs...)
		written := cmp.Diff(of, nowOf) + cmp.Diff(last, now)
		of, last = nowOf, now
		calm++
		if written != "" {
			calm = 0
		}
		if calm < reconcilesAtRest {
			return fmt.Errorf("nothing was written in the last %d reconciles, want %d: -before, +after:\n%s", calm, reconcilesAtRest, written)
		}
		return nil
	})
	return last
}

// staysAtRest wants nothing of graphs written, and few reconciles of them, while Crossplane puts back so many changes of others.
func (s *suite) staysAtRest(t testing.TB, changes int, graphs ...*unstructured.Unstructured) {
	t.Helper()
	composed := s.versionsAtRest(t, graphs...)
	of := s.graphVersions(t, graphs...)
	first, err := s.Reconciles(s.ctx)
	if err != nil {
		t.Fatal(err)
	}
	for range changes {
		s.reconcile(t, graphs...)
	}
	// What is put back in a reconcile is so before its end.
	least := changes * len(graphs)
	var reconciles int
	s.eventually(t, "Crossplane has reconciled the graphs", func() error {
		now, err := s.Reconciles(s.ctx)
		if reconciles = now - first; err == nil && reconciles < least {
			err = fmt.Errorf("%d reconciles, want %d", reconciles, least)
		}
		return err
	})
	if diff := cmp.Diff(of, s.graphVersions(t, graphs...)); diff != "" {
		t.Errorf("want no graph written: resource versions: -before, +after:\n%s", diff)
	}
	if diff := cmp.Diff(composed, s.versions(t, graphs...)); diff != "" {
		t.Errorf("want nothing composed written: resource versions: -before, +after:\n%s", diff)
	}
	t.Logf("%d reconciles of %d graphs for %d changes of each", reconciles, len(graphs), changes)
	if reconciles > mostReconciles*least {
		t.Errorf("want at most %d reconciles of a graph for a change, got %d of %d graphs for %d changes of each", mostReconciles, reconciles, len(graphs), changes)
	}
	for _, g := range graphs {
		s.eventually(t, g.GetName()+" is as it was", s.is(controlplane.RefOf(g), "Synced", "True", "Ready", "True", "Responsive", "True"))
	}
}
