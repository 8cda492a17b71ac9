package e2e

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/kubelet"
)

const (
	annotationGenerations = "dynamo.nvidia.com/worker-generations"
	generationLabel       = "nvidia.com/dynamo-worker-hash"
	setLabel              = "leaderworkerset.sigs.k8s.io/name"
)

// A rolledGraph of prefill and decode workers is changed to a decode worker that does not start, if there is room for both, and then to one that
// does.
type rolledGraph struct {
	reason  string
	example string
	change  func(*unstructured.Unstructured)

	// nodes of a replica of each worker.
	nodes int

	// gap is true if Decode has no room for old and new replicas.
	gap bool
}

func rolledGraphs() map[string]rolledGraph {
	alone := func(g *unstructured.Unstructured, replicas int64) {
		for _, name := range []string{"Prefill", "Decode"} {
			set(g.Object, replicas, "spec", "services", name, "replicas")
			set(g.Object, map[string]any{"limits": map[string]any{"gpu": "1"}}, "spec", "services", name, "resources")
		}
	}
	return map[string]rolledGraph{
		"Deployments": {
			reason: "Deployments add pods first.", example: "disagg-vllm", nodes: 1,
			change: func(g *unstructured.Unstructured) { alone(g, 1) },
		},
		"LeaderWorkerSets": {
			reason: "Of two replicas, one serves while the other is replaced.", example: "sglang-multinode", nodes: 2,
			change: func(g *unstructured.Unstructured) { alone(g, 2) },
		},
		"WithoutRoom": {
			reason: "A worker that has to stop before it starts again does so when the other one has started.", example: "disagg-vllm", nodes: 1, gap: true,
			change: func(g *unstructured.Unstructured) {
				alone(g, 1)
				set(g.Object, map[string]any{"nvidia.com/deployment-strategy": "Recreate"}, "spec", "services", "Decode", "annotations")
			},
		},
	}
}

// generationsStayWhole shows that at every moment of a rollout the workers of one generation are complete, as far as there is room, and that
// workers whose generations are shared do not replace each other.
func (s *suite) generationsStayWhole(t *T) {
	subtests := map[string]func(*T){"Shared": s.generationsAreShared}
	for name, tc := range rolledGraphs() {
		subtests[name] = func(t *T) { s.rollGeneration(t, strings.ToLower(name), tc) }
	}
	runTogether(t, subtests)
}

// withImageOf a worker, of a release that has generations.
func withImageOf(g *unstructured.Unstructured, worker, tag string) {
	set(g.Object, "1.5.0", "spec", "services", worker, "runtimeVersionOverride")
	set(g.Object, "registry.example.org/engine"+tag, "spec", "services", worker, "extraPodSpec", "mainContainer", "image")
}

func (s *suite) rollGeneration(t *T, name string, tc rolledGraph) {
	t.Helper()
	g := s.run(t, tc.example, "generations-"+name, onLeaderWorkerSets, tc.change, func(g *unstructured.Unstructured) {
		withImageOf(g, "Prefill", ":1")
		withImageOf(g, "Decode", ":1")
	})
	ref, pods := controlplane.RefOf(g), apiKind{"v1", "Pod"}
	first := s.generationsOf(t, ref)
	if len(first) != 1 || first[0] == "" {
		t.Fatalf("want one generation of workers, got %q", first)
	}
	record := s.record(t, ref.Namespace, pods)
	s.eventually(t, "the pods are recorded", func() error { return record.holds(s, ref.Namespace, pods) })

	if !tc.gap {
		s.failsToRoll(t, g, tc.nodes, first[0])
	}
	withImageOf(g, "Decode", ":2")
	s.apply(t, g)
	s.eventually(t, "only one generation is left", func() error {
		if now := s.generationsOf(t, ref); len(now) != 1 || now[0] == first[0] {
			return fmt.Errorf("there are %q", now)
		}
		return s.is(ref, "Ready", "True")()
	})
	s.eventually(t, "the pods are recorded", func() error { return record.holds(s, ref.Namespace, pods) })
	for _, gap := range incomplete(record.all(), ref.Name, tc.nodes) {
		if !tc.gap || !slices.Contains(gap, "Prefill") {
			t.Errorf("%s\nwant a complete generation at every moment, got one with new replicas of %v only", tc.reason, gap)
		}
	}
	s.remove(t, g)
}

