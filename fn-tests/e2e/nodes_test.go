package e2e

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
)

// cordon all nodes, or none.
func (s *suite) cordon(t testing.TB, yes bool) {
	t.Helper()
	s.changeNodes(t, map[string]any{"spec": map[string]any{"unschedulable": yes}})
}

// nodesOf begins the label of the nodes on which there is place for new pods of a graph.
const nodesOf = "example.org/nodes-of-"

// onNodesOf lets pods of a graph only run on nodes that are admitted to it.
func onNodesOf(name string) func(*unstructured.Unstructured) {
	return func(g *unstructured.Unstructured) {
		components, _, _ := unstructured.NestedMap(g.Object, "spec", "services")
		for component := range components {
			set(g.Object, map[string]any{nodesOf + name: "yes"}, "spec", "services", component, "extraPodSpec", "nodeSelector")
		}
	}
}

// admit new pods of a graph to all nodes, or to none. Those that run stay. Unlike cordon, it does nothing to other graphs.
func (s *suite) admit(t testing.TB, name string, yes bool) {
	t.Helper()
	var value any
	if yes {
		value = "yes"
	}
	s.changeNodes(t, map[string]any{"metadata": map[string]any{"labels": map[string]any{nodesOf + name: value}}})
}

// changeNodes with a merge patch.
func (s *suite) changeNodes(t testing.TB, patch map[string]any) {
	t.Helper()
	nodes, err := s.Client.List(s.ctx, "v1", "Node", "", "")
	if err != nil {
		t.Fatal(err)
	}
	for i := range nodes {
		if err := s.Client.Patch(s.ctx, controlplane.RefOf(&nodes[i]), patch); err != nil {
			t.Fatal(err)
		}
	}
}
