package e2e

import (
	"fmt"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/definitions"
)

func TestCounts(tt *testing.T) {
	t := repeating(tt)
	s := with(t, namespacedConfiguration, newGrove, controlplane.Options{CRDs: definitions.Platform(newGrove), CrossplaneFlags: crossplaneFlags(), Audit: true})
	s.fixtures(t)
	for i := range 3 {
		ns := fmt.Sprint("counted-", i)
		s.namespaceOfExamples(t, ns)
		g := exampleOfComponents(t, "disagg-vllm")
		g.SetNamespace(ns)
		before, err := s.Counts(s.ctx)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Client.Create(s.ctx, g); err != nil {
			t.Fatal(err)
		}
		s.eventually(t, "synced", s.is(controlplane.RefOf(g), "Synced", "True"))
		calm, last := 0, controlplane.Counts{}
		s.eventually(t, "rest", func() error {
			left, err := s.ReconcilesLeft(s.ctx)
			if err != nil {
				return err
			}
			now, err := s.Counts(s.ctx)
			if err != nil {
				return err
			}
			calm++
			if left > 0 || now.Reconciles != last.Reconciles || now.Calls != last.Calls {
				calm = 0
			}
			last = now
			if calm < 5 {
				return fmt.Errorf("calm %d", calm)
			}
			return nil
		})
		writes, err := s.Writes(ns)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("reconciles %d calls %d writes %d", last.Reconciles-before.Reconciles, last.Calls-before.Calls, len(writes))
		for _, w := range writes {
			t.Logf("  %s", w)
		}
	}
}
