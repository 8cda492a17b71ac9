package e2e

import (
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
)

const (
	// quiet is how long nothing may change once everything is ready. CONFIGURATION_DYNAMO_QUIET=10s shortens it.
	quiet = time.Minute
	// mostReconciles of one graph in that time.
	mostReconciles = 10
)

// resting lets graphs be once they are ready. At the same time Crossplane may not read queues, which a graph that begins then waits
// for in vain: graphs that run need none.
func (s *suite) resting(t *T) {
	s.operators.work(true)
	t.Cleanup(func() { s.operators.work(false) })
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
	// There is little else to do meanwhile.
	t.Run("NextRelease", func(t *T) {
		t.Parallel()
		if _, err := s.nextRelease(); err != nil {
			t.Error(err)
		}
	})
}

// steady wants nothing of graphs that are ready to change.
func (s *suite) steady(t testing.TB, graphs []*unstructured.Unstructured) {
	t.Helper()
	duration := quiet
	if value := os.Getenv("CONFIGURATION_DYNAMO_QUIET"); value != "" {
		var err error
		if duration, err = time.ParseDuration(value); err != nil {
			t.Fatal(err)
		}
	}
	before := s.versionsAtRest(t, graphs...)
	first, err := s.Reconciles(s.ctx)
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(duration); time.Now().Before(end); time.Sleep(time.Second) {
		for _, g := range graphs {
			if err := s.is(controlplane.RefOf(g), "Synced", "True", "Ready", "True", "Responsive", "True")(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if diff := cmp.Diff(before, s.versions(t, graphs...)); diff != "" {
		t.Errorf("resource versions: -before, +after:\n%s", diff)
	}
	last, err := s.Reconciles(s.ctx)
	if err != nil {
		t.Fatal(err)
	}
	each := float64(last-first) / float64(len(graphs))
	t.Logf("%.1f reconciles of each of %d graphs in %s", each, len(graphs), duration)
	if each >= mostReconciles {
		t.Errorf("want fewer than %d reconciles of a graph, got %.1f", mostReconciles, each)
	}
	s.remove(t, graphs...)
}
