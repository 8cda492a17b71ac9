package pod

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	operator "github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/shared"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// standby is the pod of a worker with failover, whose other fields are JSON.
func standby(t *testing.T, body string, role backend.Role, version runtime.Version) corev1.PodTemplateSpec {
	t.Helper()
	worker := fields{
		"componentType": "worker", "resources": fields{"limits": fields{"gpu": "2"}}, "gpuMemoryService": fields{"enabled": true}, "failover": fields{"enabled": true},
	}
	others, ok := parse(t, body).(fields)
	if !ok {
		t.Fatalf("want an object, got %s", body)
	}
	maps.Copy(worker, others)
	g := graphOf(t, fields{"services": fields{"S": worker}}, fields{})
	decision := graphplan.Component{Discovery: "etcd", Framework: "vllm", Executor: string(backend.ExecutorMP), RuntimeVersion: version}
	return planned(g, decision).Build("S", role, backend.GroveHosts{Component: "s"})
}

// seen is what a test shows of a container.
type seen struct {
	Name  string
	Args  []string
	Ports []corev1.ContainerPort

	// Probes are the ports that the probes check.
	Probes []string

	// Own are the variables that one of two engines has to itself.
	Own map[string]string
}

func seenOf(t *testing.T, c *corev1.Container, s string) seen {
	t.Helper()
	out := seen{Name: c.Name, Args: c.Args, Ports: c.Ports}
	for _, probe := range []*corev1.Probe{c.LivenessProbe, c.ReadinessProbe, c.StartupProbe} {
		switch {
		case probe == nil:
		case probe.HTTPGet != nil:
			out.Probes = append(out.Probes, probe.HTTPGet.Path+" "+probe.HTTPGet.Port.String())
		case probe.TCPSocket != nil:
			out.Probes = append(out.Probes, probe.TCPSocket.Port.String())
		default:
			out.Probes = append(out.Probes, "another")
		}
	}
	component := decodeComponent(t, s).Component("S")
	for _, e := range c.Env {
		if IsEngineEnv(component, e.Name) {
			if out.Own == nil {
				out.Own = map[string]string{}
			}
			out.Own[e.Name] = e.Value
		}
	}
	return out
}

func systemPort(number string, at int32) []corev1.ContainerPort {
	return []corev1.ContainerPort{{Name: "system-" + number, ContainerPort: at, Protocol: corev1.ProtocolTCP}}
}

func systemProbesOf(number string) []string {
	return []string{"/live system-" + number, "/health system-" + number, "/live system-" + number}
}

// variables of one of two engines, in addition to those that are the same in all tests.
func variables(id, system, channel, events string, further map[string]string) map[string]string {
	all := map[string]string{
		"ENGINE_ID": id, "CONTAINER_NAME": "engine-" + id, "FAILOVER_LOCK_PATH": "/gms-intrapod-control/failover.lock",
		"DYN_SYSTEM_STARTING_HEALTH_STATUS": "notready", "DYN_SYSTEM_PORT": system, "DYN_SYSTEM_ENABLED": "true",
		"DYN_VLLM_GMS_SHADOW_MODE": "true", "VLLM_NIXL_SIDE_CHANNEL_PORT": channel, "DYN_VLLM_KV_EVENT_PORT": events,
	}
	maps.Copy(all, further)
	return all
}

