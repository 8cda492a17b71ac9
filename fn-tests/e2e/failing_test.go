package e2e

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/kubelet"
)

// A podGraph is a graph on Deployments or LeaderWorkerSets whose components all have pods.
type podGraph struct {
	reason  string
	example string
	// overQuota is the message for a component whose pods are refused because of a quota. LWS does not report the quota.
	overQuota string
}

func podGraphs() map[string]podGraph {
	return map[string]podGraph{
		"Deployments": {
			reason: "Every service that does not span nodes is a Deployment.", example: "disagg-vllm",
			overQuota: "exceeded quota: gpus, requested: requests.nvidia.com/gpu=2, limited: requests.nvidia.com/gpu=2",
		},
		"LeaderWorkerSets": {
			reason: "A service that spans nodes is one LeaderWorkerSet for each replica.", example: "sglang-multinode",
			overQuota: "Decode: LeaderWorkerSet quota-leaderworkersets-decode-0: 0 of 1 groups have pods",
		},
	}
}

// scalesToZero removes all pods of a component, and adds them again.
func (s *suite) scalesToZero(t *T) {
	for name, tc := range podGraphs() {
		t.Run(name, func(t *T) {
			g := s.run(t, tc.example, "zero-"+strings.ToLower(name), onLeaderWorkerSets)
			ref := controlplane.RefOf(g)
			before := s.podsOf(t, ref)
			untouched := uidsOf(before, "Frontend", "Prefill")
			ready := s.watchReady(t, ref)

			replicas, _, _ := unstructured.NestedInt64(g.Object, "spec", "services", "Decode", "replicas")
			for _, wanted := range []int64{0, replicas} {
				set(g.Object, wanted, "spec", "services", "Decode", "replicas")
				s.apply(t, g)
				s.eventually(t, fmt.Sprintf("Decode has %d replicas", wanted), func() error {
					pods := uidsOf(readyPods(s.podsOf(t, ref)), "Decode")
					if all := len(uidsOf(before, "Decode")); int64(len(pods))*replicas != wanted*int64(all) {
						return fmt.Errorf("it has %d pods that are ready", len(pods))
					}
					return nil
				})
				// Pods can be ready before the graph says that it waits for them.
				s.eventually(t, "the graph is ready", s.isAfterEdit(ref, "Synced", "True", "Ready", "True", "ServicesReady", "True"))
			}
			if after := uidsOf(s.podsOf(t, ref), "Frontend", "Prefill"); !after.Equal(untouched) {
				t.Errorf("%s\nwant the pods of other services untouched: %v, got %v", tc.reason, untouched, after)
			}
			ready(len(before) - len(uidsOf(before, "Decode")))
			s.remove(t, g)
		})
	}
}

// losesNode disconnects a node of each of two graphs. The pods of one graph move to another node, those of the other wait for their node.
func (s *suite) losesNode(t testing.TB, kubelets *kubelet.Kubelet) {
	t.Helper()
	s.admit(t, "moving", true)
	moving := s.run(t, "disagg-vllm", "moving", onLeaderWorkerSets, onNodesOf("moving"), func(g *unstructured.Unstructured) {
		for _, component := range []string{"Frontend", "Decode", "Prefill"} {
			set(g.Object, []any{
				map[string]any{"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": int64(2)},
			}, "spec", "services", component, "extraPodSpec", "tolerations")
		}
	})
	waiting := s.run(t, "sglang-multinode", "waiting", onLeaderWorkerSets)
	lost := map[*unstructured.Unstructured]string{moving: "", waiting: ""}
	for g := range lost {
		ref := controlplane.RefOf(g)
		ready := s.watchReady(t, ref)
		pods := s.podsOf(t, ref)
		t.Cleanup(func() { ready(len(pods)) })
		lost[g] = nodeOf(t, pods, "Decode")
	}
	// Other pods would be ready before a busy Crossplane looks at the graph.
	s.admit(t, "moving", false)
	// Both graphs can have pods on one node, so both are watched before any node is lost.
	for _, node := range lost {
		kubelets.Lose(node)
	}
	t.Cleanup(func() {
		for _, node := range lost {
			if err := kubelets.Find(s.ctx, node); err != nil {
				t.Error(err)
			}
		}
	})
	for g, node := range lost {
		s.eventually(t, g.GetName()+" misses the pods of "+node, s.is(controlplane.RefOf(g), "Ready", "False", "ServicesReady", "False"))
	}
	s.admit(t, "moving", true)
	s.eventually(t, "the pods that may move have moved", s.is(controlplane.RefOf(moving), "Ready", "True", "ServicesReady", "True"))
	s.eventually(t, "the tool names the node", s.because(controlplane.RefOf(waiting), "NodeLost", "its node "+lost[waiting]+" no longer reports", "kubectl describe pod"))
	if err := s.is(controlplane.RefOf(waiting), "Ready", "False")(); err != nil {
		t.Errorf("want the other graph to wait: %v", err)
	}
	for _, node := range lost {
		if err := kubelets.Find(s.ctx, node); err != nil {
			t.Fatal(err)
		}
	}
	s.eventually(t, "the pods are back with their node", s.is(controlplane.RefOf(waiting), "Ready", "True", "ServicesReady", "True"))
	// Until it is at rest, Crossplane may write older conditions once more, and what Ready says counts for nothing: see history.
	s.versionsAtRest(t, waiting)
	s.remove(t, moving, waiting)
}

