package e2e

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
)

const (
	kueueVersion = "kueue.x-k8s.io/v1beta2"
	kueueLabel   = "kueue.x-k8s.io/queue-name"
)

// TestKueue has the manager of Kueue decide when pods may be scheduled.
func TestKueue(tt *testing.T) {
	t := repeating(tt)
	g := startGangs(t, controlplane.Kueue)
	g.open(t, "node-0-0", "node-0-1", "node-1-0", "node-1-1")
	t.Run("Gang", g.quotaOfGang)
	t.Run("Deployment", g.quotaOfDeployment)
}

// quota of a queue with a name, in GPUs, beside enough of everything else.
func (g *gangs) quota(t testing.TB, name string, gpus int) {
	t.Helper()
	for _, object := range []map[string]any{
		{"apiVersion": kueueVersion, "kind": "ResourceFlavor", "metadata": map[string]any{"name": "default"}},
		{
			"apiVersion": kueueVersion, "kind": "ClusterQueue", "metadata": map[string]any{"name": name},
			"spec": map[string]any{
				"namespaceSelector": map[string]any{},
				"resourceGroups": []any{map[string]any{
					"coveredResources": []any{"nvidia.com/gpu", "cpu", "memory", "rdma/ib"},
					"flavors": []any{map[string]any{"name": "default", "resources": []any{
						map[string]any{"name": "nvidia.com/gpu", "nominalQuota": strconv.Itoa(gpus)},
						map[string]any{"name": "cpu", "nominalQuota": "1000"}, map[string]any{"name": "memory", "nominalQuota": "1000Ti"},
						map[string]any{"name": "rdma/ib", "nominalQuota": "1000"},
					}}},
				}},
			},
		},
		{
			"apiVersion": kueueVersion, "kind": "LocalQueue", "metadata": map[string]any{"name": name, "namespace": "inference"},
			"spec": map[string]any{"clusterQueue": name},
		},
	} {
		g.apply(t, &unstructured.Unstructured{Object: object})
	}
}

// holds checks that Kueue holds all pods of a graph's component.
func (g *gangs) holds(graph *unstructured.Unstructured, want int) func() error {
	return func() error {
		pods, err := g.Client.List(g.ctx, "v1", "Pod", graph.GetNamespace(), graphLabel+"="+graph.GetName()+",nvidia.com/dynamo-component="+gangComponent)
		if err != nil {
			return err
		}
		if len(pods) != want {
			return fmt.Errorf("want %d pods, got %d", want, len(pods))
		}
		for i := range pods {
			gates, _, _ := unstructured.NestedSlice(pods[i].Object, "spec", "schedulingGates")
			if node, _, _ := unstructured.NestedString(pods[i].Object, "spec", "nodeName"); len(gates) == 0 || node != "" {
				return fmt.Errorf("pod %s has gates %v and node %q", pods[i].GetName(), gates, node)
			}
		}
		return nil
	}
}

// quotaOfGang runs a gang with quota for all of its pods but one, and then for all.
func (g *gangs) quotaOfGang(t *T) {
	t.Helper()
	const queue = "gangs"
	g.quota(t, queue, gpusPerGangNode)
	graph := gangGraph(t, "quota")
	graph.SetLabels(map[string]string{kueueLabel: queue})
	ref := controlplane.RefOf(graph)
	g.apply(t, graph)
	// The leader alone would have quota.
	g.eventually(t, "the gang waits", g.holds(graph, 1))
	g.quota(t, queue, 2*gpusPerGangNode)
	g.ready(t, graph, 1)
	g.stays(t, graph)
	_ = ref
	g.remove(t, graph)
}

// stays checks that the workloads of a graph at rest do not change, although they are applied again and again.
func (g *gangs) stays(t *T, graph *unstructured.Unstructured) {
	t.Helper()
	generations := func() map[string]int64 {
		all := map[string]int64{}
		for _, kind := range [][2]string{{"leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet"}, {"apps/v1", "Deployment"}} {
			objects, err := g.Client.List(g.ctx, kind[0], kind[1], graph.GetNamespace(), graphLabel+"="+graph.GetName())
			if err != nil {
				t.Fatal(err)
			}
			for i := range objects {
				all[objects[i].GetName()] = objects[i].GetGeneration()
			}
		}
		return all
	}
	before := generations()
	time.Sleep(time.Second)
	if after := generations(); fmt.Sprint(before) != fmt.Sprint(after) {
		t.Errorf("generations: before %v, after %v", before, after)
	}
}

// quotaOfDeployment runs a component on one node.
func (g *gangs) quotaOfDeployment(t *T) {
	t.Helper()
	const queue = "single"
	g.quota(t, queue, 0)
	graph := gangGraph(t, "single")
	graph.SetLabels(map[string]string{kueueLabel: queue})
	changeComponent(graph, gangComponent, func(component map[string]any) { delete(component, "multinode") })
	g.apply(t, graph)
	g.eventually(t, "the pod waits", g.holds(graph, 1))
	g.quota(t, queue, gpusPerGangNode)
	g.eventually(t, "the graph is ready", g.isAfterEdit(controlplane.RefOf(graph), "Synced", "True", "Ready", "True"))
	g.remove(t, graph)
}
