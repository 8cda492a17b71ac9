package e2e

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
)

const (
	// gpusPerGangNode are as many as each pod of the example requests.
	gpusPerGangNode = 4

	// gangExample has one replica over two nodes, and gangComponent is its component.
	gangExample   = "trtllm-multinode"
	gangComponent = "Worker"

	labelRack = "topology.kubernetes.io/rack"
)

// gangs are scheduled by real schedulers, on two racks of two nodes.
type gangs struct {
	*suite

	workloads *controlplane.Workloads

	// apiVersion of PodGroups, and the condition of one that waits, with its status.
	apiVersion        string
	condition, status string
}

// startGangs starts a control plane with LeaderWorkerSet, without Grove and KAI, and with what the test is about beside it.
func startGangs(t *T, beside controlplane.Beside, gates ...string) *gangs {
	t.Helper()
	s := with(t, namespacedConfiguration, "", controlplane.Options{Gates: gates})
	s.namespace(t, "inference")
	s.tool = newTool(t)
	g := &gangs{suite: s, apiVersion: "scheduling.k8s.io/v1beta1", condition: "PodGroupInitiallyScheduled", status: "False"}
	if beside == controlplane.Volcano {
		g.apiVersion, g.condition, g.status = volcanoVersion, "Unschedulable", "True"
	}
	w, err := s.StartGangs(s.ctx, podStart, podStop, gpusPerGangNode, beside)
	t.Cleanup(func() {
		// The context of a test has ended before this.
		if err := w.Stop(context.WithoutCancel(s.ctx)); err != nil {
			t.Error(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	g.workloads = w
	t.Run("Doors", func(t *T) { g.keepsOthersOut(t) })
	return g
}

// open only these nodes for new pods.
func (g *gangs) open(t testing.TB, open ...string) {
	t.Helper()
	nodes, err := g.Client.List(g.ctx, "v1", "Node", "", "")
	if err != nil {
		t.Fatal(err)
	}
	for i := range nodes {
		closed := !slices.Contains(open, nodes[i].GetName())
		if err := g.Client.Patch(g.ctx, controlplane.RefOf(&nodes[i]), map[string]any{"spec": map[string]any{"unschedulable": closed}}); err != nil {
			t.Fatal(err)
		}
	}
}

// gangGraph is the example with another name.
func gangGraph(t testing.TB, name string) *unstructured.Unstructured {
	t.Helper()
	graph := exampleOfComponents(t, gangExample)
	graph.SetName(name)
	return graph
}

// members are the pods of a replica that are not being deleted, each with its node. The node of one that waits is empty.
func (g *gangs) members(graph *unstructured.Unstructured, replica int) (map[string]string, error) {
	pods, err := g.Client.List(g.ctx, "v1", "Pod", graph.GetNamespace(), fmt.Sprintf("leaderworkerset.sigs.k8s.io/name=%s-worker-%d", graph.GetName(), replica))
	if err != nil {
		return nil, err
	}
	members := map[string]string{}
	for i := range pods {
		if pods[i].GetDeletionTimestamp() == nil {
			members[pods[i].GetName()], _, _ = unstructured.NestedString(pods[i].Object, "spec", "nodeName")
		}
	}
	return members, nil
}

// group of a replica.
func (g *gangs) group(graph *unstructured.Unstructured, replica int) controlplane.Ref {
	return controlplane.Ref{
		APIVersion: g.apiVersion, Kind: "PodGroup", Namespace: graph.GetNamespace(), Name: fmt.Sprintf("%s-worker-%d", graph.GetName(), replica),
	}
}

// groupOfPods that a replica has now. Kubernetes gets another PodGroup for the pods of another template.
func (g *gangs) groupOfPods(graph *unstructured.Unstructured, replica int) (controlplane.Ref, error) {
	ref := g.group(graph, replica)
	set, err := g.Client.Get(g.ctx, controlplane.Ref{APIVersion: "leaderworkerset.x-k8s.io/v1", Kind: "LeaderWorkerSet", Namespace: ref.Namespace, Name: ref.Name})
	if err != nil {
		return ref, err
	}
	if name, found, _ := unstructured.NestedString(set.Object, "spec", "leaderWorkerTemplate", "workerTemplate", "spec", "schedulingGroup", "podGroupName"); found {
		ref.Name = name
	}
	return ref, nil
}

// waits checks that the scheduler has looked at the gang of a replica and found no room, and that none of its pods is on a node.
func (g *gangs) waits(graph *unstructured.Unstructured, replica, nodes int) func() error {
	return func() error {
		ref, err := g.groupOfPods(graph, replica)
		if err != nil {
			return err
		}
		group, err := g.Client.Get(g.ctx, ref)
		if err != nil {
			return err
		}
		if status, message := controlplane.Condition(group, g.condition); status != g.status {
			return fmt.Errorf("condition %s of PodGroup %s is %q: %s", g.condition, group.GetName(), status, message)
		}
		members, err := g.members(graph, replica)
		if err != nil {
			return err
		}
		if len(members) != nodes {
			return fmt.Errorf("want %d pods, got %v", nodes, members)
		}
		if on := nodesOfMembers(members); on.Len() > 0 {
			return fmt.Errorf("half a gang is on nodes: %v", members)
		}
		return nil
	}
}

// runs checks that both pods of a replica are on nodes, each on one of its own.
func (g *gangs) runs(graph *unstructured.Unstructured, replica int) func() error {
	return func() error {
		members, err := g.members(graph, replica)
		if err != nil {
			return err
		}
		if nodesOfMembers(members).Len() != 2 {
			return fmt.Errorf("want 2 pods on 2 nodes, got %v", members)
		}
		return nil
	}
}

func nodesOfMembers(members map[string]string) sets.Set[string] {
	nodes := sets.New(slices.Collect(maps.Values(members))...)
	nodes.Delete("")
	return nodes
}

// ready waits until a graph is ready with all gangs on nodes.
func (g *gangs) ready(t *T, graph *unstructured.Unstructured, replicas int) {
	t.Helper()
	g.eventually(t, graph.GetName()+" is ready", g.isAfterEdit(controlplane.RefOf(graph), "Synced", "True", "Ready", "True"))
	for i := range replicas {
		if err := g.runs(graph, i)(); err != nil {
			t.Errorf("replica %d of a graph that is ready: %v", i, err)
		}
	}
}

// life takes the example through the edits and the mishaps of a gang.
func (g *gangs) life(t *T) {
	t.Helper()
	graph := gangGraph(t, gangExample)
	ref := controlplane.RefOf(graph)
	g.open(t, "node-0-0")
	g.apply(t, graph)
	g.eventually(t, "the gang waits with room for all but one", g.waits(graph, 0, 2))
	g.eventually(t, "the tool says so", g.because(ref, "Unschedulable", "PodGroup "+graph.GetName()+"-worker-0", "kubectl describe"))
	g.open(t, "node-0-0", "node-1-0")
	g.ready(t, graph, 1)

	t.Run("Scale", func(t *T) {
		first, err := g.members(graph, 0)
		if err != nil {
			t.Fatal(err)
		}
		g.open(t, "node-0-0", "node-1-0", "node-0-1")
		setReplicas(graph, gangComponent, 2)
		g.apply(t, graph)
		g.eventually(t, "the second gang waits with room for all but one", g.waits(graph, 1, 2))
		if now, err := g.members(graph, 0); err != nil || !maps.Equal(first, now) {
			t.Errorf("want the first gang where it was, %v, got %v, %v", first, now, err)
		}
		g.open(t, "node-0-0", "node-0-1", "node-1-0", "node-1-1")
		g.ready(t, graph, 2)
	})
	t.Run("Image", func(t *T) { g.getsImage(t, graph) })
	t.Run("Restart", func(t *T) {
		before := uidsOf(g.podsOf(t, ref), gangComponent)
		set(graph.Object, map[string]any{"id": "1"}, "spec", "restart")
		g.apply(t, graph)
		g.eventually(t, "the restart is complete", func() error {
			object, err := g.Client.Get(g.ctx, ref)
			if err != nil {
				return err
			}
			if phase, _, _ := unstructured.NestedString(object.Object, "status", "restart", "phase"); phase != "Completed" {
				return fmt.Errorf("its phase is %q", phase)
			}
			return nil
		})
		g.ready(t, graph, 2)
		if after := uidsOf(g.podsOf(t, ref), gangComponent); after.HasAny(before.UnsortedList()...) {
			t.Errorf("want all pods restarted, got %v of %v", after, before)
		}
	})
	t.Run("LostNode", func(t *T) { g.losesGangNode(t, graph) })
	t.Run("NoRoomForNewPods", func(t *T) { g.replacesWithoutRoom(t, graph) })
	// It takes the PodGroups with it, so that their finalizers have gone.
	g.remove(t, graph)
}

// losesGangNode removes a node, as a cloud does. The gang runs again on nodes that are left. Kubernetes removes the pods of a node that is gone without
// a grace period. LeaderWorkerSet may not see that they are being deleted: then it creates only the lost pod again, and otherwise the whole gang.
func (g *gangs) losesGangNode(t *T, graph *unstructured.Unstructured) {
	t.Helper()
	setReplicas(graph, gangComponent, 1)
	g.apply(t, graph)
	g.eventually(t, "the second replica is gone", func() error {
		if left, err := g.members(graph, 1); err != nil || len(left) > 0 {
			return errors.Join(fmt.Errorf("left: %v", left), err)
		}
		return nil
	})
	g.ready(t, graph, 1)
	members, err := g.members(graph, 0)
	if err != nil {
		t.Fatal(err)
	}
	lost := slices.Sorted(maps.Values(members))[0]
	g.workloads.Kubelets.Lose(lost)
	if err := g.Client.Delete(g.ctx, controlplane.Ref{APIVersion: "v1", Kind: "Node", Name: lost}); err != nil {
		t.Fatal(err)
	}
	g.eventually(t, "the gang runs on nodes that are left", func() error {
		members, err := g.members(graph, 0)
		if err != nil {
			return err
		}
		if nodesOfMembers(members).Has(lost) {
			return fmt.Errorf("want no pod on %s, got %v", lost, members)
		}
		return g.runs(graph, 0)()
	})
	g.ready(t, graph, 1)
}

// getsImage gives both replicas of a graph another image, and waits until they are ready with it.
func (g *gangs) getsImage(t *T, graph *unstructured.Unstructured) {
	const image = "registry.example.org/trtllm:2"
	setImage(graph, gangComponent, image)
	g.apply(t, graph)
	g.eventually(t, "all replicas run the new image", func() error { return g.runImage(graph, image, 4) })
	g.ready(t, graph, 2)
}

// replacesWithoutRoom takes all nodes but one from a gang and has its pods replaced: by another image, by a restart, by both. The new pods wait
// together, although those that end still are members of a gang.
func (g *gangs) replacesWithoutRoom(t *T, graph *unstructured.Unstructured) {
	t.Helper()
	ref := controlplane.RefOf(graph)
	nodes, err := g.Client.List(g.ctx, "v1", "Node", "", "")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for i := range nodes {
		all = append(all, nodes[i].GetName())
	}
	for _, step := range []struct{ image, restart string }{
		{image: "registry.example.org/trtllm:3"}, {restart: "without-room"}, {image: "registry.example.org/trtllm:4", restart: "with-image"},
	} {
		members, err := g.members(graph, 0)
		if err != nil {
			t.Fatal(err)
		}
		before := uidsOf(g.podsOf(t, ref), gangComponent)
		g.open(t, slices.Sorted(maps.Values(members))[0])
		if step.image != "" {
			setImage(graph, gangComponent, step.image)
		}
		if step.restart != "" {
			set(graph.Object, map[string]any{"id": step.restart}, "spec", "restart")
		}
		g.apply(t, graph)
		g.eventually(t, fmt.Sprintf("the pods of %+v wait together", step), func() error {
			pods, err := g.Client.List(g.ctx, "v1", "Pod", graph.GetNamespace(), graphLabel+"="+graph.GetName())
			if err != nil {
				return err
			}
			if after := uidsOf(pods, gangComponent); after.Len() != 2 || after.HasAny(before.UnsortedList()...) {
				return fmt.Errorf("pods %v of %v", after, before)
			}
			return g.waits(graph, 0, 2)()
		})
		g.open(t, all...)
		g.ready(t, graph, 1)
	}
}

// runImage checks that so many pods of the component have an image, and no other.
func (g *gangs) runImage(graph *unstructured.Unstructured, image string, want int) error {
	pods, err := g.Client.List(g.ctx, "v1", "Pod", graph.GetNamespace(), graphLabel+"="+graph.GetName()+",nvidia.com/dynamo-component="+gangComponent)
	if err != nil {
		return err
	}
	var images []string
	for i := range pods {
		containers, _, _ := unstructured.NestedSlice(pods[i].Object, "spec", "containers")
		for _, c := range containers {
			if container, _ := c.(map[string]any); container["name"] == "main" {
				images = append(images, fmt.Sprint(container["image"]))
			}
		}
	}
	if len(images) != want || slices.ContainsFunc(images, func(i string) bool { return i != image }) {
		return fmt.Errorf("want %d pods with %s, got %v", want, image, images)
	}
	return nil
}

// inRacks are the topologies that the platform defines, with tiers of Volcano unless they are nil.
func (g *gangs) inRacks(t testing.TB, tiers map[string]any) {
	t.Helper()
	policy := controlplane.Ref{APIVersion: "apiextensions.crossplane.io/v1beta1", Kind: "EnvironmentConfig", Name: "dynamo"}
	data := map[string]any{"topology": map[string]any{"profiles": []any{map[string]any{
		"name": "racks", "levels": []any{map[string]any{"domain": "rack", "key": labelRack}},
	}}}}
	if tiers != nil {
		data["volcano"] = map[string]any{"tiers": tiers}
	}
	g.applyPolicy(t, policy, data)
}

// racked is the example, packed into a rack.
func racked(t testing.TB, name string) *unstructured.Unstructured {
	t.Helper()
	graph := gangGraph(t, name)
	set(graph.Object, map[string]any{"clusterTopologyName": "racks"}, "spec", "topologyConstraint")
	changeComponent(graph, gangComponent, func(component map[string]any) { component["topologyConstraint"] = map[string]any{"packDomain": "rack"} })
	return graph
}

// packs a gang: there is room for it in the cluster and not in a rack, and then in one rack.
func (g *gangs) packs(t *T) {
	t.Helper()
	g.open(t, "node-0-0", "node-1-0")
	graph := racked(t, "racked")
	g.apply(t, graph)
	g.eventually(t, "the gang waits with room in two racks", g.waits(graph, 0, 2))
	g.eventually(t, "its levels are there", g.is(controlplane.RefOf(graph), "TopologyLevelsAvailable", "True"))
	g.open(t, "node-0-0", "node-1-0", "node-1-1")
	g.ready(t, graph, 1)
	members, err := g.members(graph, 0)
	if err != nil {
		t.Fatal(err)
	}
	for pod, node := range members {
		if !strings.HasPrefix(node, "node-1-") {
			t.Errorf("want both pods in rack 1, got %s on %s", pod, node)
		}
	}
	g.remove(t, graph)
}