// runTogether runs tests in parallel, because they spend most of their time waiting.
func runTogether(t *T, tests map[string]func(*T)) {
	t.Helper()
	for name, test := range tests {
		t.Run(name, func(t *T) {
			t.Parallel()
			test(t)
		})
	}
}

// overQuota runs each graph in a namespace whose quota allows only one of its components. The status contains the reports of controllers, and
// is written once.
func (s *suite) overQuota(t *T) {
	t.Helper()
	for name, tc := range podGraphs() {
		t.Run(name, func(t *T) {
			t.Parallel()
			namespace := "limited-" + strings.ToLower(name)
			s.namespace(t, namespace)
			s.limitGPUs(t, namespace, "2")
			g := example(t, tc.example)
			g.SetName("quota-" + strings.ToLower(name))
			g.SetNamespace(namespace)
			onLeaderWorkerSets(g)
			ref := controlplane.RefOf(g)
			s.apply(t, g)
			s.eventually(t, "the graph says so", s.componentsWaitFor(ref, tc.overQuota))
			s.eventually(t, "the tool says so", s.because(ref, "OverQuota", "pods cannot be created: exceeded quota: gpus", "kubectl describe resourcequota gpus"))
			s.failsQuietly(t, ref, 0, 0)
			s.limitGPUs(t, namespace, "100")
			s.eventually(t, "the graph is ready", s.is(ref, "Ready", "True"))
			s.remove(t, g)
		})
	}
}

// limitGPUs that pods of a namespace may request together.
func (s *suite) limitGPUs(t testing.TB, namespace, gpus string) {
	t.Helper()
	quota := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ResourceQuota", "spec": map[string]any{"hard": map[string]any{"requests.nvidia.com/gpu": gpus}},
	}}
	quota.SetName("gpus")
	quota.SetNamespace(namespace)
	s.apply(t, quota)
	s.eventually(t, "the quota is in force", func() error {
		live, err := s.Client.Get(s.ctx, controlplane.RefOf(quota))
		if err != nil {
			return err
		}
		if hard, _, _ := unstructured.NestedString(live.Object, "status", "hard", "requests.nvidia.com/gpu"); hard != gpus {
			return fmt.Errorf("it has %q", hard)
		}
		return nil
	})
}

