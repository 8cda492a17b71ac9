package pod

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// TestMainContainer shows what of the main container is merged how.
func TestMainContainer(t *testing.T) {
	cases := map[string]struct {
		reason string
		body   string
		want   string
	}{
		"NoMainContainer": {
			reason: "Without a main container everything is the component type's.",
			body:   `{"componentType":"frontend"}`,
			want:   `{"name":"main","command":["python3"],"args":["-m","dynamo.frontend"],"ports":[{"name":"http","containerPort":8000,"protocol":"TCP"}]}`,
		},
		"ArgsReplace": {
			reason: "A list of the user's replaces the default as a whole.",
			body:   `{"componentType":"frontend","extraPodSpec":{"mainContainer":{"args":["-m","mine"],"ports":[{"containerPort":1}]}}}`,
			want:   `{"name":"main","command":["python3"],"args":["-m","mine"],"ports":[{"containerPort":1}]}`,
		},
		"Flags": {
			reason: "Args that are flags are those of the frontend; python would not know them.",
			body:   `{"componentType":"frontend","extraPodSpec":{"mainContainer":{"args":["--router-mode","kv"],"ports":[]}}}`,
			want:   `{"name":"main","command":["python3","-m","dynamo.frontend"],"args":["--router-mode","kv"]}`,
		},
		"CommandWithoutArgs": {
			reason: "The default args belong to the default command: here they would be taken for arguments of dynamo.frontend.",
			body:   `{"componentType":"frontend","extraPodSpec":{"mainContainer":{"command":["python3","-m","dynamo.frontend"]}}}`,
			want:   `{"name":"main","command":["python3","-m","dynamo.frontend"],"ports":[{"name":"http","containerPort":8000,"protocol":"TCP"}]}`,
		},
		"EmptyLists": {
			reason: "An empty list takes the default away; that is how a user gets the image's own entrypoint.",
			body:   `{"componentType":"frontend","extraPodSpec":{"mainContainer":{"command":[],"args":[],"ports":[]}}}`,
			want:   `{"name":"main"}`,
		},
		"CommandOfTheEndpointPicker": {
			reason: "The Endpoint Picker has args and no command of its own: its args stay after the user's command.",
			body:   `{"componentType":"epp","eppConfig":{"configMapRef":{"name":"epp","key":"k"}},"extraPodSpec":{"mainContainer":{"command":["/epp"],"ports":[]}}}`,
			want: `{"name":"main","command":["/epp"],"args":["--pool-name","llama-pool","--pool-namespace","inference",
				"--pool-group","inference.networking.k8s.io","-v","4","--zap-encoder","json","--grpc-port","9002","--grpc-health-port","9003",
				"--config-file","/etc/epp/epp-config-dynamo.yaml"]}`,
		},
		"NameIsFixed": {
			reason: "The name of the main container is what others look for.",
			body:   `{"extraPodSpec":{"mainContainer":{"name":"mine","workingDir":"/w","imagePullPolicy":"Always","tty":true}}}`,
			want:   `{"name":"main","command":["/bin/sh","-c"],"workingDir":"/w","imagePullPolicy":"Always","tty":true}`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			container := main(templateOf(t, tc.body))
			container.Env, container.VolumeMounts = nil, nil
			container.LivenessProbe, container.ReadinessProbe, container.StartupProbe = nil, nil, nil
			got, ok := tree(t, container).(map[string]any)
			if !ok {
				t.Fatal("a container must be an object")
			}
			delete(got, "resources")
			if diff := cmp.Diff(parse(t, tc.want), any(got)); diff != "" {
				t.Errorf("%s\nmain container: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestDefaultCommandOfWorkers shows what a worker runs whose command the user leaves out.
func TestDefaultCommand(t *testing.T) {
	cases := map[string]struct {
		reason    string
		framework v1alpha1.BackendFramework
		body      string
		command   []string
		args      []string
	}{
		"Framework": {
			reason:    "The module of the framework runs.",
			framework: v1alpha1.BackendVLLM,
			body:      `{"componentType":"worker"}`,
			command:   []string{"python3", "-m", "dynamo.vllm"},
		},
		"Flags": {
			reason:    "Args that are flags are those of the module.",
			framework: v1alpha1.BackendSGLang,
			body:      `{"componentType":"decode","extraPodSpec":{"mainContainer":{"args":["--model-path","m"]}}}`,
			command:   []string{"python3", "-m", "dynamo.sglang"},
			args:      []string{"--model-path", "m"},
		},
		"Script": {
			reason:    "Other args are the script of a shell.",
			framework: v1alpha1.BackendTRTLLM,
			body:      `{"componentType":"prefill","extraPodSpec":{"mainContainer":{"args":["run.sh --fast"]}}}`,
			command:   []string{"/bin/sh", "-c"},
			args:      []string{"run.sh --fast"},
		},
		"Program": {
			reason:    "The entry point of the image runs args that begin with a program, which a shell would run without arguments.",
			framework: v1alpha1.BackendVLLM,
			body:      `{"componentType":"worker","extraPodSpec":{"mainContainer":{"args":["python3","-m","dynamo.vllm","--model","m"]}}}`,
			args:      []string{"python3", "-m", "dynamo.vllm", "--model", "m"},
		},
		"ProgramOfPlanner": {
			reason: "Other components than workers have a shell as their default too.",
			body:   `{"componentType":"planner","extraPodSpec":{"mainContainer":{"args":["python3","-m","dynamo.planner"]}}}`,
			args:   []string{"python3", "-m", "dynamo.planner"},
		},
		"ProgramWithoutType": {
			reason: "Components without a type do the same.",
			body:   `{"extraPodSpec":{"mainContainer":{"args":["dynamo","serve","graphs.agg:Frontend"]}}}`,
			args:   []string{"dynamo", "serve", "graphs.agg:Frontend"},
		},
		"ProgramOfFrontend": {
			reason: "Python cannot run another program.",
			body:   `{"componentType":"frontend","extraPodSpec":{"mainContainer":{"args":["python3","-m","dynamo.frontend"]}}}`,
			args:   []string{"python3", "-m", "dynamo.frontend"},
		},
		"FileOfFrontend": {
			reason:  "Python, which is the default command of frontends, runs a file.",
			body:    `{"componentType":"frontend","extraPodSpec":{"mainContainer":{"args":["frontend.py","--port","8000"]}}}`,
			command: []string{"python3"},
			args:    []string{"frontend.py", "--port", "8000"},
		},
		"ModuleOfFrontend": {
			reason:  "Python runs a module.",
			body:    `{"componentType":"frontend","extraPodSpec":{"mainContainer":{"args":["-m","dynamo.frontend","--http-port","8000"]}}}`,
			command: []string{"python3"},
			args:    []string{"-m", "dynamo.frontend", "--http-port", "8000"},
		},
		"Module": {
			reason:    "A module needs python, and not a shell.",
			framework: v1alpha1.BackendVLLM,
			body:      `{"componentType":"worker","extraPodSpec":{"mainContainer":{"args":["-m","dynamo.vllm","--model","m"]}}}`,
			command:   []string{"python3"},
			args:      []string{"-m", "dynamo.vllm", "--model", "m"},
		},
		"ProgramOfPicker": {
			reason: "The entry point of an Endpoint Picker runs in any case.",
			body:   `{"componentType":"epp","extraPodSpec":{"mainContainer":{"args":["/epp","--v=4"]}}}`,
			args:   []string{"/epp", "--v=4"},
		},
		"EntryPoint": {
			reason:    "An empty command is the entry point of the image, whatever the framework is.",
			framework: v1alpha1.BackendVLLM,
			body:      `{"componentType":"worker","extraPodSpec":{"mainContainer":{"command":[]}}}`,
			command:   []string{},
		},
		"NoWorker": {
			reason:    "Only a worker runs the engine.",
			framework: v1alpha1.BackendVLLM,
			body:      `{"componentType":"planner"}`,
			command:   []string{"/bin/sh", "-c"},
		},
		"NoFramework": {
			reason:  "Nothing says which engine runs.",
			body:    `{"componentType":"worker"}`,
			command: []string{"/bin/sh", "-c"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			builder := planned(decodeComponent(t, tc.body), graphplan.Component{Framework: tc.framework, Discovery: "etcd"})
			got := main(builder.Build("S", backend.RoleMain, nil))
			if diff := cmp.Diff([][]string{tc.command, tc.args}, [][]string{got.Command, got.Args}); diff != "" {
				t.Errorf("%s\ncommand and args: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestProgramOverNodes shows that the entry point of the image, which is the default for args that begin with a program, also runs the engine
// of several nodes.
func TestProgramOverNodes(t *testing.T) {
	cases := map[string]struct {
		reason   string
		decision graphplan.Component
		args     []any
		leader   []string
		worker   []string
	}{
		"VLLM": {
			reason:   "Flags with values that only a shell can compute need one, which the entry point runs.",
			decision: graphplan.Component{Framework: v1alpha1.BackendVLLM, Executor: "mp"},
			args:     []any{"python3", "-m", "dynamo.vllm", "--tensor-parallel-size", "16"},
			leader: []string{
				"python3", "-m", "dynamo.vllm", "--tensor-parallel-size", "16", "--distributed-executor-backend", "mp", "--nnodes", "2", "--master-addr",
				"$(GROVE_PCSG_NAME)-$(GROVE_PCSG_INDEX)-s-ldr-0.$(GROVE_HEADLESS_SERVICE)", "--master-port", "29500", "--node-rank", "0",
			},
			worker: []string{
				"sh", "-c", "exec python3 -m dynamo.vllm --tensor-parallel-size 16 --distributed-executor-backend mp --nnodes 2 --master-addr " +
					"$(GROVE_PCSG_NAME)-$(GROVE_PCSG_INDEX)-s-ldr-0.$(GROVE_HEADLESS_SERVICE) --master-port 29500 --node-rank $((GROVE_PCLQ_POD_INDEX + 1)) --headless",
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := planned(graphOf(t, fields{"services": fields{"S": fields{
				"componentType": "worker", "multinode": fields{"nodeCount": 2}, "resources": fields{"limits": fields{"gpu": "8"}},
				"extraPodSpec": fields{"mainContainer": fields{"image": "i", "args": tc.args}},
			}}}, fields{}), tc.decision)
			leader, worker := main(b.Build("S", backend.RoleLeader, backend.GroveHosts{Component: "s"})), main(b.Build("S", backend.RoleWorker, backend.GroveHosts{Component: "s"}))
			if len(leader.Command)+len(worker.Command) > 0 {
				t.Errorf("%s\ncommands: want the entry point of the image, got %q and %q", tc.reason, leader.Command, worker.Command)
			}
			if diff := cmp.Diff([][]string{tc.leader, tc.worker}, [][]string{leader.Args, worker.Args}); diff != "" {
				t.Errorf("%s\nargs of leader and worker: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestAwaitRay shows which pods of an engine on Ray wait for the head of its cluster, after the init containers of the user.
func TestAwaitRay(t *testing.T) {
	const own, join = "own", "ray start --address=$(GROVE_PCSG_NAME)-$(GROVE_PCSG_INDEX)-s-ldr-0.$(GROVE_HEADLESS_SERVICE):6379 --block"
	cases := map[string]struct {
		reason  string
		version runtime.Version
		role    backend.Role
		script  string
		want    []string
	}{
		"Worker":  {reason: "A worker waits.", version: "1.6.0", role: backend.RoleWorker, want: []string{own, "wait-for-ray-head"}},
		"Leader":  {reason: "The leader is the head.", version: "1.6.0", role: backend.RoleLeader, want: []string{own}},
		"Earlier": {reason: "Pods of earlier releases stay as they are.", version: "1.5.1", role: backend.RoleWorker, want: []string{own}},
		"Same":    {reason: "A user who joins the cluster by the same command does so alone.", version: "1.6.0", role: backend.RoleWorker, script: join, want: []string{own}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			container := fields{"image": "i", "args": []any{"python3", "-m", "dynamo.vllm", "-tp", "16"}}
			if tc.script != "" {
				container = fields{"image": "i", "command": []any{"/bin/sh", "-c"}, "args": []any{tc.script}}
			}
			b := planned(graphOf(t, fields{"services": fields{"S": fields{
				"componentType": "worker", "multinode": fields{"nodeCount": 2}, "resources": fields{"limits": fields{"gpu": "8"}},
				"extraPodSpec": fields{"mainContainer": container, "initContainers": []any{fields{"name": own}}},
			}}}, fields{}), graphplan.Component{Framework: "vllm", Executor: "ray", RuntimeVersion: tc.version})
			var got []string
			for _, init := range b.Build("S", tc.role, backend.GroveHosts{Component: "s"}).Spec.InitContainers {
				got = append(got, init.Name)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nBuild(...): init containers: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestPodSpec shows what of the pod's own fields is merged how.
func TestPodSpec(t *testing.T) {
	cases := map[string]struct {
		reason string
		body   string
		want   string
	}{
		"Defaults": {
			reason: "A pod has a group that may write to volumes, and a minute to end.",
			body:   `{}`,
			want:   `{"restartPolicy":"Always","terminationGracePeriodSeconds":60,"securityContext":{"fsGroup":1000}}`,
		},
		"AsGiven": {
			reason: "What the user writes goes through.",
			body: `{"extraPodSpec":{"nodeSelector":{"a":"b"},"tolerations":[{"operator":"Exists"}],"imagePullSecrets":[{"name":"pull"}],
				"priorityClassName":"high","schedulerName":"mine","hostIPC":true,"restartPolicy":"OnFailure"}}`,
			want: `{"restartPolicy":"OnFailure","terminationGracePeriodSeconds":60,"securityContext":{"fsGroup":1000},"nodeSelector":{"a":"b"},
				"tolerations":[{"operator":"Exists"}],"imagePullSecrets":[{"name":"pull"}],"priorityClassName":"high","schedulerName":"mine","hostIPC":true}`,
		},
		"ExplicitZeroAndEmpty": {
			reason: "An explicit zero and an empty object are settings too.",
			body:   `{"extraPodSpec":{"terminationGracePeriodSeconds":0,"securityContext":{}}}`,
			want:   `{"restartPolicy":"Always","terminationGracePeriodSeconds":0,"securityContext":{}}`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, ok := tree(t, templateOf(t, tc.body).Spec).(map[string]any)
			if !ok {
				t.Fatal("a pod spec must be an object")
			}
			delete(got, "containers")
			delete(got, "volumes")
			if diff := cmp.Diff(parse(t, tc.want), any(got)); diff != "" {
				t.Errorf("%s\npod spec: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestServiceAccount(t *testing.T) {
	cases := map[string]struct {
		reason    string
		body      string
		discovery string
		want      string
	}{
		"Discovery":        {reason: "Kubernetes discovery needs an account that may watch pods.", body: `{}`, discovery: graphplan.Kubernetes, want: "llama-k8s-service-discovery"},
		"Etcd":             {reason: "With etcd the namespace's default account will do.", body: `{}`, discovery: "etcd", want: ""},
		"Users":            {reason: "The user's account wins.", body: `{"extraPodSpec":{"serviceAccountName":"mine"}}`, discovery: graphplan.Kubernetes, want: "mine"},
		"UsersDeprecated":  {reason: "The user's account also wins under the field's deprecated name, which the API server would otherwise ignore.", body: `{"extraPodSpec":{"serviceAccount":"mine"}}`, discovery: graphplan.Kubernetes, want: "mine"},
		"Planner":          {reason: "The planner has an account of its own, whatever discovers it.", body: `{"componentType":"planner"}`, discovery: "etcd", want: "llama-planner"},
		"UsersOverPlanner": {reason: "The user's account wins over the planner's.", body: `{"componentType":"planner","extraPodSpec":{"serviceAccountName":"mine"}}`, discovery: graphplan.Kubernetes, want: "mine"},
		"EPP":              {reason: "The Endpoint Picker has an account of its own, whatever discovers it.", body: `{"componentType":"epp"}`, discovery: graphplan.Kubernetes, want: "llama-epp"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := planned(decodeComponent(t, tc.body), graphplan.Component{Discovery: tc.discovery})
			if got := b.Build("S", backend.RoleMain, nil).Spec.ServiceAccountName; got != tc.want {
				t.Errorf("%s\nserviceAccountName: want %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}

// TestContainerOrder shows that the main container is first: tools that know of one container take the first.
func TestContainerOrder(t *testing.T) {
	template := templateOf(t, `{"frontendSidecar":{"image":"f"},
		"extraPodSpec":{"containers":[{"name":"log"},{"name":"proxy"}],"initContainers":[{"name":"init"}],"mainContainer":{"image":"i"}}}`)
	var got []string
	for _, c := range template.Spec.Containers {
		got = append(got, c.Name)
	}
	if diff := cmp.Diff([]string{"main", "log", "proxy", "sidecar-frontend"}, got); diff != "" {
		t.Errorf("containers: -want, +got:\n%s", diff)
	}
	if len(template.Spec.InitContainers) != 1 {
		t.Errorf("want the user's init container, got %d", len(template.Spec.InitContainers))
	}
}

// TestBuildLeavesTheGraphAlone builds twice: what one build changes must not show in the next.
func TestBuildLeavesTheGraphAlone(t *testing.T) {
	b := onKubernetes(t, `{"labels":{"l":"graph"},"annotations":{"a":"graph"},"services":{"S":{
		"componentType":"worker","multinode":{"nodeCount":2},"resources":{"limits":{"gpu":"8"},"claims":[{"name":"c"}]},"envFromSecret":"token",
		"volumeMounts":[{"name":"cache","mountPoint":"/cache"}],"extraPodMetadata":{"labels":{"x":"y"}},"frontendSidecar":{"image":"f"},
		"extraPodSpec":{"volumes":[{"name":"v","emptyDir":{}}],"containers":[{"name":"log"}],
			"mainContainer":{"image":"i","command":["python3"],"args":["-m","dynamo.sglang"],"env":[{"name":"A"}],"envFrom":[{"configMapRef":{"name":"c"}}],
				"volumeMounts":[{"name":"v","mountPath":"/v"}],"resources":{"limits":{"cpu":"1"}},"livenessProbe":{"failureThreshold":9}}}}}}`)
	b.Plan.Components["S"] = graphplan.Component{Framework: v1alpha1.BackendSGLang, Discovery: graphplan.Kubernetes}
	hosts := backend.GroveHosts{Component: "s"}
	first := tree(t, b.Build("S", backend.RoleLeader, hosts))
	b.Build("S", backend.RoleWorker, hosts)
	if diff := cmp.Diff(first, tree(t, b.Build("S", backend.RoleLeader, hosts))); diff != "" {
		t.Errorf("Build(...) again: -first, +again:\n%s", diff)
	}
}

// TestClaimedGPUs shows that engines whose sizes fill their nodes run with claims as they do with as many GPUs in numbers.
func TestClaimedGPUs(t *testing.T) {
	sizes := map[string][]any{
		"Tensor": {"--tensor-parallel-size", "16"}, "Data": {"--tensor-parallel-size", "8", "--data-parallel-size", "2"},
		"InVariable": {"--tensor-parallel-size", "$(SIZE)"},
	}
	for name, args := range sizes {
		for _, decision := range []graphplan.Component{
			{Framework: v1alpha1.BackendVLLM, Executor: "mp"}, {Framework: v1alpha1.BackendVLLM, Executor: "ray"}, {Framework: v1alpha1.BackendSGLang}, {Framework: v1alpha1.BackendTRTLLM},
		} {
			t.Run(name+string(decision.Framework)+decision.Executor, func(t *testing.T) {
				commands := func(resources fields) (all [][]string) {
					b := planned(graphOf(t, fields{"envs": []any{fields{"name": "SIZE", "value": "16"}}, "services": fields{"S": fields{
						"componentType": "worker", "multinode": fields{"nodeCount": 2},
						"extraPodSpec": fields{"mainContainer": fields{
							"image": "i", "command": []any{"python3", "-m", "dynamo." + string(decision.Framework)}, "args": args, "resources": resources,
						}},
					}}}, fields{}), decision)
					for _, role := range []backend.Role{backend.RoleLeader, backend.RoleWorker} {
						container := main(b.Build("S", role, backend.GroveHosts{Component: "s"}))
						all = append(all, container.Command, container.Args)
					}
					return all
				}
				numbered, claimed := commands(fields{"limits": fields{"nvidia.com/gpu": "8"}}), commands(fields{"claims": []any{fields{"name": "gpus"}}})
				if diff := cmp.Diff(numbered, claimed); diff != "" {
					t.Errorf("commands: -with a number, +with a claim:\n%s", diff)
				}
			})
		}
	}
}

func TestBackendSettings(t *testing.T) {
	cases := map[string]struct {
		reason      string
		annotations string
		secret      string
	}{
		"OwnSecret":   {reason: "The Secret of the key pair is the graph's.", annotations: `{}`, secret: "mpirun-ssh-key-llama"},
		"UsersSecret": {reason: "The Secret of the key pair is the user's when the user brings one.", annotations: `{"nvidia.com/mpi-ssh-secret":"mine"}`, secret: "mine"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := planned(decode(t, `{"services":{"S":{"componentType":"worker","multinode":{"nodeCount":4},
				"resources":{"requests":{"gpu":"4"},"limits":{"gpu":"8"}}}}}`, tc.annotations),
				graphplan.Component{Framework: v1alpha1.BackendVLLM, Executor: "mp"})
			hosts := backend.GroveHosts{Component: "s"}
			want := backend.Settings{
				Framework: v1alpha1.BackendVLLM, Role: backend.RoleWorker, NodeCount: 4, Hosts: hosts, Executor: backend.ExecutorMP,
				GPULimit: 8, GPURequest: 4, WaitScriptConfigMap: "llama-wait-leader-script", SSHSecret: tc.secret,
			}
			if diff := cmp.Diff(want, b.BackendSettings("S", backend.RoleWorker, hosts), cmpopts.IgnoreFields(backend.Settings{}, "Texts")); diff != "" {
				t.Errorf("%s\nBackendSettings(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
