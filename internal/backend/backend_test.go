package backend

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/engine"
)

func probe(path string) *corev1.Probe {
	return &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: path, Port: intstr.FromString("system")}}}
}

// engineContainer is a main container with all fields that a backend can change.
func engineContainer(command, args []string, change ...func(*corev1.Container)) *corev1.Container {
	c := &corev1.Container{
		Name: "main", Image: "engine:1", ImagePullPolicy: corev1.PullAlways, Command: command, Args: args,
		Env:           []corev1.EnvVar{{Name: "A", Value: "1"}},
		VolumeMounts:  []corev1.VolumeMount{{Name: "models", MountPath: "/models"}},
		LivenessProbe: probe("/live"), ReadinessProbe: probe("/health"), StartupProbe: probe("/live"),
	}
	for _, f := range change {
		f(c)
	}
	return c
}

func withoutProbes(c *corev1.Container) { removeProbes(c) }

func withClaim(c *corev1.Container) { c.Resources.Claims = []corev1.ResourceClaim{{Name: "gpus"}} }

// withAddress of the pod in a variable.
func withAddress(name string) func(*corev1.Container) {
	return func(c *corev1.Container) {
		c.Env = append(c.Env, corev1.EnvVar{Name: name, ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "status.podIP"}}})
	}
}

func withPodIP(c *corev1.Container) { withAddress("VLLM_NIXL_SIDE_CHANNEL_HOST")(c) }

