package e2e

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
)

// replace graphs as `kubectl replace` does with the user's manifests, which say nothing of what Crossplane has composed.
func (s *suite) replace(t *T) {
	t.Helper()
	runTogether(t, map[string]func(*T){
		"Autoscaled": s.replaceAutoscaled, "ScaledIn": s.replaceScaledIn,
	})
}

// replaceAutoscaled replaces a graph with a Deployment that has other replicas than the manifest says: an autoscaler decides about
// them.
func (s *suite) replaceAutoscaled(t *T) {
	t.Helper()
	least := func(n int64) func(*unstructured.Unstructured) {
		return func(g *unstructured.Unstructured) {
			set(g.Object, int64(2), "spec", "services", "Worker", "replicas")
			set(g.Object, map[string]any{"enabled": true, "minReplicas": n, "maxReplicas": int64(8)}, "spec", "services", "Worker", "autoscaling")
		}
	}
	g := s.run(t, "autoscaling", "replaced-autoscaled", onLeaderWorkerSets, least(2))
	ref := controlplane.RefOf(g)
	worker := controlplane.Ref{APIVersion: "apps/v1", Kind: "Deployment", Namespace: ref.Namespace, Name: ref.Name + "-worker"}
	least(6)(g)
	s.apply(t, g)
	// With other bounds, the autoscaler would not scale again after its scaling was undone.
	s.scaledByOthers(t, "the autoscaler alone has scaled to 6", ref, worker, func() error {
		return errors.Join(s.hasReplicas(worker, 6)(), s.isLeftToOthers(worker)())
	}, func(attempt int) {
		most := int64(9 + attempt)
		set(g.Object, most, "spec", "services", "Worker", "autoscaling", "maxReplicas")
		s.apply(t, g)
		s.eventually(t, "the autoscaler has its new maximum", func() error {
			autoscaler := s.composed(t, ref)["autoscaler-worker"]
			if got, _, _ := unstructured.NestedInt64(autoscaler.Object, "spec", "maxReplicas"); got != most {
				return fmt.Errorf("it allows at most %d", got)
			}
			return nil
		})
	})
	// Without metrics the autoscaler never scales in, so that the replicas stay at 6.
	least(2)(g)
	s.apply(t, g)
	s.eventually(t, "the autoscaler has its bounds back", func() error {
		autoscaler := s.composed(t, ref)["autoscaler-worker"]
		if got, _, _ := unstructured.NestedInt64(autoscaler.Object, "spec", "minReplicas"); got != 2 {
			return fmt.Errorf("it keeps at least %d", got)
		}
		return s.is(ref, "Synced", "True", "Ready", "True")()
	})

	before := s.composed(t, ref)
	record := s.record(t, ref.Namespace, apiKind{"apps/v1", "Deployment"})
	for range 2 {
		s.replaceWith(t, g)
		s.hasReferences(t, ref, slices.Sorted(maps.Keys(before)))
	}
	s.eventually(t, "the graph is at rest", s.is(ref, "Synced", "True", "Ready", "True"))
	after := s.composed(t, ref)
	if diff := cmp.Diff(uids(before), uids(after)); diff != "" {
		t.Errorf("want the same objects: -before, +after:\n%s", diff)
	}
	if diff := cmp.Diff(generations(before), generations(after)); diff != "" {
		t.Errorf("want nothing changed: generations: -before, +after:\n%s", diff)
	}
	if diff := cmp.Diff([]int64{6}, record.replicasOf(worker.Name)); diff != "" {
		t.Errorf("replicas one after the other: -want, +got:\n%s", diff)
	}
	s.remove(t, g)
}

// replaceScaledIn replaces a graph with a manifest that has fewer replicas, each of which is objects of its own.
func (s *suite) replaceScaledIn(t *T) {
	t.Helper()
	replicas := func(n int64) func(*unstructured.Unstructured) {
		return func(g *unstructured.Unstructured) { set(g.Object, n, "spec", "services", "Decode", "replicas") }
	}
	g := s.run(t, "sglang-multinode", "replaced-sets", onLeaderWorkerSets, replicas(3))
	ref := controlplane.RefOf(g)
	before := s.composed(t, ref)
	replicas(1)(g)
	s.replaceWith(t, g)

	lost := []string{"leaderworkerset-decode-1", "leaderworkerset-decode-2", "podgroup-decode-1", "podgroup-decode-2"}
	left := maps.Clone(before)
	maps.DeleteFunc(left, func(key string, _ *unstructured.Unstructured) bool { return slices.Contains(lost, key) })
	for _, key := range lost {
		s.gone(t, controlplane.RefOf(before[key]))
	}
	s.hasReferences(t, ref, slices.Sorted(maps.Keys(left)))
	after := s.composed(t, ref)
	if diff := cmp.Diff(generations(left), generations(after)); diff != "" {
		t.Errorf("want the others unchanged: generations: -before, +after:\n%s", diff)
	}
	s.remove(t, g)
}

// replaceWith puts a manifest in the place of a graph. Crossplane is paused meanwhile: a reconcile that had begun before would
// write its references again, and none would be lost.
func (s *suite) replaceWith(t testing.TB, manifest *unstructured.Unstructured) {
	t.Helper()
	const paused = "crossplane.io/paused"
	ref := controlplane.RefOf(manifest)
	pause := func(value any) {
		if err := s.Client.Patch(s.ctx, ref, map[string]any{"metadata": map[string]any{"annotations": map[string]any{paused: value}}}); err != nil {
			t.Fatalf("cannot pause %s: %v", ref, err)
		}
	}
	pause("true")
	s.eventually(t, "the graph is paused", s.is(ref, "Synced", "False"))
	manifest = manifest.DeepCopy()
	annotations := manifest.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[paused] = "true"
	manifest.SetAnnotations(annotations)
	if err := s.Client.Replace(s.ctx, manifest); err != nil {
		t.Fatalf("cannot replace %s: %v", ref, err)
	}
	live, err := s.Client.Get(s.ctx, ref)
	if err != nil {
		t.Fatal(err)
	}
	before, err := references(manifest)
	if err != nil {
		t.Fatal(err)
	}
	after, err := references(live)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Fatalf("want the references of the manifest: -want, +got:\n%s", diff)
	}
	pause(nil)
	// Nothing looks at a paused graph but events, which Crossplane drops while its circuit breaker for the graph is open: all but one
	// in 30 seconds.
	tries := int64(0)
	s.eventually(t, "the graph is reconciled again", func() error {
		tries++
		if tries%50 == 0 {
			again := map[string]any{"metadata": map[string]any{"annotations": map[string]any{"example.org/again": strconv.FormatInt(tries, 10)}}}
			if err := s.Client.Patch(s.ctx, ref, again); err != nil {
				return err
			}
		}
		return s.is(ref, "Synced", "True")()
	})
}

// hasReferences waits until a graph refers to objects with these keys, and to no others.
func (s *suite) hasReferences(t testing.TB, ref controlplane.Ref, keys []string) {
	t.Helper()
	s.eventually(t, "the references are back", func() error {
		if got := slices.Sorted(maps.Keys(s.composed(t, ref))); !slices.Equal(keys, got) {
			return fmt.Errorf("want %v, got %v", keys, got)
		}
		return nil
	})
}

// generations of objects, by composition resource name.
func generations(objects map[string]*unstructured.Unstructured) map[string]int64 {
	all := map[string]int64{}
	for key, object := range objects {
		all[key] = object.GetGeneration()
	}
	return all
}
