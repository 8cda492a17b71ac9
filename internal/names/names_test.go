package names

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestKeys pins the composition resource names: Crossplane deletes and recreates an object whose key changes.
func TestKeys(t *testing.T) {
	got := []Resource{
		KeyPodCliqueSet,
		KeyDiscoveryServiceAccount, KeyDiscoveryRole, KeyDiscoveryRoleBinding,
		KeyPlannerServiceAccount, KeyPlannerRole, KeyPlannerRoleBinding,
		KeyEPPServiceAccount, KeyEPPRole, KeyEPPRoleBinding, KeyEPPConfigMap, KeyEPPInferencePool, KeyEPPDestinationRule,
		KeyWaitForLeader, KeySSHSecret,
		KeyService("VllmWorker"), KeyIngress("Frontend"), KeyVirtualService("Frontend"), KeyHTTPRoute("Frontend"), KeyClaimTemplate("VllmWorker"), KeyRayService("VllmWorker"), KeyModelService("Qwen/Qwen3-0.6B"), KeyPVC("cache"),
		KeyDeployment("Frontend"), KeyLeaderWorkerSet("Worker", 10), KeyPodGroup("Worker", 0),
		KeyReplicas("Worker"), KeyAutoscaler("Worker"), KeyScalingAdapter("Worker"),
	}
	want := []Resource{
		"podcliqueset",
		"discovery-serviceaccount", "discovery-role", "discovery-rolebinding",
		"planner-serviceaccount", "planner-role", "planner-rolebinding",
		"epp-serviceaccount", "epp-role", "epp-rolebinding", "epp-configmap", "epp-inferencepool", "epp-destinationrule",
		"configmap-wait-for-leader", "ssh-secret",
		"service-vllmworker", "ingress-frontend", "virtualservice-frontend", "httproute-frontend", "claimtemplate-vllmworker", "rayservice-vllmworker", "service-model-fb68f5a6", "pvc-cache",
		"deployment-frontend", "leaderworkerset-worker-10", "podgroup-worker-0",
		"replicas-worker", "autoscaler-worker", "scalingadapter-worker",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("keys: -want, +got:\n%s", diff)
	}
}

// TestObjects pins the names of objects: pods, hosts and other objects refer to them.
func TestObjects(t *testing.T) {
	g := Of("llama.v2", Adoption{})
	got := map[string]string{
		"PodCliqueSet":            g.PodCliqueSet(),
		"Component":               g.Component("VllmWorker"),
		"Replica":                 g.Replica("VllmWorker", 3),
		"Replicas":                g.Replicas("VllmWorker"),
		"Service":                 g.Service("VllmWorker"),
		"ModelService":            g.ModelService("Qwen/Qwen3-0.6B"),
		"DiscoveryServiceAccount": g.DiscoveryServiceAccount(),
		"DiscoveryRole":           g.DiscoveryRole(),
		"DiscoveryRoleBinding":    g.DiscoveryRoleBinding(),
		"Planner":                 g.Planner(),
		"EPP":                     g.EPP(),
		"EPPConfigMap":            g.EPPConfigMap(),
		"InferencePool":           g.InferencePool(),
		"ClaimTemplate":           g.ClaimTemplate("VllmWorker"),
		"WaitForLeader":           g.WaitForLeader(),
		"SSHSecret":               g.SSHSecret(),
		"DynamoNamespace":         g.DynamoNamespace("inference"),
		"Clique":                  Clique("VllmWorker"),
		"LeaderClique":            LeaderClique("VllmWorker"),
		"WorkerClique":            WorkerClique("VllmWorker"),
		"GroveChild":              g.GroveChild("VllmWorker"),
	}
	want := map[string]string{
		"PodCliqueSet":            "llama.v2",
		"Component":               "llama.v2-vllmworker",
		"Replica":                 "llama.v2-vllmworker-3",
		"Replicas":                "llama.v2-vllmworker-replicas",
		"Service":                 "llama-v2-vllmworker",
		"ModelService":            "llama-v2-model-fb68f5a6",
		"DiscoveryServiceAccount": "llama.v2-k8s-service-discovery",
		"DiscoveryRole":           "llama.v2-k8s-service-discovery-role",
		"DiscoveryRoleBinding":    "llama.v2-k8s-service-discovery-binding",
		"Planner":                 "llama.v2-planner",
		"EPP":                     "llama.v2-epp",
		"EPPConfigMap":            "llama.v2-epp-config",
		"InferencePool":           "llama.v2-pool",
		"ClaimTemplate":           "llama.v2-vllmworker-gpu",
		"WaitForLeader":           "llama.v2-wait-leader-script",
		"SSHSecret":               "mpirun-ssh-key-llama.v2",
		"DynamoNamespace":         "inference-llama-v2",
		"Clique":                  "vllmworker",
		"LeaderClique":            "vllmworker-ldr",
		"WorkerClique":            "vllmworker-wkr",
		"GroveChild":              "llama.v2-0-vllmworker",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("names: -want, +got:\n%s", diff)
	}
}

