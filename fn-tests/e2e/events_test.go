package e2e

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

const (
	// countedReplicas of the component that changes, in each graph whose events are counted.
	countedReplicas = 3
	// mostWrites of the status of a graph for one change. Crossplane writes a changed status two to five times.
	mostWrites = 40
	// neighbourPods start in other graphs while these are at rest.
	neighbourPods = 64
)

// eventsAreFew counts the events of graphs for each change, and shows that changes of other graphs cause none.
func (s *suite) eventsAreFew(t *T) {
	events := s.countEvents(t, "inference")

	replicas := func(n int64) edit { return editOf(editReplicas, "", n) }
	graphs := map[string]*unstructured.Unstructured{}
	for name, of := range map[string]string{"grove": "disagg-vllm", "scalinggroups": "sglang-multinode", "deployments": "disagg-vllm", "leaderworkersets": "sglang-multinode"} {
		g := example(t, of)
		g.SetName("counted-" + name)
		if name == "deployments" || name == "leaderworkersets" {
			onLeaderWorkerSets(g)
		}
		graphs[name] = g
	}
	s.count(t, events, graphs, "creation", replicas(countedReplicas))
	for _, g := range graphs {
		if err := s.is(controlplane.RefOf(g), "Responsive", "True")(); err != nil {
			t.Error(err)
		}
	}
	s.leaveAlone(t, events, graphs)
	s.count(t, events, graphs, "image", editOf(editImage, "counted", 0))
	s.count(t, events, graphs, "one replica more", replicas(countedReplicas+1))
	s.count(t, events, graphs, "one replica less", replicas(countedReplicas))
	s.count(t, events, graphs, "restart", editOf(editRestart, "counted", 0))
	s.remove(t, slices.Collect(maps.Values(graphs))...)
}

// count the events of a change of several graphs.
func (s *suite) count(t testing.TB, events *eventCount, graphs map[string]*unstructured.Unstructured, what string, e edit) {
	t.Helper()
	for _, g := range graphs {
		events.take(g.GetName())
		e.change(g)
		s.apply(t, g)
	}
	for _, name := range slices.Sorted(maps.Keys(graphs)) {
		g := graphs[name]
		s.eventually(t, g.GetName()+": "+what, func() error {
			composed, err := s.composedNow(controlplane.RefOf(g))
			if err != nil {
				return err
			}
			return errors.Join(e.carried(composed), s.is(controlplane.RefOf(g), "Synced", "True", "Ready", "True")())
		})
	}
	s.versionsAtRest(t, slices.Collect(maps.Values(graphs))...)
	for _, name := range slices.Sorted(maps.Keys(graphs)) {
		counts := events.take(graphs[name].GetName())
		t.Logf("%s, %s: %s", name, what, counts)
		if writes := counts.ofStatus(); writes > mostWrites {
			t.Errorf("%s, %s: want at most %d writes of the graph's status, got %d", name, what, mostWrites, writes)
		}
	}
}

// leaveAlone graphs while another one starts many pods, whose scheduler writes to their common queue.
func (s *suite) leaveAlone(t testing.TB, events *eventCount, graphs map[string]*unstructured.Unstructured) {
	t.Helper()
	ctx, stop := context.WithCancel(s.ctx)
	var writer sync.WaitGroup
	writer.Go(func() { s.writeStatus(ctx, apiKind{"scheduling.run.ai/v2", "Queue"}) })
	begin := time.Now()
	neighbour := s.run(t, "disagg-vllm", "neighbour", func(g *unstructured.Unstructured) { editOf(editReplicas, "", neighbourPods).change(g) })
	counts := events.take(neighbour.GetName())
	t.Logf("%d pods of a neighbour ready after %s: %s", neighbourPods, time.Since(begin).Round(time.Second), counts)
	if writes := counts.ofStatus(); writes >= neighbourPods {
		t.Errorf("want fewer writes of the neighbour's status than it has pods, got %d", writes)
	}
	stop()
	writer.Wait()
	for name, g := range graphs {
		if counts := events.take(g.GetName()); len(counts) > 0 {
			t.Errorf("%s: want no event while a neighbour starts, got %s", name, counts)
		}
		if err := s.is(controlplane.RefOf(g), "Responsive", "True")(); err != nil {
			t.Error(err)
		}
	}
	s.remove(t, neighbour)
}

