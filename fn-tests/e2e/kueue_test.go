package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
	t.Run("Policy", g.quotaByPolicy)
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
						map[string]any{"name": "cpu", "nominalQuota": "1000"},
						map[string]any{"name": "memory", "nominalQuota": "1000Ti"},
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

// holds checks that Kueue has looked at a component without quota, and that none of its pods may be scheduled.
func (g *gangs) holds(graph *unstructured.Unstructured) func() error {
	return func() error {
		pods, err := g.Client.List(g.ctx, "v1", "Pod", graph.GetNamespace(), graphLabel+"="+graph.GetName()+",nvidia.com/dynamo-component="+gangComponent)
		if err != nil {
			return err
		}
		if len(pods) == 0 {
			return errors.New("there are no pods")
		}
		for i := range pods {
			gates, _, _ := unstructured.NestedSlice(pods[i].Object, "spec", "schedulingGates")
			if node, _, _ := unstructured.NestedString(pods[i].Object, "spec", "nodeName"); len(gates) == 0 || node != "" {
				return fmt.Errorf("pod %s has gates %v and node %q", pods[i].GetName(), gates, node)
			}
		}
		workloads, err := g.Client.List(g.ctx, kueueVersion, "Workload", graph.GetNamespace(), "")
		if err != nil {
			return err
		}
		for i := range workloads {
			if status, _ := controlplane.Condition(&workloads[i], "QuotaReserved"); status == "False" {
				return nil
			}
		}
		return errors.New("no Workload lacks quota")
	}
}

// quotaOfGang runs gangs with quota for all of their pods but one, and then for all.
func (g *gangs) quotaOfGang(t *T) {
	t.Helper()
	const queue = "gangs"
	g.quota(t, queue, gpusPerGangNode)
	graph := gangGraph(t, "quota")
	graph.SetLabels(map[string]string{kueueLabel: queue})
	ref := controlplane.RefOf(graph)
	g.apply(t, graph)
	g.eventually(t, "the gang waits", g.holds(graph))
	g.eventually(t, "the graph says so", g.says(ref, "ServicesReady", "False", "waits for quota in LocalQueue gangs of Kueue ("))
	g.eventually(t, "the tool says so", g.because(ref, "OverQuota", "Kueue holds it in LocalQueue gangs until there is quota (", "kubectl describe workloads.kueue.x-k8s.io"))
	g.quota(t, queue, 2*gpusPerGangNode)
	g.ready(t, graph, 1)
	g.eventually(t, "nothing waits", g.because(ref))

	t.Run("Steady", func(t *T) { g.stays(t, graph) })
	t.Run("Scale", func(t *T) {
		setReplicas(graph, gangComponent, 2)
		g.apply(t, graph)
		g.eventually(t, "the second gang waits", g.says(ref, "ServicesReady", "False", "waits for quota in LocalQueue gangs of Kueue ("))
		if err := g.runs(graph, 0)(); err != nil {
			t.Errorf("the first gang: %v", err)
		}
		if members, err := g.members(graph, 1); err != nil || nodesOfMembers(members).Len() > 0 {
			t.Errorf("want the second gang on no node, got %v, %v", members, err)
		}
		g.quota(t, queue, 4*gpusPerGangNode)
		g.ready(t, graph, 2)
	})
	t.Run("Image", func(t *T) { g.getsImage(t, graph) })
	t.Run("OtherQueue", func(t *T) {
		graph.SetLabels(map[string]string{kueueLabel: "other"})
		g.apply(t, graph)
		g.eventually(t, "the change is refused", g.says(ref, "Accepted", "False", "a running graph stays in its LocalQueue of Kueue"))
		graph.SetLabels(map[string]string{kueueLabel: queue})
		g.apply(t, graph)
		g.ready(t, graph, 2)
	})
	t.Run("Placement", func(t *T) {
		changeComponent(graph, gangComponent, func(component map[string]any) { set(component, "b", "podTemplate", "spec", "nodeSelector", "pool") })
		g.apply(t, graph)
		g.eventually(t, "the change is refused before Kueue does", g.says(ref, "Accepted", "False",
			`nodeSelector[pool]: Invalid value: "b": cannot be changed after creation, because Kueue refuses it`))
		changeComponent(graph, gangComponent, func(component map[string]any) {
			unstructured.RemoveNestedField(component, "podTemplate", "spec", "nodeSelector")
		})
		g.apply(t, graph)
		g.ready(t, graph, 2)
	})
	g.remove(t, graph)
}

