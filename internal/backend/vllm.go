package backend

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// RayPort is where the head of a Ray cluster listens for its nodes.
const RayPort = 6379

const (
	rayPort = "6379"
	// masterPort is the port on which torch.distributed of rank 0 listens, for vLLM and SGLang.
	masterPort = "29500"
	// dataParallelPort is the port on which the first data-parallel engine listens for the others.
	dataParallelPort = "13445"

	// dataParallelFlag is the first flag of data-parallel engines on several nodes.
	dataParallelFlag = "--data-parallel-hybrid-lb"
	// rayStart is the beginning of the command with which a node starts or joins a Ray cluster.
	rayStart = "ray start "
	// envSideChannelHost is the environment variable with the address that NIXL announces to its peers.
	envSideChannelHost = "VLLM_NIXL_SIDE_CHANNEL_HOST"
)

// span is the way in which a vLLM engine spans the nodes of a replica.
type span int

const (
	// spanNone: one engine fits on one node, and no second engine is requested.
	spanNone span = iota
	// spanWorld: the tensor and pipeline parallel ranks of one engine are on several nodes.
	spanWorld
	// spanElastic: vLLM places data-parallel engines on the nodes, and changes their number.
	spanElastic
	// spanData: each node runs complete data-parallel engines that act as one.
	spanData
)

func (r *shape) span(gpus int64) span {
	switch p := r.parallelism; {
	case gpus > 0 && p.WorldSize() > gpus:
		return spanWorld
	case r.elastic:
		return spanElastic
	case gpus > 0 && p.GPUs() > gpus:
		return spanData
	default:
		return spanNone
	}
}

// configureVLLM follows the documentation of vLLM for one engine on several nodes, and for data-parallel engines.
// https://docs.vllm.ai/en/latest/serving/parallelism_scaling.html
// https://docs.vllm.ai/en/latest/serving/data_parallel_deployment.html
func configureVLLM(c *corev1.Container, s Settings) []message.Text {
	warnings := spreadVLLM(c, s)
	if s.Executor == ExecutorMP {
		announcePod(c)
	}
	if s.Role == RoleWorker && !s.Texts.Registers(c, s.Framework, s.Role) {
		removeProbes(c)
	}
	return warnings
}

// announcePod makes NIXL announce the address of the pod to its peers. The default is localhost.
func announcePod(c *corev1.Container) {
	appendEnv(c, corev1.EnvVar{Name: envSideChannelHost, ValueFrom: &corev1.EnvVarSource{
		FieldRef: &corev1.ObjectFieldSelector{FieldPath: "status.podIP"},
	}})
}

func spreadVLLM(c *corev1.Container, s Settings) []message.Text {
	in := s.Texts.readInvocation(s.Framework, c)
	read := s.Texts.readShape(s.Framework, c)
	switch read.span(s.GPULimit) {
	case spanWorld:
		if s.Executor == ExecutorMP {
			return injectOrWarn(in, c, mpFlags(in, c, s))
		}
		return startRay(in, c, s)
	case spanElastic:
		startElastic(in, c, s)
		return nil
	case spanData:
		// The flags of the user are read before others are added.
		misfit := dataParallelMisfit(in, c, s, read)
		return append(injectOrWarn(in, c, dataParallelFlags(c, s, read)), misfit...)
	default:
		return []message.Text{notSpanned(read, s, c)}
	}
}

func injectOrWarn(in invocation, c *corev1.Container, flags []flag) []message.Text {
	if !in.found {
		return []message.Text{in.notInjected(scriptOf(flags))}
	}
	in.inject(c, flags)
	return in.contradictions(flags)
}

