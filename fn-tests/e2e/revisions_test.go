package e2e

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
)

const (
	controllerRevision = "ControllerRevision"
	otherNATS          = "nats://other:4222"
)

// podsStay changes everything around graphs that run, but for the graphs: no pod is replaced. Then it changes one of their components,
// and takes the change back.
func (s *suite) podsStay(t *T) {
	graphs := []*unstructured.Unstructured{
		s.run(t, "disagg-vllm", "stays-deployments", onLeaderWorkerSets), s.run(t, "sglang-multinode", "stays-leaderworkersets", onLeaderWorkerSets),
	}
	pods, first := map[string][]string{}, map[string]string{}
	for _, g := range graphs {
		pods[g.GetName()], first[g.GetName()] = s.podsOfComponents(t, g), s.revisionOf(t, g)
	}
	stay := func(after string) {
		t.Helper()
		for _, g := range graphs {
			if diff := cmp.Diff(pods[g.GetName()], s.podsOfComponents(t, g)); diff != "" {
				t.Errorf("%s: want no pod replaced after %s: -before, +after:\n%s", g.GetName(), after, diff)
			}
		}
	}

	s.pausePackages(t, true)
	defer s.pausePackages(t, false)
	s.setInput(t, otherNATS, "infrastructure", "natsAddress")
	defer s.setInput(t, "", "infrastructure", "natsAddress")
	for _, g := range graphs {
		s.eventually(t, g.GetName()+" is outdated", s.outdated(g, true))
	}
	stay("a change of the input")

	for _, g := range graphs {
		again := s.deleteRevision(t, g, first[g.GetName()])
		t.Logf("%s: %s is recorded as %s", g.GetName(), first[g.GetName()], again)
		first[g.GetName()] = again
	}
	stay("the deletion of revisions")

	for _, g := range graphs {
		ref := controlplane.RefOf(g)
		keys := slices.Sorted(maps.Keys(s.composed(t, ref)))
		s.replaceWith(t, g)
		s.hasReferences(t, ref, keys)
		s.eventually(t, g.GetName()+" has recovered", s.is(ref, "Synced", "True", "Ready", "True"))
		if again := s.revisionOf(t, g); again != first[g.GetName()] {
			t.Errorf("%s: want revision %s once its references are lost, got %s", g.GetName(), first[g.GetName()], again)
		}
	}
	stay("the loss of all references")

	for _, g := range graphs {
		image, _, _ := unstructured.NestedString(g.Object, "spec", "services", "Decode", "extraPodSpec", "mainContainer", "image")
		s.changeDecode(t, g, "registry.example.org/runtime:stays", pods[g.GetName()])
		if again := s.revisionOf(t, g); again == first[g.GetName()] {
			t.Errorf("%s: want another revision after a change of the user, got %s again", g.GetName(), again)
		}
		s.changeDecode(t, g, image, pods[g.GetName()])
		if again := s.revisionOf(t, g); again != first[g.GetName()] {
			t.Errorf("%s: want revision %s once the change is taken back, got %s", g.GetName(), first[g.GetName()], again)
		}
	}
	s.remove(t, graphs...)
}

// changeDecode gives component Decode of a graph an image, and wants its pods replaced and no others.
func (s *suite) changeDecode(t testing.TB, g *unstructured.Unstructured, image string, before []string) {
	t.Helper()
	set(g.Object, image, "spec", "services", "Decode", "extraPodSpec", "mainContainer", "image")
	s.apply(t, g)
	s.eventually(t, g.GetName()+" runs "+image, func() error {
		for _, pod := range s.podsOf(t, controlplane.RefOf(g)) {
			if pod.GetLabels()[componentLabel] == "Decode" && contains(&pod, image) != nil {
				return fmt.Errorf("pod %s does not", pod.GetName())
			}
		}
		return s.is(controlplane.RefOf(g), "Synced", "True", "Ready", "True")()
	})
	others := func(all []string) []string {
		return slices.DeleteFunc(slices.Clone(all), func(pod string) bool { return pod[:len("Decode")] == "Decode" })
	}
	if diff := cmp.Diff(others(before), others(s.podsOfComponents(t, g))); diff != "" {
		t.Errorf("%s: want pods of Decode alone replaced: -before, +after:\n%s", g.GetName(), diff)
	}
}

// podsOfComponents of a graph: for each pod its component and its UID, sorted.
func (s *suite) podsOfComponents(t testing.TB, g *unstructured.Unstructured) []string {
	t.Helper()
	var all []string
	for _, pod := range s.podsOf(t, controlplane.RefOf(g)) {
		all = append(all, pod.GetLabels()[componentLabel]+" "+string(pod.GetUID()))
	}
	slices.Sort(all)
	return all
}

// outdated reports whether the status of a graph calls all its components outdated, or none.
func (s *suite) outdated(g *unstructured.Unstructured, want bool) func() error {
	return func() error {
		live, err := s.Client.Get(s.ctx, controlplane.RefOf(g))
		if err != nil {
			return err
		}
		components, _, err := unstructured.NestedMap(live.Object, "status", "services")
		if err != nil || len(components) == 0 {
			return errors.Join(errors.New("the status has no services"), err)
		}
		for _, name := range slices.Sorted(maps.Keys(components)) {
			if got, _, _ := unstructured.NestedBool(components, name, "revision", "outdated"); got != want {
				return fmt.Errorf("service %s: outdated is %t", name, got)
			}
		}
		return nil
	}
}

// revisionOf a graph: the one that the status of all of its components names.
func (s *suite) revisionOf(t testing.TB, g *unstructured.Unstructured) string {
	t.Helper()
	var name string
	s.eventually(t, g.GetName()+" runs one revision", func() error {
		live, err := s.Client.Get(s.ctx, controlplane.RefOf(g))
		if err != nil {
			return err
		}
		components, _, err := unstructured.NestedMap(live.Object, "status", "services")
		if err != nil {
			return err
		}
		names := map[string]bool{}
		for component := range components {
			name, _, _ = unstructured.NestedString(components, component, "revision", "name")
			names[name] = true
		}
		if len(names) != 1 || name == "" {
			return fmt.Errorf("it runs %v", slices.Sorted(maps.Keys(names)))
		}
		return nil
	})
	return name
}

// deleteRevision of a graph, and wait until its pods are recorded again, in the words of the API server: those may be others, and so may
// be the name of the revision.
func (s *suite) deleteRevision(t testing.TB, g *unstructured.Unstructured, name string) (again string) {
	t.Helper()
	ref := controlplane.Ref{APIVersion: "apps/v1", Kind: controllerRevision, Namespace: g.GetNamespace(), Name: name}
	before, err := s.Client.Get(s.ctx, ref)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Client.Delete(s.ctx, ref); err != nil {
		t.Fatal(err)
	}
	s.eventually(t, g.GetName()+" is recorded again", func() error {
		again = s.revisionOf(t, g)
		ref.Name = again
		after, err := s.Client.Get(s.ctx, ref)
		if err != nil {
			return err
		}
		if after.GetUID() == before.GetUID() {
			return errors.New("it is the one from before")
		}
		return s.is(controlplane.RefOf(g), "Synced", "True", "Ready", "True")()
	})
	return again
}
