package e2e

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/kubelet"
)

const leaderWorkerSets = "leaderworkerset.x-k8s.io/v1"

// rollsOneByOne changes the image of a component whose replicas are LeaderWorkerSets, to one that runs, to one that does not,
// and back.
func (s *suite) rollsOneByOne(t *T) {
	t.Helper()
	const (
		replicas = 3
		image    = "registry.example.org/sglang"
	)
	withImage := func(g *unstructured.Unstructured, tag string) {
		set(g.Object, image+tag, "spec", "services", "Decode", "extraPodSpec", "mainContainer", "image")
	}
	g := s.run(t, "sglang-multinode", "rolled", onLeaderWorkerSets, func(g *unstructured.Unstructured) {
		set(g.Object, int64(replicas), "spec", "services", "Decode", "replicas")
		withImage(g, ":1")
	})
	ref := controlplane.RefOf(g)

	stop := s.watchUnavailable(t, ref)
	withImage(g, ":2")
	s.apply(t, g)
	s.eventually(t, "all replicas run the new image", func() error { return s.imagesOf(t, ref, image+":2", replicas) })
	s.eventually(t, "the graph is ready", s.is(ref, "Ready", "True"))
	if most := stop(); most != 1 {
		t.Errorf("want 1 replica at a time without its pods, got %d", most)
	}

	stop = s.watchUnavailable(t, ref)
	withImage(g, kubelet.TagMissing)
	s.apply(t, g)
	s.eventually(t, "a replica has the image that is missing", func() error { return s.imagesOf(t, ref, image+kubelet.TagMissing, 1) })
	for range reconcilesAtRest {
		s.reconcile(t, g)
	}
	if err := s.imagesOf(t, ref, image+":2", replicas-1); err != nil {
		t.Errorf("want the rollout to stop at the replica that does not come up: %v", err)
	}
	withImage(g, ":2")
	s.apply(t, g)
	s.eventually(t, "all replicas run the old image again", func() error { return s.imagesOf(t, ref, image+":2", replicas) })
	s.eventually(t, "the graph is ready again", s.is(ref, "Ready", "True"))
	if most := stop(); most != 1 {
		t.Errorf("want 1 replica without its pods, got %d", most)
	}
	s.remove(t, g)
}

// setsOf component Decode of a graph.
func (s *suite) setsOf(graph controlplane.Ref) ([]unstructured.Unstructured, error) {
	return s.Client.List(s.ctx, leaderWorkerSets, "LeaderWorkerSet", graph.Namespace,
		"nvidia.com/dynamo-graph-deployment-name="+graph.Name+",nvidia.com/dynamo-component=Decode")
}

// imagesOf the LeaderWorkerSets of a component: so many have this one, and no other is being replaced by it.
func (s *suite) imagesOf(t testing.TB, graph controlplane.Ref, image string, want int) error {
	t.Helper()
	sets, err := s.setsOf(graph)
	if err != nil {
		return err
	}
	var images []string
	for i := range sets {
		containers, _, err := unstructured.NestedSlice(sets[i].Object, "spec", "leaderWorkerTemplate", "leaderTemplate", "spec", "containers")
		if err != nil || len(containers) == 0 {
			return fmt.Errorf("cannot tell the image of %s: %w", sets[i].GetName(), err)
		}
		container, _ := containers[0].(map[string]any)
		images = append(images, fmt.Sprint(container["image"]))
	}
	if got := len(slices.DeleteFunc(slices.Clone(images), func(i string) bool { return i != image })); got != want {
		return fmt.Errorf("%d have %s, want %d: %v", got, image, want, images)
	}
	return nil
}

// watchUnavailable counts the LeaderWorkerSets of a component that are not available, until it is stopped; then it returns the
// most that were so at once.
func (s *suite) watchUnavailable(t testing.TB, graph controlplane.Ref) (stop func() int) {
	t.Helper()
	done, most := make(chan struct{}), make(chan int)
	go func() {
		highest := 0
		for {
			select {
			case <-done:
				most <- highest
				return
			case <-time.After(100 * time.Millisecond):
			}
			sets, err := s.setsOf(graph)
			if err != nil {
				continue
			}
			unavailable := 0
			for i := range sets {
				ready, _, _ := unstructured.NestedInt64(sets[i].Object, "status", "readyReplicas")
				if ready < 1 {
					unavailable++
				}
			}
			highest = max(highest, unavailable)
		}
	}()
	return func() int {
		close(done)
		return <-most
	}
}