func mpFlags(in invocation, c *corev1.Container, s Settings) []flag {
	flags := []flag{
		{name: "--distributed-executor-backend", value: literal("mp")},
		{name: "--nnodes", also: "-n", value: literal(strconv.Itoa(int(s.NodeCount)))},
		{name: "--master-addr", value: s.Hosts.Leader()},
	}
	// In a script, the port of the user comes later, and counts.
	if _, given := s.Texts.PortFor(Rendezvous, c); !given || in.script >= 0 {
		flags = append(flags, flag{name: "--master-port", value: literal(masterPort)})
	}
	rank := flag{name: "--node-rank", also: "-r", value: literal("0"), perNode: true}
	if s.Role == RoleLeader {
		return append(flags, rank)
	}
	rank.value = s.Hosts.WorkerRank()
	return append(flags, rank, flag{name: "--headless"})
}

// isExternal reports whether a flag makes each data-parallel engine of vLLM a worker that gets requests from outside.
func isExternal(name string) bool {
	return slices.Contains([]string{"data-parallel-external-lb", "dpe", "data-parallel-rank", "dpn"}, name)
}

func dataParallelFlags(c *corev1.Container, s Settings, read shape) []flag {
	local := s.GPULimit / read.parallelism.WorldSize()
	start := literal("0")
	if s.Role == RoleWorker {
		// Only the shell expands this: the kubelet does not find $(VAR) within $((...)).
		start = Expression{Shell: fmt.Sprintf("$(( %d * %s ))", local, s.Hosts.WorkerRank().Shell)}
	}
	flags := []flag{
		{name: dataParallelFlag},
		{name: "--data-parallel-size-local", also: "-dpl", value: literal(strconv.FormatInt(local, 10))},
		{name: "--data-parallel-start-rank", also: "-dpr", value: start, perNode: true},
		{name: "--data-parallel-address", also: "-dpa", value: s.Hosts.Leader()},
	}
	if read.external != "" {
		// vLLM refuses both kinds of load balancing. The last rank counts, which may be that of the user.
		flags = append([]flag{{name: "--data-parallel-rank", also: "-dpn", value: start, perNode: true}}, flags[3])
	}
	if _, given := s.Texts.PortFor(DataParallel, c); given {
		return flags
	}
	return append(flags, flag{name: "--data-parallel-rpc-port", value: literal(dataParallelPort)})
}

// dataParallelMisfit is a warning for data-parallel engines that do not fill the nodes. With external load balancing, the only process of a node is
// exactly one of them.
// https://docs.vllm.ai/en/latest/serving/data_parallel_deployment.html#external-load-balancing
func dataParallelMisfit(in invocation, c *corev1.Container, s Settings, read shape) []message.Text {
	p := read.parallelism
	local := s.GPULimit / p.WorldSize()
	switch {
	case read.external != "" && in.startsRanks(c):
		return nil
	case read.external != "" && local > 1:
		return []message.Text{message.Format("with %[1]s, each node runs one data-parallel engine, but a node of %[2]d GPUs has room for %[3]d engines of %[4]d GPUs, and --data-parallel-size is %[5]d, so the %[6]d nodes do not form one engine; "+
			"use --data-parallel-hybrid-lb in place of %[1]s, or set --data-parallel-size to %[6]d, and --tensor-parallel-size and --pipeline-parallel-size to use %[2]d GPUs",
			read.external, s.GPULimit, local, p.WorldSize(), p.Data, s.NodeCount)}
	case local*int64(s.NodeCount) != p.Data:
		return []message.Text{message.Format("%d data-parallel engines of %d GPUs do not fill %d nodes of %d GPUs each; set --data-parallel-size to %d",
			p.Data, p.WorldSize(), s.NodeCount, s.GPULimit, local*int64(s.NodeCount))}
	default:
		return nil
	}
}

// startsRanks reports whether a script may start a process for each data-parallel rank of its node: it runs the engine several times, or says in a
// variable which rank it runs.
func (in invocation) startsRanks(c *corev1.Container) bool {
	if in.script < 0 {
		return false
	}
	for _, rank := range given(in.texts.commandWords(c), func(name string) bool { return name == "data-parallel-rank" || name == "dpn" }) {
		if !isLiteral(rank) {
			return true
		}
	}
	return len(in.engineRuns(in.argv[in.script])) > 1
}

