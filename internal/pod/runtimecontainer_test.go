package pod

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// beside is a graph whose worker has an engine in the main container and the runtime in an init container.
const beside = `{
	"backendFramework":"vllm",
	"envs":[{"name":"GLOBAL","value":"graph"},{"name":"SHARED","value":"graph"}],
	"experimental":{"kvTransferPolicy":{"labelKey":"zone","domain":"zone"}},
	"services":{"S":{"componentType":"decode","volumeMounts":[{"name":"cache","useAsCompilationCache":true}],"extraPodSpec":{
		"mainContainer":{"image":"engine","args":["serve","model"],"env":[{"name":"GLOBAL","value":"engine"}],"resources":{"limits":{"nvidia.com/gpu":"1"}}},
		"initContainers":[{"name":"setup","image":"setup"},{"name":"runtime","image":"runtime:1.6.0","restartPolicy":"Always",
			"env":[{"name":"GLOBAL","value":"runtime"},{"name":"NATS_TLS_CA_CERT_PATH","value":"/own"}],"livenessProbe":{"initialDelaySeconds":0,"failureThreshold":9}}]}}}}`

func besideRuntime(t *testing.T) *Builder {
	t.Helper()
	g := decode(t, beside, `{"nvidia.com/dynamo-kube-discovery-mode":"container"}`)
	g.RunRuntimeContainer("S")
	b := planned(g, graphplan.Component{Discovery: graphplan.Kubernetes, DynamoNamespace: "inference-llama", Framework: "vllm", RuntimeVersion: "1.6.0", RuntimeContainer: true})
	b.Plan.WorkerGeneration = "1f2e3d4c"
	b.Plan.Infrastructure = graphplan.Infrastructure{NATSAddress: "tls://n", NATSTLSCAPath: "/ca"}
	return b
}

// TestRuntimeContainer shows who gets what when the runtime runs beside the engine.
func TestRuntimeContainer(t *testing.T) {
	spec := besideRuntime(t).Build("S", backend.RoleMain, nil).Spec
	probe := func(path string, settings fields) fields {
		return with(fields{"httpGet": fields{"path": path, "port": "system"}}, settings)
	}
	want := fields{
		"name": "runtime", "image": "runtime:1.6.0", "restartPolicy": "Always", "resources": fields{},
		"ports":          []any{namedPort("system", 9090)},
		"startupProbe":   probe("/live", fields{"periodSeconds": 2, "timeoutSeconds": 1, "failureThreshold": 30}),
		"livenessProbe":  probe("/live", fields{"periodSeconds": 5, "timeoutSeconds": 4, "failureThreshold": 9}),
		"readinessProbe": probe("/health", fields{"periodSeconds": 5, "timeoutSeconds": 4, "failureThreshold": 3}),
		"volumeMounts":   []any{with(mount("topology-labels", "/etc/dynamo/topology"), fields{"readOnly": true})},
		"env": environment(
			env("CONTAINER_NAME", "runtime"), env("DYN_COMPONENT", "decode"), env("DYN_DISCOVERY_BACKEND", "kubernetes"), env("DYN_KUBE_DISCOVERY_MODE", "container"),
			env("DYN_KV_TRANSFER_DOMAIN", "zone"), env("DYN_KV_TRANSFER_ENFORCEMENT", "required"), env("DYN_NAMESPACE", "inference-llama"), env("DYN_NAMESPACE_WORKER_SUFFIX", "1f2e3d4c"),
			env("DYN_SYSTEM_ENABLED", "true"), env("DYN_SYSTEM_PORT", "9090"), env("DYN_TOPOLOGY_ENABLED", "true"),
			env("DYN_TOPOLOGY_MOUNT_PATH", "/etc/dynamo/topology"), env("GLOBAL", "runtime"), env("NATS_SERVER", "tls://n"), env("NATS_TLS_CA_CERT_PATH", "/own"),
			env("SHARED", "graph"),
		),
	}
	if diff := cmp.Diff(tree(t, want), tree(t, spec.InitContainers[1])); diff != "" {
		t.Errorf("The runtime has variables, port and probes, and runs the entry point of its image.\nruntime: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff(tree(t, fields{"name": "setup", "image": "setup", "resources": fields{}}), tree(t, spec.InitContainers[0])); diff != "" {
		t.Errorf("Other init containers stay as they are.\nsetup: -want, +got:\n%s", diff)
	}
	engine := fields{
		"name": "main", "image": "engine", "args": []any{"serve", "model"},
		"resources":    fields{"limits": fields{"nvidia.com/gpu": "1"}},
		"volumeMounts": []any{mount("cache", "/root/.cache/vllm"), mount("shared-memory", "/dev/shm")},
		"env":          []any{env("GLOBAL", "engine"), env("SHARED", "graph"), env("VLLM_CACHE_ROOT", "/root/.cache/vllm")},
	}
	if diff := cmp.Diff(tree(t, engine), tree(t, spec.Containers[0])); diff != "" {
		t.Errorf("The engine has GPUs, shared memory, its cache and the variables of the graph, and nothing of Dynamo.\nmain: -want, +got:\n%s", diff)
	}
}

// TestRuntimeOfPod finds the container that runs Dynamo in pods of both kinds.
func TestRuntimeOfPod(t *testing.T) {
	b := besideRuntime(t)
	template := b.Build("S", backend.RoleMain, nil)
	live := corev1.PodTemplateSpec{Spec: template.Spec}
	live.Annotations = template.Annotations
	if c := RuntimeOfPod(&live.Spec); c == nil || c.Name != "runtime" {
		t.Errorf("The runtime is in the init container, got %v", c)
	}
	component := b.Graph.Component("S")
	if policy, _ := LiveTransfer(component, &live); policy == nil || policy.Domain != "zone" {
		t.Errorf("The runtime of live pods has the policy for the transfer of KV caches, got %v", policy)
	}
	b.Graph.RuntimeContainers = nil
	spec := b.Build("S", backend.RoleMain, nil).Spec
	if c := RuntimeOfPod(&spec); c == nil || c.Name != "main" {
		t.Errorf("An init container like others is not the runtime, got %v", c)
	}
}
