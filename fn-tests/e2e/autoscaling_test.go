package e2e

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
)

// autoscale components with the real controller of HorizontalPodAutoscalers. There are no metrics here, so it is the bounds that
// move the replicas: they come before any metric.
func (s *suite) autoscale(t *T) {
	t.Helper()
	cases := map[string]struct {
		reason    string
		name      string
		example   string
		component string
		change    []func(*unstructured.Unstructured)
		// kind of what is scaled.
		kind apiKind
	}{
		"PodClique":             {reason: "A service of Grove is scaled by its PodClique.", name: "auto-clique", example: "autoscaling", component: "Worker", kind: apiKind{grove, "PodClique"}},
		"PodCliqueScalingGroup": {reason: "A service of Grove that spans nodes is scaled by its PodCliqueScalingGroup.", name: "auto-group", example: "sglang-multinode", component: "Decode", kind: apiKind{grove, "PodCliqueScalingGroup"}},
		"Deployment": {
			reason:  "A service without Grove is scaled by its Deployment, whose replicas Crossplane writes as well until the autoscaler has.",
			name:    "auto-deployment",
			example: "autoscaling", component: "Worker", change: []func(*unstructured.Unstructured){onLeaderWorkerSets}, kind: apiKind{"apps/v1", "Deployment"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *T) {
			t.Parallel()
			bounds := func(least, most int64) func(*unstructured.Unstructured) {
				return func(g *unstructured.Unstructured) {
					set(g.Object, map[string]any{"enabled": true, "minReplicas": least, "maxReplicas": most}, "spec", "services", tc.component, "autoscaling")
				}
			}
			start := func(g *unstructured.Unstructured) {
				set(g.Object, int64(2), "spec", "services", tc.component, "replicas")
			}
			g := s.run(t, tc.example, tc.name, append(tc.change, bounds(2, 8), start)...)
			ref := controlplane.RefOf(g)
			target := s.targetOf(t, ref, tc.component)
			if got := (apiKind{target.APIVersion, target.Kind}); got != tc.kind {
				t.Fatalf("%s\nwant %v as scaleTargetRef, got %v", tc.reason, tc.kind, got)
			}

			var record *record
			for _, step := range []struct{ least, most, want int64 }{{4, 8, 4}, {2, 3, 3}} {
				bounds(step.least, step.most)(g)
				s.apply(t, g)
				s.scaledByOthers(t, fmt.Sprintf("the autoscaler alone has scaled to %d", step.want), ref, target, func() error {
					return errors.Join(s.hasReplicas(target, step.want)(), s.isLeftToOthers(target)())
				}, func(attempt int) {
					s.editOften(t, g, tc.component, fmt.Sprintf("before-%d", attempt), step.want)
				})
				if record == nil {
					record = s.record(t, g.GetNamespace(), tc.kind)
				}
				s.editOften(t, g, tc.component, "after", step.want)
			}
			s.eventually(t, "the autoscaler can scale, and the graph is ready", func() error {
				autoscaler := controlplane.Ref{APIVersion: "autoscaling/v2", Kind: hpa, Namespace: ref.Namespace, Name: ref.Name + "-" + strings.ToLower(tc.component)}
				if err := s.is(autoscaler, "AbleToScale", "True")(); err != nil {
					return err
				}
				return s.is(ref, "Synced", "True", "Ready", "True")()
			})
			if diff := cmp.Diff([]int64{4, 3}, record.replicasOf(target.Name)); diff != "" {
				t.Errorf("%s\nreplicas one after the other: -want, +got:\n%s", tc.reason, diff)
			}

			begin := time.Now()
			set(g.Object, false, "spec", "services", tc.component, "autoscaling", "enabled")
			set(g.Object, int64(1), "spec", "services", tc.component, "replicas")
			s.apply(t, g)
			s.eventually(t, "the graph decides again, without an autoscaler", func() error {
				if keys := keysOf(s.composed(t, ref), "autoscaler-"+strings.ToLower(tc.component), "replicas-"); len(keys) > 0 {
					return fmt.Errorf("it has %v", keys)
				}
				return s.hasReplicas(target, 1)()
			})
			t.Logf("the graph decides again after %s", time.Since(begin).Round(100*time.Millisecond))
			s.remove(t, g)
		})
	}
}

const hpa = "HorizontalPodAutoscaler"

