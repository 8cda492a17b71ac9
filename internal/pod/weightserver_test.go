package pod

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

const betweenPods = `"componentType":"worker","resources":{"requests":{"memory":"8Gi"},"limits":{"gpu":"2"}},"gpuMemoryService":{"enabled":true,"mode":"interPod"}`

// weightServed is a graph whose component S has weight servers and the rest of its body, JSON.
func weightServed(t *testing.T, body string) *graph.Graph {
	t.Helper()
	g := decodeComponent(t, `{`+betweenPods+body+`}`)
	g.RunWeightServers("S")
	return g
}

func TestCliques(t *testing.T) {
	const standby = `,"failover":{"enabled":true,"mode":"interPod"}`
	cases := map[string]struct {
		reason string
		body   string
		want   []Clique
	}{
		"OneNode": {
			reason: "A replica consists of a weight server and an engine.",
			want:   []Clique{{"s-gms-0", backend.RoleWeights, 0, 1, 1, ""}, {"s", backend.RoleMain, 0, 1, 1, "s-gms-0"}},
		},
		"Shadows": {
			reason: "Several engines can stand by.", body: `,"failover":{"enabled":true,"mode":"interPod","numShadows":3}`,
			want: []Clique{{"s-gms-0", backend.RoleWeights, 0, 1, 1, ""}, {"s", backend.RoleMain, 0, 4, 1, "s-gms-0"}},
		},
		"Nodes": {
			reason: "Each node has a weight server, and the engines of a node start after it.", body: standby + `,"multinode":{"nodeCount":3}`,
			want: []Clique{
				{"s-gms-0", backend.RoleWeights, 0, 1, 1, ""},
				{"s-ldr", backend.RoleLeader, 0, 2, 1, "s-gms-0"},
				{"s-gms-1", backend.RoleWeights, 1, 1, 1, ""},
				{"s-wkr-1", backend.RoleWorker, 1, 2, 1, "s-gms-1"},
				{"s-gms-2", backend.RoleWeights, 2, 1, 1, ""},
				{"s-wkr-2", backend.RoleWorker, 2, 2, 1, "s-gms-2"},
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Cliques(weightServed(t, tc.body).Component("S"))); diff != "" {
				t.Errorf("%s\nCliques(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestCliquesWithoutWeightServers shows that a component only has them if it is decided.
func TestCliquesWithoutWeightServers(t *testing.T) {
	g := decodeComponent(t, `{`+betweenPods+`,"multinode":{"nodeCount":3}}`)
	want := []Clique{{Name: "s-ldr", Role: backend.RoleLeader, Replicas: 1, Least: 1}, {Name: "s-wkr", Role: backend.RoleWorker, Replicas: 2, Least: 2}}
	if diff := cmp.Diff(want, Cliques(g.Component("S"))); diff != "" {
		t.Errorf("Cliques(...): -want, +got:\n%s", diff)
	}
}

// weightPod is the pod of a role of component S with weight servers.
func weightPod(t *testing.T, body string, role backend.Role, rank int32) corev1.PodTemplateSpec {
	t.Helper()
	g := weightServed(t, body)
	b := planned(g, graphplan.Component{Discovery: graphplan.Kubernetes, Framework: "vllm", Executor: string(backend.ExecutorMP)})
	b.Rank = rank
	return b.Build("S", role, HostsOnGrove(g.Component("S"), rank))
}

// onePod is what a test shows of a pod of a component with weight servers.
type onePod struct {
	Labels        map[string]string
	Containers    []string
	Command, Args []string
	Env           map[string]string
	Probes        []bool
	Resources     corev1.ResourceList
	Init          []string
	SubPath       string
	HostPath      string
	RestartPolicy corev1.RestartPolicy
}

func onePodOf(template corev1.PodTemplateSpec) onePod {
	main, out := template.Spec.Containers[0], onePod{Labels: map[string]string{}, Env: map[string]string{}, RestartPolicy: template.Spec.RestartPolicy}
	for _, label := range []string{"role", "nvidia.com/metrics-enabled", "nvidia.com/dynamo-discovery-enabled", "nvidia.com/dynamo-failover-engine-group-member", "nvidia.com/dynamo-base-model-hash"} {
		if value, ok := template.Labels[label]; ok {
			out.Labels[label] = value
		}
	}
	for _, c := range template.Spec.Containers {
		out.Containers = append(out.Containers, c.Name)
	}
	for _, c := range template.Spec.InitContainers {
		out.Init = append(out.Init, c.Name)
	}
	out.Command, out.Args, out.Resources = main.Command, main.Args, main.Resources.Requests
	for _, e := range main.Env {
		switch {
		case e.Name == "ENGINE_ID" && e.ValueFrom != nil:
			out.Env[e.Name] = e.ValueFrom.FieldRef.FieldPath
		case IsStandbyEnv(e.Name):
			out.Env[e.Name] = e.Value
		}
	}
	for _, probe := range []*corev1.Probe{main.LivenessProbe, main.ReadinessProbe, main.StartupProbe} {
		out.Probes = append(out.Probes, probe != nil)
	}
	for _, mount := range main.VolumeMounts {
		if mount.Name == WeightsVolume {
			out.SubPath = mount.SubPathExpr
		}
	}
	for _, volume := range template.Spec.Volumes {
		if volume.Name == WeightsVolume {
			out.HostPath = volume.HostPath.Path
		}
	}
	return out
}

func TestWeightServers(t *testing.T) {
	const (
		standby = `,"failover":{"enabled":true,"mode":"interPod"}`
		main    = `,"modelRef":{"name":"m"},"envs":[{"name":"ENGINE_ID","value":"7"}],"extraPodSpec":{"initContainers":[{"name":"download","image":"d"}],"containers":[{"name":"logs","image":"x"}],
			"mainContainer":{"image":"i","command":["python3","-m","dynamo.vllm"],"args":["--model","m"]}}`
		nodes = `,"multinode":{"nodeCount":2},"extraPodSpec":{"mainContainer":{"image":"i","command":["python3","-m","dynamo.vllm"],"args":["--tensor-parallel-size","4","--load-format=gms"]}}`
		rank  = "$(GROVE_PCSG_NAME)-$(GROVE_PCSG_INDEX)/rank-"
	)
	memory := corev1.ResourceList{corev1.ResourceMemory: weightServed(t, "").Component("S").Resources.Requests.Memory.DeepCopy()}
	engineEnv := map[string]string{
		"ENGINE_ID": "metadata.labels['grove.io/podclique-pod-index']", "FAILOVER_LOCK_PATH": "/run/gms/shared/failover.lock",
		"DYN_SYSTEM_STARTING_HEALTH_STATUS": "notready", "DYN_VLLM_GMS_SHADOW_MODE": "true", "GMS_SOCKET_DIR": "/run/gms/shared",
	}
	serving := map[string]string{
		"role": "leader", "nvidia.com/metrics-enabled": "true", "nvidia.com/dynamo-discovery-enabled": "true",
		"nvidia.com/dynamo-failover-engine-group-member": "true", "nvidia.com/dynamo-base-model-hash": "62c66a7a",
	}
	cases := map[string]struct {
		reason string
		body   string
		role   backend.Role
		rank   int32
		want   onePod
	}{
		"Engine": {
			reason: "An engine loads its weights from the weight server, and waits for the lock. Other containers stay.",
			body:   standby + main, role: backend.RoleMain,
			want: onePod{
				Labels: serving, Containers: []string{"main", "logs"},
				Command: []string{"python3", "-m", "dynamo.vllm"}, Args: []string{"--model", "m", "--load-format", "gms"},
				Env: engineEnv, Probes: []bool{true, true, true}, Resources: memory, Init: []string{"download", "fix-gms-perms"},
				SubPath: rank + "0", HostPath: "/run/gms/inference", RestartPolicy: corev1.RestartPolicyAlways,
			},
		},
		"Single": {
			reason: "An engine that has nobody to take over from is ready when it serves.",
			body:   main, role: backend.RoleMain,
			want: onePod{
				Labels:     map[string]string{"role": "leader", "nvidia.com/metrics-enabled": "true", "nvidia.com/dynamo-discovery-enabled": "true", "nvidia.com/dynamo-base-model-hash": "62c66a7a"},
				Containers: []string{"main", "logs"},
				Command:    []string{"python3", "-m", "dynamo.vllm"}, Args: []string{"--model", "m", "--load-format", "gms"},
				Env:    map[string]string{"DYN_SYSTEM_USE_ENDPOINT_HEALTH_STATUS": `["generate"]`, "ENGINE_ID": "7", "GMS_SOCKET_DIR": "/run/gms/shared"},
				Probes: []bool{true, true, true}, Resources: memory, Init: []string{"download", "fix-gms-perms"},
				SubPath: rank + "0", HostPath: "/run/gms/inference", RestartPolicy: corev1.RestartPolicyAlways,
			},
		},
		"Worker": {
			reason: "A node other than the first knows its rank, and its leader by the number of its engine.",
			body:   standby + nodes, role: backend.RoleWorker, rank: 1,
			want: onePod{
				Labels: map[string]string{
					"role": "worker", "nvidia.com/metrics-enabled": "true", "nvidia.com/dynamo-discovery-enabled": "true", "nvidia.com/dynamo-failover-engine-group-member": "true",
				},
				Containers: []string{"main"}, Command: []string{"python3", "-m", "dynamo.vllm"},
				Args: []string{
					"--tensor-parallel-size", "4", "--load-format=gms", "--distributed-executor-backend", "mp", "--nnodes", "2",
					"--master-addr", "$(GROVE_PCSG_NAME)-$(GROVE_PCSG_INDEX)-s-ldr-$(GROVE_PCLQ_POD_INDEX).$(GROVE_HEADLESS_SERVICE)", "--master-port", "29500", "--node-rank", "1", "--headless",
				},
				Env: engineEnv, Probes: []bool{false, false, false}, Resources: memory, Init: []string{"wait-for-leader-mp", "fix-gms-perms"},
				SubPath: rank + "1", HostPath: "/run/gms/inference", RestartPolicy: corev1.RestartPolicyAlways,
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, onePodOf(weightPod(t, tc.body, tc.role, tc.rank))); diff != "" {
				t.Errorf("%s\nBuild(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestWeightServer shows the pod of a weight server: that of the engine, with another program.
func TestWeightServer(t *testing.T) {
	template := weightPod(t, `,"failover":{"enabled":true,"mode":"interPod"},"modelRef":{"name":"m"},"extraPodSpec":{"restartPolicy":"Never",
		"initContainers":[{"name":"download","image":"d"}],"containers":[{"name":"logs","image":"x"}],
		"mainContainer":{"image":"i","imagePullPolicy":"Always","command":["python3","-m","dynamo.vllm"],"args":["--model","m"],"lifecycle":{"preStop":{"exec":{"command":["drain"]}}}}}`,
		backend.RoleWeights, 1)
	mount := corev1.VolumeMount{Name: "gms-shared", MountPath: "/run/gms/shared", SubPathExpr: "$(GROVE_PCSG_NAME)-$(GROVE_PCSG_INDEX)/rank-1"}
	main := template.Spec.Containers[0]
	want := onePod{
		Labels: map[string]string{"role": "weights"}, Containers: []string{"main"},
		Command: []string{"bash", "-c"},
		Args: []string{`rm -f /run/gms/shared/gms_*.sock
rc=1
cleanup() { kill -- -$$ 2>/dev/null; exit "$rc"; }
trap cleanup SIGTERM SIGINT
python3 -m gpu_memory_service.cli.server &
echo "Started GMS server pid=$!"
wait -n
rc=$?
echo "GMS server exited (code=$rc), shutting down"
cleanup`},
		Env: map[string]string{
			"DYN_SYSTEM_USE_ENDPOINT_HEALTH_STATUS": `["generate"]`, "DYN_VLLM_GMS_SHADOW_MODE": "true", "GMS_SOCKET_DIR": "/run/gms/shared",
		},
		Probes: []bool{false, false, true}, Resources: main.Resources.Requests, Init: []string{"fix-gms-perms"},
		SubPath: mount.SubPathExpr, HostPath: "/run/gms/inference", RestartPolicy: corev1.RestartPolicyAlways,
	}
	if diff := cmp.Diff(want, onePodOf(template)); diff != "" {
		t.Errorf("Build(...): -want, +got:\n%s", diff)
	}
	if main.Lifecycle != nil {
		t.Error("the weight server runs the hooks of the engine")
	}
	probe := &corev1.Probe{
		ProbeHandler:  corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: []string{"sh", "-c", "test $(ls /run/gms/shared/gms_*.sock 2>/dev/null | wc -l) -ge 4"}}},
		PeriodSeconds: 2, TimeoutSeconds: 2, FailureThreshold: 150,
	}
	if diff := cmp.Diff(probe, main.StartupProbe); diff != "" {
		t.Errorf("The server has two sockets for each GPU: -want, +got:\n%s", diff)
	}
	root, nobody := int64(0), false
	access := []corev1.Container{{
		Name: "fix-gms-perms", Image: "i", ImagePullPolicy: corev1.PullAlways, Command: []string{"sh", "-c", "chmod 1777 /run/gms/shared"},
		SecurityContext: &corev1.SecurityContext{RunAsUser: &root, RunAsNonRoot: &nobody}, VolumeMounts: []corev1.VolumeMount{mount},
	}}
	if diff := cmp.Diff(access, template.Spec.InitContainers); diff != "" {
		t.Errorf("init containers: -want, +got:\n%s", diff)
	}
	toleration := []corev1.Toleration{{Key: "nvidia.com/gpu", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule}}
	if diff := cmp.Diff(toleration, template.Spec.Tolerations); diff != "" {
		t.Errorf("tolerations: -want, +got:\n%s", diff)
	}
}

func TestWeightsClaim(t *testing.T) {
	s := weightServed(t, "").Component("S")
	want := resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{Requests: []resourcev1.DeviceRequest{{
		Name: "gpu", Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: "gpu.nvidia.com", AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: 2},
	}}}}
	if diff := cmp.Diff(want, WeightsClaim(s)); diff != "" {
		t.Errorf("WeightsClaim(...): -want, +got:\n%s", diff)
	}
}

// TestPoolOfWeightServers shows that an Endpoint Picker only picks engines.
func TestPoolOfWeightServers(t *testing.T) {
	g := decodeComponents(t, `{"Picker":{"componentType":"epp"},"S":{`+betweenPods+`},"Other":{"componentType":"worker"}}`)
	g.RunWeightServers("S")
	b := planned(g, graphplan.Component{Discovery: graphplan.Kubernetes, Framework: "vllm"})
	got := map[string]string{}
	for _, c := range Cliques(g.Component("S")) {
		got[c.Name] = b.Build("S", c.Role, HostsOnGrove(g.Component("S"), 0)).Labels["nvidia.com/dynamo-inference-pool"]
	}
	if diff := cmp.Diff(map[string]string{"s-gms-0": "", "s": "true"}, got); diff != "" {
		t.Errorf("labels of the pool: -want, +got:\n%s", diff)
	}
	delete(g.Components, "Other")
	want := map[string]string{"nvidia.com/dynamo-namespace": "inference-llama", "nvidia.com/dynamo-component-type": "worker", "role": "leader"}
	if diff := cmp.Diff(want, PoolSelectors(g, b.Plan, "Picker")[1]); diff != "" {
		t.Errorf("PoolSelectors(...): -want, +got:\n%s", diff)
	}
}