func TestPVCOf(t *testing.T) {
	cases := map[string]struct {
		reason string
		key    string
		want   string
		ok     bool
	}{
		"PVC":   {reason: "The key of a claim holds its name.", key: string(KeyPVC("pvc-cache")), want: "pvc-cache", ok: true},
		"Other": {reason: "Other keys hold no name of a claim.", key: string(KeyService("worker")), want: "service-worker"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, ok := PVCOf(tc.key)
			if got != tc.want || ok != tc.ok {
				t.Errorf("%s\nPVCOf(%s): want %q, %t, got %q, %t", tc.reason, tc.key, tc.want, tc.ok, got, ok)
			}
		})
	}
}

func TestWorkloadOf(t *testing.T) {
	type workload struct {
		Component     string
		Multinode, OK bool
	}
	cases := map[string]struct {
		reason string
		key    string
		want   workload
	}{
		"Deployment":       {reason: "A Deployment is of a single-node service.", key: string(KeyDeployment("My-Worker")), want: workload{Component: "my-worker", OK: true}},
		"LeaderWorkerSet":  {reason: "A LeaderWorkerSet is one replica of a multinode service.", key: string(KeyLeaderWorkerSet("My-Worker-2", 11)), want: workload{Component: "my-worker-2", Multinode: true, OK: true}},
		"NoReplica":        {reason: "A key that is not ours has no replica number.", key: "leaderworkerset-worker"},
		"PodCliqueSet":     {reason: "A PodCliqueSet is of all services.", key: string(KeyPodCliqueSet)},
		"SomethingElse":    {reason: "Other keys are of no workload.", key: string(KeyService("worker"))},
		"AnotherStepsName": {reason: "A key of another function does not belong to a workload.", key: "my-deployment"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got workload
			got.Component, got.Multinode, got.OK = WorkloadOf(tc.key)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nWorkloadOf(%s): -want, +got:\n%s", tc.reason, tc.key, diff)
			}
		})
	}
}

func TestPodGroupOf(t *testing.T) {
	cases := map[string]struct {
		reason string
		key    string
		want   string
		ok     bool
	}{
		"Gang":      {reason: "A gang has the name of its service.", key: string(KeyPodGroup("Worker", 0)), want: "worker", ok: true},
		"Dashes":    {reason: "The service of a gang may have dashes in its name.", key: string(KeyPodGroup("decode-worker-1", 12)), want: "decode-worker-1", ok: true},
		"Native":    {reason: "A gang of Kubernetes has the name of its service, too.", key: string(KeySchedulingGroup("decode-worker-1", 12, "")), want: "decode-worker-1", ok: true},
		"Renewed":   {reason: "A gang of later pods is one of the same service.", key: string(KeySchedulingGroup("decode-worker-1", 12, "g0123abcd")), want: "decode-worker-1", ok: true},
		"NoReplica": {reason: "A key of another form is not a gang's.", key: "podgroup-worker"},
		"Other":     {reason: "The key of a LeaderWorkerSet is not a gang's.", key: string(KeyLeaderWorkerSet("Worker", 0))},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got, ok := PodGroupOf(tc.key); got != tc.want || ok != tc.ok {
				t.Errorf("%s\nPodGroupOf(%s): want %q %t, got %q %t", tc.reason, tc.key, tc.want, tc.ok, got, ok)
			}
		})
	}
}