// An eventCount counts the events that reach graphs.
type eventCount struct {
	mutex sync.Mutex
	// seen are the last versions of all objects by UID.
	seen map[string]*unstructured.Unstructured
	// counts by graph.
	counts map[string]eventCounts
}

// eventCounts by source: a kind, and what has changed of it.
type eventCounts map[string]int

func (c eventCounts) String() string {
	var sources []string
	for _, source := range slices.Sorted(maps.Keys(c)) {
		sources = append(sources, fmt.Sprintf("%s %d", source, c[source]))
	}
	return strings.Join(sources, ", ")
}

// ofStatus are writes of a graph's status. Some only change managed fields.
func (c eventCounts) ofStatus() int { return c[dgd+" status"] + c[dgd+" metadata"] }

// countEvents of the graphs of a namespace until the test ends: changes of the graph itself, of what is composed for it, and of
// what Grove has made of that.
func (s *suite) countEvents(t testing.TB, namespace string) *eventCount {
	t.Helper()
	ctx, stop := context.WithCancel(s.ctx)
	t.Cleanup(stop)
	e := &eventCount{seen: map[string]*unstructured.Unstructured{}, counts: map[string]eventCounts{}}
	for _, k := range []apiKind{
		{nvidia, dgd},
		{grove, "PodCliqueSet"},
		{grove, "PodClique"},
		{grove, "PodCliqueScalingGroup"},
		{"autoscaling/v2", "HorizontalPodAutoscaler"},
		{leaderWorkerSets, "LeaderWorkerSet"},
		{"apps/v1", "Deployment"},
		{"scheduling.volcano.sh/v1beta1", "PodGroup"},
		{"v1", "Service"},
		{"v1", "ServiceAccount"},
		{"v1", "ConfigMap"},
		{"rbac.authorization.k8s.io/v1", "Role"},
		{"rbac.authorization.k8s.io/v1", "RoleBinding"},
	} {
		if err := s.Client.Watch(ctx, k.apiVersion, k.kind, namespace, e.add); err != nil {
			t.Fatal(err)
		}
	}
	return e
}

func (e *eventCount) add(object *unstructured.Unstructured) {
	// Who waits for rest changes it.
	if harness.Key(object) == drifting {
		return
	}
	e.mutex.Lock()
	defer e.mutex.Unlock()
	before := e.seen[string(object.GetUID())]
	e.seen[string(object.GetUID())] = object
	for _, graph := range graphsOf(object) {
		if e.counts[graph] == nil {
			e.counts[graph] = eventCounts{}
		}
		e.counts[graph][object.GetKind()+" "+changedPart(before, object)]++
	}
}

// graphsOf an object: itself, or those that own it. A PodCliqueSet has the name of its graph.
func graphsOf(object *unstructured.Unstructured) []string {
	if object.GetKind() == dgd {
		return []string{object.GetName()}
	}
	var names []string
	for _, owner := range object.GetOwnerReferences() {
		if owner.Kind == dgd || owner.Kind == "PodCliqueSet" {
			names = append(names, owner.Name)
		}
	}
	return names
}

// changedPart of an object, of which there may be no earlier version.
func changedPart(before, after *unstructured.Unstructured) string {
	switch {
	case before == nil:
		return "created"
	case before.GetGeneration() != after.GetGeneration():
		return "spec"
	case !cmp.Equal(before.Object["status"], after.Object["status"]):
		return "status"
	default:
		return "metadata"
	}
}

// take the counts of a graph since they were last taken.
func (e *eventCount) take(graph string) eventCounts {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	counts := e.counts[graph]
	delete(e.counts, graph)
	return counts
}