// targetOf the autoscaler of a component.
func (s *suite) targetOf(t testing.TB, graph controlplane.Ref, component string) controlplane.Ref {
	t.Helper()
	for _, object := range s.composed(t, graph) {
		if object.GetKind() != hpa || object.GetName() != graph.Name+"-"+strings.ToLower(component) {
			continue
		}
		target, _, err := unstructured.NestedStringMap(object.Object, "spec", "scaleTargetRef")
		if err != nil {
			t.Fatal(err)
		}
		return controlplane.Ref{APIVersion: target["apiVersion"], Kind: target["kind"], Namespace: graph.Namespace, Name: target["name"]}
	}
	t.Fatalf("%s has no autoscaler of %s", graph, component)
	return controlplane.Ref{}
}

// hasReplicas checks how many replicas an object is to have.
func (s *suite) hasReplicas(ref controlplane.Ref, want int64) func() error {
	return func() error {
		object, err := s.Client.Get(s.ctx, ref)
		if err != nil {
			return err
		}
		if got, _, _ := unstructured.NestedInt64(object.Object, "spec", "replicas"); got != want {
			return fmt.Errorf("%s has %d replicas, want %d", ref, got, want)
		}
		return nil
	}
}

// scaledByOthers waits until another client has scaled target and Crossplane has seen it. A reconcile that had begun before may undo the scaling,
// as docs/scaling.md describes, and so may one that begins before the client has scaled again. Reconciles of a graph never overlap: one that
// carries out an edit made after the scaling and leaves target as it is has seen it.
func (s *suite) scaledByOthers(t testing.TB, what string, graph, target controlplane.Ref, check func() error, edit func(attempt int)) {
	t.Helper()
	var err error
	for attempt := range 5 {
		// So many reconciles within seconds may open Crossplane's circuit breaker, and a minute passes without any.
		s.eventually(t, what, check)
		scaled := s.generation(t, target)
		edit(attempt)
		s.seen(t, graph)
		if err = check(); err == nil && s.generation(t, target) == scaled {
			return
		}
		t.Logf("%s was changed while an edit was carried out: %v", target, err)
	}
	t.Fatalf("%s, and this is undone again and again: %v", what, err)
}

// generation of an object, which rises with each change of its spec.
func (s *suite) generation(t testing.TB, ref controlplane.Ref) int64 {
	t.Helper()
	object, err := s.Client.Get(s.ctx, ref)
	if err != nil {
		t.Fatal(err)
	}
	return object.GetGeneration()
}

// seen waits for the end of a reconcile that began with the graph as it is now.
func (s *suite) seen(t testing.TB, graph controlplane.Ref) {
	t.Helper()
	now, err := s.composite(graph)
	if err != nil {
		t.Fatal(err)
	}
	s.eventually(t, "Crossplane has reconciled "+graph.String(), func() error {
		composite, err := s.composite(graph)
		if err != nil {
			return err
		}
		if got := controlplane.ObservedGeneration(composite, "Synced"); got < now.GetGeneration() {
			return fmt.Errorf("it has reconciled generation %d, not %d", got, now.GetGeneration())
		}
		return nil
	})
}

// isLeftToOthers checks that Crossplane does not say how many replicas an object is to have. It goes on saying so until it sees
// that another client does.
func (s *suite) isLeftToOthers(ref controlplane.Ref) func() error {
	return func() error {
		object, err := s.Client.Get(s.ctx, ref)
		if err != nil {
			return err
		}
		for _, entry := range object.GetManagedFields() {
			// The status of an adapter is Crossplane's, and has replicas, too.
			if strings.Contains(entry.Manager, "crossplane") && entry.Subresource != "status" && entry.FieldsV1 != nil && strings.Contains(entry.FieldsV1.String(), "f:replicas") {
				return fmt.Errorf("%s: %s still has a say in its replicas", ref, entry.Manager)
			}
		}
		return nil
	}
}

// editOften edits a graph a few times, including replicas that an autoscaler decides about, and waits until each edit has reached what
// is composed. Images with different names make different edits.
func (s *suite) editOften(t testing.TB, g *unstructured.Unstructured, component, name string, decided int64) {
	t.Helper()
	ref := controlplane.RefOf(g)
	for i := range int64(2) {
		image := fmt.Sprintf("registry.example.org/frontend-%s:%d-%d", name, decided, i)
		set(g.Object, image, "spec", "services", "Frontend", "extraPodSpec", "mainContainer", "image")
		set(g.Object, decided+i-1, "spec", "services", component, "replicas")
		s.apply(t, g)
		s.eventually(t, "the change is carried out", func() error {
			composed := s.composed(t, ref)
			for _, key := range []string{"podcliqueset", "deployment-frontend"} {
				if object := composed[key]; object != nil {
					return contains(object, image)
				}
			}
			return fmt.Errorf("nothing runs the frontend: %v", keysOf(composed, ""))
		})
	}
}
