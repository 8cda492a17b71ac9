package e2e

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
)

// refusedFollowsPods takes pods away from graphs whose last edit is refused, and lets them come back. Readiness follows, nothing that
// was composed is changed, and the graph goes on being refused.
func (s *suite) refusedFollowsPods(t *T) {
	s.operators.Work(true)
	defer s.operators.Work(false)
	cases := map[string]struct {
		reason  string
		example string
		change  []func(*unstructured.Unstructured)
		lose    func(t *T, graph controlplane.Ref)
		restore func(t *T)
	}{
		"Deployments": {
			reason: "The Deployments of a graph are observed.", example: "disagg-vllm", change: []func(*unstructured.Unstructured){onLeaderWorkerSets},
			lose: s.losePod, restore: s.uncordon,
		},
		"LeaderWorkerSets": {
			reason: "The LeaderWorkerSets of a graph are observed.", example: "sglang-multinode", change: []func(*unstructured.Unstructured){onLeaderWorkerSets},
			lose: s.losePod, restore: s.uncordon,
		},
		"Grove": {
			reason: "The PodCliques of a PodCliqueSet are looked up.", example: "disagg-vllm",
			lose: s.loseClique, restore: func(*T) { s.operators.Work(true) },
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *T) {
			// Pods of the graph before may take a while to end, so each has a name of its own.
			g := s.run(t, tc.example, "refused-"+strings.ToLower(name), tc.change...)
			ref := controlplane.RefOf(g)
			before := s.composed(t, ref)

			edited := g.DeepCopy()
			set(edited.Object, "sometimes", "metadata", "annotations", "grove.io/auto-mnnvl")
			s.apply(t, edited)
			s.eventually(t, "the edit is refused", s.is(ref, "Synced", "False", "Accepted", "False", "Ready", "True", "ServicesReady", "True"))

			s.eventually(t, "the tool says so", s.because(ref, "GraphRefused", "grove.io/auto-mnnvl", "kubectl describe dgd "+ref.Name))
			tc.lose(t, ref)
			s.eventually(t, "the refused graph misses its pods", s.is(ref, "Synced", "False", "Accepted", "False", "Ready", "False", "ServicesReady", "False"))
			tc.restore(t)
			s.eventually(t, "the refused graph is ready again", s.is(ref, "Synced", "False", "Accepted", "False", "Ready", "True", "ServicesReady", "True"))
			if diff := cmp.Diff(generations(before), generations(s.composed(t, ref))); diff != "" {
				t.Errorf("%s\nwant nothing changed: generations: -before, +after:\n%s", tc.reason, diff)
			}

			s.apply(t, g)
			s.eventually(t, "the graph is as before", s.is(ref, "Synced", "True", "Accepted", "True", "Ready", "True"))
			after := s.composed(t, ref)
			if diff := cmp.Diff(uids(before), uids(after)); diff != "" {
				t.Errorf("%s\nwant nothing recreated: -before, +after:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(generations(before), generations(after)); diff != "" {
				t.Errorf("%s\nwant nothing changed: generations: -before, +after:\n%s", tc.reason, diff)
			}
			s.remove(t, g)
		})
	}
}

// losePod of a graph, for which there is no place on any node.
func (s *suite) losePod(t *T, graph controlplane.Ref) {
	t.Helper()
	s.cordon(t, true)
	pods := s.podsOf(t, graph)
	if len(pods) == 0 {
		t.Fatalf("%s has no pods", graph)
	}
	if err := s.Client.Delete(s.ctx, controlplane.RefOf(&pods[0])); err != nil {
		t.Fatal(err)
	}
}

func (s *suite) uncordon(t *T) {
	t.Helper()
	s.cordon(t, false)
}

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
		services, _, _ := unstructured.NestedMap(g.Object, "spec", "services")
		for service := range services {
			set(g.Object, map[string]any{nodesOf + name: "yes"}, "spec", "services", service, "extraPodSpec", "nodeSelector")
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

// loseClique has no pod of a PodClique be ready, until Grove reports on it again.
func (s *suite) loseClique(t *T, graph controlplane.Ref) {
	t.Helper()
	s.operators.Work(false)
	clique := controlplane.Ref{APIVersion: grove, Kind: "PodClique", Namespace: graph.Namespace, Name: graph.Name + "-0-decode"}
	if err := s.Client.PatchStatus(s.ctx, clique, map[string]any{"readyReplicas": int64(0)}); err != nil {
		t.Fatal(err)
	}
}
