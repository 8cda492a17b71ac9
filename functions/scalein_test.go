package functions

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/logging"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/compositiontest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// TestScaleInServes scales a component on LeaderWorkerSets in from three replicas to each number below, while each set of its replicas is ready, alone
// and together with an edit of its pods. The chain and the fused function do it, and guard rails allow no more than the new number. As many replicas
// serve as before, or as were asked for, and the component is scaled in when the first replicas are ready.
func TestScaleInServes(t *testing.T) {
	t.Parallel()
	functions := crossplane.InProcess(crossplane.Servers(logging.NewNopLogger()))
	for _, composition := range []string{"dynamographdeployment", "dynamographdeployment-fused"} {
		for ready := range 1 << 3 {
			for replicas := range int64(3) {
				for _, edited := range []bool{false, true} {
					t.Run(fmt.Sprintf("%s/%03b/%d/%t", composition, ready, replicas, edited), func(t *testing.T) {
						live := crossplane.NewGraph(harness.Read(t, "examples/sglang-multinode.yaml")[0], harness.Read(t, "examples/cluster/lws-volcano.yaml"))
						reconcile := func(times, replicas, ready int) {
							steps := compositiontest.Pipeline(t, "compositions/"+composition+".yaml", map[string]any{"guardRails": map[string]any{"maxReplicas": int64(replicas + 2)}})
							for range times {
								if _, err := steps.Apply(t.Context(), live, functions); err != nil {
									t.Fatal(err)
								}
								markReady(live, ready)
							}
						}
						scaleDecode := func(replicas int64) {
							live.Edit(func(xr *unstructured.Unstructured) { toAll(xr, "replicas", replicas, "Decode") })
						}
						scaleDecode(3)
						reconcile(3, 3, 7)
						markReady(live, ready)
						scaleDecode(replicas)
						serve := 0
						if edited {
							live.Edit(func(xr *unstructured.Unstructured) { toAll(xr, "sharedMemorySize", "9Gi", "Decode") })
						} else {
							serve = bits.OnesCount(uint(ready & (1<<replicas - 1)))
						}
						reconcile(1, int(replicas), ready)
						want := sets(0, int(replicas))
						for i := int(replicas); i < 3 && serve < int(replicas); i++ {
							if ready>>i&1 == 1 {
								want = append(want, sets(i, i+1)...)
								serve++
							}
						}
						if diff := cmp.Diff(want, decodeSets(live)); diff != "" {
							t.Errorf("%d of 3 replicas, ready %03b: -want, +got:\n%s", replicas, ready, diff)
						}
						delayed := strings.Contains(fmt.Sprint(live.Composite().Object["status"]), "the scale-in from")
						if delayed != (len(want) > int(replicas)) {
							t.Errorf("%d of 3 replicas, ready %03b: want said that the scale-in is delayed: %t", replicas, ready, !delayed)
						}
						reconcile(6, int(replicas), 7)
						if diff := cmp.Diff(sets(0, int(replicas)), decodeSets(live)); diff != "" {
							t.Errorf("%d of 3 replicas, when all are ready: -want, +got:\n%s", replicas, diff)
						}
					})
				}
			}
		}
	}
}

// sets of the component with these numbers.
func sets(from, to int) []string {
	all := []string{}
	for i := from; i < to; i++ {
		all = append(all, fmt.Sprintf("leaderworkerset-decode-%d", i))
	}
	return all
}

func decodeSets(g *crossplane.Graph) []string {
	return slices.DeleteFunc(g.Composed(), func(key string) bool { return !strings.HasPrefix(key, "leaderworkerset-decode-") })
}

// markReady those LeaderWorkerSets of the component of which ready has the bit. All others are ready.
func markReady(g *crossplane.Graph, ready int) {
	for i := range 3 {
		set := g.Object(fmt.Sprintf("leaderworkerset-decode-%d", i))
		if set == nil || ready>>i&1 == 1 {
			continue
		}
		status, _, _ := unstructured.NestedMap(set.Object, "status")
		status["readyReplicas"] = int64(0)
		set.Object["status"] = status
	}
}
