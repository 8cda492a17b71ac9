package e2e

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
)

// live changes running graphs, and the cluster that they run in.
func (s *suite) live(t *T) {
	s.installAdapters(t)
	s.operators.Work(true)
	defer s.operators.Work(false)
	t.Run("Graphs", func(t *T) {
		runTogether(t, map[string]func(*T){
			"Autoscaling":        s.autoscale,
			"Replaced":           s.replace,
			"Planner":            s.planner,
			"Previewed":          s.preview,
			"NobodyElsesObjects": s.keepForeignObjects,
		})
	})
	t.Run("Adopted", s.adoptOwn)
	t.Run("AdoptedManifests", s.adoptGolden)
	t.Run("GroveNotServed", s.stopServingGrove)
}

// run an example under another name until it is ready.
func (s *suite) run(t testing.TB, of, name string, change ...func(*unstructured.Unstructured)) *unstructured.Unstructured {
	t.Helper()
	g := example(t, of)
	g.SetName(name)
	for _, c := range change {
		c(g)
	}
	s.apply(t, g)
	s.eventually(t, name+" is ready", s.is(controlplane.RefOf(g), "Synced", "True", "Ready", "True"))
	return g
}

func onLeaderWorkerSets(g *unstructured.Unstructured) {
	g.SetAnnotations(map[string]string{annotationGrove: "false"})
}

// uids of objects, by composition resource name.
func uids(objects map[string]*unstructured.Unstructured) map[string]string {
	ids := map[string]string{}
	for key, object := range objects {
		ids[key] = string(object.GetUID())
	}
	return ids
}

// contains reports whether an object contains a text.
func contains(object *unstructured.Unstructured, text string) error {
	data, err := object.MarshalJSON()
	if err != nil {
		return err
	}
	if !slices.Contains(splitJSON(string(data)), text) {
		return fmt.Errorf("%s does not have %q", controlplane.RefOf(object), text)
	}
	return nil
}

// stopServingGrove makes the API of the workload unavailable for some time, as a broken upgrade of Grove would.
func (s *suite) stopServingGrove(t *T) {
	g := s.run(t, "disagg-vllm", "unserved")
	ref := controlplane.RefOf(g)
	before := s.composed(t, ref)

	s.serveGrove(t, false)
	s.eventually(t, "the graph misses what runs it", s.is(ref, "Synced", "False", "ServicesReady", "False"))
	live, err := s.Client.Get(s.ctx, ref)
	if err != nil {
		t.Fatal(err)
	}
	for _, condition := range []string{"Synced", "Ready", "ServicesReady", "OrchestratorSelected"} {
		status, message := controlplane.Condition(live, condition)
		t.Logf("%s is %s: %s", condition, status, message)
	}
	for key, object := range before {
		if object.GetAPIVersion() == grove {
			continue
		}
		if _, err := s.Client.Get(s.ctx, controlplane.RefOf(object)); err != nil {
			t.Errorf("%s: %v", key, err)
		}
	}

	s.serveGrove(t, true)
	s.eventually(t, "the graph recovers", s.is(ref, "Synced", "True", "Ready", "True", "ServicesReady", "True"))
	if diff := cmp.Diff(uids(before), uids(s.composed(t, ref))); diff != "" {
		t.Errorf("want nothing recreated: -before, +after:\n%s", diff)
	}
	s.remove(t, g)
}

func (s *suite) serveGrove(t testing.TB, served bool) {
	t.Helper()
	definitions, err := s.Client.List(s.ctx, "apiextensions.k8s.io/v1", "CustomResourceDefinition", "", "")
	if err != nil {
		t.Fatal(err)
	}
	for i := range definitions {
		definition := &definitions[i]
		if group, _, _ := unstructured.NestedString(definition.Object, "spec", "group"); group != "grove.io" {
			continue
		}
		versions, _, err := unstructured.NestedSlice(definition.Object, "spec", "versions")
		if err != nil {
			t.Fatal(err)
		}
		for _, version := range versions {
			if fields, ok := version.(map[string]any); ok {
				fields["served"] = served
			}
		}
		if err := s.Client.Patch(s.ctx, controlplane.RefOf(definition), map[string]any{"spec": map[string]any{"versions": versions}}); err != nil {
			t.Fatal(err)
		}
	}
}

// keepForeignObjects creates objects with the names of a graph's objects before the graph.
func (s *suite) keepForeignObjects(t *T) {
	t.Helper()
	secret := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Secret", "stringData": map[string]any{"private.key": "mine", "private.key.pub": "mine"},
	}}
	secret.SetName("mpirun-ssh-key-foreign-mpi")
	claim := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "PersistentVolumeClaim",
		"spec": map[string]any{
			"accessModes": []any{"ReadWriteMany"},
			"resources":   map[string]any{"requests": map[string]any{"storage": "1Gi"}},
		},
	}}
	claim.SetName("pvc-cache-kernels")
	foreign := []*unstructured.Unstructured{secret, claim}
	for _, object := range foreign {
		object.SetNamespace(graph("").Namespace)
		s.apply(t, object)
	}
	mpi := s.run(t, "trtllm-multinode", "foreign-mpi")
	cache := s.run(t, "pvc-compilation-cache", "foreign-cache")
	for _, g := range []*unstructured.Unstructured{mpi, cache} {
		for key, object := range s.composed(t, controlplane.RefOf(g)) {
			if object.GetKind() == "Secret" || object.GetKind() == "PersistentVolumeClaim" {
				t.Errorf("%s: composed %s, which was there before", g.GetName(), key)
			}
		}
	}
	s.remove(t, mpi, cache)
	for _, object := range foreign {
		live, err := s.Client.Get(s.ctx, controlplane.RefOf(object))
		if err != nil {
			t.Errorf("%s did not outlive the graphs: %v", controlplane.RefOf(object), err)
			continue
		}
		if len(live.GetOwnerReferences()) > 0 || live.GetDeletionTimestamp() != nil {
			t.Errorf("want %s left alone, got %v", controlplane.RefOf(object), live.Object["metadata"])
		}
		if err := s.Client.Delete(s.ctx, controlplane.RefOf(object)); err != nil {
			t.Error(err)
		}
	}
}

func (s *suite) restartCrossplane(t testing.TB) {
	t.Helper()
	s.Crossplane().Kill()
	if err := s.StartCrossplane(s.ctx); err != nil {
		t.Fatalf("cannot start Crossplane again: %v", err)
	}
}