// startRay makes the leader the head of a Ray cluster, which then runs the engine, and each worker a node of the cluster. If the command of
// the user is a script, it runs after the head has started, and only the flag is added to it. A command that starts Ray by itself is not
// changed: it connects the nodes, and a second head could not start.
func startRay(in invocation, c *corev1.Container, s Settings) []message.Text {
	const head = rayStart + "--head --port=" + rayPort + " &&"
	flags := []flag{{name: "--distributed-executor-backend", value: literal("ray")}}
	if startsRay(c) {
		return nil
	}
	if !in.found {
		return []message.Text{in.notInjected("ray start and " + scriptOf(flags))}
	}
	if s.Role == RoleWorker {
		in.assignScript(c, "/bin/sh", rayStart+"--address="+s.Hosts.Leader().withPort(rayPort).inScript()+" --block")
		return nil
	}
	warnings := in.contradictions(flags)
	if in.script >= 0 {
		in.argv, flags = in.withFlagsInScript(flags), nil
	}
	in.assignShell(c, "/bin/sh", head, head+" exec", flags)
	return warnings
}

func notSpanned(read shape, s Settings, c *corev1.Container) message.Text {
	p := read.parallelism
	const consequence = "the leader and the workers run the same command and do not form one engine"
	if s.GPULimit == 0 && len(c.Resources.Claims) > 0 && read.unread == "" {
		return message.Format("a replica has %d nodes, whose GPUs are in claim %s, but tensor parallel %d x pipeline parallel %d x data parallel %d = %d does not fill them: %s; set --tensor-parallel-size, "+
			"--pipeline-parallel-size and --data-parallel-size to use the GPUs of all nodes, or remove multinode",
			s.NodeCount, claimsOf(c), p.Tensor, p.Pipeline, p.Data, p.GPUs(), consequence)
	}
	if s.GPULimit == 0 && len(c.Resources.Claims) > 0 {
		return message.Format("a replica has %d nodes, whose GPUs are in claim %s, but the value of %s is not a number: %s; replace the value with a number", s.NodeCount, claimsOf(c), read.unread, consequence)
	}
	if s.GPULimit == 0 {
		return message.Format("a replica has %d nodes, but the number of GPUs of each node is not known without {{limits[nvidia.com/gpu]}}: %s; set {{resources.limits[nvidia.com/gpu]}}, or the resource of other accelerators: %s",
			s.NodeCount, consequence, strings.Join(names.Accelerators()[1:], ", "))
	}
	if s.Texts.readsFile(c) {
		return message.Format("a replica has %d nodes of %d GPUs, but the sizes may be in the file of --config, which only the container reads, so they are not judged, and no flags are added that connect the nodes; "+
			"set --tensor-parallel-size, --pipeline-parallel-size or --data-parallel-size in the command too, or connect the nodes in the file", s.NodeCount, s.GPULimit)
	}
	if read.unread != "" {
		return message.Format("a replica has %d nodes of %d GPUs, but the value of %s is not a number: %s; replace the value with a number", s.NodeCount, s.GPULimit, read.unread, consequence)
	}
	return message.Format("a replica has %d nodes of %d GPUs, but tensor parallel %d x pipeline parallel %d x data parallel %d needs only %d: %s; raise --tensor-parallel-size, "+
		"--pipeline-parallel-size or --data-parallel-size to use %d GPUs, or remove multinode",
		s.NodeCount, s.GPULimit, p.Tensor, p.Pipeline, p.Data, p.GPUs(), consequence, int64(s.NodeCount)*s.GPULimit)
}

// readsFile reports whether sizes may be in a file of flags.
func (t *Texts) readsFile(c *corev1.Container) bool {
	for word := range t.commandWords(c) {
		if name, _, _ := splitFlag(word); name == "config" {
			return true
		}
	}
	return false
}

// claimsOf a container by name.
func claimsOf(c *corev1.Container) string {
	var claims []string
	for _, claim := range c.Resources.Claims {
		claims = append(claims, claim.Name)
	}
	return strings.Join(claims, ", ")
}
