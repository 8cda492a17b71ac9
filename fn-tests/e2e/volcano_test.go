package e2e

import (
	"fmt"
	"strconv"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
)

const volcanoVersion = "scheduling.volcano.sh/v1beta1"

// TestVolcano has the scheduler and the controllers of Volcano decide.
func TestVolcano(tt *testing.T) {
	t := repeating(tt)
	g := startGangs(t, controlplane.Volcano)
	t.Run("LacksTier", g.lacksTier)
	t.Run("LacksTierName", g.lacksTierName)
	g.inRacks(t, nil)
	g.racksAsHyperNodes(t)
	t.Run("Life", g.life)
	t.Run("Racks", g.packs)
	t.Run("MinResources", g.needsAll)
	t.Run("Quota", g.lacksQuota)
}

// hyperNode is a domain as Volcano knows it. Its tier has the label of a level as its name.
func hyperNode(name string, tier int64, label, value string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "topology.volcano.sh/v1alpha1", "kind": "HyperNode", "metadata": map[string]any{"name": name},
		"spec": map[string]any{
			"tier": tier, "tierName": label,
			"members": []any{map[string]any{"type": "Node", "selector": map[string]any{
				"labelMatch": map[string]any{"matchLabels": map[string]any{label: value}},
			}}},
		},
	}}
}

// racksAsHyperNodes exist from now on.
func (g *gangs) racksAsHyperNodes(t testing.TB) {
	t.Helper()
	for _, rack := range racks() {
		g.apply(t, hyperNode(rack, 1, labelRack, rack))
	}
}

func racks() []string { return []string{"rack-0", "rack-1"} }

// deleteRacks as Volcano knows them.
func (g *gangs) deleteRacks(t testing.TB) {
	t.Helper()
	for _, rack := range racks() {
		if err := g.Client.Delete(g.ctx, controlplane.RefOf(hyperNode(rack, 1, labelRack, rack))); err != nil {
			t.Fatal(err)
		}
	}
}

// lacksTier runs a gang that has to be packed by the number of a tier. There are only broader HyperNodes, so that it waits although its nodes
// have room, and then one of the tier.
func (g *gangs) lacksTier(t *T) {
	t.Helper()
	g.inRacks(t, map[string]any{"rack": int64(1)})
	hall := hyperNode("hall", 2, "topology.kubernetes.io/zone", "zone-0")
	g.apply(t, hall)
	g.open(t, "node-0-0", "node-0-1", "node-1-0", "node-1-1")
	graph := racked(t, "numbered")
	ref := controlplane.RefOf(graph)
	g.apply(t, graph)
	g.eventually(t, "the gang waits", g.waits(graph, 0, 2))
	const missing = "no HyperNode of Volcano has tier 1, so the replicas of Worker are not packed, or wait"
	g.eventually(t, "the graph names the tier", g.says(ref, "TopologyLevelsAvailable", "False", missing))
	g.eventually(t, "the tool names it", g.because(ref, "TopologyUnavailable", missing, "kubectl describe dgd"))
	g.racksAsHyperNodes(t)
	g.ready(t, graph, 1)
	g.eventually(t, "its level is there", g.is(ref, "TopologyLevelsAvailable", "True"))
	g.remove(t, graph)
	g.deleteRacks(t)
	if err := g.Client.Delete(g.ctx, controlplane.RefOf(hall)); err != nil {
		t.Fatal(err)
	}
}

// lacksTierName runs a gang that has to be packed by the name of a tier. Volcano ignores a name that no HyperNode has, which only the condition
// tells, whether they never were there or have gone.
func (g *gangs) lacksTierName(t *T) {
	t.Helper()
	g.inRacks(t, nil)
	g.open(t, "node-0-0", "node-1-0")
	graph := racked(t, "named")
	ref := controlplane.RefOf(graph)
	g.apply(t, graph)
	g.ready(t, graph, 1)
	lacks := g.says(ref, "TopologyLevelsAvailable", "False", "no HyperNode of Volcano has tierName "+labelRack)
	g.eventually(t, "the graph names the tier", lacks)
	g.racksAsHyperNodes(t)
	g.eventually(t, "its level is there", g.is(ref, "TopologyLevelsAvailable", "True"))
	g.deleteRacks(t)
	g.eventually(t, "its level is gone", lacks)
	g.remove(t, graph)
}

// phaseOf the PodGroup of the first replica.
func (g *gangs) phaseOf(graph *unstructured.Unstructured) (string, error) {
	group, err := g.Client.Get(g.ctx, g.group(graph, 0))
	if err != nil {
		return "", err
	}
	phase, _, err := unstructured.NestedString(group.Object, "status", "phase")
	return phase, err
}

// needsAll runs a gang with a priority that requests more than the cluster has: Volcano refuses it by its minResources, before it looks for
// nodes, so that its phase stays Pending.
func (g *gangs) needsAll(t *T) {
	t.Helper()
	// Volcano admits gangs that need a fifth more than there is.
	const nodes = 5
	g.apply(t, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": map[string]any{"name": "important"}, "value": int64(1000),
	}})
	graph := gangGraph(t, "all")
	changeComponent(graph, gangComponent, func(component map[string]any) {
		set(component, int64(nodes), "multinode", "nodeCount")
		set(component, "important", "podTemplate", "spec", "priorityClassName")
	})
	g.apply(t, graph)
	g.eventually(t, "the gang waits", g.waits(graph, 0, nodes))
	if phase, err := g.phaseOf(graph); err != nil || phase != "Pending" {
		t.Errorf("want a gang whose minResources the cluster does not have to be Pending, got %q, %v", phase, err)
	}
	group, err := g.Client.Get(g.ctx, g.group(graph, 0))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]any{"priorityClassName": "important", "queue": "default", "minMember": int64(nodes)} {
		if got, _, _ := unstructured.NestedFieldNoCopy(group.Object, "spec", path); got != want {
			t.Errorf("%s of the PodGroup: want %v, got %v", path, want, got)
		}
	}
	g.remove(t, graph)
}

// lacksQuota runs a gang in a queue whose quota it exceeds, until it has more.
func (g *gangs) lacksQuota(t *T) {
	t.Helper()
	queue := func(gpus int) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": volcanoVersion, "kind": "Queue", "metadata": map[string]any{"name": "small"},
			"spec": map[string]any{"weight": int64(1), "capability": map[string]any{"nvidia.com/gpu": strconv.Itoa(gpus)}},
		}}
	}
	g.apply(t, queue(gpusPerGangNode))
	g.eventually(t, "the queue is open", func() error {
		object, err := g.Client.Get(g.ctx, controlplane.RefOf(queue(0)))
		if err != nil {
			return err
		}
		if state, _, _ := unstructured.NestedString(object.Object, "status", "state"); state != "Open" {
			return fmt.Errorf("its state is %q", state)
		}
		return nil
	})
	g.open(t, "node-0-0", "node-0-1", "node-1-0", "node-1-1")
	graph := gangGraph(t, "quota")
	annotations := map[string]string{"scheduling.volcano.sh/queue-name": "small"}
	graph.SetAnnotations(annotations)
	g.apply(t, graph)
	g.eventually(t, "the gang waits", g.waits(graph, 0, 2))
	g.eventually(t, "the tool names the queue", g.because(controlplane.RefOf(graph), "OverQuota", "queue small has no quota left", "kubectl describe queues.scheduling.volcano.sh small"))
	g.apply(t, queue(2*gpusPerGangNode))
	g.ready(t, graph, 1)
	g.remove(t, graph)
}
