package backend

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
)

// TestRoleCommands shows what commands that connect the nodes get, by engine, release and role: what they cannot know, and nothing else.
func TestRoleCommands(t *testing.T) {
	const model = "--model=m"
	vllm := []string{"python3", "-m", "dynamo.vllm"}
	span := []string{model, "--tensor-parallel-size", "8"}
	headless := slices.Concat(span, []string{"--headless"})
	master := []string{"--master-port", "29500"}
	podIP := corev1.EnvVar{Name: envSideChannelHost, ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "status.podIP"}}}
	fqdn := corev1.EnvVar{Name: "OMPI_MCA_orte_keep_fqdn_hostnames", Value: "1"}
	named := func(rank string) []corev1.EnvVar {
		return []corev1.EnvVar{{Name: envLeaderAddress, Value: "$(LWS_LEADER_ADDRESS)"}, {Name: envRank, Value: rank}}
	}
	with := func(args []string, env ...corev1.EnvVar) *corev1.Container {
		return engineContainer(vllm, args, func(c *corev1.Container) { c.Env = append(c.Env, env...) })
	}
	mpi := func(c *corev1.Container, probe *corev1.Probe) *corev1.Container {
		c.VolumeMounts = append(c.VolumeMounts, corev1.VolumeMount{Name: SSHVolume, MountPath: SSHKeyPath, ReadOnly: true})
		c.ReadinessProbe = probe
		return c
	}
	withoutReadiness := func(c *corev1.Container) *corev1.Container {
		c.ReadinessProbe = nil
		return c
	}
	cases := map[string]struct {
		reason    string
		framework v1alpha1.BackendFramework
		executor  Executor
		role      Role
		release   runtime.Version
		container *corev1.Container
		want      *corev1.Container
	}{
		"Leader": {
			reason: "Processes of vLLM meet on the port for which workers wait.", framework: "vllm", executor: ExecutorMP, role: RoleLeader, release: "1.6.0",
			container: with(span), want: with(slices.Concat(span, master), append(named("0"), podIP)...),
		},
		"Worker": {
			reason: "A worker learns its rank, and keeps its probes.", framework: "vllm", executor: ExecutorMP, role: RoleWorker, release: "1.6.0",
			container: with(headless), want: with(slices.Concat(headless, master), append(named("$(LWS_WORKER_INDEX)"), podIP)...),
		},
		"Earlier": {
			reason: "Programs of earlier releases do not know the variables.", framework: "vllm", executor: ExecutorMP, role: RoleWorker, release: "1.5.1",
			container: with(headless), want: with(slices.Concat(headless, master), podIP),
		},
		"PortOfUser": {
			reason: "A port that the command says is that of its user.", framework: "vllm", executor: ExecutorMP, role: RoleLeader, release: "1.6.0",
			container: with([]string{"--tensor-parallel-size=8", "--master-port=29600"}), want: with([]string{"--tensor-parallel-size=8", "--master-port=29600"}, append(named("0"), podIP)...),
		},
		"OneNode": {
			reason: "An engine that fits on its node meets no other.", framework: "vllm", executor: ExecutorMP, role: RoleLeader, release: "1.6.0",
			container: with([]string{model}), want: with([]string{model}, append(named("0"), podIP)...),
		},
		"Ray": {
			reason: "The command starts the Ray cluster.", framework: "vllm", executor: ExecutorRay, role: RoleLeader, release: "1.6.0",
			container: with(span), want: with(span, named("0")...),
		},
		"SGLang": {
			reason: "Each node of SGLang has its flags from its user.", framework: "sglang", role: RoleWorker, release: "1.6.0",
			container: with(span), want: with(span, named("$(LWS_WORKER_INDEX)")...),
		},
		"MPILeader": {
			reason: "The leader of TensorRT-LLM starts ranks over SSH.", framework: "trtllm", role: RoleLeader, release: "1.6.0",
			container: withoutReadiness(with(span)), want: mpi(with(span, append(named("0"), fqdn)...), nil),
		},
		"MPIWorker": {
			reason: "A worker of TensorRT-LLM is ready when its SSH server listens.", framework: "trtllm", role: RoleWorker, release: "1.6.0",
			container: withoutReadiness(with(span)), want: mpi(with(span, append(named("$(LWS_WORKER_INDEX)"), fqdn)...), sshProbe()),
		},
		"MPIWorkerWithProbe": {
			reason: "The user may know better when a worker is ready.", framework: "trtllm", role: RoleWorker, release: "1.6.0",
			container: with(span), want: mpi(with(span, append(named("$(LWS_WORKER_INDEX)"), fqdn)...), probe("/health")),
		},
		"NoEngine": {
			reason: "A program of the user connects itself.", role: RoleWorker, release: "1.6.0",
			container: with(span), want: with(span, named("$(LWS_WORKER_INDEX)")...),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			warnings := ConfigureContainer(tc.container, Settings{
				Framework: tc.framework, Executor: tc.executor, Role: tc.role, RuntimeVersion: tc.release, OwnCommand: true, NodeCount: 2, Hosts: LWSHosts{}, GPULimit: 4,
			})
			if len(warnings) > 0 {
				t.Errorf("%s\nConfigureContainer(...): want no warnings, got %v", tc.reason, warnings)
			}
			if diff := cmp.Diff(tc.want, tc.container); diff != "" {
				t.Errorf("%s\nConfigureContainer(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
