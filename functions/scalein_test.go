package functions

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/logging"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// TestScaleInServes scales a component on LeaderWorkerSets in from three replicas to each number below, while each set of its replicas is ready, with
// the chain and with the fused function, also where guard rails allow no more than the new number. As many replicas serve as before, or as were
// asked for, and the component is scaled in when the first replicas are ready.
func TestScaleInServes(t *testing.T) {
	t.Parallel()
	functions := crossplane.InProcess(crossplane.Servers(logging.NewNopLogger()))
	for _, composition := range []string{"dynamographdeployment", "dynamographdeployment-fused"} {
		for ready := range 1 << 3 {
			for replicas := range int64(3) {
				t.Run(fmt.Sprintf("%s/%03b/%d", composition, ready, replicas), func(t *testing.T) {
					steps, err := crossplane.ReadPipeline(filepath.Join(harness.Root(), "compositions", composition+".yaml"))
					if err != nil {
						t.Fatal(err)
					}
					steps.Once = true
					live := crossplane.NewGraph(harness.Read(t, "examples/sglang-multinode.yaml")[0], harness.Read(t, "examples/cluster/lws-volcano.yaml"))
					settle := func(ready int) {
						for range 3 {
							if _, err := steps.Apply(t.Context(), live, functions); err != nil {
								t.Fatal(err)
							}
							markReady(live, ready)
						}
					}
					scaleDecode(live, 3)
					settle(7)
					markReady(live, ready)
					scaleDecode(live, replicas)
					steps.Steps[0].Input.Fields["guardRails"] = structpb.NewStructValue(resource.MustStructJSON(fmt.Sprintf(`{"maxReplicas":%d}`, replicas+2)))
					settle(ready)
					want, serve := sets(int(replicas)), 0
					for i := range 3 {
						if serve += ready >> i & 1; ready>>i&1 == 1 && serve <= int(replicas) && i >= int(replicas) {
							want = append(want, sets(i + 1)[i])
						}
					}
					if diff := cmp.Diff(want, decodeSets(live)); diff != "" {
						t.Errorf("%d of 3 replicas, ready %03b: -want, +got:\n%s", replicas, ready, diff)
					}
					delayed := strings.Contains(fmt.Sprint(live.Composite().Object["status"]), "the scale-in from")
					if delayed != (len(want) > int(replicas)) {
						t.Errorf("%d of 3 replicas, ready %03b: want said that the scale-in is delayed: %t", replicas, ready, !delayed)
					}
					settle(7)
					if diff := cmp.Diff(sets(int(replicas)), decodeSets(live)); diff != "" {
						t.Errorf("%d of 3 replicas, when all are ready: -want, +got:\n%s", replicas, diff)
					}
				})
			}
		}
	}
}

func sets(n int) []string {
	all := []string{}
	for i := range n {
		all = append(all, fmt.Sprintf("leaderworkerset-decode-%d", i))
	}
	return all
}

func decodeSets(g *crossplane.Graph) []string {
	return slices.DeleteFunc(g.Composed(), func(key string) bool { return !strings.HasPrefix(key, "leaderworkerset-decode-") })
}

func scaleDecode(g *crossplane.Graph, replicas int64) {
	g.Edit(func(xr *unstructured.Unstructured) {
		components, _, _ := unstructured.NestedSlice(xr.Object, "spec", "components")
		for _, item := range components {
			if component, _ := item.(map[string]any); component["name"] == "Decode" {
				component["replicas"] = replicas
			}
		}
		_ = unstructured.SetNestedSlice(xr.Object, components, "spec", "components")
	})
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
