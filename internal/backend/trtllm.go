package backend

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// launcher runs a program on rank 0, and the worker loop of TensorRT-LLM on every other rank.
const launcher = "trtllm-llmapi-launch"

// MaxMPINodes is the maximum number of nodes on which MPI starts an engine. The script of the leader contains the name of each node, and
// Linux limits an argument of a program to 128 KiB. This number of names always fits.
const MaxMPINodes = 512

// configureTRTLLM makes the leader start one rank for each GPU of the replica over MPI, and each worker run an SSH server to which the
// leader logs in. Without a job scheduler, the engine has no other way to span nodes.
// https://nvidia.github.io/TensorRT-LLM/
func configureTRTLLM(c *corev1.Container, s Settings) []message.Text {
	if reason := notLaunchable(c); reason != "" {
		return []message.Text{message.Plain(reason)}
	}
	mountSSH(c)
	if s.Role == RoleWorker {
		serveSSH(c)
		return nil
	}
	return launchMPI(c, s)
}

// mountSSH mounts the key pair.
func mountSSH(c *corev1.Container) {
	c.VolumeMounts = append(c.VolumeMounts[:len(c.VolumeMounts):len(c.VolumeMounts)], corev1.VolumeMount{Name: SSHVolume, MountPath: SSHKeyPath, ReadOnly: true})
	// Otherwise Open MPI would cut the host names at the first dot, and would not find the hosts.
	appendEnv(c, corev1.EnvVar{Name: "OMPI_MCA_orte_keep_fqdn_hostnames", Value: "1"})
}

// notLaunchable describes why the launcher has nothing to run.
func notLaunchable(c *corev1.Container) string {
	argv := slices.Concat(c.Command, c.Args)
	runsShell := len(argv) > 0 && isShell(argv[0])
	switch {
	case runsShell && len(argv) <= 2 && scriptIn(argv) < 0:
		return "the command is a shell without a script, so the nodes do not form one engine; set command and args to start the engine"
	case len(c.Command) == 0 && !runsShell && !BeginsWithProgram(argv) && (len(argv) == 0 || !isPython(argv[0])):
		return "the entry point of the image is not known, so the nodes do not form one engine; set command to the engine's program"
	default:
		return ""
	}
}

// serveSSH makes a worker wait for the login of the leader. The worker is ready when its SSH server listens.
func serveSSH(c *corev1.Container) {
	removeProbes(c)
	c.ReadinessProbe = sshProbe()
	c.Command, c.Args = []string{"/bin/sh", "-c"}, []string{sshServerScript}
}

func sshProbe() *corev1.Probe {
	return &corev1.Probe{
		ProbeHandler:        corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(sshPort)}},
		InitialDelaySeconds: 20,
		PeriodSeconds:       20,
		TimeoutSeconds:      5,
		FailureThreshold:    10,
	}
}

func launchMPI(c *corev1.Container, s Settings) []message.Text {
	var warnings []message.Text
	switch {
	case s.gpus() > 0:
	case len(c.Resources.Claims) > 0:
		warnings = append(warnings, message.Format("only the cluster knows how many GPUs are in claim %s, so one rank is started on each of the %d nodes; set --tensor-parallel-size and --pipeline-parallel-size to use the GPUs of all nodes",
			claimsOf(c), s.NodeCount))
	default:
		warnings = append(warnings, message.Format("the container requests no GPU, so one rank is started on each of the %d nodes; set {{resources.limits[nvidia.com/gpu]}}", s.NodeCount))
	}
	names, skipped := exportedNames(c.Env, s.RuntimeVersion)
	for _, name := range skipped {
		warnings = append(warnings, message.Format("environment variable %q is not passed to the other nodes; use only letters, digits and underscores in its name", name))
	}

	script := []string{sshClientScript}
	if s.Hosts.AwaitNames() {
		script = append(script, awaitNamesScript(s))
	}
	in := s.Texts.readInvocation(s.Framework, c)
	program, exact := launchedProgram(in)
	script = append(script, activateScript)
	passed := ""
	if len(c.EnvFrom) > 0 {
		script, passed = append(script, passScript), " $passed"
	}
	script = append(script, "exec "+mpirunCommand(s, Ranks(c, s), names, passed, program))
	if exact {
		in.assignScript(c, "/bin/sh", strings.Join(script, "\n"), slices.Concat([]string{"sh"}, in.argv)...)
		return warnings
	}
	in.assignScript(c, "/bin/sh", strings.Join(script, "\n"))
	return warnings
}