// failingImages of a running component. The status contains the reports of controllers, and is written once.
func (s *suite) failingImages(t *T) {
	path := []string{"spec", "services", "Decode", "extraPodSpec", "mainContainer", "image"}
	for name, tc := range podGraphs() {
		for _, tag := range []string{kubelet.TagMissing, kubelet.TagCrashing} {
			t.Run(name+tag, func(t *T) {
				t.Parallel()
				g := s.run(t, tc.example, "image-"+strings.ToLower(name)+strings.ReplaceAll(tag, ":", "-"), onLeaderWorkerSets)
				ref := controlplane.RefOf(g)
				image, _, _ := unstructured.NestedString(g.Object, path...)
				set(g.Object, "registry.example.org/runtime"+tag, path...)
				s.apply(t, g)
				s.eventually(t, "the graph waits for the service", s.componentsWaitFor(ref, "Decode: "))
				s.eventually(t, "the tool says why", s.because(ref, tagCause(tag)...))
				writes, crashes := 0, 0
				if tag == kubelet.TagCrashing {
					crashes = 3
				}
				if tc.example == "sglang-multinode" && tag == kubelet.TagCrashing {
					// LWS recreates the whole group whenever one of its containers has crashed.
					writes = 11
				}
				s.failsQuietly(t, ref, writes, crashes)
				set(g.Object, image, path...)
				s.apply(t, g)
				s.watched(t, ref, "Decode: ")
				s.eventually(t, "the graph is ready again", s.is(ref, "Ready", "True", "ServicesReady", "True"))
				s.eventually(t, "the tool says so", s.because(ref))
				s.remove(t, g)
			})
		}
	}
}

// componentsWaitFor something.
func (s *suite) componentsWaitFor(graph controlplane.Ref, what string) func() error {
	return func() error {
		object, err := s.Client.Get(s.ctx, graph)
		if err != nil {
			return err
		}
		if status, message := controlplane.Condition(object, "ServicesReady"); status != "False" || !strings.Contains(message, what) {
			return fmt.Errorf("ServicesReady is %q: %s", status, message)
		}
		return s.is(graph, "Ready", "False")()
	}
}

// failsQuietly checks that a graph whose pods fail repeatedly is written no more than some times while Crossplane reconciles it a few times,
// and containers of its pods crash so often. Before, the progress of its components is written.
func (s *suite) failsQuietly(t testing.TB, graph controlplane.Ref, writes, crashes int) {
	t.Helper()
	live, err := s.Client.Get(s.ctx, graph)
	if err != nil {
		t.Fatal(err)
	}
	record := s.record(t, graph.Namespace, apiKind{nvidia, dgd}, apiKind{"v1", "Pod"})
	s.eventually(t, "the graph is hardly written any more", func() error {
		before, crashed := len(record.of(graph)), record.crashes(graph)
		for range reconcilesAtRest {
			s.reconcile(t, live)
		}
		s.eventually(t, fmt.Sprintf("containers have crashed %d times", crashes), func() error {
			if now := record.crashes(graph) - crashed; now < crashes {
				return fmt.Errorf("they have crashed %d times", now)
			}
			return nil
		})
		versions := record.of(graph)
		if before == 0 || len(versions)-before > writes {
			return fmt.Errorf("want at most %d writes, got:%s", writes, linesOf(versions[before:], "Ready", "ServicesReady"))
		}
		t.Logf("%d writes with %d crashes:%s", len(versions)-before, crashes, linesOf(versions[len(versions)-1:], "ServicesReady"))
		return nil
	})
	if err := s.is(graph, "Responsive", "True")(); err != nil {
		t.Errorf("want Crossplane to follow: %v", err)
	}
}

// crashes of the containers of all pods that a graph has had.
func (r *record) crashes(graph controlplane.Ref) int {
	restarts := map[string]int64{}
	for _, object := range r.all() {
		if object.GetKind() != "Pod" || object.GetLabels()[graphLabel] != graph.Name {
			continue
		}
		statuses, _, _ := unstructured.NestedSlice(object.Object, "status", "containerStatuses")
		for _, value := range statuses {
			status, _ := value.(map[string]any)
			count, _, _ := unstructured.NestedInt64(status, "restartCount")
			container := string(object.GetUID()) + " " + fmt.Sprint(status["name"])
			restarts[container] = max(restarts[container], count)
		}
	}
	total := 0
	for _, count := range restarts {
		total += int(count)
	}
	return total
}

// nodeOf a pod of a component.
func nodeOf(t testing.TB, pods []unstructured.Unstructured, component string) string {
	t.Helper()
	of := podsOfComponent(pods, component)
	if len(of) == 0 {
		t.Fatal(errors.New("no pod of " + component))
	}
	node, _, _ := unstructured.NestedString(of[0].Object, "spec", "nodeName")
	return node
}