// TestStandby shows the containers of pods with failover.
func TestStandby(t *testing.T) {
	const (
		main   = `{"extraPodSpec":{"mainContainer":{"image":"i","command":["python3","-m","dynamo.vllm"],"args":["--model","m"]}}}`
		leader = "$(GROVE_PCSG_NAME)-$(GROVE_PCSG_INDEX)-s-ldr-0.$(GROVE_HEADLESS_SERVICE)"
		world  = `{"multinode":{"nodeCount":2},"extraPodSpec":{"mainContainer":{"image":"i","command":["python3","-m","dynamo.vllm"],"args":["--tensor-parallel-size","4"]}}}`
	)
	metrics := func(port string) map[string]string { return map[string]string{"DYN_FORWARDPASS_METRIC_PORT": port} }
	ofNodes := map[string]string{"NNODES": "2"}
	flags := func(port, rank string) []string {
		return []string{"--tensor-parallel-size", "4", "--distributed-executor-backend", "mp", "--nnodes", "2", "--master-addr", leader, "--master-port", port, "--node-rank", rank}
	}
	cases := map[string]struct {
		reason  string
		body    string
		role    backend.Role
		version runtime.Version
		want    []seen
	}{
		"BeforeForwardPassMetrics": {
			reason: "Releases that publish no forward-pass metrics have no port for them, as those of the operator of their time.",
			body:   main, role: backend.RoleMain, version: "1.1.0",
			want: []seen{
				{"engine-0", []string{"--model", "m"}, systemPort("0", 9090), systemProbesOf("0"), variables("0", "9090", "5600", "20080", nil)},
				{"engine-1", []string{"--model", "m", "--master-port", "29600"}, systemPort("1", 9091), systemProbesOf("1"), variables("1", "9091", "5601", "20081", nil)},
			},
		},
		"Leader": {
			reason: "The second engine of the leader waits for its workers on another port.",
			body:   world, role: backend.RoleLeader, version: "1.1.0",
			want: []seen{
				{"engine-0", flags("29500", "0"), systemPort("0", 9090), systemProbesOf("0"), variables("0", "9090", "5600", "20080", ofNodes)},
				{"engine-1", flags("29600", "0"), systemPort("1", 9091), systemProbesOf("1"), variables("1", "9091", "5601", "20081", ofNodes)},
			},
		},
		"Worker": {
			reason: "Each engine of a worker joins the engine of the leader with the same number. Workers have no probes.",
			body: `{"multinode":{"nodeCount":2},"extraPodSpec":{"mainContainer":{"image":"i","command":["sh","-c"],
				"args":["python3 -m dynamo.vllm --tensor-parallel-size 4"]}}}`,
			role: backend.RoleWorker, version: "1.1.0",
			want: []seen{
				{
					"engine-0",
					[]string{"python3 -m dynamo.vllm --distributed-executor-backend mp --nnodes 2 --master-addr " + leader +
						" --master-port 29500 --node-rank $((GROVE_PCLQ_POD_INDEX + 1)) --headless --tensor-parallel-size 4"},
					systemPort("0", 9090), nil, variables("0", "9090", "5600", "20080", ofNodes),
				},
				{
					"engine-1",
					[]string{"python3 -m dynamo.vllm --distributed-executor-backend mp --nnodes 2 --master-addr " + leader +
						" --master-port 29600 --node-rank $((GROVE_PCLQ_POD_INDEX + 1)) --headless --tensor-parallel-size 4"},
					systemPort("1", 9091), nil, variables("1", "9091", "5601", "20081", ofNodes),
				},
			},
		},
		"DataParallel": {
			reason: "Each data-parallel rank adds its number to the ports, so the second engine begins after those of the first.",
			body:   `{"extraPodSpec":{"mainContainer":{"image":"i","command":["python3","-m","dynamo.vllm"],"args":["-dp","2"]}}}`, role: backend.RoleMain,
			want: []seen{
				{"engine-0", []string{"-dp", "2"}, systemPort("0", 9090), systemProbesOf("0"), variables("0", "9090", "5600", "20080", metrics("20380"))},
				{"engine-1", []string{"-dp", "2", "--master-port", "29600"}, systemPort("1", 9091), systemProbesOf("1"), variables("1", "9091", "5602", "20082", metrics("20382"))},
			},
		},
		"OwnSettings": {
			reason: "Ports, and variables on which the lock depends, are not those of the user; probes are, apart from their ports. Other containers stay.",
			body: `{"envs":[{"name":"ENGINE_ID","value":"7"},{"name":"DYN_HEALTH_CHECK_ENABLED","value":"true"},{"name":"VLLM_NIXL_SIDE_CHANNEL_PORT","value":"1"}],
				"extraPodSpec":{"containers":[{"name":"logs","image":"x","ports":[{"name":"system","containerPort":1}]}],
				"mainContainer":{"image":"i","command":["/start.sh"],"ports":[{"name":"system","containerPort":8081}],
				"livenessProbe":{"tcpSocket":{"port":8081}},"readinessProbe":{"exec":{"command":["true"]}},"startupProbe":{"httpGet":{"path":"/up","port":8081}}}}}`,
			role: backend.RoleMain, version: "1.1.0",
			want: []seen{
				{"engine-0", nil, systemPort("0", 9090), []string{"system-0", "another", "/up system-0"}, variables("0", "9090", "5600", "20080", nil)},
				{"engine-1", nil, systemPort("1", 9091), []string{"system-1", "another", "/up system-1"}, variables("1", "9091", "5601", "20081", nil)},
				{Name: "logs", Ports: []corev1.ContainerPort{{Name: "system", ContainerPort: 1}}},
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got []seen
			spec := standby(t, tc.body, tc.role, tc.version).Spec
			for i := range spec.Containers {
				got = append(got, seenOf(t, &spec.Containers[i], tc.body))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nBuild(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestEnginesShareEverythingElse shows that apart from that, the engines of a pod are the same, and how the kubelet can expand variables
// that refer to those of an engine.
func TestEnginesShareEverythingElse(t *testing.T) {
	spec := standby(t, `{"envFromSecret":"token","envs":[{"name":"URL","value":"http://localhost:$(DYN_SYSTEM_PORT)"}],
		"extraPodSpec":{"mainContainer":{"image":"i","command":["python3","-m","dynamo.vllm"],"workingDir":"/work"}}}`, backend.RoleMain, "").Spec
	first, second := spec.Containers[0], spec.Containers[1]
	for _, c := range []*corev1.Container{&first, &second} {
		names := envNames(c.Env)
		if last := names[len(names)-1]; last != "URL" && values(c.Env)["URL"] == "" {
			t.Errorf("container %s has no variable URL: %v", c.Name, names)
		}
		before := map[string]bool{}
		for _, name := range names {
			if name == "URL" && !before["DYN_SYSTEM_PORT"] {
				t.Errorf("container %s: URL is before DYN_SYSTEM_PORT, to which it refers: %v", c.Name, names)
			}
			if before[name] {
				t.Errorf("container %s has variable %s twice, which Grove refuses", c.Name, name)
			}
			before[name] = true
		}
		c.Name, c.Args, c.Ports, c.Env, c.LivenessProbe, c.ReadinessProbe, c.StartupProbe = "", nil, nil, nil, nil, nil, nil
	}
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("engines differ: -first, +second:\n%s", diff)
	}
}

// TestHasStandby shows which components have two engines in a pod, and what their containers are called.
func TestHasStandby(t *testing.T) {
	cases := map[string]struct {
		reason    string
		component string
		want      []string
	}{
		"Off":         {reason: "A service has one engine.", component: `{}`, want: []string{"main"}},
		"Disabled":    {reason: "Failover can be switched off.", component: `{"gpuMemoryService":{"enabled":true},"failover":{"enabled":false}}`, want: []string{"main"}},
		"Alone":       {reason: "Engines cannot share the GPUs without the GPU memory service.", component: `{"failover":{"enabled":true}}`, want: []string{"main"}},
		"BetweenPods": {reason: "Engines in pods of their own are the main containers of those.", component: `{"gpuMemoryService":{"enabled":true,"mode":"interPod"},"failover":{"enabled":true,"mode":"interPod"}}`, want: []string{"main"}},
		"On":          {reason: "The mode is intraPod by default.", component: `{"gpuMemoryService":{"enabled":true},"failover":{"enabled":true}}`, want: []string{"engine-0", "engine-1"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := decodeComponent(t, tc.component).Component("S")
			if diff := cmp.Diff(tc.want, MainContainers(s)); diff != "" {
				t.Errorf("%s\nMainContainers(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestMainOfPod shows which container of a live pod runs its component.
func TestMainOfPod(t *testing.T) {
	cases := map[string]struct {
		reason     string
		containers []string
		want       string
	}{
		"Main":    {reason: "The main container may come after others in pods of the operator.", containers: []string{"logs", "main"}, want: "main"},
		"Engines": {reason: "Of two engines the first one counts.", containers: []string{"engine-0", "engine-1", "logs"}, want: "engine-0"},
		"Beside":  {reason: "A container of the user may be called like an engine.", containers: []string{"engine-0", "main"}, want: "main"},
		"None":    {reason: "Pods of somebody else have neither.", containers: []string{"other"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			spec := &corev1.PodSpec{}
			for _, name := range tc.containers {
				spec.Containers = append(spec.Containers, corev1.Container{Name: name})
			}
			got := ""
			if main := MainOfPod(spec); main != nil {
				got = main.Name
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nMainOfPod(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// enginesOfOperator is the number of pods with two engines that the operator of April 2026 has made.
const enginesOfOperator = 2

// TestEnginesOfOperator compares the engines with those that the operator of April 2026 has made of a manifest, which requests mode interPod:
// that operator took any mode for intraPod. They differ in their commands, because the operator runs them on Ray.
func TestEnginesOfOperator(t *testing.T) {
	cliques := cliquesOfOperator(t, "dynamo-deploy-vllm-operator-samples-dgd-gms-failover.yaml")
	for name, role := range map[string]backend.Role{"agg-ldr": backend.RoleLeader, "agg-wkr": backend.RoleWorker} {
		g := decodeComponent(t, `{"componentType":"worker","resources":{"limits":{"gpu":"1"}},"gpuMemoryService":{"enabled":true},"failover":{"enabled":true},
			"multinode":{"nodeCount":2},"envFromSecret":"hf-token-secret","extraPodSpec":{"mainContainer":{"image":"nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.0",
			"command":["python3","-m","dynamo.vllm"],"args":["--tensor-parallel-size","2"]}}}`)
		decision := graphplan.Component{Discovery: graphplan.Kubernetes, Framework: "vllm", Executor: string(backend.ExecutorRay), RuntimeVersion: "1.1.0"}
		spec := planned(g, decision).Build("S", role, backend.GroveHosts{Component: "agg"}).Spec
		if diff := cmp.Diff(withoutOthers(cliques[name]), withoutOthers(spec.Containers)); diff != "" {
			t.Errorf("%s: -operator, +here:\n%s", name, diff)
		}
	}
}

// cliquesOfOperator are the containers of the cliques that the operator has made of a manifest.
func cliquesOfOperator(t *testing.T, manifest string) map[string][]corev1.Container {
	t.Helper()
	data, err := os.ReadFile(operator.Path(t, enginesOfOperator, "golden", "grove", manifest))
	if err != nil {
		t.Fatal(err)
	}
	containers := map[string][]corev1.Container{}
	for document := range strings.SplitSeq(string(data), "\n---\n") {
		set := &grovev1alpha1.PodCliqueSet{}
		if err := yaml.Unmarshal([]byte(document), set); err != nil {
			t.Fatal(err)
		}
		for _, clique := range set.Spec.Template.Cliques {
			containers[clique.Name] = clique.Spec.PodSpec.Containers
		}
	}
	return containers
}

// withoutOthers are engines without what depends on the graph, on the command, or on the GPU memory service.
func withoutOthers(containers []corev1.Container) []corev1.Container {
	depends := []string{
		gpuMemoryFolderEnv, "DYN_NAMESPACE", "DYN_PARENT_DGD_K8S_NAME", "DYN_PARENT_DGD_K8S_NAMESPACE",
		// Its value is n without quotes in the file, which is a boolean in YAML.
		"NIXL_TELEMETRY_ENABLE",
	}
	all := make([]corev1.Container, 0, len(containers))
	for _, c := range containers {
		c.Command, c.Args, c.Resources = nil, nil, corev1.ResourceRequirements{}
		c.VolumeMounts = slices.DeleteFunc(c.VolumeMounts, func(m corev1.VolumeMount) bool { return m.Name == GPUMemoryVolume })
		c.Env = slices.DeleteFunc(c.Env, func(e corev1.EnvVar) bool { return slices.Contains(depends, e.Name) })
		all = append(all, c)
	}
	return all
}
