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

// TestRetained scales each of up to five replicas in to each number, with each set of them ready and each set of them lost: as many serve as before, or
// as were asked for, none stays without which that is true, and none is created that is not asked for.
func TestRetained(t *testing.T) {
	const most = 5
	for ready := range 1 << most {
		for there := range 1 << most {
			if ready&^there != 0 {
				continue
			}
			for wanted := range most + 1 {
				for _, changes := range []bool{false, true} {
					component := worker(v1alpha1.Service{Replicas: new(int32(wanted)), Multinode: &v1alpha1.Multinode{NodeCount: 2}})
					got := Retained(component, sets(t, "worker", there, ready), changes)
					first, serve, kept := 1<<wanted-1, ready, 0
					// The first replicas are about to be replaced if the pods change.
					if changes {
						serve &^= first
					}
					for _, i := range got {
						kept |= 1 << i
					}
					want := min(wanted, bits.OnesCount(uint(serve)))
					switch now := max(bits.OnesCount(uint(serve&first)), want); {
					case kept&first != 0, kept&^serve != 0:
						t.Errorf("Retained(%d replicas, there %05b, ready %05b, changes %t): want only replicas that serve and are not asked for, got %05b", wanted, there, ready, changes, kept)
					case bits.OnesCount(uint(serve&(first|kept))) != now:
						t.Errorf("Retained(%d replicas, there %05b, ready %05b, changes %t): want that %d serve, got %05b", wanted, there, ready, changes, now, kept)
					}
				}
			}
		}
	}
}

// sets that run a component, those with a bit in there. Some of them are ready.
func sets(t *testing.T, component string, there, ready int) *observed.State {
	t.Helper()
	objects := map[string]any{}
	for i := range bits.Len(uint(there)) {
		if there&(1<<i) == 0 {
			continue
		}
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
