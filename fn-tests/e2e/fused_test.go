package e2e

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
)

// changeOver gives a platform with live graphs one function in place of eight, and takes it away again, as the page on
// installation says. Nothing that is composed may change.
func (s *suite) changeOver(t *T) {
	s.operators.Work(true)
	defer s.operators.Work(false)
	graphs := []*unstructured.Unstructured{
		s.run(t, "disagg-vllm", "over-grove"), s.run(t, "topology", "over-topology"), s.run(t, "trtllm-multinode", "over-lws", onLeaderWorkerSets),
	}
	// What the last status has led to comes to rest.
	s.versionsAtRest(t, graphs...)
	before := map[string]map[string]*unstructured.Unstructured{}
	for _, g := range graphs {
		before[g.GetName()] = s.composed(t, controlplane.RefOf(g))
	}
	for _, to := range []struct{ configuration, first string }{
		{namespacedConfiguration, "graph"},
		{chainConfiguration, "plan"},
	} {
		begin := time.Now()
		s.installConfiguration(t, to.configuration, to.first)
		for _, g := range graphs {
			ref := controlplane.RefOf(g)
			s.eventually(t, g.GetName()+" is composed by "+to.configuration, func() error { return s.composedBy(ref, to.first) })
			s.eventually(t, g.GetName()+" is as it was", s.is(ref, "Synced", "True", "Ready", "True", "Accepted", "True", "Responsive", "True"))
			if diff := cmp.Diff(before[g.GetName()], s.composed(t, ref)); diff != "" {
				t.Errorf("%s with %s: objects: -before, +after:\n%s", g.GetName(), to.configuration, diff)
			}
		}
		t.Logf("changed over to %s in %s", to.configuration, time.Since(begin).Round(100*time.Millisecond))
	}
	s.remove(t, graphs...)
}

// installConfiguration gives the installed Configuration another package, whose pipeline begins with a step.
func (s *suite) installConfiguration(t testing.TB, name, step string) {
	t.Helper()
	configuration := controlplane.Ref{APIVersion: "pkg.crossplane.io/v1", Kind: "Configuration", Name: chainConfiguration}
	if err := s.Client.Patch(s.ctx, configuration, map[string]any{"spec": map[string]any{"package": controlplane.Package(name)}}); err != nil {
		t.Fatal(err)
	}
	composition := controlplane.Ref{APIVersion: "apiextensions.crossplane.io/v1", Kind: "Composition", Name: "dynamographdeployment"}
	s.eventually(t, "the Composition is that of "+name, func() error { return s.begins(composition, step) })
	s.eventually(t, name+" is healthy", s.is(configuration, "Installed", "True", "Healthy", "True"))
}

// begins reports whether the pipeline of a Composition, or of a revision of one, begins with a step.
func (s *suite) begins(ref controlplane.Ref, step string) error {
	object, err := s.Client.Get(s.ctx, ref)
	if err != nil {
		return err
	}
	pipeline, _, err := unstructured.NestedSlice(object.Object, "spec", "pipeline")
	if err != nil {
		return err
	}
	first, _ := pipeline[0].(map[string]any)
	if first["step"] != step {
		return fmt.Errorf("%s begins with step %v", ref, first["step"])
	}
	return nil
}

// composedBy reports whether a graph was composed with a pipeline that begins with a step.
func (s *suite) composedBy(ref controlplane.Ref, step string) error {
	composite, err := s.Client.Get(s.ctx, ref)
	if err != nil {
		return err
	}
	revision, _, err := unstructured.NestedString(composite.Object, "spec", "crossplane", "compositionRevisionRef", "name")
	if err != nil {
		return err
	}
	return s.begins(controlplane.Ref{APIVersion: "apiextensions.crossplane.io/v1", Kind: "CompositionRevision", Name: revision}, step)
}