// failsToRoll a graph to a decode worker that does not start.
func (s *suite) failsToRoll(t *T, g *unstructured.Unstructured, nodes int, before string) {
	t.Helper()
	ref := controlplane.RefOf(g)
	withImageOf(g, "Decode", kubelet.TagUnready)
	s.apply(t, g)
	s.eventually(t, "Prefill has started, and Decode does not", func() error {
		started, tried := s.servingSince(t, ref, nodes, before)
		if !slices.Contains(started, "Prefill") || !slices.Contains(tried, "Decode") {
			return fmt.Errorf("new replicas serve of %v, and exist of %v", started, tried)
		}
		return nil
	})
	for range reconcilesAtRest {
		s.reconcile(t, g)
	}
	s.eventually(t, "the graph says what the old generation waits for",
		s.says(ref, "ServicesReady", "False", "the old generation of workers stays until Decode has a ready replica of the new generation"))
}

// generationsAreShared changes one of two workers that may work with each other across a change.
func (s *suite) generationsAreShared(t *T) {
	g := s.run(t, "disagg-vllm", "generations-shared", onLeaderWorkerSets, func(g *unstructured.Unstructured) {
		g.SetAnnotations(map[string]string{annotationGrove: "false", annotationGenerations: "Shared"})
		withImageOf(g, "Prefill", ":1")
		withImageOf(g, "Decode", ":1")
	})
	ref := controlplane.RefOf(g)
	before := uidsOf(s.podsOf(t, ref), "Prefill")
	decoding := uidsOf(s.podsOf(t, ref), "Decode")
	withImageOf(g, "Decode", ":2")
	s.apply(t, g)
	s.eventually(t, "Decode is replaced", func() error {
		if left := uidsOf(s.podsOf(t, ref), "Decode").Intersection(decoding); len(left) > 0 {
			return fmt.Errorf("%d pods are left", len(left))
		}
		return s.is(ref, "Ready", "True")()
	})
	if after := uidsOf(s.podsOf(t, ref), "Prefill"); !after.Equal(before) {
		t.Errorf("want the pods of Prefill to stay: before %v, after %v", before, after)
	}
	s.remove(t, g)
}

// generationsOf the workers of a graph, sorted.
func (s *suite) generationsOf(t testing.TB, ref controlplane.Ref) []string {
	t.Helper()
	return slices.Sorted(maps.Keys(workersByGeneration(s.podsOf(t, ref), 0)))
}

// servingSince the workers had an older generation: those of which a newer replica serves, and those that have one.
func (s *suite) servingSince(t testing.TB, ref controlplane.Ref, nodes int, older string) (serving, existing []string) {
	t.Helper()
	pods := s.podsOf(t, ref)
	for generation, workers := range workersByGeneration(pods, nodes) {
		if generation != older {
			serving = append(serving, workers...)
		}
	}
	for generation, workers := range workersByGeneration(pods, 0) {
		if generation != older {
			existing = append(existing, workers...)
		}
	}
	return serving, existing
}

// workersByGeneration are the workers of which a replica serves: all of its nodes have a ready pod. With no nodes, a pod is enough, ready or not.
func workersByGeneration(pods []unstructured.Unstructured, nodes int) map[string][]string {
	ready := map[[3]string]int{}
	for i := range pods {
		labels := pods[i].GetLabels()
		status, _ := controlplane.Condition(&pods[i], "Ready")
		if worker := labels[componentLabel]; worker == "Frontend" || nodes > 0 && (status != "True" || pods[i].GetDeletionTimestamp() != nil) {
			continue
		}
		ready[[3]string{labels[generationLabel], labels[componentLabel], labels[setLabel]}]++
	}
	generations := map[string][]string{}
	for replica, n := range ready {
		if n >= nodes && !slices.Contains(generations[replica[0]], replica[1]) {
			generations[replica[0]] = append(generations[replica[0]], replica[1])
		}
	}
	return generations
}

// incomplete are the moments at which no generation of workers was complete, once one had been: the workers that served of the newest one.
func incomplete(versions []*unstructured.Unstructured, graph string, nodes int) [][]string {
	const workers = 2
	latest, begun := map[string]unstructured.Unstructured{}, false
	var gaps [][]string
	newest := ""
	for _, version := range versions {
		if version.GetKind() != "Pod" || version.GetLabels()[graphLabel] != graph {
			continue
		}
		if _, known := latest[string(version.GetUID())]; !known && version.GetLabels()[generationLabel] != "" {
			newest = version.GetLabels()[generationLabel]
		}
		latest[string(version.GetUID())] = *version
		generations := workersByGeneration(slices.Collect(maps.Values(latest)), nodes)
		complete := slices.ContainsFunc(slices.Collect(maps.Values(generations)), func(serving []string) bool { return len(serving) == workers })
		if begun && !complete {
			gaps = append(gaps, generations[newest])
		}
		begun = begun || complete
	}
	return gaps
}
