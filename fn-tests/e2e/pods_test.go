package e2e

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
)

const (
	graphLabel     = "nvidia.com/dynamo-graph-deployment-name"
	componentLabel = "nvidia.com/dynamo-component"
)

// uidsOf the pods of some components.
func uidsOf(pods []unstructured.Unstructured, components ...string) sets.Set[string] {
	uids := sets.New[string]()
	for i := range pods {
		if slices.Contains(components, pods[i].GetLabels()[componentLabel]) {
			uids.Insert(string(pods[i].GetUID()))
		}
	}
	return uids
}

// readyPods are those that are ready.
func readyPods(pods []unstructured.Unstructured) []unstructured.Unstructured {
	return slices.DeleteFunc(pods, func(pod unstructured.Unstructured) bool {
		status, _ := controlplane.Condition(&pod, "Ready")
		return status != "True"
	})
}

// watchReady once the graph is at rest. The check that it returns wants as many pods ready, at least, whenever the graph
// became Ready.
func (s *suite) watchReady(t testing.TB, graph controlplane.Ref) (check func(pods int)) {
	t.Helper()
	live, err := s.Client.Get(s.ctx, graph)
	if err != nil {
		t.Fatal(err)
	}
	s.versionsAtRest(t, live)
	kinds := []apiKind{{"v1", "Pod"}, {nvidia, dgd}}
	record := s.record(t, graph.Namespace, kinds...)
	return func(pods int) {
		t.Helper()
		s.eventually(t, "everything is recorded", func() error { return record.holds(s, graph.Namespace, kinds...) })
		claims := record.claimsOf(graph.Name, 0)
		t.Logf("the graph became Ready with these numbers of pods: %v", claims)
		if len(claims) == 0 || slices.Min(claims) < pods {
			t.Errorf("want the graph to become Ready with %d pods, got %v: %s", pods, claims, record.conditions("Ready", "ServicesReady"))
		}
	}
}

// A history of a graph and its pods.
type history struct {
	// ready pods, by their uids.
	ready sets.Set[string]
	// claims are how many pods were ready whenever the graph became Ready.
	claims []int

	status string
	// claim that the next version of the graph confirms, and whether a pod was lost since.
	claim *int
	lost  bool
}

// graph has a version with a status of condition Ready. A Ready that the next version takes back, without any pod lost between, counts
// for nothing: Crossplane applies the conditions that it has cached, which may be old, right before it writes those of the present.
// https://github.com/crossplane/crossplane/blob/v2.4.0/internal/controller/apiextensions/composite/composition_functions.go#L744
func (h *history) graph(status string) {
	if h.claim != nil && (status == "True" || h.lost) {
		h.claims = append(h.claims, *h.claim)
	}
	h.claim = nil
	if h.status == "False" && status == "True" {
		h.claim, h.lost = new(h.ready.Len()), false
	}
	h.status = status
}

// pod has a version.
func (h *history) pod(uid string, ready bool) {
	if ready {
		h.ready.Insert(uid)
		return
	}
	h.lost = h.lost || h.ready.Has(uid)
	h.ready.Delete(uid)
}

func TestHistory(t *testing.T) {
	cases := map[string]struct {
		reason string
		steps  func(h *history)
		want   []int
	}{
		"TooEarly":  {reason: "A graph that stays Ready was so with the pods of the moment.", steps: func(h *history) { h.graph("True"); h.graph("True") }, want: []int{1}},
		"TakenBack": {reason: "A Ready condition that the next version takes back was old.", steps: func(h *history) { h.graph("True"); h.graph("False") }},
		"Lost":      {reason: "A Ready condition that is taken back after a pod was lost counts all the same.", steps: func(h *history) { h.graph("True"); h.pod("a", false); h.graph("False") }, want: []int{1}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			h := &history{ready: sets.New[string]()}
			h.pod("a", true)
			h.graph("False")
			tc.steps(h)
			if diff := cmp.Diff(tc.want, h.claims); diff != "" {
				t.Errorf("%s\nclaims: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
