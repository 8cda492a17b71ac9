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

// steady lets graphs be once they are ready.
func (s *suite) steady(t *testing.T) {
	duration := quiet
	if value := os.Getenv("CONFIGURATION_DYNAMO_QUIET"); value != "" {
		var err error
		if duration, err = time.ParseDuration(value); err != nil {
			t.Fatal(err)
		}
	}
	s.operators.work(true)
	defer s.operators.work(false)
	var graphs []*unstructured.Unstructured
	for _, name := range []string{"agg-vllm", "disagg-vllm", "sglang-multinode", "topology", "trtllm-multinode"} {
		graphs = append(graphs, s.run(t, name, "steady-"+name), s.run(t, name, "steady-lws-"+name, onLeaderWorkerSets))
	}
	// What the last status has led to comes to rest.
	time.Sleep(5 * time.Second)

	before := map[string]map[string]string{}
	for _, g := range graphs {
		before[g.GetName()] = versions(s.composed(t, controlplane.RefOf(g)))
	}
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
	for _, g := range graphs {
		if diff := cmp.Diff(before[g.GetName()], versions(s.composed(t, controlplane.RefOf(g)))); diff != "" {
			t.Errorf("%s: resource versions: -before, +after:\n%s", g.GetName(), diff)
		}
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
