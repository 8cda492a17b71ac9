package backend

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
)

func probe(path string) *corev1.Probe {
	return &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: path, Port: intstr.FromString("system")}}}
}

// engine is a main container with everything that a backend may touch.
func engine(command, args []string, change ...func(*corev1.Container)) *corev1.Container {
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

func withPodIP(c *corev1.Container) {
	c.Env = append(c.Env, corev1.EnvVar{Name: "VLLM_NIXL_SIDE_CHANNEL_HOST", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "status.podIP"}}})
}

func TestConfigureContainer(t *testing.T) {
	grove, lws := GroveHosts{Service: "decode"}, LWSHosts{}
	groveLeader := "$(GROVE_PCSG_NAME)-$(GROVE_PCSG_INDEX)-decode-ldr-0.$(GROVE_HEADLESS_SERVICE)"
	vllm := []string{"python3", "-m", "dynamo.vllm"}
	sglang := []string{"python3", "-m", "dynamo.sglang"}
	sh := []string{"/bin/sh", "-c"}
	type want struct {
		container *corev1.Container
		warnings  []string
	}
	cases := map[string]struct {
		reason    string
		container *corev1.Container
		settings  Settings
		want      want
	}{
		"SingleNode": {
			reason:    "A service of one node is left as it is.",
			container: engine(vllm, []string{"-tp", "8"}),
			settings:  Settings{Framework: "vllm", Role: RoleMain, NodeCount: 1, Executor: ExecutorMP, GPULimit: 4},
			want:      want{container: engine(vllm, []string{"-tp", "8"})},
		},
		"NoFramework": {
			reason:    "Without a backend several nodes run what the user wrote.",
			container: engine(sh, []string{"./start"}),
			settings:  Settings{Role: RoleWorker, NodeCount: 2, Hosts: lws},
			want:      want{container: engine(sh, []string{"./start"})},
		},
		"RayLeader": {
			reason:    "The leader starts the head and then the engine, in one readable line where quoting allows it.",
			container: engine(vllm, []string{"--tensor-parallel-size", "2", "--x", `{"a": 1}`}),
			settings:  Settings{Framework: "vllm", Role: RoleLeader, NodeCount: 2, Hosts: grove, Executor: ExecutorRay, GPULimit: 1},
			want: want{container: engine(sh, []string{
				`ray start --head --port=6379 && python3 -m dynamo.vllm --tensor-parallel-size 2 --x "{\"a\": 1}" --distributed-executor-backend ray`,
			})},
		},
		"RayLeaderExact": {
			reason:    "Tokens that quoting does not keep are the script's parameters.",
			container: engine(vllm, []string{"--tensor-parallel-size", "2", "--model", "$(MODEL)"}),
			settings:  Settings{Framework: "vllm", Role: RoleLeader, NodeCount: 2, Hosts: lws, Executor: ExecutorRay, GPULimit: 1},
			want: want{container: engine(sh, []string{
				`ray start --head --port=6379 && exec "$@" --distributed-executor-backend ray`,
				"sh", "python3", "-m", "dynamo.vllm", "--tensor-parallel-size", "2", "--model", "$(MODEL)",
			})},
		},
		"RayLeaderScript": {
			reason:    "A script runs as it is after the head, with the flag in it.",
			container: engine([]string{"bash", "-lc"}, []string{"ulimit -l unlimited; exec python3 -m dynamo.vllm -tp 2"}),
			settings:  Settings{Framework: "vllm", Role: RoleLeader, NodeCount: 2, Hosts: lws, Executor: ExecutorRay, GPULimit: 1},
			want: want{container: engine(sh, []string{
				`ray start --head --port=6379 && bash -lc "ulimit -l unlimited; exec python3 -m dynamo.vllm --distributed-executor-backend ray -tp 2"`,
			})},
		},
		"RayLeaderScriptExact": {
			reason:    "A script that quoting does not keep is a parameter.",
			container: engine(sh, []string{"exec python3 -m dynamo.vllm -tp 2 --model '$(MODEL)'"}),
			settings:  Settings{Framework: "vllm", Role: RoleLeader, NodeCount: 2, Hosts: lws, Executor: ExecutorRay, GPULimit: 1},
			want: want{container: engine(sh, []string{
				`ray start --head --port=6379 && exec "$@"`,
				"sh", "/bin/sh", "-c", "exec python3 -m dynamo.vllm --distributed-executor-backend ray -tp 2 --model '$(MODEL)'",
			})},
		},
		"RayWorker": {
			reason:    "A worker serves the head and has no probes.",
			container: engine(vllm, []string{"--tensor-parallel-size", "2"}),
			settings:  Settings{Framework: "vllm", Role: RoleWorker, NodeCount: 2, Hosts: grove, Executor: ExecutorRay, GPULimit: 1},
			want:      want{container: engine(sh, []string{"ray start --address=" + groveLeader + ":6379 --block"}, withoutProbes)},
		},
		"MPLeader": {
			reason:    "Flags are appended as tokens of their own.",
			container: engine(vllm, []string{"-tp=8"}),
			settings:  Settings{Framework: "vllm", Role: RoleLeader, NodeCount: 2, Hosts: grove, Executor: ExecutorMP, GPULimit: 4},
			want: want{container: engine(vllm, []string{
				"-tp=8", "--distributed-executor-backend", "mp", "--nnodes", "2", "--master-addr", groveLeader, "--master-port", "29500", "--node-rank", "0",
			}, withPodIP)},
		},
		"MPWorkerOnGrove": {
			reason:    "The rank of a Grove worker needs a shell.",
			container: engine(vllm, []string{"-tp=8"}),
			settings:  Settings{Framework: "vllm", Role: RoleWorker, NodeCount: 2, Hosts: grove, Executor: ExecutorMP, GPULimit: 4},
			want: want{container: engine([]string{"sh", "-c"}, []string{
				"exec python3 -m dynamo.vllm -tp=8 --distributed-executor-backend mp --nnodes 2 --master-addr " + groveLeader +
					" --master-port 29500 --node-rank $((GROVE_PCLQ_POD_INDEX + 1)) --headless",
			}, withPodIP, withoutProbes)},
		},
		"MPWorkerOnLWS": {
			reason:    "The rank of an LWS worker does not.",
			container: engine(vllm, []string{"-tp=8"}),
			settings:  Settings{Framework: "vllm", Role: RoleWorker, NodeCount: 2, Hosts: lws, Executor: ExecutorMP, GPULimit: 4},
			want: want{container: engine(vllm, []string{
				"-tp=8", "--distributed-executor-backend", "mp", "--nnodes", "2", "--master-addr", "$(LWS_LEADER_ADDRESS)", "--master-port", "29500", "--node-rank", "$(LWS_WORKER_INDEX)", "--headless",
			}, withPodIP, withoutProbes)},
		},
		"SideChannelOfUser": {
			reason:    "A variable that the user has set is not set twice.",
			container: engine(vllm, []string{"-tp=8"}, func(c *corev1.Container) { c.Env = []corev1.EnvVar{{Name: "VLLM_NIXL_SIDE_CHANNEL_HOST", Value: "x"}} }),
			settings:  Settings{Framework: "vllm", Role: RoleLeader, NodeCount: 2, Hosts: lws, Executor: ExecutorMP, GPULimit: 4},
			want: want{container: engine(vllm, []string{
				"-tp=8", "--distributed-executor-backend", "mp", "--nnodes", "2", "--master-addr", "$(LWS_LEADER_ADDRESS)", "--master-port", "29500", "--node-rank", "0",
			}, func(c *corev1.Container) { c.Env = []corev1.EnvVar{{Name: "VLLM_NIXL_SIDE_CHANNEL_HOST", Value: "x"}} })},
		},
		"DataParallelWorkerOnLWS": {
			reason:    "The first rank of a node is arithmetic that the kubelet must not be needed in; the user's own port stays.",
			container: engine(vllm, []string{"--data-parallel-size", "4", "-tp", "2", "--data-parallel-rpc-port", "5555"}),
			settings:  Settings{Framework: "vllm", Role: RoleWorker, NodeCount: 2, Hosts: lws, Executor: ExecutorRay, GPULimit: 4},
			want: want{container: engine([]string{"sh", "-c"}, []string{
				"exec python3 -m dynamo.vllm --data-parallel-size 4 -tp 2 --data-parallel-rpc-port 5555 --data-parallel-hybrid-lb --data-parallel-size-local 2 " +
					"--data-parallel-start-rank $(( 2 * ${LWS_WORKER_INDEX} )) --data-parallel-address $(LWS_LEADER_ADDRESS)",
			}, withoutProbes)},
		},
		"DataParallelNotFull": {
			reason:    "A data parallel size that does not fill the nodes leaves a node without work.",
			container: engine(vllm, []string{"--data-parallel-size", "6"}),
			settings:  Settings{Framework: "vllm", Role: RoleLeader, NodeCount: 2, Hosts: lws, Executor: ExecutorRay, GPULimit: 4},
			want: want{
				container: engine(vllm, []string{
					"--data-parallel-size", "6", "--data-parallel-hybrid-lb", "--data-parallel-size-local", "4", "--data-parallel-start-rank", "0",
					"--data-parallel-address", "$(LWS_LEADER_ADDRESS)", "--data-parallel-rpc-port", "13445",
				}),
				warnings: []string{"6 data-parallel engines of 1 GPUs do not fill 2 nodes of 4 GPUs, which hold 8: set --data-parallel-size to that"},
			},
		},
		"NothingSpansNodes": {
			reason:    "Sizes that fit on one node make two separate engines, which is said.",
			container: engine(vllm, []string{"-tp", "4"}),
			settings:  Settings{Framework: "vllm", Role: RoleWorker, NodeCount: 2, Hosts: lws, Executor: ExecutorRay, GPULimit: 8},
			want: want{
				container: engine(vllm, []string{"-tp", "4"}, withoutProbes),
				warnings: []string{"a replica has 2 nodes of 8 GPUs, but tensor 4 x pipeline 1 x data parallel 1 needs only 4: leader and workers run the same command and are not joined to one engine; " +
					"raise --tensor-parallel-size, --pipeline-parallel-size or --data-parallel-size to use 16 GPUs, or remove multinode"},
			},
		},
		"NoGPUs": {
			reason:    "Without a number of GPUs nothing can be compared.",
			container: engine(vllm, []string{"-tp", "4"}),
			settings:  Settings{Framework: "vllm", Role: RoleLeader, NodeCount: 2, Hosts: lws, Executor: ExecutorRay},
			want: want{
				container: engine(vllm, []string{"-tp", "4"}),
				warnings: []string{"a replica has 2 nodes, but without limits.gpu it is not known how many GPUs each has: leader and workers run the same command and are not joined to one engine; " +
					"set resources.limits.gpu"},
			},
		},
		"SizeNotReadable": {
			reason:    "A size that only the shell knows is named.",
			container: engine(sh, []string{"python3 -m dynamo.vllm --tensor-parallel-size $TP"}),
			settings:  Settings{Framework: "vllm", Role: RoleLeader, NodeCount: 2, Hosts: lws, Executor: ExecutorRay, GPULimit: 4},
			want: want{
				container: engine(sh, []string{"python3 -m dynamo.vllm --tensor-parallel-size $TP"}),
				warnings:  []string{"a replica has 2 nodes of 4 GPUs, but --tensor-parallel-size $TP is not a number: leader and workers run the same command and are not joined to one engine; write the number"},
			},
		},
		"RayNoPlace": {
			reason:    "Where the engine is not found nothing of the command changes, on neither role.",
			container: engine([]string{"/start.sh"}, []string{"-tp", "8"}),
			settings:  Settings{Framework: "vllm", Role: RoleWorker, NodeCount: 2, Hosts: lws, Executor: ExecutorRay, GPULimit: 4},
			want: want{
				container: engine([]string{"/start.sh"}, []string{"-tp", "8"}, withoutProbes),
				warnings: []string{"the command does not run python -m dynamo.vllm, so its nodes are not joined: ray start and --distributed-executor-backend ray is missing; " +
					"run the module in command or in a script of sh -c, or pass it yourself"},
			},
		},
		"SGLangLeader": {
			reason:    "The leader of SGLang needs no shell.",
			container: engine(sglang, []string{"--tp", "8"}),
			settings:  Settings{Framework: "sglang", Role: RoleLeader, NodeCount: 2, Hosts: grove},
			want: want{container: engine(sglang, []string{
				"--tp", "8", "--dist-init-addr", groveLeader + ":29500", "--nnodes", "2", "--node-rank", "0",
			})},
		},
		"SGLangWorkerOnGrove": {
			reason:    "Tokens that quoting does not keep are parameters here too.",
			container: engine(sglang, []string{"--tp", "8", "--x", "a;b"}),
			settings:  Settings{Framework: "sglang", Role: RoleWorker, NodeCount: 2, Hosts: grove},
			want: want{container: engine([]string{"sh", "-c"}, []string{
				`exec "$@" --dist-init-addr ` + groveLeader + `:29500 --nnodes 2 --node-rank $((GROVE_PCLQ_POD_INDEX + 1))`,
				"sh", "python3", "-m", "dynamo.sglang", "--tp", "8", "--x", "a;b",
			}, withoutProbes)},
		},
		"SGLangNoPlace": {
			reason:    "A script that runs something else gets no flags, and this is said.",
			container: engine(sh, []string{"# python3 -m dynamo.sglang\n./serve"}),
			settings:  Settings{Framework: "sglang", Role: RoleLeader, NodeCount: 2, Hosts: lws},
			want: want{
				container: engine(sh, []string{"# python3 -m dynamo.sglang\n./serve"}),
				warnings: []string{"the command does not run python -m dynamo.sglang, so its nodes are not joined: --dist-init-addr $(LWS_LEADER_ADDRESS):29500 --nnodes 2 --node-rank 0 is missing; " +
					"run the module in command or in a script of sh -c, or pass it yourself"},
			},
		},
		"TRTLLMWorker": {
			reason:    "A worker of TensorRT-LLM is an sshd; whether it listens is its readiness.",
			container: engine([]string{"python3", "-m", "dynamo.trtllm"}, nil),
			settings:  Settings{Framework: "trtllm", Role: RoleWorker, NodeCount: 2, Hosts: lws, GPULimit: 4},
			want: want{container: engine(sh, []string{sshServerScript}, withoutProbes, withSSH, func(c *corev1.Container) {
				c.ReadinessProbe = &corev1.Probe{
					ProbeHandler:        corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(2222)}},
					InitialDelaySeconds: 20, PeriodSeconds: 20, TimeoutSeconds: 5, FailureThreshold: 10,
				}
			})},
		},
		"TRTLLMNoScript": {
			reason:    "A shell without a script has nothing to launch.",
			container: engine(sh, nil),
			settings:  Settings{Framework: "trtllm", Role: RoleWorker, NodeCount: 2, Hosts: lws, GPULimit: 4},
			want: want{
				container: engine(sh, nil),
				warnings:  []string{"the command is a shell without a script, so its nodes are not joined; write command and args that start the engine"},
			},
		},
		"TRTLLMEntryPoint": {
			reason:    "What the image runs by itself cannot be launched.",
			container: engine(nil, []string{"--model", "m"}),
			settings:  Settings{Framework: "trtllm", Role: RoleLeader, NodeCount: 2, Hosts: lws, GPULimit: 4},
			want: want{
				container: engine(nil, []string{"--model", "m"}),
				warnings:  []string{"what the image runs by itself is not known here, so its nodes are not joined; write the engine's program into command"},
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := tc.container.DeepCopy()
			warnings := ConfigureContainer(got, tc.settings)
			if diff := cmp.Diff(tc.want.container, got); diff != "" {
				t.Errorf("%s\nConfigureContainer(...): -want, +got container:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.want.warnings, warnings); diff != "" {
				t.Errorf("%s\nConfigureContainer(...): -want, +got warnings:\n%s", tc.reason, diff)
			}
		})
	}
}

