package e2e

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// steadyChanges by others are put back in graphs at rest. With those before, they cost half of the tokens that a graph has in Crossplane's
// circuit breaker.
const steadyChanges = 10

// resting lets graphs be once they are ready. At the same time Crossplane may not read queues, which a graph that begins then waits
// for in vain: graphs that run need none.
func (s *suite) resting(t *T) {
	s.operators.Work(true)
	t.Cleanup(func() { s.operators.Work(false) })
	var graphs []*unstructured.Unstructured
	for _, name := range []string{"agg-vllm", "disagg-vllm", "sglang-multinode", "topology", "trtllm-multinode"} {
		graphs = append(graphs, s.run(t, name, "steady-"+name), s.run(t, name, "steady-lws-"+name, onLeaderWorkerSets))
	}
	s.removeRule(t, "queues")
	t.Cleanup(func() { s.restoreRules(t) })
	// What Crossplane reads it keeps watching, also without permission, until the watch ends.
	s.restartCrossplane(t)
	t.Run("Steady", func(t *T) {
		t.Parallel()
		s.steady(t, graphs)
	})
	t.Run("QueuesForbidden", func(t *T) {
		t.Parallel()
		s.forbidden(t, missingRule{reason: "A kind that may not be read is waited for in vain.", resource: "queues", example: "agg-vllm", want: notRead})
	})
}

// steady wants nothing of graphs that are ready to change.
func (s *suite) steady(t testing.TB, graphs []*unstructured.Unstructured) {
	t.Helper()
	s.staysAtRest(t, steadyChanges, graphs...)
	s.remove(t, graphs...)
}
