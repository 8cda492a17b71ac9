package e2e

import (
	"context"
	"errors"
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
			"ScalesToZero":    s.scalesToZero,
			"OverQuota":       s.overQuota,
			"RollsOneByOne":   s.rollsOneByOne,
			"NoRoom":          s.noRoom,
			"Troubles":        s.troubled,
			"FailingImages":   s.failingImages,
			"Events":          s.eventsAreFew,
			"Resumed":         s.resumed,
			"NewImageOnFewer": s.newImageOnFewer,
			"Generations":     s.generationsStayWhole,
		})
	})
	// The tests so far count what is written, and how long edits take, which another control plane on the same processors would change.
	tt.Parallel()
	t.Run("LosesNode", func(t *T) { s.losesNode(t, w.Kubelets) })
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

// podsOf a graph.
func (s *suite) podsOf(t testing.TB, graph controlplane.Ref) []unstructured.Unstructured {
	t.Helper()
	pods, err := s.Client.List(s.ctx, "v1", "Pod", graph.Namespace, graphLabel+"="+graph.Name)
	if err != nil {
		t.Fatal(errors.Join(errors.New("cannot list pods"), err))
	}
	return pods
}
