package engines

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// TestFailover kills the active engine of a pod: the other one takes over, and neither its ports nor its probes get in its way.
func TestFailover(t *testing.T) {
	const manifests = "fn-tests/support/corpus/manifests/"
	grove := map[string]string{"GROVE_PCSG_NAME": "g", "GROVE_PCSG_INDEX": "0", "GROVE_HEADLESS_SERVICE": "s", "GROVE_PCLQ_POD_INDEX": "0"}
	lws := map[string]string{"LWS_LEADER_ADDRESS": "leader", "LWS_WORKER_INDEX": "1", "LWS_GROUP_SIZE": "2"}
	cases := map[string]struct {
		reason            string
		manifest, cluster string
		// pods by the path of their spec. The first one is the leader.
		pods     []func(objects []*unstructured.Unstructured) map[string]any
		injected map[string]string
	}{
		"OneNode": {
			reason: "Both engines of a pod start, and one waits for the other.", manifest: "grove-kai/components-failover.yaml", cluster: harness.GroveKAI,
			pods: []func([]*unstructured.Unstructured) map[string]any{clique("chat")}, injected: grove,
		},
		"Nodes": {
			reason: "Each engine of the leader is joined by the engine of the worker with the same number.", manifest: "grove-kai/components-failover.yaml", cluster: harness.GroveKAI,
			pods: []func([]*unstructured.Unstructured) map[string]any{clique("large-ldr"), clique("large-wkr")}, injected: grove,
		},
		"DataParallel": {
			reason: "Data-parallel engines on several nodes are joined on another port.", manifest: "lws-volcano/failover.yaml", cluster: harness.LWSVolcano,
			pods: []func([]*unstructured.Unstructured) map[string]any{template("leaderTemplate"), template("workerTemplate")}, injected: lws,
		},
		"Deployment": {
			reason: "It works without an orchestrator.", manifest: "deployment/failover.yaml", cluster: "examples/cluster/none.yaml",
			pods: []func([]*unstructured.Unstructured) map[string]any{deployment},
		},
	}
	addresses := map[string]string{"OneNode": "127.71.0.", "Nodes": "127.72.0.", "DataParallel": "127.73.0.", "Deployment": "127.74.0."}
	binary := harness.New(t)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := binary.RenderAccepted(t, harness.Render{XR: manifests + tc.manifest, Cluster: tc.cluster})
			n := newNode(t)
			var pods []*podOnNode
			for i, find := range tc.pods {
				spec := &corev1.PodSpec{}
				if err := runtime.DefaultUnstructuredConverter.FromUnstructured(find(out.Composed), spec); err != nil {
					t.Fatal(err)
				}
				p := &podOnNode{spec: spec, address: addresses[name] + string(rune('1'+i)), injected: tc.injected}
				n.run(p, addresses[name]+"1")
				pods = append(pods, p)
			}
			if len(pods[0].engines) != 2 {
				t.Fatalf("%s\nwant two engines in a pod, got %d", tc.reason, len(pods[0].engines))
			}
			failOver(t, tc.reason, pods[0].engines, pods)
		})
	}
}

