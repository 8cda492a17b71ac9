package pod

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

func TestProbes(t *testing.T) {
	const worker = `{"httpGet":{"path":"/live","port":"system"},"periodSeconds":5,"timeoutSeconds":4,"failureThreshold":1}`
	cases := map[string]struct {
		reason string
		body   string
		want   string
	}{
		"Default": {
			reason: "Without a word of the user's the probe is the component type's.",
			body:   `{"componentType":"worker"}`,
			want:   worker,
		},
		"ExplicitZero": {
			reason: "A zero that the user writes takes the default's value away.",
			body:   `{"componentType":"frontend","extraPodSpec":{"mainContainer":{"livenessProbe":{"initialDelaySeconds":0}}}}`,
			want:   `{"httpGet":{"path":"/live","port":"http"},"periodSeconds":10,"timeoutSeconds":1,"failureThreshold":3}`,
		},
		"EveryTiming": {
			reason: "Each timing can be set.",
			body: `{"componentType":"worker","extraPodSpec":{"mainContainer":{"livenessProbe":{"initialDelaySeconds":1,"periodSeconds":2,
				"timeoutSeconds":3,"successThreshold":1,"failureThreshold":4,"terminationGracePeriodSeconds":5}}}}`,
			want: `{"httpGet":{"path":"/live","port":"system"},"initialDelaySeconds":1,"periodSeconds":2,"timeoutSeconds":3,"successThreshold":1,"failureThreshold":4,
				"terminationGracePeriodSeconds":5}`,
		},
		"ExecReplacesHTTP": {
			reason: "A probe with a handler replaces the default as a whole: its timings belong to its check.",
			body:   `{"componentType":"worker","extraPodSpec":{"mainContainer":{"livenessProbe":{"exec":{"command":["true"]}}}}}`,
			want:   `{"exec":{"command":["true"]}}`,
		},
		"HTTPReplacesHTTP": {
			reason: "A probe with the same kind of handler replaces the default as a whole too.",
			body:   `{"componentType":"worker","extraPodSpec":{"mainContainer":{"livenessProbe":{"httpGet":{"path":"/x","port":1},"periodSeconds":3}}}}`,
			want:   `{"httpGet":{"path":"/x","port":1},"periodSeconds":3}`,
		},
		"MainContainerReplacesService": {
			reason: "The probe of the main container replaces that of the service as a whole: merged, they could have two handlers.",
			body: `{"componentType":"worker","livenessProbe":{"tcpSocket":{"port":1},"periodSeconds":7},
				"extraPodSpec":{"mainContainer":{"livenessProbe":{"exec":{"command":["true"]}}}}}`,
			want: `{"exec":{"command":["true"]}}`,
		},
		"MainContainerChangesService": {
			reason: "A probe of the main container without a handler changes that of the service.",
			body: `{"componentType":"worker","livenessProbe":{"tcpSocket":{"port":1},"periodSeconds":7},
				"extraPodSpec":{"mainContainer":{"livenessProbe":{"failureThreshold":9}}}}`,
			want: `{"tcpSocket":{"port":1},"periodSeconds":7,"failureThreshold":9}`,
		},
		"ServiceReplacesDefault": {
			reason: "The probe of the service replaces the default as a whole.",
			body:   `{"componentType":"worker","livenessProbe":{"tcpSocket":{"port":1},"periodSeconds":7}}`,
			want:   `{"tcpSocket":{"port":1},"periodSeconds":7}`,
		},
		"NoDefault": {
			reason: "Where the component type has no probe the user's is all.",
			body:   `{"extraPodSpec":{"mainContainer":{"livenessProbe":{"exec":{"command":["true"]},"periodSeconds":3}}}}`,
			want:   `{"exec":{"command":["true"]},"periodSeconds":3}`,
		},
		"Null": {
			reason: "A null is no probe of the user's.",
			body:   `{"componentType":"worker","extraPodSpec":{"mainContainer":{"livenessProbe":null}}}`,
			want:   worker,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(parse(t, tc.want), tree(t, main(templateOf(t, tc.body)).LivenessProbe)); diff != "" {
				t.Errorf("%s\nlivenessProbe: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestProbesOfNodes shows which nodes of a program that is no engine are probed.
func TestProbesOfNodes(t *testing.T) {
	const none = `{"liveness":null,"readiness":null,"startup":null}`
	const worker = `{"liveness":{"httpGet":{"path":"/live","port":"system"},"periodSeconds":5,"timeoutSeconds":4,"failureThreshold":1},
		"readiness":{"httpGet":{"path":"/health","port":"system"},"periodSeconds":10,"timeoutSeconds":4,"failureThreshold":3},
		"startup":{"httpGet":{"path":"/live","port":"system"},"periodSeconds":10,"timeoutSeconds":5,"failureThreshold":720}}`
	const own = `{"componentType":"worker","multinode":{"nodeCount":2},"extraPodSpec":{"mainContainer":{"command":["/opt/engine/serve"]}}}`
	mocker := `{"componentType":"worker","multinode":{"nodeCount":2},"extraPodSpec":{"mainContainer":{"command":["python3","-m","dynamo.mocker"]}}}`
	cases := map[string]struct {
		reason string
		body   string
		role   backend.Role
		want   string
	}{
		"Leader": {reason: "The first node of a program of the user is what Dynamo discovers, so it is probed like every worker.", body: own, role: backend.RoleLeader, want: worker},
		"Worker": {reason: "Nothing says that the other nodes serve the system port, and a probe of it would end them.", body: own, role: backend.RoleWorker, want: none},
		"WorkerWithTimings": {
			reason: "Timings of the user are those of the default check.", role: backend.RoleWorker, want: none,
			body: `{"componentType":"worker","multinode":{"nodeCount":2},"extraPodSpec":{"mainContainer":{"command":["/opt/engine/serve"],
				"startupProbe":{"failureThreshold":9},"livenessProbe":{"failureThreshold":9},"readinessProbe":{"failureThreshold":9}}}}`,
		},
		"WorkerWithChecks": {
			reason: "What the user checks, the user checks on each node.", role: backend.RoleWorker,
			body: `{"componentType":"worker","multinode":{"nodeCount":2},"extraPodSpec":{"mainContainer":{"command":["/opt/engine/serve"],
				"livenessProbe":{"exec":{"command":["alive"]}},"readinessProbe":{"exec":{"command":["ready"]}},"startupProbe":{"exec":{"command":["up"]}}}}}`,
			want: `{"liveness":{"exec":{"command":["alive"]}},"readiness":{"exec":{"command":["ready"]}},"startup":{"exec":{"command":["up"]}}}`,
		},
		"Mocker": {reason: "Each node that runs the mocker serves the system port.", body: mocker, role: backend.RoleWorker, want: worker},
		"OtherType": {
			reason: "Each node of a service that is no worker is probed.", role: backend.RoleWorker,
			body: `{"componentType":"planner","multinode":{"nodeCount":2},"extraPodSpec":{"mainContainer":{"command":["plan"]}}}`, want: worker,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := planned(decodeComponent(t, tc.body), graphplan.Component{Discovery: "etcd"})
			container := main(b.Build("S", tc.role, backend.GroveHosts{Component: "s"}))
			got := map[string]any{
				"liveness": tree(t, container.LivenessProbe), "readiness": tree(t, container.ReadinessProbe), "startup": tree(t, container.StartupProbe),
			}
			if diff := cmp.Diff(parse(t, tc.want), any(got)); diff != "" {
				t.Errorf("%s\nprobes: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestMockerOnNodes shows that flags of the graph's framework are for its engine only: the mocker exits if it gets them.
func TestMockerOnNodes(t *testing.T) {
	body := `{"componentType":"worker","multinode":{"nodeCount":2},"resources":{"limits":{"gpu":"8"}},
		"extraPodSpec":{"mainContainer":{"command":["python3","-m","dynamo.mocker"],"args":["--model-path","m"]}}}`
	for _, framework := range []v1alpha1.BackendFramework{v1alpha1.BackendSGLang, v1alpha1.BackendTRTLLM, v1alpha1.BackendVLLM} {
		for _, role := range []backend.Role{backend.RoleLeader, backend.RoleWorker} {
			b := planned(decodeComponent(t, body), graphplan.Component{Discovery: "etcd", Framework: framework, Executor: "mp"})
			pod := b.Build("S", role, backend.LWSHosts{})
			if diff := cmp.Diff([]string{"python3", "-m", "dynamo.mocker", "--model-path", "m"}, slices.Concat(main(pod).Command, main(pod).Args)); diff != "" {
				t.Errorf("%s of %s: the command: -want, +got:\n%s", role, framework, diff)
			}
			if len(pod.Spec.InitContainers) > 0 || len(pod.Spec.Volumes) != 1 {
				t.Errorf("%s of %s: want no more than shared memory, got init containers %v and volumes %v", role, framework, pod.Spec.InitContainers, pod.Spec.Volumes)
			}
		}
	}
}

func TestOtherProbes(t *testing.T) {
	cases := map[string]struct {
		reason string
		body   string
		want   string
	}{
		"StartupReplaces": {
			reason: "A startup probe of the main container is a replacement: its budget belongs to its handler.",
			body:   `{"componentType":"worker","extraPodSpec":{"mainContainer":{"startupProbe":{"tcpSocket":{"port":1}}}}}`,
			want: `{"readiness":{"httpGet":{"path":"/health","port":"system"},"periodSeconds":10,"timeoutSeconds":4,"failureThreshold":3},
				"startup":{"tcpSocket":{"port":1}}}`,
		},
		"StartupMergesTimings": {
			reason: "A startup probe without a handler is the default one with other timings: a probe that asks nothing is refused by the API server.",
			body:   `{"componentType":"worker","extraPodSpec":{"mainContainer":{"startupProbe":{"initialDelaySeconds":180}}}}`,
			want: `{"readiness":{"httpGet":{"path":"/health","port":"system"},"periodSeconds":10,"timeoutSeconds":4,"failureThreshold":3},
				"startup":{"httpGet":{"path":"/live","port":"system"},"initialDelaySeconds":180,"periodSeconds":10,"timeoutSeconds":5,"failureThreshold":720}}`,
		},
		"PortNotNamed": {
			reason: "Where the user's ports replace those that the probes name, the probes ask for the number.",
			body:   `{"componentType":"planner","extraPodSpec":{"mainContainer":{"ports":[{"name":"metrics","containerPort":9085}]}}}`,
			want: `{"readiness":{"httpGet":{"path":"/health","port":9090},"periodSeconds":10,"timeoutSeconds":4,"failureThreshold":3},
				"startup":{"httpGet":{"path":"/live","port":9090},"periodSeconds":10,"timeoutSeconds":5,"failureThreshold":720}}`,
		},
		"PortNamed": {
			reason: "A port of the user's that has the name is the one that is meant.",
			body:   `{"componentType":"frontend","extraPodSpec":{"mainContainer":{"ports":[{"name":"http","containerPort":8080}]}}}`,
			want:   `{"readiness":{"httpGet":{"path":"/health","port":"http"},"initialDelaySeconds":10,"periodSeconds":10,"timeoutSeconds":3,"failureThreshold":3},"startup":null}`,
		},
		"ReadinessMerges": {
			reason: "A readiness probe merges like a liveness probe.",
			body:   `{"componentType":"frontend","extraPodSpec":{"mainContainer":{"readinessProbe":{"timeoutSeconds":7}}}}`,
			want: `{"readiness":{"httpGet":{"path":"/health","port":"http"},"initialDelaySeconds":10,"periodSeconds":10,"timeoutSeconds":7,"failureThreshold":3},
				"startup":null}`,
		},
		"ReadinessOfTheServiceReplaces": {
			reason: "A readiness probe of the service replaces the default one.",
			body:   `{"componentType":"frontend","readinessProbe":{"tcpSocket":{"port":8000}}}`,
			want:   `{"readiness":{"tcpSocket":{"port":8000}},"startup":null}`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			container := main(templateOf(t, tc.body))
			got := map[string]any{"readiness": tree(t, container.ReadinessProbe), "startup": tree(t, container.StartupProbe)}
			if diff := cmp.Diff(parse(t, tc.want), any(got)); diff != "" {
				t.Errorf("%s\nprobes: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestSystemPort shows that the default port, and the probes that check it by its name, are where the program answers.
func TestSystemPort(t *testing.T) {
	cases := map[string]struct {
		reason string
		spec   string
		want   int32
	}{
		"Default": {reason: "Without a variable the port is the default.", spec: `{"services":{"S":{"componentType":"worker"}}}`, want: 9090},
		"Own":     {reason: "The variable of the service takes precedence over that of the graph.", spec: `{"envs":[{"name":"DYN_SYSTEM_PORT","value":"1"}],"services":{"S":{"componentType":"worker","envs":[{"name":"DYN_SYSTEM_PORT","value":"8081"}]}}}`, want: 8081},
		"Planner": {reason: "Planners have the same server.", spec: `{"envs":[{"name":"DYN_SYSTEM_PORT","value":"8081"}],"services":{"S":{"componentType":"planner"}}}`, want: 8081},
		"NoPort":  {reason: "What is no port is a warning elsewhere.", spec: `{"services":{"S":{"componentType":"worker","envs":[{"name":"DYN_SYSTEM_PORT","value":"70000"}]}}}`, want: 9090},
		"Unknown": {reason: "A value that is not in the graph may be any port.", spec: `{"services":{"S":{"componentType":"worker","envs":[{"name":"DYN_SYSTEM_PORT","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}}]}}}`, want: 9090},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			container := main(onKubernetes(t, tc.spec).Build("S", backend.RoleMain, nil))
			i := slices.IndexFunc(container.Ports, func(p corev1.ContainerPort) bool { return p.Name == "system" })
			if got := container.Ports[i].ContainerPort; got != tc.want || container.LivenessProbe.HTTPGet.Port.StrVal != "system" {
				t.Errorf("%s\nwant port %d, got %d and probe %v", tc.reason, tc.want, got, container.LivenessProbe.HTTPGet.Port)
			}
		})
	}
}