func TestIsForPods(t *testing.T) {
	want := map[Resource]bool{
		KeyDiscoveryServiceAccount: true, KeyDiscoveryRole: true, KeyDiscoveryRoleBinding: true,
		KeyPlannerServiceAccount: true, KeyPlannerRole: true, KeyPlannerRoleBinding: true,
		KeyEPPServiceAccount: true, KeyEPPRole: true, KeyEPPRoleBinding: true, KeyEPPConfigMap: true, KeyEPPInferencePool: true,
		KeyWaitForLeader: true, KeyService("Worker"): true, KeyModelService("m"): true, KeyClaimTemplate("Worker"): true,
		// A claim for a volume stays by a rule of its own, and the others are not for pods, or another step's.
		KeyPVC("cache"): false, KeyIngress("Frontend"): false, KeyVirtualService("Frontend"): false, KeyHTTPRoute("Frontend"): false,
		KeyEPPDestinationRule: false, KeyScalingAdapter("Worker"): false, KeySSHSecret: false, KeyDeployment("Worker"): false, KeyPodGroup("Worker", 0): false, KeyComputeDomain: false,
	}
	for key, is := range want {
		if got := IsForPods(string(key)); got != is {
			t.Errorf("IsForPods(%s): want %t, got %t", key, is, got)
		}
	}
}

// TestModelService shows that the Service of a model has a name that is one, whatever the graph is called.
func TestModelService(t *testing.T) {
	const model = "Qwen/Qwen3-0.6B"
	cases := map[string]struct {
		reason string
		graph  Graph
		want   string
	}{
		"Short":   {reason: "The name of the graph stands in that of the Service.", graph: Of("llama.v2", Adoption{}), want: "llama-v2-model-fb68f5a6"},
		"Longest": {reason: "A name of 48 characters fits.", graph: Of(strings.Repeat("g", 48), Adoption{}), want: strings.Repeat("g", 48) + "-model-fb68f5a6"},
		"Long":    {reason: "Of a longer name there is the beginning and a hash.", graph: Of(strings.Repeat("g", 49), Adoption{}), want: strings.Repeat("g", 39) + "-f83717d5-model-fb68f5a6"},
		"Other":   {reason: "Graphs that begin alike have different Services.", graph: Of(strings.Repeat("g", 50), Adoption{}), want: strings.Repeat("g", 39) + "-3adce6dc-model-fb68f5a6"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, tc.graph.ModelService(model)); diff != "" {
				t.Errorf("%s\nModelService(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestCliquesOfWeightServers pins the names of cliques: a live PodCliqueSet cannot get others.
func TestCliquesOfWeightServers(t *testing.T) {
	got := []string{WeightClique("Worker", 0), WeightClique("Worker", 11), RankClique("Worker", 2), GPUClaimOfRank("Worker", 1)}
	if diff := cmp.Diff([]string{"worker-gms-0", "worker-gms-11", "worker-wkr-2", "worker-gpu-rank-1"}, got); diff != "" {
		t.Errorf("names: -want, +got:\n%s", diff)
	}
	for clique, want := range map[string]bool{"worker-gms-0": true, "worker-gms-11": true, "worker": false, "worker-gms": false, "worker-gms-x": false, "other-gms-0": false} {
		if IsWeightClique("Worker", clique) != want {
			t.Errorf("IsWeightClique(Worker, %s): want %t", clique, want)
		}
	}
}
