package e2e

import (
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
	schedulingv1beta1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/scheduling/v1beta1"
)

// TestNativeGangs has the scheduler of Kubernetes 1.37 decide on a cluster with LeaderWorkerSet and nothing else.
func TestNativeGangs(tt *testing.T) {
	t := repeating(tt)
	g := startGangs(t, controlplane.Nothing, schedulingv1beta1.GateGangs)
	g.inRacks(t, nil)
	t.Run("Life", g.life)
	t.Run("Dropped", g.dropped)
}

// dropped runs a gang whose constraint the API server drops, because its gate is off.
func (g *gangs) dropped(t *T) {
	t.Helper()
	g.open(t, "node-0-0", "node-0-1", "node-1-0", "node-1-1")
	graph := racked(t, "dropped")
	g.apply(t, graph)
	g.eventually(t, "the graph says so", g.says(controlplane.RefOf(graph), "TopologyLevelsAvailable", "False", "feature gate TopologyAwareWorkloadScheduling is off"))
	g.ready(t, graph, 1)
	g.remove(t, graph)
}

// TestNativeTopology has the scheduler of Kubernetes pack gangs.
func TestNativeTopology(tt *testing.T) {
	t := repeating(tt)
	g := startGangs(t, controlplane.Nothing, schedulingv1beta1.GateGangs, schedulingv1beta1.GateTopology)
	g.inRacks(t, nil)
	g.packs(t)
}