// stays checks that the workloads of a graph do not change when they are applied again, and that only Kueue owns what Kueue writes.
func (g *gangs) stays(t *T, graph *unstructured.Unstructured) {
	t.Helper()
	versions := func() map[string]string {
		all := map[string]string{}
		for _, kind := range [][2]string{{"leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet"}, {"apps/v1", "Deployment"}} {
			objects, err := g.Client.List(g.ctx, kind[0], kind[1], graph.GetNamespace(), graphLabel+"="+graph.GetName())
			if err != nil {
				t.Fatal(err)
			}
			for i := range objects {
				all[objects[i].GetName()] = objects[i].GetResourceVersion()
				g.ownsLabelOnly(t, &objects[i])
			}
		}
		return all
	}
	before := versions()
	if len(before) != 2 {
		t.Fatalf("want two workloads, got %v", before)
	}
	const times = 10
	for i := range times {
		// Each change of the graph has Crossplane apply everything again.
		if err := g.Client.Patch(g.ctx, controlplane.RefOf(graph), map[string]any{"metadata": map[string]any{"annotations": map[string]any{"example.org/touched": strconv.Itoa(i)}}}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
	}
	if after := versions(); !maps.Equal(before, after) {
		t.Errorf("workloads that were applied %d times: before %v, after %v", times, before, after)
	}
}

// ownsLabelOnly checks that Crossplane owns no key of Kueue but the label of the workload itself, and that Kueue has written into its pods.
func (*gangs) ownsLabelOnly(t *T, object *unstructured.Unstructured) {
	t.Helper()
	for _, entry := range object.GetManagedFields() {
		if entry.Operation == metav1.ManagedFieldsOperationApply {
			if owned := strings.Count(string(entry.FieldsV1.GetRawBytes()), "kueue.x-k8s.io"); owned != 1 {
				t.Errorf("%s: %s owns %d keys of Kueue, want 1", object.GetName(), entry.Manager, owned)
			}
		}
	}
	spec, err := json.Marshal(object.Object["spec"])
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(spec), "kueue.x-k8s.io/pod-suspending-parent") {
		t.Errorf("%s: Kueue has written nothing into its pods", object.GetName())
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
	ref := controlplane.RefOf(graph)
	g.apply(t, graph)
	g.eventually(t, "the pod waits", g.holds(graph))
	g.eventually(t, "the graph says so", g.says(ref, "ServicesReady", "False", "new pods wait for quota in LocalQueue single of Kueue"))
	g.eventually(t, "the tool says so", g.because(ref, "OverQuota", "Kueue holds it in LocalQueue single until there is quota (", "kubectl describe workloads.kueue.x-k8s.io"))
	g.quota(t, queue, gpusPerGangNode)
	g.eventually(t, "the graph is ready", g.isAfterEdit(ref, "Synced", "True", "Ready", "True"))
	g.remove(t, graph)
}

// quotaByPolicy runs a graph in the queue that the policy gives its namespace, and refuses one whose queue does not exist.
func (g *gangs) quotaByPolicy(t *T) {
	t.Helper()
	policy := controlplane.Ref{APIVersion: "apiextensions.crossplane.io/v1beta1", Kind: "EnvironmentConfig", Name: "dynamo"}
	g.quota(t, "team", 2*gpusPerGangNode)
	g.applyPolicy(t, policy, map[string]any{"namespaces": []any{map[string]any{
		"selector": map[string]any{"matchNames": []any{"inference"}}, "kueue": map[string]any{"queue": "team"},
	}}})
	graph := gangGraph(t, "team")
	g.apply(t, graph)
	g.ready(t, graph, 1)
	g.eventually(t, "it is in the queue", g.says(controlplane.RefOf(graph), "QueueAvailable", "True", "LocalQueue of Kueue team"))
	g.remove(t, graph)
	lost := gangGraph(t, "lost")
	lost.SetLabels(map[string]string{kueueLabel: "missing"})
	g.apply(t, lost)
	g.eventually(t, "a queue that does not exist is refused", g.says(controlplane.RefOf(lost), "Accepted", "False", "this LocalQueue of Kueue does not exist"))
	g.remove(t, lost)
}