func TestConfigureContainer(t *testing.T) {
	grove, lws := GroveHosts{Component: "decode"}, LWSHosts{}
	groveLeader := "$(GROVE_PCSG_NAME)-$(GROVE_PCSG_INDEX)-decode-ldr-0.$(GROVE_HEADLESS_SERVICE)"
	vllm := []string{"python3", "-m", "dynamo.vllm"}
	sglang := []string{"python3", "-m", "dynamo.sglang"}
	sh := []string{"/bin/sh", "-c"}
	cases := map[string]struct {
		reason    string
		container *corev1.Container
		settings  Settings
		// want is the container afterwards. nil: it stays as it is.
		want     *corev1.Container
		warnings []string
	}{
		"SingleNode": {
			reason:    "A service of one node is left as it is.",
			container: engineContainer(vllm, []string{"-tp", "8"}),
			settings:  Settings{Framework: "vllm", Role: RoleMain, NodeCount: 1, Executor: ExecutorMP, GPULimit: 4},
		},
		"NoFramework": {
			reason:    "Without a backend several nodes run what the user wrote.",
			container: engineContainer(sh, []string{"./start"}),
			settings:  Settings{Role: RoleWorker, NodeCount: 2, Hosts: lws},
		},
		"RayLeader": {
			reason:    "The leader starts the head and then the engine, in one readable line where quoting allows it.",
			container: engineContainer(vllm, []string{"--tensor-parallel-size", "2", "--x", `{"a": 1}`}),
			settings:  Settings{Framework: "vllm", Role: RoleLeader, NodeCount: 2, Hosts: grove, Executor: ExecutorRay, GPULimit: 1},
			want: engineContainer(sh, []string{
				`ray start --head --port=6379 && python3 -m dynamo.vllm --tensor-parallel-size 2 --x "{\"a\": 1}" --distributed-executor-backend ray`,
			}),
		},
		"ElasticLeader": {
			reason:    "The leader of elastic engines heads a Ray cluster, and vLLM places the engines: flags for data-parallel engines would contradict it.",
			container: engineContainer(vllm, []string{"--data-parallel-size", "2", "--enable-elastic-ep"}),
			settings:  Settings{Framework: "vllm", Role: RoleLeader, NodeCount: 2, Hosts: grove, Executor: ExecutorRay, GPULimit: 1},
			want: engineContainer(sh, []string{
				`ray start --head --port=6379 --block & i=0; until python3 -c "import socket; s=socket.create_connection(('127.0.0.1',6379),timeout=1); s.close()" 2>/dev/null; ` +
					`do i=$((i+1)); [ "$i" -ge 150 ] && { echo "ERROR: Ray head did not start within 300s" >&2; exit 1; }; sleep 2; done && ` +
					`python3 -m dynamo.vllm --data-parallel-size 2 --enable-elastic-ep`,
			}),
		},
		"ElasticWorker": {
			reason:    "A worker joins the Ray cluster when the leader serves, and waits for nothing else.",
			container: engineContainer(vllm, []string{"--data-parallel-size", "2", "--enable-elastic-ep"}),
			settings:  Settings{Framework: "vllm", Role: RoleWorker, NodeCount: 2, Hosts: grove, Executor: ExecutorRay, GPULimit: 1},
			want: engineContainer(sh, []string{
				`i=0; until python3 -c "import urllib.request; urllib.request.urlopen('http://` + groveLeader + `:9090/live', timeout=5)" 2>/dev/null; ` +
					`do i=$((i+1)); [ "$i" -ge 720 ] && { echo "ERROR: leader /live did not become ready within 3h" >&2; exit 1; }; ` +
					`echo 'waiting for leader dynamo.vllm /live to return 200...'; sleep 15; done && ray start --address=` + groveLeader + `:6379 --block`,
			}, withoutProbes),
		},
		"ElasticWorld": {
			reason:    "An engine that does not fit on one node spans the nodes, elastic or not.",
			container: engineContainer(vllm, []string{"--tensor-parallel-size", "2", "--enable-elastic-ep"}),
			settings:  Settings{Framework: "vllm", Role: RoleLeader, NodeCount: 2, Hosts: grove, Executor: ExecutorRay, GPULimit: 1},
			want: engineContainer(sh, []string{
				`ray start --head --port=6379 && python3 -m dynamo.vllm --tensor-parallel-size 2 --enable-elastic-ep --distributed-executor-backend ray`,
			}),
		},
		"ElasticAlone": {
			reason:    "An elastic engine of one node heads a Ray cluster that other nodes join later, under the address that vLLM looks for.",
			container: engineContainer(vllm, []string{"--data-parallel-backend=ray", "--enable-elastic-ep"}),
			settings:  Settings{Framework: "vllm", Role: RoleMain, NodeCount: 1, GPULimit: 1},
			want: engineContainer(sh, []string{
				`ray start --head --port=6379 --node-ip-address="$POD_IP" --block & i=0; until python3 -c "import socket; s=socket.create_connection(('127.0.0.1',6379),timeout=1); s.close()" 2>/dev/null; ` +
					`do i=$((i+1)); [ "$i" -ge 150 ] && { echo "ERROR: Ray head did not start within 300s" >&2; exit 1; }; sleep 2; done && exec ` +
					`python3 -m dynamo.vllm --data-parallel-backend=ray --enable-elastic-ep`,
			}, withAddress("POD_IP"), withAddress("VLLM_DP_MASTER_IP")),
		},
		"ElasticAloneOffRay": {
			reason:    "An engine that does not run on Ray cannot grow.",
			container: engineContainer(vllm, []string{"-dpb", "mp", "--enable-elastic-ep"}),
			settings:  Settings{Framework: "vllm", Role: RoleMain, NodeCount: 1, GPULimit: 1},
		},
		"ElasticAloneUnknownCommand": {
			reason:    "Ray starts before any command: vLLM gets no flags, so its module need not be found.",
			container: engineContainer([]string{"./start"}, []string{"-dpb", "ray", "--enable-elastic-ep"}),
			settings:  Settings{Framework: "vllm", Role: RoleMain, NodeCount: 1, GPULimit: 1},
			want: engineContainer(sh, []string{
				`ray start --head --port=6379 --node-ip-address="$POD_IP" --block & ` + awaitHead() + ` && exec ./start -dpb ray --enable-elastic-ep`,
			}, withAddress("POD_IP"), withAddress("VLLM_DP_MASTER_IP")),
		},
		"ElasticUnknownCommand": {
			reason:    "The leader starts Ray before any command too.",
			container: engineContainer([]string{"./start"}, []string{"--enable-elastic-ep"}),
			settings:  Settings{Framework: "vllm", Role: RoleLeader, NodeCount: 2, Hosts: grove, Executor: ExecutorRay, GPULimit: 1},
			want: engineContainer(sh, []string{
				`ray start --head --port=6379 --block & ` + awaitHead() + ` && ./start --enable-elastic-ep`,
			}),
		},
		"ElasticUnknownCommandOfAWorker": {
			reason:    "A worker joins the Ray cluster whatever the command of the leader is.",
			container: engineContainer([]string{"./start"}, []string{"--enable-elastic-ep"}),
			settings:  Settings{Framework: "vllm", Role: RoleWorker, NodeCount: 2, Hosts: lws, Executor: ExecutorRay, GPULimit: 1},
			want: engineContainer(sh, []string{
				awaitServing(lws.Leader().withPort("9090")) + ` && ray start --address=$(LWS_LEADER_ADDRESS):6379 --block`,
			}, withoutProbes),
		},
		"ElasticStartsRay": {
			reason:    "A script that starts Ray by itself is left as it is: a second head could not listen.",
			container: engineContainer(sh, []string{"ray start --head && exec python3 -m dynamo.vllm --data-parallel-backend ray --enable-elastic-ep"}),
			settings:  Settings{Framework: "vllm", Role: RoleMain, NodeCount: 1, GPULimit: 1},
		},
		"ElasticEntryPoint": {
			reason:    "Nothing runs before an entry point that is not known. The graph is refused.",
			container: engineContainer(nil, []string{"--enable-elastic-ep"}),
			settings:  Settings{Framework: "vllm", Role: RoleLeader, NodeCount: 2, Hosts: grove, Executor: ExecutorRay, GPULimit: 1},
		},
		"RayLeaderExact": {
			reason:    "Tokens that quoting does not keep are the script's parameters.",
			container: engineContainer(vllm, []string{"--tensor-parallel-size", "2", "--model", "$(MODEL)"}),
			settings:  Settings{Framework: "vllm", Role: RoleLeader, NodeCount: 2, Hosts: lws, Executor: ExecutorRay, GPULimit: 1},
			want: engineContainer(sh, []string{
				`ray start --head --port=6379 && exec "$@" --distributed-executor-backend ray`,
				"sh", "python3", "-m", "dynamo.vllm", "--tensor-parallel-size", "2", "--model", "$(MODEL)",
			}),
		},
		"RayLeaderScript": {
			reason:    "A script runs as it is after the head, with the flag in it.",
			container: engineContainer([]string{"bash", "-lc"}, []string{"ulimit -l unlimited; exec python3 -m dynamo.vllm -tp 2"}),
			settings:  Settings{Framework: "vllm", Role: RoleLeader, NodeCount: 2, Hosts: lws, Executor: ExecutorRay, GPULimit: 1},
			want: engineContainer(sh, []string{
				`ray start --head --port=6379 && bash -lc "ulimit -l unlimited; exec python3 -m dynamo.vllm --distributed-executor-backend ray -tp 2"`,
			}),
		},
		"RayLeaderScriptExact": {
			reason:    "A script that quoting does not keep is a parameter.",
			container: engineContainer(sh, []string{"exec python3 -m dynamo.vllm -tp 2 --model '$(MODEL)'"}),
			settings:  Settings{Framework: "vllm", Role: RoleLeader, NodeCount: 2, Hosts: lws, Executor: ExecutorRay, GPULimit: 1},
			want: engineContainer(sh, []string{
				`ray start --head --port=6379 && exec "$@"`,
				"sh", "/bin/sh", "-c", "exec python3 -m dynamo.vllm --distributed-executor-backend ray -tp 2 --model '$(MODEL)'",
			}),
		},
		"RayWorker": {
			reason:    "A worker serves the head and has no probes.",
			container: engineContainer(vllm, []string{"--tensor-parallel-size", "2"}),
			settings:  Settings{Framework: "vllm", Role: RoleWorker, NodeCount: 2, Hosts: grove, Executor: ExecutorRay, GPULimit: 1},
			want:      engineContainer(sh, []string{"ray start --address=" + groveLeader + ":6379 --block"}, withoutProbes),
		},
		"MPLeader": {
			reason:    "Flags are appended as tokens of their own.",
			container: engineContainer(vllm, []string{"-tp=8"}),
			settings:  Settings{Framework: "vllm", Role: RoleLeader, NodeCount: 2, Hosts: grove, Executor: ExecutorMP, GPULimit: 4},
			want: engineContainer(vllm, []string{
				"-tp=8", "--distributed-executor-backend", "mp", "--nnodes", "2", "--master-addr", groveLeader, "--master-port", "29500", "--node-rank", "0",
			}, withPodIP),
		},
		"MPWorkerOnGrove": {
			reason:    "The rank of a Grove worker needs a shell.",
			container: engineContainer(vllm, []string{"-tp=8"}),
			settings:  Settings{Framework: "vllm", Role: RoleWorker, NodeCount: 2, Hosts: grove, Executor: ExecutorMP, GPULimit: 4},
			want: engineContainer([]string{"sh", "-c"}, []string{
				"exec python3 -m dynamo.vllm -tp=8 --distributed-executor-backend mp --nnodes 2 --master-addr " + groveLeader +
					" --master-port 29500 --node-rank $((GROVE_PCLQ_POD_INDEX + 1)) --headless",
			}, withPodIP, withoutProbes),
		},
		"MPWorkerOnLWS": {
			reason:    "The rank of an LWS worker needs no shell.",
			container: engineContainer(vllm, []string{"-tp=8"}),
			settings:  Settings{Framework: "vllm", Role: RoleWorker, NodeCount: 2, Hosts: lws, Executor: ExecutorMP, GPULimit: 4},
			want: engineContainer(vllm, []string{
				"-tp=8", "--distributed-executor-backend", "mp", "--nnodes", "2", "--master-addr", "$(LWS_LEADER_ADDRESS)", "--master-port", "29500", "--node-rank", "$(LWS_WORKER_INDEX)", "--headless",
			}, withPodIP, withoutProbes),
		},
		"SideChannelOfUser": {
			reason:    "A variable that the user has set is not set twice.",
			container: engineContainer(vllm, []string{"-tp=8"}, func(c *corev1.Container) { c.Env = []corev1.EnvVar{{Name: "VLLM_NIXL_SIDE_CHANNEL_HOST", Value: "x"}} }),
			settings:  Settings{Framework: "vllm", Role: RoleLeader, NodeCount: 2, Hosts: lws, Executor: ExecutorMP, GPULimit: 4},
			want: engineContainer(vllm, []string{
				"-tp=8", "--distributed-executor-backend", "mp", "--nnodes", "2", "--master-addr", "$(LWS_LEADER_ADDRESS)", "--master-port", "29500", "--node-rank", "0",
			}, func(c *corev1.Container) { c.Env = []corev1.EnvVar{{Name: "VLLM_NIXL_SIDE_CHANNEL_HOST", Value: "x"}} }),
		},
		"ExternalWorkerOnLWS": {
			reason:    "Each node is a worker that is checked, and vLLM refuses both kinds of load balancing.",
			container: engineContainer(vllm, []string{"-dp=2", "-tp", "4", "-dpe"}),
			settings:  Settings{Framework: "vllm", Role: RoleWorker, NodeCount: 2, Hosts: lws, Executor: ExecutorRay, GPULimit: 4},
			want: engineContainer([]string{"sh", "-c"}, []string{
				"exec python3 -m dynamo.vllm -dp=2 -tp 4 -dpe --data-parallel-rank $(( 1 * ${LWS_WORKER_INDEX} )) --data-parallel-address $(LWS_LEADER_ADDRESS) --data-parallel-rpc-port 13445",
			}),
		},
		"DataParallelWorkerOnLWS": {
			reason:    "The first rank of a node is arithmetic that the kubelet must not be needed in; the user's own port stays.",
			container: engineContainer(vllm, []string{"--data-parallel-size", "4", "-tp", "2", "--data-parallel-rpc-port", "5555"}),
			settings:  Settings{Framework: "vllm", Role: RoleWorker, NodeCount: 2, Hosts: lws, Executor: ExecutorRay, GPULimit: 4},
			want: engineContainer([]string{"sh", "-c"}, []string{
				"exec python3 -m dynamo.vllm --data-parallel-size 4 -tp 2 --data-parallel-rpc-port 5555 --data-parallel-hybrid-lb --data-parallel-size-local 2 " +
					"--data-parallel-start-rank $(( 2 * ${LWS_WORKER_INDEX} )) --data-parallel-address $(LWS_LEADER_ADDRESS)",
			}),
		},
		"DataParallelNotFull": {
			reason:    "A data parallel size that does not fill the nodes leaves a node without work.",
			container: engineContainer(vllm, []string{"--data-parallel-size", "6"}),
			settings:  Settings{Framework: "vllm", Role: RoleLeader, NodeCount: 2, Hosts: lws, Executor: ExecutorRay, GPULimit: 4},
			want: engineContainer(vllm, []string{
				"--data-parallel-size", "6", "--data-parallel-hybrid-lb", "--data-parallel-size-local", "4", "--data-parallel-start-rank", "0",
				"--data-parallel-address", "$(LWS_LEADER_ADDRESS)", "--data-parallel-rpc-port", "13445",
			}),
			warnings: []string{"6 data-parallel engines of 1 GPUs do not fill 2 nodes of 4 GPUs each; set --data-parallel-size to 8"},
		},
		"NothingSpansNodes": {
			reason:    "Sizes that fit on one node make two separate engines, which is said.",
			container: engineContainer(vllm, []string{"-tp", "4"}),
			settings:  Settings{Framework: "vllm", Role: RoleWorker, NodeCount: 2, Hosts: lws, Executor: ExecutorRay, GPULimit: 8},
			warnings: []string{"a replica has 2 nodes of 8 GPUs, but tensor parallel 4 x pipeline parallel 1 x data parallel 1 needs only 4: the leader and the workers run the same command and do not form one engine; " +
				"raise --tensor-parallel-size, --pipeline-parallel-size or --data-parallel-size to use 16 GPUs, or remove multinode"},
		},
		"NoGPUs": {
			reason:    "Without a number of GPUs the sizes of an engine cannot be compared.",
			container: engineContainer(vllm, []string{"-tp", "4"}),
			settings:  Settings{Framework: "vllm", Role: RoleLeader, NodeCount: 2, Hosts: lws, Executor: ExecutorRay},
			warnings: []string{"a replica has 2 nodes, but the number of GPUs of each node is not known without limits[nvidia.com/gpu]: the leader and the workers run the same command and do not form one engine; " +
				"set resources.limits[nvidia.com/gpu], or the resource of other accelerators: amd.com/gpu, google.com/tpu, gpu.intel.com/i915, gpu.intel.com/xe, habana.ai/gaudi"},
		},
		"SizesInFile": {
			reason:    "Sizes in a file are not judged, which is said.",
			container: engineContainer(vllm, []string{"--config", "/etc/vllm/config.yaml"}),
			settings:  Settings{Framework: "vllm", Role: RoleLeader, NodeCount: 2, Hosts: lws, Executor: ExecutorRay, GPULimit: 8},
			warnings: []string{"a replica has 2 nodes of 8 GPUs, but the sizes may be in the file of --config, which only the container reads, so they are not judged, and no flags are added that connect the nodes; " +
				"set --tensor-parallel-size, --pipeline-parallel-size or --data-parallel-size in the command too, or connect the nodes in the file"},
		},
		"SizesBesideFile": {
			reason:    "Flags take precedence over the file.",
			container: engineContainer(vllm, []string{"--config=/etc/vllm/config.yaml", "-tp", "16"}),
			settings:  Settings{Framework: "vllm", Role: RoleLeader, NodeCount: 2, Hosts: lws, Executor: ExecutorMP, GPULimit: 8},
			want: engineContainer(vllm, []string{
				"--config=/etc/vllm/config.yaml", "-tp", "16", "--distributed-executor-backend", "mp", "--nnodes", "2", "--master-addr", "$(LWS_LEADER_ADDRESS)", "--master-port", "29500", "--node-rank", "0",
			}, withPodIP),
		},
		"GPUsInClaim": {
			reason:    "Sizes that do not fill the nodes are named, and the claim stays.",
			container: engineContainer(vllm, []string{"-tp", "3"}, withClaim),
			settings:  Settings{Framework: "vllm", Role: RoleLeader, NodeCount: 2, Hosts: lws, Executor: ExecutorRay},
			warnings: []string{"a replica has 2 nodes, whose GPUs are in claim gpus, but tensor parallel 3 x pipeline parallel 1 x data parallel 1 = 3 does not fill them: " +
				"the leader and the workers run the same command and do not form one engine; set --tensor-parallel-size, --pipeline-parallel-size and --data-parallel-size to use the GPUs of all nodes, or remove multinode"},
		},
		"SizeInClaimNotReadable": {
			reason:    "A size that only the shell knows is named beside a claim, too.",
			container: engineContainer(vllm, []string{"-tp", "all"}, withClaim),
			settings:  Settings{Framework: "vllm", Role: RoleLeader, NodeCount: 2, Hosts: lws, Executor: ExecutorRay},
			warnings: []string{"a replica has 2 nodes, whose GPUs are in claim gpus, but the value of -tp is not a number: " +
				"the leader and the workers run the same command and do not form one engine; replace the value with a number"},
		},
		"SizeNotReadable": {
			reason:    "A size that only the shell knows is named.",
			container: engineContainer(sh, []string{"python3 -m dynamo.vllm --tensor-parallel-size $TP"}),
			settings:  Settings{Framework: "vllm", Role: RoleLeader, NodeCount: 2, Hosts: lws, Executor: ExecutorRay, GPULimit: 4},
			warnings:  []string{"a replica has 2 nodes of 4 GPUs, but the value of --tensor-parallel-size is not a number: the leader and the workers run the same command and do not form one engine; replace the value with a number"},
		},
		"RayNoPlace": {
			reason:    "Where the engine is not found nothing of the command changes, on neither role.",
			container: engineContainer([]string{"/start.sh"}, []string{"-tp", "8"}),
			settings:  Settings{Framework: "vllm", Role: RoleWorker, NodeCount: 2, Hosts: lws, Executor: ExecutorRay, GPULimit: 4},
			want:      engineContainer([]string{"/start.sh"}, []string{"-tp", "8"}, withoutProbes),
			warnings: []string{"the command does not run python -m dynamo.vllm, so ray start and --distributed-executor-backend ray is not added and the nodes do not form one engine; " +
				"run the module from command or from the script of sh -c, or pass the flags yourself"},
		},
		"SGLangLeader": {
			reason:    "The leader of SGLang needs no shell.",
			container: engineContainer(sglang, []string{"--tp", "8"}),
			settings:  Settings{Framework: "sglang", Role: RoleLeader, NodeCount: 2, Hosts: grove},
			want: engineContainer(sglang, []string{
				"--tp", "8", "--dist-init-addr", groveLeader + ":29500", "--nnodes", "2", "--node-rank", "0",
			}),
		},
		"SGLangWorkerOnGrove": {
			reason:    "Tokens of an SGLang worker that quoting does not keep are parameters of the shell.",
			container: engineContainer(sglang, []string{"--tp", "8", "--x", "a;b"}),
			settings:  Settings{Framework: "sglang", Role: RoleWorker, NodeCount: 2, Hosts: grove},
			want: engineContainer([]string{"sh", "-c"}, []string{
				`exec "$@" --dist-init-addr ` + groveLeader + `:29500 --nnodes 2 --node-rank $((GROVE_PCLQ_POD_INDEX + 1))`,
				"sh", "python3", "-m", "dynamo.sglang", "--tp", "8", "--x", "a;b",
			}, withoutProbes),
		},
		"SGLangNoPlace": {
			reason:    "A script that runs something else gets no flags, and this is said.",
			container: engineContainer(sh, []string{"# python3 -m dynamo.sglang\n./serve"}),
			settings:  Settings{Framework: "sglang", Role: RoleLeader, NodeCount: 2, Hosts: lws},
			warnings: []string{"the command does not run python -m dynamo.sglang, so --dist-init-addr $(LWS_LEADER_ADDRESS):29500 --nnodes 2 --node-rank 0 is not added and the nodes do not form one engine; " +
				"run the module from command or from the script of sh -c, or pass the flags yourself"},
		},
		"TRTLLMWorker": {
			reason:    "A worker of TensorRT-LLM is an sshd; whether it listens is its readiness.",
			container: engineContainer([]string{"python3", "-m", "dynamo.trtllm"}, nil),
			settings:  Settings{Framework: "trtllm", Role: RoleWorker, NodeCount: 2, Hosts: lws, GPULimit: 4},
			want: engineContainer(sh, []string{sshServerScript}, withoutProbes, withSSH, func(c *corev1.Container) {
				c.ReadinessProbe = &corev1.Probe{
					ProbeHandler:        corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(2222)}},
					InitialDelaySeconds: 20, PeriodSeconds: 20, TimeoutSeconds: 5, FailureThreshold: 10,
				}
			}),
		},
		"TRTLLMNoScript": {
			reason:    "A shell without a script has nothing to launch.",
			container: engineContainer(sh, nil),
			settings:  Settings{Framework: "trtllm", Role: RoleWorker, NodeCount: 2, Hosts: lws, GPULimit: 4},
			warnings:  []string{"the command is a shell without a script, so the nodes do not form one engine; set command and args to start the engine"},
		},
		"TRTLLMEntryPoint": {
			reason:    "What the image runs by itself cannot be launched.",
			container: engineContainer(nil, []string{"--model", "m"}),
			settings:  Settings{Framework: "trtllm", Role: RoleLeader, NodeCount: 2, Hosts: lws, GPULimit: 4},
			warnings:  []string{"the entry point of the image is not known, so the nodes do not form one engine; set command to the engine's program"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := tc.container.DeepCopy()
			warnings := textsOf(ConfigureContainer(got, tc.settings))
			want := tc.want
			if want == nil {
				want = tc.container
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s\nConfigureContainer(...): -want, +got container:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.warnings, warnings); diff != "" {
				t.Errorf("%s\nConfigureContainer(...): -want, +got warnings:\n%s", tc.reason, diff)
			}
		})
	}
}