func withSSH(c *corev1.Container) {
	c.Env = append(c.Env, corev1.EnvVar{Name: "OMPI_MCA_orte_keep_fqdn_hostnames", Value: "1"})
	c.VolumeMounts = append(c.VolumeMounts, corev1.VolumeMount{Name: "mpi-run-ssh-secret", MountPath: "/ssh-pk", ReadOnly: true})
}

// Leader and worker are built from one container; what one gets must not show in the other.
func TestConfigureContainerKeepsSharedSlices(t *testing.T) {
	for framework := range map[v1alpha1.BackendFramework]bool{v1alpha1.BackendVLLM: true, v1alpha1.BackendSGLang: true, v1alpha1.BackendTRTLLM: true} {
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

func TestConfigurePod(t *testing.T) {
	main := engine([]string{"python3", "-m", "dynamo.vllm"}, []string{"-tp", "8"}, func(c *corev1.Container) {
		c.SecurityContext = &corev1.SecurityContext{RunAsNonRoot: ptr.To(true)}
	})
	base := corev1.PodSpec{InitContainers: []corev1.Container{{Name: "first"}}, Volumes: []corev1.Volume{{Name: "models"}}}
	waiting := func(leader, port string) corev1.PodSpec {
		return corev1.PodSpec{
			InitContainers: []corev1.Container{{Name: "first"}, {
				Name: "wait-for-leader-mp", Image: "engine:1", ImagePullPolicy: corev1.PullAlways,
				Command:         []string{"sh", "-c"},
				Args:            []string{`export LEADER_HOST="` + leader + `" LEADER_PORT="` + port + `" && exec python3 /scripts/wait-for-leader.py`},
				SecurityContext: &corev1.SecurityContext{RunAsNonRoot: ptr.To(true)},
				VolumeMounts:    []corev1.VolumeMount{{Name: "wait-leader-script", MountPath: "/scripts", ReadOnly: true}},
			}},
			Volumes: []corev1.Volume{{Name: "models"}, {Name: "wait-leader-script", VolumeSource: corev1.VolumeSource{
				ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "script"}},
			}}},
		}
	}
	withArgs := func(args ...string) *corev1.Container {
		c := main.DeepCopy()
		c.Args = args
		return c
	}
	cases := map[string]struct {
		reason   string
		main     *corev1.Container
		settings Settings
		want     corev1.PodSpec
	}{
		"MPWorker": {
			reason:   "A worker waits for the port on which torch.distributed of the leader listens.",
			settings: Settings{Framework: "vllm", Role: RoleWorker, NodeCount: 2, Hosts: GroveHosts{Service: "decode"}, Executor: ExecutorMP, GPULimit: 4},
			want:     waiting("${GROVE_PCSG_NAME}-${GROVE_PCSG_INDEX}-decode-ldr-0.${GROVE_HEADLESS_SERVICE}", "29500"),
		},
		"MPLeader": {
			reason:   "The leader waits for nobody.",
			settings: Settings{Framework: "vllm", Role: RoleLeader, NodeCount: 2, Hosts: LWSHosts{}, Executor: ExecutorMP, GPULimit: 4},
			want:     base,
		},
		"RayWorker": {
			reason:   "A worker of Ray has nothing to wait for.",
			settings: Settings{Framework: "vllm", Role: RoleWorker, NodeCount: 2, Hosts: LWSHosts{}, Executor: ExecutorRay, GPULimit: 4},
			want:     base,
		},
		"DataParallel": {
			reason:   "A data-parallel worker waits for the port that the first engine opens, not for one where nobody listens.",
			main:     withArgs("--data-parallel-size", "8"),
			settings: Settings{Framework: "vllm", Role: RoleWorker, NodeCount: 2, Hosts: LWSHosts{}, Executor: ExecutorMP, GPULimit: 4},
			want:     waiting("${LWS_LEADER_ADDRESS}", "13445"),
		},
		"DataParallelPort": {
			reason:   "The port of the user's choice.",
			main:     withArgs("--data-parallel-size", "8", "--data-parallel-rpc-port=29500"),
			settings: Settings{Framework: "vllm", Role: RoleWorker, NodeCount: 2, Hosts: LWSHosts{}, Executor: ExecutorMP, GPULimit: 4},
			want:     waiting("${LWS_LEADER_ADDRESS}", "29500"),
		},
		"NotSpanned": {
			reason:   "Where leader and workers are not joined nobody listens.",
			settings: Settings{Framework: "vllm", Role: RoleWorker, NodeCount: 2, Hosts: LWSHosts{}, Executor: ExecutorMP, GPULimit: 8},
			want:     base,
		},
		"SingleNode": {
			reason:   "A single node needs nothing.",
			settings: Settings{Framework: "vllm", Role: RoleMain, NodeCount: 1, Executor: ExecutorMP, GPULimit: 4},
			want:     base,
		},
		"TRTLLM": {
			reason:   "Leader and workers of TensorRT-LLM mount the key pair.",
			settings: Settings{Framework: "trtllm", Role: RoleLeader, NodeCount: 2, Hosts: LWSHosts{}, SSHSecret: "keys.of-graph"},
			want: corev1.PodSpec{InitContainers: base.InitContainers, Volumes: []corev1.Volume{{Name: "models"}, {
				Name:         "mpi-run-ssh-secret",
				VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "keys.of-graph", DefaultMode: ptr.To[int32](0o644)}},
			}}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			container := main.DeepCopy()
			if tc.main != nil {
				container = tc.main.DeepCopy()
			}
			tc.settings.WaitScriptConfigMap = "script"
			before := base.DeepCopy()
			ConfigurePod(before, container, tc.settings)
			if diff := cmp.Diff(&tc.want, before); diff != "" {
				t.Errorf("%s\nConfigurePod(...): -want, +got:\n%s", tc.reason, diff)
			}
			ConfigureContainer(container, tc.settings)
			after := base.DeepCopy()
			ConfigurePod(after, container, tc.settings)
			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("%s\nConfigurePod(...) after ConfigureContainer(...): -before, +after:\n%s", tc.reason, diff)
			}
		})
	}
}

