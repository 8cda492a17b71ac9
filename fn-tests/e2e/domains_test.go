package e2e

import (
	"errors"
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/kubelet"
)

// podDrain is how long pods take to end where that matters: longer than all else takes that happens on a deletion.
const podDrain = 8 * time.Second

// domainsOutlivePods deletes graphs with NVLink domains whose pods take their time to end.
func (s *suite) domainsOutlivePods(t *T, kubelets *kubelet.Kubelet) {
	t.Helper()
	s.composeDomains(t, "Auto")
	defer s.composeDomains(t, "Disabled")
	kubelets.Take(podStart, podDrain)
	defer kubelets.Take(podStart, podStop)
	s.operators.Work(true)
	defer s.operators.Work(false)

	t.Run("Unforced", func(t *T) {
		runTogether(t, map[string]func(*T){"Deleted": s.domainsOfDeletedGraphs, "WorkloadDeleted": s.domainOfDeletedWorkload})
	})
	t.Run("Forced", func(t *T) { s.domainOfForcedPods(t, kubelets) })
}

// A graph with domains that is being deleted.
type deletedGraph struct {
	graph   controlplane.Ref
	domains []controlplane.Ref
	// composed are all objects of the graph.
	composed []controlplane.Ref
}

// withDomains is a graph that runs.
func (s *suite) withDomains(t testing.TB, example, name string, change ...func(*unstructured.Unstructured)) deletedGraph {
	t.Helper()
	d := deletedGraph{graph: controlplane.RefOf(s.run(t, example, name, change...))}
	for _, object := range s.composed(t, d.graph) {
		d.composed = append(d.composed, controlplane.RefOf(object))
		if object.GetKind() == "ComputeDomain" {
			d.domains = append(d.domains, controlplane.RefOf(object))
		}
	}
	s.eventually(t, name+" has pods", func() error {
		if len(s.podsOf(t, d.graph)) == 0 {
			return errors.New("it has none")
		}
		return nil
	})
	if len(d.domains) == 0 {
		t.Fatalf("%s has no domain", name)
	}
	return d
}

// domainsOfDeletedGraphs go after the last pod, whoever runs the pods and however the graph is deleted.
func (s *suite) domainsOfDeletedGraphs(t *T) {
	t.Helper()
	examples := map[string]struct {
		example string
		change  []func(*unstructured.Unstructured)
	}{
		"grove":            {example: "disagg-vllm"},
		"deployments":      {example: "disagg-vllm", change: []func(*unstructured.Unstructured){onLeaderWorkerSets}},
		"leaderworkersets": {example: "sglang-multinode", change: []func(*unstructured.Unstructured){onLeaderWorkerSets}},
	}
	policies := map[string]metav1.DeletionPropagation{"background": metav1.DeletePropagationBackground, "foreground": metav1.DeletePropagationForeground}
	graphs := map[string]deletedGraph{}
	for run, e := range examples {
		for way := range policies {
			graphs[way+" "+run] = s.withDomains(t, e.example, way[:4]+"-"+run, e.change...)
		}
	}
	for name, g := range graphs {
		policy := policies[name[:len("background")]]
		if err := s.Client.DeleteWith(s.ctx, g.graph, metav1.DeleteOptions{PropagationPolicy: &policy}); err != nil {
			t.Fatal(err)
		}
	}
	early := map[string]int{}
	s.eventually(t, "the domains are gone", func() error {
		left := 0
		for name, g := range graphs {
			held, pods := s.domainsHeld(t, g)
			left += held
			if held == 0 && pods > 0 {
				early[name] = max(early[name], pods)
			}
		}
		if left > 0 {
			return fmt.Errorf("%d are left", left)
		}
		return nil
	})
	for name, pods := range early {
		t.Errorf("%s: the domain goes before %d pods", name, pods)
	}
	for _, g := range graphs {
		s.gone(t, append(g.composed, g.graph)...)
	}
}

// domainsHeld are how many domains of a graph are not being deleted, and how many pods it has. Domains are looked at first: a pod
// that is there afterwards was there all the time.
func (s *suite) domainsHeld(t testing.TB, g deletedGraph) (held, pods int) {
	t.Helper()
	for _, ref := range g.domains {
		if domain, err := s.Client.Get(s.ctx, ref); err == nil && domain.GetDeletionTimestamp() == nil {
			held++
		}
	}
	return held, len(s.podsOf(t, g.graph))
}

// domainOfForcedPods is held by pods that do not end. Who takes the pods away by force waits for nothing else.
func (s *suite) domainOfForcedPods(t testing.TB, kubelets *kubelet.Kubelet) {
	t.Helper()
	g := s.withDomains(t, "disagg-vllm", "forced", onLeaderWorkerSets)
	kubelets.Take(podStart, time.Hour)
	defer kubelets.Take(podStart, podDrain)
	if err := s.Client.DeleteWith(s.ctx, g.graph, metav1.DeleteOptions{GracePeriodSeconds: new(int64(0))}); err != nil {
		t.Fatal(err)
	}
	s.eventually(t, "the graph is gone", func() error {
		if !s.isGone(g.graph) {
			return errors.New("it is there")
		}
		return nil
	})
	if held, pods := s.domainsHeld(t, g); held == 0 || pods == 0 {
		t.Errorf("want a domain held by pods, got %d domains and %d pods", held, pods)
	}
	for _, pod := range s.podsOf(t, g.graph) {
		if err := s.Client.DeleteWith(s.ctx, controlplane.RefOf(&pod), metav1.DeleteOptions{GracePeriodSeconds: new(int64(0))}); err != nil && !isNotFound(err) {
			t.Fatal(err)
		}
	}
	s.gone(t, g.composed...)
}

// domainOfDeletedWorkload stays, because a deleted workload is created again.
func (s *suite) domainOfDeletedWorkload(t *T) {
	t.Helper()
	g := s.withDomains(t, "disagg-vllm", "by-hand", onLeaderWorkerSets)
	before, err := s.Client.Get(s.ctx, g.domains[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, policy := range []metav1.DeletionPropagation{metav1.DeletePropagationBackground, metav1.DeletePropagationForeground} {
		deployment := s.composed(t, g.graph)["deployment-decode"]
		if err := s.Client.DeleteWith(s.ctx, controlplane.RefOf(deployment), metav1.DeleteOptions{PropagationPolicy: &policy}); err != nil {
			t.Fatal(err)
		}
		s.eventually(t, "there is another Deployment", func() error {
			again, err := s.Client.Get(s.ctx, controlplane.RefOf(deployment))
			if err != nil {
				return err
			}
			if again.GetUID() == deployment.GetUID() {
				return errors.New("it is the same one")
			}
			return nil
		})
		s.eventually(t, "the graph is ready again", s.is(g.graph, "Synced", "True", "Ready", "True"))
	}
	after, err := s.Client.Get(s.ctx, g.domains[0])
	if err != nil {
		t.Fatal(err)
	}
	if before.GetUID() != after.GetUID() || after.GetDeletionTimestamp() != nil {
		t.Errorf("want the domain untouched, got %s", after.GetUID())
	}
	graph, err := s.Client.Get(s.ctx, g.graph)
	if err != nil {
		t.Fatal(err)
	}
	s.remove(t, graph)
}
