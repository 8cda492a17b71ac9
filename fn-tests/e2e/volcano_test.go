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
	g.inRacks(t)
	g.hyperNodes(t)
	t.Run("Life", g.life)
	t.Run("Racks", g.packs)
	t.Run("MinResources", g.needsAll)
	t.Run("Quota", g.lacksQuota)
}

// hyperNodes are the racks as Volcano knows them: each has the label of the level as the name of its tier.
func (g *gangs) hyperNodes(t testing.TB) {
	t.Helper()
	for _, rack := range []string{"rack-0", "rack-1"} {
		g.apply(t, &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "topology.volcano.sh/v1alpha1", "kind": "HyperNode", "metadata": map[string]any{"name": rack},
			"spec": map[string]any{
				"tier": int64(1), "tierName": labelRack,
				"members": []any{map[string]any{"type": "Node", "selector": map[string]any{
					"labelMatch": map[string]any{"matchLabels": map[string]any{labelRack: rack}},
				}}},
			},
		}})
	}
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
