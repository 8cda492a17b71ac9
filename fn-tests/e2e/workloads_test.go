package e2e

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
)

const (
	// How long pods take to be ready, and to end.
	podStart = time.Second
	podStop  = 2 * time.Second
	// gpusPerNode of the cluster.
	gpusPerNode = 8
)

// TestWorkloads runs graphs with the real controllers of Deployments and LeaderWorkerSets, the real scheduler, and pods on
// nodes.
func TestWorkloads(tt *testing.T) {
	t := repeating(tt)
	s := start(t, namespacedConfiguration, newGrove)
	s.tool = newTool(t)
	w := s.startWorkloads(t, gpusPerNode)
	s.operators.useNodes()
	t.Run("Edits", s.editsAreCarriedOut)
	t.Run("Pods", func(t *T) {
		s.operators.Work(true)
		t.Cleanup(func() { s.operators.Work(false) })
		runTogether(t, map[string]func(*T){
			"ReadyFollowsPods": s.readyFollowsPods,
			"ScalesToZero":     s.scalesToZero,
			"OverQuota":        s.overQuota,
			"RollsOneByOne":    s.rollsOneByOne,
			"NoRoom":           s.noRoom,
			"Troubles":         s.troubled,
			"FailingImages":    s.failingImages,
			"Events":           s.eventsAreFew,
			"Resumed":          s.resumed,
			"NewImageOnFewer":  s.newImageOnFewer,
			"Generations":      s.generationsStayWhole,
		})
	})
	// The tests so far count what is written, and how long edits take, which another control plane on the same processors would change.
	tt.Parallel()
	t.Run("LosesNode", func(t *T) { s.losesNode(t, w.Kubelets) })
	t.Run("RefusedFollowsPods", s.refusedFollowsPods)
	t.Run("PodsStay", s.podsStay)
	t.Run("PolicyChanges", s.policyChanges)
	t.Run("DomainsOutlivePods", func(t *T) { s.domainsOutlivePods(t, w.Kubelets) })
	t.Run("Chaos", s.chaos)
	// Last, since scripts of the pages change how functions are installed.
	t.Run("Documents", s.documents)
}

// startWorkloads runs pods until the test ends.
func (s *suite) startWorkloads(t testing.TB, gpusPerNode int64) *controlplane.Workloads {
	t.Helper()
	w, err := s.StartWorkloads(s.ctx, podStart, podStop, gpusPerNode)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Stop(context.WithoutCancel(s.ctx)); err != nil {
			t.Error(err)
		}
	})
	return w
}

// readyFollowsPods takes pods away from graphs, and lets them come back.
func (s *suite) readyFollowsPods(t *T) {
	for name, tc := range podGraphs() {
		t.Run(name, func(t *T) {
			const followed = "followed"
			s.admit(t, followed, true)
			g := s.run(t, tc.example, followed, onLeaderWorkerSets, onNodesOf(followed))
			ref := controlplane.RefOf(g)
			pods := s.podsOf(t, ref)
			t.Logf("%d pods", len(pods))
			ready := s.watchReady(t, ref)
			// Another pod would be ready before a busy Crossplane looks at the graph.
			s.admit(t, followed, false)
			if err := s.Client.Delete(s.ctx, controlplane.RefOf(&pods[0])); err != nil {
				t.Fatal(err)
			}
			s.eventually(t, "the graph misses the pod", s.is(ref, "Ready", "False", "ServicesReady", "False"))
			s.admit(t, followed, true)
			s.eventually(t, "the graph is ready again", s.is(ref, "Ready", "True", "ServicesReady", "True"))
			ready(len(pods))
			s.remove(t, g)
			s.eventually(t, "no pod is left", func() error {
				if left := s.podsOf(t, ref); len(left) > 0 {
					return fmt.Errorf("%d are", len(left))
				}
				return nil
			})
		})
	}
}

// podsOf a graph.
func (s *suite) podsOf(t testing.TB, graph controlplane.Ref) []unstructured.Unstructured {
	t.Helper()
	pods, err := s.Client.List(s.ctx, "v1", "Pod", graph.Namespace, graphLabel+"="+graph.Name)
	if err != nil {
		t.Fatal(errors.Join(errors.New("cannot list pods"), err))
	}
	return pods
}
