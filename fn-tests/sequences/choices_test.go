package sequences

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

const vllm = "fn-tests/sequences/testdata/vllm.yaml"

// Annotations by which a graph names its queue.
const (
	kaiQueue     = "nvidia.com/kai-scheduler-queue"
	volcanoQueue = "scheduling.volcano.sh/queue-name"
)

// TestInputChanges has the platform change each choice under a live graph, there and back: nothing goes, and no pod
// template changes. What is created meanwhile is like what there is.
func TestInputChanges(t *testing.T) {
	t.Parallel()
	const everything = "discovery: {backend: etcd}\nvllm: {distributedExecutor: mp}\n"
	flips := func(other string) []step {
		return []step{
			{name: "create"},
			{name: "settled"},
			{name: "change the input", change: input(other)},
			{name: "again"},
			{name: "change an image", change: image(), touched: []string{"frontend"}},
			{name: "scale from 2 to 3", change: scale(3)},
			{name: "change the input back", change: input("")},
		}
	}
	followAll(t, map[string]sequence{
		"input-changes-on-grove": {
			reason: "A clique would be restarted by its scheduler, its queue, its executor and its discovery.",
			xr:     vllm, cluster: harness.GroveKAI,
			steps: flips(everything + "kai: {queue: inference}\n"),
		},
		"input-changes-on-volcano": {
			reason: "A LeaderWorkerSet would be restarted by its scheduler, its queue, its executor and its discovery, and its gang would go.",
			xr:     vllm, cluster: harness.LWSVolcano,
			steps: flips(everything + "volcano: {queue: other}\nlws: {gangProvider: LWS}\n"),
		},
		"input-changes-on-kai": {
			reason: "LeaderWorkerSets of KAI have their queue in their pods.",
			xr:     vllm, cluster: "examples/cluster/all.yaml",
			input: "grove: {mode: Disabled}\nvolcano: {mode: Disabled}\n",
			steps: []step{
				{name: "create"},
				{name: "settled"},
				{name: "change the input", change: input(everything + "kai: {queue: inference}\nvolcano: {mode: Enabled}\n")},
				{name: "scale from 2 to 3", change: scale(3)},
				{name: "disable KAI and LWS", change: input("kai: {mode: Disabled}\nlws: {mode: Disabled}\n")},
				{name: "change the input back", change: input("grove: {mode: Disabled}\nvolcano: {mode: Disabled}\n")},
			},
		},
		"input-changes-on-deployments": {
			reason: "Deployments have only their discovery. What is beside their pods may change.",
			xr:     "examples/v1alpha1/agg-vllm.yaml", cluster: "examples/cluster/none.yaml",
			steps: []step{
				{name: "create"},
				{name: "settled"},
				{name: "change the input", change: input(everything + "deployments: {minReadySeconds: 45}\n")},
				{name: "change an image", change: image(), touched: []string{"frontend"}},
				{name: "change the input back", change: input("")},
			},
		},
		"gangs-of-the-operator": {
			reason: "Gangs that the LWS operator makes stay its own.",
			xr:     vllm, cluster: harness.LWSVolcano, input: "lws: {gangProvider: LWS}\n",
			steps: flips("lws: {gangProvider: PodGroup}\n"),
		},
		"gangs-of-kubernetes": {
			reason: "Gangs that Kubernetes makes stay its own, and their PodGroups cannot change.",
			xr:     vllm, cluster: harness.LWSKubernetes,
			steps: flips(everything + "volcano: {mode: Enabled}\nkai: {mode: Enabled}\n"),
		},
		"packed-gangs-of-kubernetes": {
			reason: "A replica keeps the label by which it is packed, and new ones get it too.",
			xr:     "examples/v1alpha1/topology.yaml", cluster: harness.LWSKubernetes,
			input: profileOf("zone", "block", "rack", "host"),
			steps: []step{
				{name: "create"},
				{name: "settled"},
				{name: "take the topology away", change: input("")},
				{name: "scale from 2 to 3", change: scale(3)},
				{name: "define it again", change: input(profileOf("zone", "block", "rack", "host"))},
			},
		},
		"packed-gangs": {
			reason: "With its PodGroup a replica would lose its placement.",
			xr:     "examples/v1alpha1/topology.yaml", cluster: harness.LWSVolcano,
			input: profileOf("zone", "block", "rack", "host"),
			steps: []step{
				{name: "create"},
				{name: "settled"},
				{name: "leave gangs to the operator", change: input(profileOf("zone", "block", "rack", "host") + "lws: {gangProvider: LWS}")},
				{name: "scale from 2 to 3", change: scale(3)},
				{name: "compose them again", change: input(profileOf("zone", "block", "rack", "host"))},
			},
		},
	})
}

