package e2e

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

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
			"Image":                 s.changeImage,
			"ScaleLeaderWorkerSets": s.scaleLeaderWorkerSets,
			"ScaleOnGrove":          s.scaleOnGrove,
			"Autoscaling":           s.autoscale,
			"RestartInOrder":        s.restartInOrder,
			"Replaced":              s.replace,
			"Planner":               s.planner,
			"Adapter":               s.adapterIsScaled,
			"ChangeForm":            s.changeForm,
			"Corrected":             s.correct,
			"Previewed":             s.preview,
			"NobodyElsesObjects":    s.keepForeignObjects,
		})
	})
	t.Run("Adopted", s.adoptOwn)
	t.Run("AdoptedManifests", s.adoptGolden)
	t.Run("TopologyLevelRemoved", s.removeTopologyLevel)
	t.Run("GroveNotServed", s.stopServingGrove)
	t.Run("FunctionsKilled", s.killFunctions)
	t.Run("CrossplaneRestarted", s.restart)
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

func (s *suite) changeImage(t *T) {
	t.Helper()
	g := s.run(t, "disagg-vllm", "image")
	ref := controlplane.RefOf(g)
	before := s.composed(t, ref)

	const image = "registry.example.org/vllm:2"
	set(g.Object, image, "spec", "services", "Decode", "extraPodSpec", "mainContainer", "image")
	s.apply(t, g)
	s.eventually(t, "the clique has the new image", func() error {
		return contains(s.composed(t, ref)["podcliqueset"], image)
	})
	if diff := cmp.Diff(uids(before), uids(s.composed(t, ref))); diff != "" {
		t.Errorf("want everything updated in place: -before, +after:\n%s", diff)
	}
	s.remove(t, g)
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

func (s *suite) scaleLeaderWorkerSets(t *T) {
	t.Helper()
	g := s.run(t, "sglang-multinode", "scaled", onLeaderWorkerSets)
	ref := controlplane.RefOf(g)
	before := uids(s.composed(t, ref))

	for _, replicas := range []int64{3, 2, 1} {
		set(g.Object, replicas, "spec", "services", "Decode", "replicas")
		s.apply(t, g)
		var want []string
		for i := range replicas {
			want = append(want, fmt.Sprintf("leaderworkerset-decode-%d", i), fmt.Sprintf("podgroup-decode-%d", i))
		}
		slices.Sort(want)
		s.eventually(t, fmt.Sprintf("there are %d sets", replicas), func() error {
			got := keysOf(s.composed(t, ref), "leaderworkerset-decode-", "podgroup-decode-")
			if !slices.Equal(want, got) {
				return fmt.Errorf("want %v, got %v", want, got)
			}
			return s.is(ref, "Synced", "True", "Ready", "True")()
		})
	}
	if diff := cmp.Diff(before, uids(s.composed(t, ref))); diff != "" {
		t.Errorf("want what stayed untouched: -before, +after:\n%s", diff)
	}
	s.remove(t, g)
}

// scaleOnGrove changes replicas that Grove only reads when it creates a PodClique. The real controller of the helper
// HorizontalPodAutoscaler must scale the live PodClique.
func (s *suite) scaleOnGrove(t *T) {
	t.Helper()
	g := s.run(t, "disagg-vllm", "scaled-grove")
	ref := controlplane.RefOf(g)
	before := uids(s.composed(t, ref))
	clique := controlplane.Ref{APIVersion: grove, Kind: "PodClique", Namespace: g.GetNamespace(), Name: "scaled-grove-0-decode"}

	for _, replicas := range []int64{3, 1} {
		set(g.Object, replicas, "spec", "services", "Decode", "replicas")
		s.apply(t, g)
		begin := time.Now()
		s.eventually(t, fmt.Sprintf("the PodClique has %d replicas", replicas), func() error {
			live, err := s.Client.Get(s.ctx, clique)
			if err != nil {
				return err
			}
			if got, _, _ := unstructured.NestedInt64(live.Object, "spec", "replicas"); got != replicas {
				return fmt.Errorf("it has %d", got)
			}
			return nil
		})
		s.eventually(t, "the graph is at rest, without a helper", func() error {
			if keys := keysOf(s.composed(t, ref), "replicas-"); len(keys) > 0 {
				return fmt.Errorf("it has %v", keys)
			}
			return s.is(ref, "Synced", "True", "Ready", "True")()
		})
		t.Logf("%d replicas, and the helper gone, after %s", replicas, time.Since(begin).Round(100*time.Millisecond))
	}
	if diff := cmp.Diff(before, uids(s.composed(t, ref))); diff != "" {
		t.Errorf("want nothing recreated: -before, +after:\n%s", diff)
	}
	s.remove(t, g)
}

func (s *suite) correct(t *T) {
	t.Helper()
	g := example(t, "disagg-vllm")
	g.SetName("corrected")
	right := g.DeepCopy()
	set(g.Object, "dynamo-nobody-has-it", "metadata", "annotations", "nvidia.com/kai-scheduler-queue")
	s.apply(t, g)
	ref := controlplane.RefOf(g)
	s.eventually(t, "the graph is refused", s.is(ref, "Synced", "False", "Accepted", "False"))
	set(right.Object, "dynamo", "metadata", "annotations", "nvidia.com/kai-scheduler-queue")
	s.apply(t, right)
	s.eventually(t, "the corrected graph is ready", s.is(ref, "Synced", "True", "Accepted", "True", "Ready", "True"))
	s.remove(t, g)
}

func (s *suite) removeTopologyLevel(t *T) {
	g := s.run(t, "topology", "levels")
	ref := controlplane.RefOf(g)
	before := s.composed(t, ref)
	s.eventually(t, "all levels are there", s.is(ref, "TopologyLevelsAvailable", "True"))

	topology := controlplane.Ref{APIVersion: grove, Kind: "ClusterTopologyBinding", Name: "my-cluster-topology"}
	whole, err := s.Client.Get(s.ctx, topology)
	if err != nil {
		t.Fatal(err)
	}
	levels, _, err := unstructured.NestedSlice(whole.Object, "spec", "levels")
	if err != nil || len(levels) < 2 {
		t.Fatalf("want levels, got %v, %v", levels, err)
	}
	if err := s.Client.Patch(s.ctx, topology, map[string]any{"spec": map[string]any{"levels": levels[:1]}}); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	s.eventually(t, "the levels are missed", s.is(ref, "TopologyLevelsAvailable", "False"))
	t.Logf("missed after %s", time.Since(begin).Round(time.Millisecond))
	if err := s.Client.Patch(s.ctx, topology, map[string]any{"spec": map[string]any{"levels": levels}}); err != nil {
		t.Fatal(err)
	}
	s.eventually(t, "all levels are back", s.is(ref, "TopologyLevelsAvailable", "True", "Synced", "True"))
	if diff := cmp.Diff(uids(before), uids(s.composed(t, ref))); diff != "" {
		t.Errorf("want nothing recreated: -before, +after:\n%s", diff)
	}
	s.remove(t, g)
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

// killFunctions while graphs are edited.
func (s *suite) killFunctions(t *T) {
	g := s.run(t, "disagg-vllm", "killed")
	ref := controlplane.RefOf(g)
	before := s.composed(t, ref)
	names := slices.Sorted(maps.Keys(s.Functions()))

	const times = 10
	var image string
	for i := range times {
		image = fmt.Sprintf("registry.example.org/vllm:killed-%d", i)
		set(g.Object, image, "spec", "services", "Decode", "extraPodSpec", "mainContainer", "image")
		s.apply(t, g)
		s.Functions()[names[i%len(names)]].Kill()
		if diff := cmp.Diff(uids(before), uids(s.composed(t, ref))); diff != "" {
			t.Fatalf("after %s was killed: -before, +after:\n%s", names[i%len(names)], diff)
		}
	}
	s.eventually(t, "the last image is there", func() error {
		if err := contains(s.composed(t, ref)["podcliqueset"], image); err != nil {
			return err
		}
		return s.is(ref, "Synced", "True", "Ready", "True")()
	})
	if diff := cmp.Diff(uids(before), uids(s.composed(t, ref))); diff != "" {
		t.Errorf("want nothing lost: -before, +after:\n%s", diff)
	}
	s.remove(t, g)
}

// restart Crossplane, which then has no state.
func (s *suite) restart(t *T) {
	grove := s.run(t, "disagg-vllm", "restarted-grove")
	lws := s.run(t, "trtllm-multinode", "restarted-lws", onLeaderWorkerSets)
	before := s.versionsAtRest(t, grove, lws)
	s.restartCrossplane(t)
	s.reconciled(t)
	if diff := cmp.Diff(before, s.versions(t, grove, lws)); diff != "" {
		t.Errorf("resource versions: -before, +after:\n%s", diff)
	}
	s.remove(t, grove, lws)
}

func (s *suite) restartCrossplane(t testing.TB) {
	t.Helper()
	s.Crossplane().Kill()
	if err := s.StartCrossplane(s.ctx); err != nil {
		t.Fatalf("cannot start Crossplane again: %v", err)
	}
}
