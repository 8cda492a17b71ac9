package scaling

import (
	"fmt"
	"math/bits"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
)

// TestRetained scales each of up to five replicas in to each number, with each set of them ready: as many serve as before, or as were asked for,
// and no set stays for which that is true without it.
func TestRetained(t *testing.T) {
	const most = 5
	tried := 0
	for running := range most + 1 {
		for ready := range 1 << running {
			for wanted := range most + 1 {
				for _, changes := range []bool{false, true} {
					tried++
					component := worker(v1alpha1.Service{Replicas: new(int32(wanted)), Multinode: &v1alpha1.Multinode{NodeCount: 2}})
					sets, ok := Retained(component, sets(t, "worker", running, ready), changes)
					if !ok {
						sets = int32(wanted)
					}
					// The first replicas are about to be replaced if the pods change.
					lost := 0
					if changes {
						lost = 1<<wanted - 1
					}
					serve := func(sets int) int { return bits.OnesCount(uint(ready & (1<<sets - 1) &^ lost)) }
					want := wanted
					for want < running && serve(want) < min(wanted, serve(running)) {
						want++
					}
					if int(sets) != want {
						t.Errorf("Retained(%d of %d replicas, ready %0*b, changes %t): want %d, got %d", wanted, running, running, ready, changes, want, sets)
					}
				}
			}
		}
	}
	if tried == 0 {
		t.Error("want cases, got none")
	}
}

// sets that run a component, of which some are ready: those with a bit.
func sets(t *testing.T, component string, running, ready int) *observed.State {
	t.Helper()
	objects := map[string]any{}
	for i := range running {
		set := &lwsv1.LeaderWorkerSet{ObjectMeta: metav1.ObjectMeta{Generation: 1}}
		set.SetGroupVersionKind(lwsv1.GroupVersion.WithKind("LeaderWorkerSet"))
		set.Status.ObservedGeneration, set.Status.Replicas, set.Status.UpdatedReplicas = 1, 1, 1
		if ready&(1<<i) != 0 {
			set.Status.ReadyReplicas = 1
			set.Status.Conditions = []metav1.Condition{{Type: string(lwsv1.LeaderWorkerSetAvailable), Status: metav1.ConditionTrue}}
		}
		objects[fmt.Sprintf("leaderworkerset-%s-%d", component, i)] = set
	}
	o, err := observed.Of(&fnv1.RunFunctionRequest{Observed: steptest.State(objects)})
	if err != nil {
		t.Fatal(err)
	}
	return o
}