// TestModesChange takes away from new graphs what a live one uses.
func TestModesChange(t *testing.T) {
	t.Parallel()
	followAll(t, map[string]sequence{
		"modes-change-on-grove": {
			reason: "A graph goes on using what the cluster still has.",
			xr:     vllm, cluster: harness.GroveKAI,
			steps: []step{
				{name: "create"},
				{name: "settled"},
				{name: "disable Grove", change: input("grove: {mode: Disabled}")},
				{name: "disable KAI", change: input("kai: {mode: Disabled}")},
				{name: "change an image", change: image(), touched: []string{"frontend"}},
				{name: "enable both", change: input("")},
			},
		},
		"modes-change-on-volcano": {
			reason: "A graph goes on using LeaderWorkerSet and Volcano as long as the cluster still has them.",
			xr:     vllm, cluster: harness.LWSVolcano,
			steps: []step{
				{name: "create"},
				{name: "settled"},
				{name: "disable LWS", change: input("lws: {mode: Disabled}")},
				{name: "disable Volcano", change: input("volcano: {mode: Disabled}")},
				{name: "enable KAI", change: input("volcano: {mode: Disabled}\nkai: {mode: Enabled}")},
				{name: "enable both", change: input("")},
			},
		},
	})
}

// TestUserChanges has the user change each choice of a live graph.
func TestUserChanges(t *testing.T) {
	t.Parallel()
	both := []string{"frontend", "worker"}
	followAll(t, map[string]sequence{
		"user-changes-on-grove": {
			reason: "What the user names takes effect, but for a queue, in which KAI keeps the pods that run. An annotation that goes changes nothing.",
			xr:     vllm, cluster: harness.GroveKAI,
			steps: []step{
				{name: "create"},
				{name: "settled"},
				{name: "name another queue", change: all(exists("KAI Queue", "team-a"), annotate(kaiQueue, "team-a")), refused: "a running graph stays in its KAI Queue"},
				{name: "name that which it is in", change: annotate(kaiQueue, "dynamo")},
				{name: "change an image", change: image(), touched: []string{"frontend"}},
				{name: "remove the annotation", change: unset("metadata", "annotations")},
				{name: "name the executor", change: annotate(annotationExecutor, "mp"), touched: both},
				{name: "name the discovery backend", change: annotate(annotationDiscovery, "etcd"), touched: both},
			},
		},
		"user-changes-on-volcano": {
			reason: "Gangs move to another queue without their pods.",
			xr:     vllm, cluster: harness.LWSVolcano,
			steps: []step{
				{name: "create"},
				{name: "settled"},
				{name: "name a queue that does not exist", change: annotate(volcanoQueue, "team-a")},
				{name: "scale from 2 to 3 meanwhile", change: scale(3)},
				{name: "the queue is created", change: exists("Volcano Queue", "team-a")},
				{name: "settled in it"},
				{name: "remove the annotation", change: unset("metadata", "annotations")},
			},
		},
	})
}

// TestReleases gives images of other releases of Dynamo to components, which get the pods of these releases.
func TestReleases(t *testing.T) {
	t.Parallel()
	imageOf := func(component, tag string) func(*testing.T, *harness.Chain) {
		return set("nvcr.io/nvidia/ai-dynamo/vllm-runtime:"+tag, "spec", "services", component, "extraPodSpec", "mainContainer", "image")
	}
	followAll(t, map[string]sequence{
		"releases-on-grove": {
			reason: "The pods of a service change with the release in its image, and with nothing that others decide about releases.",
			xr:     vllm, cluster: harness.GroveKAI,
			steps: []step{
				{name: "create"},
				{name: "settled"},
				{name: "the worker takes an older image", change: imageOf("Worker", "1.1.0"), touched: []string{"worker"}},
				{name: "the worker takes an image without a version", change: imageOf("Worker", "nightly"), touched: []string{"worker"}},
				{name: "the user names its release", change: set("1.1.0", "spec", "services", "Worker", "runtimeVersionOverride"), touched: []string{"worker"}},
				{name: "the platform names another release", change: input("runtime: {version: 1.2.0}")},
				{name: "the platform has all graphs use it", change: input("runtime: {version: 1.2.0, force: true}")},
			},
		},
	})
}

// image gives the frontend another one.
func image() func(*testing.T, *harness.Chain) {
	return set("nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.3.1", "spec", "services", "Frontend", "extraPodSpec", "mainContainer", "image")
}

// exists adds a queue to the cluster.
func exists(kind, name string) func(*testing.T, *harness.Chain) {
	return func(_ *testing.T, c *harness.Chain) {
		queue := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "scheduling.run.ai/v2", "kind": "Queue", "metadata": map[string]any{"name": name},
		}}
		if kind == "Volcano Queue" {
			queue.SetAPIVersion("scheduling.volcano.sh/v1beta1")
			queue.Object["status"] = map[string]any{"state": "Open"}
		}
		c.Cluster = append(c.Cluster, queue)
	}
}