// Whether a pod waits is the same before and after its container is configured, in every style of command.
func TestNeedsWaitScriptInEveryStyle(t *testing.T) {
	for styleName, style := range commandStyles {
		for orchestrator, hosts := range orchestrators {
			for set, arguments := range argumentSets {
				for _, sizes := range [][]string{{"-tp", "12"}, {"-dp", "12"}, {"-tp", "2"}} {
					c := containerOf(style, "dynamo.vllm", append([]string{sizes[0], sizes[1]}, arguments...))
					s := Settings{Framework: "vllm", Role: RoleWorker, NodeCount: 3, Hosts: hosts, Executor: ExecutorMP, GPULimit: 4}
					want := sizes[1] == "12"
					if got := NeedsWaitScript(s, c); got != want {
						t.Errorf("%s, %s, %s: NeedsWaitScript(...) = %t, want %t", styleName, orchestrator, set, got, want)
					}
					port := leaderPort(s, c)
					ConfigureContainer(c, s)
					if got := leaderPort(s, c); got != port {
						t.Errorf("%s, %s, %s: the port to wait for is %q after ConfigureContainer(...), want %q", styleName, orchestrator, set, got, port)
					}
				}
			}
		}
	}
	other := &corev1.Container{Command: []string{"python3", "serve.py"}, Args: []string{"-tp", "8"}}
	s := Settings{Framework: "vllm", Role: RoleWorker, NodeCount: 2, Hosts: GroveHosts{Service: "decode"}, Executor: ExecutorMP, GPULimit: 4}
	before := NeedsWaitScript(s, other)
	ConfigureContainer(other, s)
	if after := NeedsWaitScript(s, other); !before || !after {
		t.Errorf("a Python program other than the module: NeedsWaitScript(...) = %t, then %t, want true", before, after)
	}
}