// launchedProgram is the program of each rank, up to the end of the leader's script. exact is true if it needs the positional parameters of
// the script, because the command of the user cannot be written between single quotes.
func launchedProgram(in invocation) (program string, exact bool) {
	if line, ok := in.readable(); ok {
		return "bash -c '" + launcher + " " + line + "'", false
	}
	return `bash -c 'exec ` + launcher + ` "$@"' bash "$@"`, true
}

// readable returns the command line of the engine if a shell can read it unchanged: a python command whose tokens can be quoted, or a
// script of sh -c that is one python command of plain words.
func (in invocation) readable() (string, bool) {
	if len(in.argv) > 0 && isPython(in.argv[0]) {
		return joinQuoted(in.argv)
	}
	if len(in.argv) != 3 || scriptIn(in.argv) != 2 || in.argv[1] != "-c" {
		return "", false
	}
	line := in.argv[2]
	for i, word := range strings.Split(line, " ") {
		if !isPlain(word) || (i == 0 && !isPython(word)) {
			return "", false
		}
	}
	return line, true
}

func mpirunCommand(s Settings, ranks int64, names []string, passed, program string) string {
	parts := []string{
		// Only root may be refused as root.
		`mpirun $([ "$(id -u)" = "0" ] && echo --allow-run-as-root) --oversubscribe`,
		fmt.Sprintf("-n %d", ranks),
		"-H " + joinText(s.Hosts.All(s.NodeCount), ","),
		"--mca pml ob1",
		fmt.Sprintf(`--mca plm_rsh_args "-p %d -o StrictHostKeyChecking=no -i $HOME/.ssh/id_rsa"`, sshPort),
	}
	for _, name := range names {
		parts = append(parts, "-x "+name)
	}
	return strings.Join(parts, " ") + passed + " " + program
}

// passScript finds the names of variables that the container has from ConfigMaps and Secrets, which only the cluster knows. Those that a shell or an
// orchestrator sets are different on each node. A line of a value of several lines may look like a variable: mpirun ignores those that are not set.
//
//nolint:gosec // It names variables, and contains no value of any.
const passScript = `passed="$(env | while IFS='=' read -r name value; do
  case "$name" in
  '' | [0-9]* | *[!A-Za-z0-9_]* | _ | HOSTNAME | OLDPWD | PWD | SHLVL | GROVE_* | KUBERNETES_* | LWS_* | OMPI_* | PMIX_*) ;;
  *) printf ' -x %s' "$name" ;;
  esac
done)"`

// alwaysExported are variables that can be set by an image or by envFrom, so that they are not in the env of the container. mpirun ignores
// those that are not set.
func alwaysExported() []string {
	return []string{
		"CUDA_VISIBLE_DEVICES", "HF_DATASETS_CACHE", "HF_ENDPOINT", "HF_HOME", "HF_TOKEN", "HOME", "HUGGING_FACE_HUB_TOKEN",
		"LD_LIBRARY_PATH", "MODEL_PATH", "NCCL_DEBUG", "NCCL_IB_DISABLE", "NCCL_P2P_DISABLE", "PATH", "PYTHONPATH",
		"TENSORRT_LLM_CACHE_DIR", "TOKENIZERS_PARALLELISM", "TRANSFORMERS_CACHE", "TRTLLM_USE_UCX_KVCACHE", "USER",
	}
}

// exportedNames are the variables that mpirun passes to the ranks on other nodes, sorted. An SSH login has none of the variables of the
// container. Names that are not valid in a shell are left out.
func exportedNames(env []corev1.EnvVar, v runtime.Version) (names, skipped []string) {
	names = alwaysExported()
	if v.Has(runtime.TRTLLMCompilerPaths) {
		names = append(names, "CPATH", "TRITON_PTXAS_PATH")
	}
	for _, v := range env {
		if isPlain(v.Name) && !strings.ContainsAny(v.Name, "=,:%@/+") {
			names = append(names, v.Name)
			continue
		}
		skipped = append(skipped, v.Name)
	}
	slices.Sort(names)
	slices.Sort(skipped)
	return slices.Compact(names), skipped
}
