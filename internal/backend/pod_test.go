package backend

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

func TestConfigurePod(t *testing.T) {
	main := engineContainer([]string{"python3", "-m", "dynamo.vllm"}, []string{"-tp", "8"}, func(c *corev1.Container) {
		c.SecurityContext = &corev1.SecurityContext{RunAsNonRoot: new(true)}
	})
	base := corev1.PodSpec{InitContainers: []corev1.Container{{Name: "first"}}, Volumes: []corev1.Volume{{Name: "models"}}}
	waiting := func(leader, port string) corev1.PodSpec {
		return corev1.PodSpec{
			InitContainers: []corev1.Container{{Name: "first"}, {
				Name: "wait-for-leader-mp", Image: "engine:1", ImagePullPolicy: corev1.PullAlways,
				Command:         []string{"sh", "-c"},
				Args:            []string{`export LEADER_HOST="` + leader + `" LEADER_PORT="` + port + `" && exec python3 /scripts/wait-for-leader.py`},
				SecurityContext: &corev1.SecurityContext{RunAsNonRoot: new(true)},
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
	withScript := func(script string) *corev1.Container {
		c := main.DeepCopy()
		c.Command, c.Args = []string{"sh", "-c"}, []string{script}
		return c
	}
	withEnv := func(c *corev1.Container, env ...corev1.EnvVar) *corev1.Container {
		c.Env = env
		return c
	}
	withSource := func(c *corev1.Container, configMap string) *corev1.Container {
		c.EnvFrom = []corev1.EnvFromSource{{ConfigMapRef: &corev1.ConfigMapEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: configMap}}}}
		return c
	}
	waitingWith := func(p corev1.PodSpec, edit func(c *corev1.Container)) corev1.PodSpec {
		edit(&p.InitContainers[1])
		return p
	}
	cases := map[string]struct {
		reason   string
		main     *corev1.Container
		settings Settings
		want     corev1.PodSpec
	}{
		"MPWorker": {
			reason:   "A worker waits for the port on which torch.distributed of the leader listens.",
			settings: Settings{Framework: "vllm", Role: RoleWorker, NodeCount: 2, Hosts: GroveHosts{Component: "decode"}, Executor: ExecutorMP, GPULimit: 4},
			want:     waiting("${GROVE_PCSG_NAME}-${GROVE_PCSG_INDEX}-decode-ldr-0.${GROVE_HEADLESS_SERVICE}", "29500"),
		},
		"MPLeader": {
			reason:   "The leader does not wait.",
			settings: Settings{Framework: "vllm", Role: RoleLeader, NodeCount: 2, Hosts: LWSHosts{}, Executor: ExecutorMP, GPULimit: 4},
			want:     base,
		},
		"RayWorker": {
			reason:   "A worker of Ray has no port to wait for.",
			settings: Settings{Framework: "vllm", Role: RoleWorker, NodeCount: 2, Hosts: LWSHosts{}, Executor: ExecutorRay, GPULimit: 4},
			want:     base,
		},
		"DataParallel": {
			reason:   "A data-parallel worker waits for the port that the first engine opens, not for one on which nothing listens.",
			main:     withArgs("--data-parallel-size", "8"),
			settings: Settings{Framework: "vllm", Role: RoleWorker, NodeCount: 2, Hosts: LWSHosts{}, Executor: ExecutorMP, GPULimit: 4},
			want:     waiting("${LWS_LEADER_ADDRESS}", "13445"),
		},
		"DataParallelPort": {
			reason:   "A data-parallel worker waits for the port of the user's choice.",
			main:     withArgs("--data-parallel-size", "8", "--data-parallel-rpc-port=29500"),
			settings: Settings{Framework: "vllm", Role: RoleWorker, NodeCount: 2, Hosts: LWSHosts{}, Executor: ExecutorMP, GPULimit: 4},
			want:     waiting("${LWS_LEADER_ADDRESS}", "29500"),
		},
		"DataParallelPortInVariable": {
			reason: "A port that is a variable of the container is one of the container that waits as well, with what its value takes.",
			main: withEnv(withArgs("--data-parallel-size", "8", "--data-parallel-rpc-port", "$(DP_PORT)"),
				corev1.EnvVar{Name: "BASE", Value: "23"}, corev1.EnvVar{Name: "OTHER", Value: "x"}, corev1.EnvVar{Name: "DP_PORT", Value: "$(BASE)456"}),
			settings: Settings{Framework: "vllm", Role: RoleWorker, NodeCount: 2, Hosts: LWSHosts{}, Executor: ExecutorMP, GPULimit: 4},
			want: waitingWith(waiting("${LWS_LEADER_ADDRESS}", "$(DP_PORT)"), func(c *corev1.Container) {
				c.Env = []corev1.EnvVar{{Name: "BASE", Value: "23"}, {Name: "DP_PORT", Value: "$(BASE)456"}}
			}),
		},
		"DataParallelPortFromSource": {
			reason:   "A variable that the container does not define itself may come from where it takes all of them.",
			main:     withSource(withScript("python3 -m dynamo.vllm --data-parallel-size 8 --data-parallel-rpc-port ${DP_PORT}"), "ports"),
			settings: Settings{Framework: "vllm", Role: RoleWorker, NodeCount: 2, Hosts: LWSHosts{}, Executor: ExecutorMP, GPULimit: 4},
			want: waitingWith(waiting("${LWS_LEADER_ADDRESS}", "${DP_PORT}"), func(c *corev1.Container) {
				c.EnvFrom = []corev1.EnvFromSource{{ConfigMapRef: &corev1.ConfigMapEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: "ports"}}}}
			}),
		},
		"NotSpanned": {
			reason:   "Where leader and workers are not joined, no port is opened, so a worker does not wait.",
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

// NeedsWaitScript returns the same before and after ConfigureContainer, for every style of command.
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
	s := Settings{Framework: "vllm", Role: RoleWorker, NodeCount: 2, Hosts: GroveHosts{Component: "decode"}, Executor: ExecutorMP, GPULimit: 4}
	before := NeedsWaitScript(s, other)
	ConfigureContainer(other, s)
	if after := NeedsWaitScript(s, other); !before || !after {
		t.Errorf("a Python program other than the module: NeedsWaitScript(...) = %t, then %t, want true", before, after)
	}
}
