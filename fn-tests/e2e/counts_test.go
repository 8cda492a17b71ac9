package e2e

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
)

const (
	// countedObjects are composed for examples/disagg-vllm.yaml, all in the first reconcile. Crossplane applies them in no order, so its workload
	// could only be first if its Services were composed later. That takes 3 requests fewer until the graph is synced, but 53 until it is at
	// rest instead of 35, in 5 reconciles instead of 3, since the references and the status of the graph change once more.
	countedObjects = 8
	// ownWrites of Crossplane for a new graph, whatever its functions say: its finalizer, its revision of the Composition, its label, its
	// references, and its status twice.
	// https://github.com/crossplane/crossplane/blob/v2.4.0/internal/controller/apiextensions/composite/reconciler.go
	ownWrites = 6
	// ownVersions of a graph: it is created, changed by each of these requests, and in the second reconcile the functions say that they have seen
	// the generation that the references have raised.
	ownVersions = 1 + ownWrites + 1
	// restingReads of the counts in a row find them unchanged before a graph counts as at rest.
	restingReads = 5

	graphs      = "dynamographdeployments"
	graphStatus = graphs + "/status"
)

// counts what a graph costs that is created alone, while no controller works on what is composed. It is judged by what Crossplane does, never by
// the time that takes.
func (s *suite) counts(t testing.TB) {
	t.Helper()
	const namespace = "counted"
	s.namespaceOfExamples(t, namespace)
	g := exampleOfComponents(t, "disagg-vllm")
	g.SetNamespace(namespace)
	versions := s.countVersions(t, g)
	before, err := s.Counts(s.ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Client.Create(s.ctx, g); err != nil {
		t.Fatal(err)
	}
	s.eventually(t, "the graph is synced", s.is(controlplane.RefOf(g), "Synced", "True"))
	after := s.countsAtRest(t)
	writes, err := s.Writes(namespace)
	if err != nil {
		t.Fatal(err)
	}
	first := firstReconcile(writes)
	reconciles, calls := after.Reconciles-before.Reconciles, after.Calls-before.Calls
	t.Logf("until the graph is synced: %d writes of Crossplane; until it is at rest: %d, with %d reconciles, %d calls, %d versions of the graph",
		len(first), len(writes), reconciles, calls, versions())

	if objects := slices.DeleteFunc(slices.Clone(first), isOfGraph); len(objects) != countedObjects {
		t.Errorf("want %d objects created in the first reconcile, got %v", countedObjects, objects)
	}
	if own := slices.DeleteFunc(slices.Clone(first), func(w controlplane.Write) bool { return !isOfGraph(w) }); len(own) > ownWrites {
		t.Errorf("want the graph written %d times in the first reconcile, got %v", ownWrites, own)
	}
	for _, w := range writes {
		if w.Status >= 300 {
			t.Errorf("want no write refused, got %s", w)
		}
	}
	for _, w := range writes[len(first):] {
		if !isOfGraph(w) && w.Status != 200 {
			t.Errorf("want nothing created after the first reconcile, got %s", w)
		}
	}
	if got := versions(); got > ownVersions {
		t.Errorf("want at most %d versions of the graph, got %d: each has Crossplane reconcile it again", ownVersions, got)
	}
	// The second call of the first reconcile knows which names are taken.
	if calls > reconciles+1 {
		t.Errorf("want a second call in the first reconcile only, got %d calls in %d reconciles", calls, reconciles)
	}
	s.remove(t, g)
}

// firstReconcile is what was written until the graph is synced, which the first reconcile says at its end.
func firstReconcile(writes []controlplane.Write) []controlplane.Write {
	end := slices.IndexFunc(writes, func(w controlplane.Write) bool { return w.Verb == "update" && w.Resource == graphStatus })
	return writes[:end+1]
}

func isOfGraph(w controlplane.Write) bool { return w.Resource == graphs || w.Resource == graphStatus }

// countVersions of a graph that will be created. Those that differ in condition Responsive only count once: Crossplane sets it before other writes,
// whose answers do not contain it, and loses it again whenever it reconciles a graph that it has read before its last write.
func (s *suite) countVersions(t testing.TB, g *unstructured.Unstructured) func() int {
	t.Helper()
	var mutex sync.Mutex
	versions := map[string]bool{}
	if err := s.Client.Watch(s.ctx, g.GetAPIVersion(), g.GetKind(), g.GetNamespace(), func(object *unstructured.Unstructured) {
		mutex.Lock()
		defer mutex.Unlock()
		versions[withoutResponsive(object)] = true
	}); err != nil {
		t.Fatal(err)
	}
	return func() int {
		mutex.Lock()
		defer mutex.Unlock()
		return len(versions)
	}
}

// withoutResponsive is what the object says without this condition, and without what every write changes.
func withoutResponsive(object *unstructured.Unstructured) string {
	object = object.DeepCopy()
	object.SetResourceVersion("")
	object.SetManagedFields(nil)
	status, _, _ := unstructured.NestedMap(object.Object, "status")
	conditions, _, _ := unstructured.NestedSlice(status, "conditions")
	delete(status, "conditions")
	unstructured.RemoveNestedField(object.Object, "status")
	conditions = slices.DeleteFunc(conditions, func(c any) bool {
		condition, ok := c.(map[string]any)
		return ok && condition["type"] == "Responsive"
	})
	return fmt.Sprint(object.Object, status, conditions)
}

// countsAtRest waits until Crossplane has no composite resource left to reconcile.
func (s *suite) countsAtRest(t testing.TB) controlplane.Counts {
	t.Helper()
	var last controlplane.Counts
	same := 0
	s.eventually(t, "Crossplane has nothing left to reconcile", func() error {
		left, err := s.ReconcilesLeft(s.ctx)
		if err != nil {
			return err
		}
		now, err := s.Counts(s.ctx)
		if err != nil {
			return err
		}
		same++
		if left > 0 || now.Reconciles != last.Reconciles || now.Calls != last.Calls {
			same = 0
		}
		if last = now; same < restingReads {
			return fmt.Errorf("%d composite resources are left", left)
		}
		return nil
	})
	return last
}