// TestFailoverBetweenPods kills the active one of two engines in pods of their own.
func TestFailoverBetweenPods(t *testing.T) {
	cases := map[string]struct {
		reason, manifest string
		// cliques of the engines, that of the first node first.
		cliques []string
		network string
	}{
		"OneNode": {
			reason: "Engines in two pods wait for the same lock.", manifest: "components-weightservers.yaml", cliques: []string{"chat"}, network: "127.78.",
		},
		"Nodes": {
			reason: "Pods with the same number form one engine.", manifest: "warned-weightservers.yaml", cliques: []string{"large-ldr", "large-wkr-1"}, network: "127.79.",
		},
	}
	binary := harness.New(t)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := binary.RenderAccepted(t, harness.Render{XR: "fn-tests/support/corpus/manifests/grove-kai/" + tc.manifest, Cluster: harness.GroveKAI})
			var pods []*podOnNode
			var first []*container
			n := newNode(t)
			for rank, name := range tc.cliques {
				for index := range 2 {
					spec := &corev1.PodSpec{}
					if err := runtime.DefaultUnstructuredConverter.FromUnstructured(clique(name)(out.Composed), spec); err != nil {
						t.Fatal(err)
					}
					p := &podOnNode{spec: spec, address: fmt.Sprintf("%s%d.%d", tc.network, index, rank+1), injected: map[string]string{
						"GROVE_PCSG_NAME": "g", "GROVE_PCSG_INDEX": "0", "GROVE_HEADLESS_SERVICE": "s", "GROVE_PCLQ_POD_INDEX": strconv.Itoa(index),
					}}
					n.run(p, fmt.Sprintf("%s%d.1", tc.network, index))
					if len(p.engines) != 1 {
						t.Fatalf("%s\nwant one engine in a pod, got %d", tc.reason, len(p.engines))
					}
					pods = append(pods, p)
					if rank == 0 {
						first = append(first, p.engines[0])
					}
				}
			}
			failOver(t, tc.reason, first, pods)
		})
	}
}

// failOver kills the active one of two engines.
func failOver(t *testing.T, reason string, first []*container, pods []*podOnNode) {
	t.Helper()
	settled := func() bool {
		return first[0].isStarted() && first[1].isStarted() && first[0].isActive() != first[1].isActive()
	}
	await(t, reason+" Both start, and one is active.", pods, settled)
	time.Sleep(20 * period)
	for _, p := range pods {
		for _, e := range p.engines {
			if e.startsSoFar() != 1 {
				t.Fatalf("%s\nwant no restart, got %s", reason, e.state())
			}
		}
	}
	active, standby := first[0], first[1]
	if standby.isActive() {
		active, standby = standby, active
	}
	active.kill()
	await(t, reason+" The standby engine takes over.", pods, standby.isActive)
	await(t, reason+" The one that has failed stands by.", pods, func() bool { return settled() && standby.isActive() && active.startsSoFar() > 1 })
	time.Sleep(20 * period)
	if standby.startsSoFar() != 1 || !settled() {
		t.Errorf("%s\nwant the standby engine to take over without a restart, got %s; %s", reason, standby.state(), active.state())
	}
}

// await a state of the engines.
func await(t *testing.T, what string, pods []*podOnNode, reached func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !reached(); time.Sleep(moment) {
		if time.Now().Before(deadline) {
			continue
		}
		var states []string
		for _, p := range pods {
			for _, e := range p.engines {
				states = append(states, e.state())
			}
		}
		t.Fatalf("%s It does not happen:\n%s", what, strings.Join(states, "\n"))
	}
}

// clique of a PodCliqueSet.
func clique(name string) func([]*unstructured.Unstructured) map[string]any {
	return func(objects []*unstructured.Unstructured) map[string]any {
		cliques, _, _ := unstructured.NestedSlice(objectOf(objects, "PodCliqueSet"), "spec", "template", "cliques")
		for _, c := range cliques {
			if clique, ok := c.(map[string]any); ok && clique["name"] == name {
				spec, _, _ := unstructured.NestedMap(clique, "spec", "podSpec")
				return spec
			}
		}
		return nil
	}
}

// template of a LeaderWorkerSet.
func template(name string) func([]*unstructured.Unstructured) map[string]any {
	return func(objects []*unstructured.Unstructured) map[string]any {
		spec, _, _ := unstructured.NestedMap(objectOf(objects, "LeaderWorkerSet"), "spec", "leaderWorkerTemplate", name, "spec")
		return spec
	}
}

// deployment of the component with failover, which is called Worker.
func deployment(objects []*unstructured.Unstructured) map[string]any {
	for _, object := range objects {
		if object.GetKind() == "Deployment" && strings.HasSuffix(object.GetName(), "-worker") {
			spec, _, _ := unstructured.NestedMap(object.Object, "spec", "template", "spec")
			return spec
		}
	}
	return nil
}

func objectOf(objects []*unstructured.Unstructured, kind string) map[string]any {
	for _, object := range objects {
		if object.GetKind() == kind {
			return object.Object
		}
	}
	return nil
}