func withSSH(c *corev1.Container) {
	c.Env = append(c.Env, corev1.EnvVar{Name: "OMPI_MCA_orte_keep_fqdn_hostnames", Value: "1"})
	c.VolumeMounts = append(c.VolumeMounts, corev1.VolumeMount{Name: "mpi-run-ssh-secret", MountPath: "/ssh-pk", ReadOnly: true})
}

// Leader and worker are built from the same container. A change to one of them must not affect the other.
func TestConfigureContainerKeepsSharedSlices(t *testing.T) {
	for _, name := range engine.Frameworks() {
		framework := v1alpha1.BackendFramework(name)
		args := append(make([]string, 0, 50), "-tp", "8")
		env := append(make([]corev1.EnvVar, 0, 50), corev1.EnvVar{Name: "A"})
		mounts := append(make([]corev1.VolumeMount, 0, 50), corev1.VolumeMount{Name: "m"})
		base := corev1.Container{Command: []string{"python3", "-m", "dynamo." + string(framework)}, Args: args, Env: env, VolumeMounts: mounts}
		settings := Settings{Framework: framework, Role: RoleLeader, NodeCount: 2, Hosts: LWSHosts{}, Executor: ExecutorMP, GPULimit: 4}
		leader, worker := base, base
		ConfigureContainer(&leader, settings)
		want := leader.DeepCopy()
		settings.Role = RoleWorker
		ConfigureContainer(&worker, settings)
		if diff := cmp.Diff(want, &leader); diff != "" {
			t.Errorf("%s: the worker changed the leader: -want, +got:\n%s", framework, diff)
		}
	}
}
