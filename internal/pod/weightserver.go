package pod

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
)

// Names of the parts of pods that share weights with other pods of their node.
const (
	// WeightsVolume contains the sockets of the weight server, and the lock of the engines.
	WeightsVolume = "gms-shared"
	// WeightsContainer makes the volume writable, which belongs to root, for the user of the image.
	WeightsContainer = "fix-gms-perms"

	weightsFolder     = "/run/gms/shared"
	weightsHostFolder = "/run/gms"
	weightsLock       = weightsFolder + "/failover.lock"
	// socketsPerGPU of a weight server: one for weights, and one for the KV cache.
	socketsPerGPU = 2
	engineIDEnv   = "ENGINE_ID"
)

// enginesPerNode of a component with weight servers: the active one, and those that stand by.
func enginesPerNode(s *graph.Component) int32 {
	if !s.HasStandbyPods() {
		return 1
	}
	return 1 + max(1, s.Failover().NumShadows)
}

// Clique of a component on Grove: its pods with the same template.
type Clique struct {
	Name string
	Role backend.Role
	// Rank of the node, if each node has cliques of its own.
	Rank int32
	// Replicas is the number of pods of one replica of the component, of which Least must run.
	Replicas, Least int32
	// After is the clique that must run before this one. Empty if there is none.
	After string
}

// Cliques of one replica of a component, in their order in the PodCliqueSet. A single-node component without a scaling group has as many pods as
// replicas instead.
func Cliques(component *graph.Component) []Clique {
	name, nodes := component.Name, component.Nodes()
	switch {
	case component.RunsWeightServers():
		return weightCliques(component)
	case component.IsMultinode():
		return []Clique{
			{Name: names.LeaderClique(name), Role: backend.RoleLeader, Replicas: 1, Least: 1},
			{Name: names.WorkerClique(name), Role: backend.RoleWorker, Replicas: nodes - 1, Least: nodes - 1},
		}
	default:
		return []Clique{{Name: names.Clique(name), Role: backend.RoleMain, Replicas: 1, Least: 1}}
	}
}

// MaxRankedNodes of a graph have cliques of their own: with two pod templates for each, more than that do not fit into what Crossplane accepts.
const MaxRankedNodes = 400

// RankedNodes of a graph have cliques of their own: those of components with weight servers.
func RankedNodes(g *graph.Graph) int64 {
	total := int64(0)
	for _, component := range g.Components {
		if component.RunsWeightServers() {
			total += int64(component.Nodes())
		}
	}
	return total
}

// weightCliques are two for each node: that of its weight server, and that of its engines, which start after it. A replica runs as long as
// one engine does.
// https://github.com/ai-dynamo/dynamo/blob/2a6da14c8/deploy/operator/internal/dynamo/graph.go#L1344
func weightCliques(s *graph.Component) []Clique {
	name := s.Name
	var all []Clique
	// A graph with more is refused, and is not worth more work.
	for rank := range min(s.Nodes(), MaxRankedNodes) {
		engines := Clique{Name: names.RankClique(name, rank), Role: backend.RoleWorker}
		switch {
		case !s.IsMultinode():
			engines.Name, engines.Role = names.Clique(name), backend.RoleMain
		case rank == 0:
			engines.Name, engines.Role = names.LeaderClique(name), backend.RoleLeader
		}
		engines.Rank, engines.Replicas, engines.Least, engines.After = rank, enginesPerNode(s), 1, names.WeightClique(name, rank)
		all = append(all, Clique{Name: engines.After, Role: backend.RoleWeights, Rank: rank, Replicas: 1, Least: 1}, engines)
	}
	return all
}

// HostsOnGrove is how the pods of a component find each other on Grove, as seen from a node with a rank.
func HostsOnGrove(c *graph.Component, rank int32) backend.Hosts {
	if c.RunsWeightServers() {
		return backend.RankHosts{Component: names.Lower(c.Name), Rank: rank}
	}
	return backend.GroveHosts{Component: names.Lower(c.Name)}
}

// CliqueNames of a component.
func CliqueNames(c *graph.Component) []string {
	cliques := Cliques(c)
	all := make([]string, 0, len(cliques))
	for _, clique := range cliques {
		all = append(all, clique.Name)
	}
	return all
}

// WeightsClaim is the claim for the GPUs of one node, which its weight server and its engines share.
func WeightsClaim(s *graph.Component) resourcev1.ResourceClaimSpec {
	claim := GPUClaim(s).Spec
	claim.Devices.Requests[0].Name = "gpu"
	return claim
}

// shareWeights connects a pod to the other pods of its node. Grove adds the claim for the GPUs to all containers.
// https://github.com/ai-dynamo/dynamo/blob/2a6da14c8/deploy/operator/internal/dynamo/failover.go
func (b *Builder) shareWeights(spec *corev1.PodSpec, c component) {
	if !c.weights {
		return
	}
	if c.role == backend.RoleWeights {
		serveWeights(spec, c.spec.GPUs())
	} else if c.spec.HasStandbyPods() {
		standBy(&spec.Containers[0])
	}

	main := &spec.Containers[0]
	setEnv(main, corev1.EnvVar{Name: gpuMemoryFolderEnv, Value: weightsFolder})
	if c.spec.HasStandbyPods() {
		setEnv(main, corev1.EnvVar{Name: "DYN_VLLM_GMS_SHADOW_MODE", Value: "true"})
	}
	for i := range spec.Containers {
		dropGPUs(&spec.Containers[i], c.spec)
	}
	mount := corev1.VolumeMount{
		Name: WeightsVolume, MountPath: weightsFolder,
		SubPathExpr: fmt.Sprintf("$(GROVE_PCSG_NAME)-$(GROVE_PCSG_INDEX)/rank-%d", b.Rank),
	}
	main.VolumeMounts = append(main.VolumeMounts, mount)
	spec.InitContainers = append(spec.InitContainers, corev1.Container{
		Name:            WeightsContainer,
		Image:           main.Image,
		ImagePullPolicy: main.ImagePullPolicy,
		Command:         []string{"sh", "-c", "chmod 1777 " + weightsFolder},
		SecurityContext: &corev1.SecurityContext{RunAsUser: ptr.To[int64](0), RunAsNonRoot: new(false)},
		VolumeMounts:    []corev1.VolumeMount{mount},
	})
	spec.Volumes = append(spec.Volumes, corev1.Volume{Name: WeightsVolume, VolumeSource: corev1.VolumeSource{
		// Graphs in other namespaces may have the same name.
		HostPath: &corev1.HostPathVolumeSource{Path: weightsHostFolder + "/" + b.Graph.Namespace, Type: ptr.To(corev1.HostPathDirectoryOrCreate)},
	}})
	tolerateGPUs(spec)
}

// serveWeights turns the pod of an engine into that of a weight server. The server keeps nothing but memory, so a restart of its container
// recovers it, and the engines load their weights again. Other containers of the pod belong to the engine.
func serveWeights(spec *corev1.PodSpec, gpus int64) {
	main := spec.Containers[0]
	main.Command = []string{"bash", "-c"}
	main.Args = []string{strings.Join([]string{
		"rm -f " + weightsFolder + "/gms_*.sock",
		"rc=1",
		`cleanup() { kill -- -$$ 2>/dev/null; exit "$rc"; }`,
		"trap cleanup SIGTERM SIGINT",
		"python3 -m gpu_memory_service.cli.server &",
		`echo "Started GMS server pid=$!"`,
		"wait -n",
		"rc=$?",
		`echo "GMS server exited (code=$rc), shutting down"`,
		"cleanup",
	}, "\n")}
	main.LivenessProbe, main.ReadinessProbe, main.Lifecycle = nil, nil, nil
	main.StartupProbe = timing{period: 2, timeout: 2, failures: 150}.probe(corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: []string{
		"sh", "-c", fmt.Sprintf("test $(ls %s/gms_*.sock 2>/dev/null | wc -l) -ge %d", weightsFolder, socketsPerGPU*gpus),
	}}})
	spec.Containers, spec.InitContainers, spec.RestartPolicy = []corev1.Container{main}, nil, corev1.RestartPolicyAlways
}

// standBy lets an engine wait for the lock of the engines on its node. While it waits it answers its probes, although its endpoint is not
// served. Its container restarts in place when it fails, as those of engines in one pod: the lock and the connection to the weight server end
// with its process. The operator lets the pod fail instead, and deletes it together with those of the other nodes. Grove would keep it: it
// counts pods that have failed.
// https://github.com/ai-dynamo/grove/blob/fcc3b3bb/operator/internal/controller/podclique/components/pod/syncflow.go#L175
func standBy(main *corev1.Container) {
	main.Env = slices.DeleteFunc(main.Env, func(e corev1.EnvVar) bool { return e.Name == "DYN_SYSTEM_USE_ENDPOINT_HEALTH_STATUS" })
	for _, env := range []corev1.EnvVar{
		fromField(engineIDEnv, labelPath(metadata.LabelPodIndex)),
		{Name: "FAILOVER_LOCK_PATH", Value: weightsLock},
		{Name: "DYN_SYSTEM_STARTING_HEALTH_STATUS", Value: "notready"},
	} {
		setEnv(main, env)
	}
}

// IsStandbyEnv reports whether engines of a component with standby engines in other pods have a value of their own for a variable, or none,
// whatever the user has written.
func IsStandbyEnv(name string) bool {
	switch name {
	case engineIDEnv, "FAILOVER_LOCK_PATH", "DYN_SYSTEM_STARTING_HEALTH_STATUS", "DYN_SYSTEM_USE_ENDPOINT_HEALTH_STATUS",
		"DYN_VLLM_GMS_SHADOW_MODE", gpuMemoryFolderEnv:
		return true
	default:
		return false
	}
}

// setEnv replaces a variable, or adds it.
func setEnv(c *corev1.Container, env corev1.EnvVar) {
	c.Env = slices.DeleteFunc(c.Env, func(e corev1.EnvVar) bool { return e.Name == env.Name })
	c.Env = append(c.Env, env)
}

// tolerateGPUs adds the toleration that an admission plugin adds to pods that request GPUs as a resource, but not to pods that claim them.
// https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#extendedresourcetoleration
func tolerateGPUs(spec *corev1.PodSpec) {
	toleration := corev1.Toleration{Key: graph.DefaultGPU, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule}
	if !slices.Contains(spec.Tolerations, toleration) {
		spec.Tolerations = append(spec.Tolerations, toleration)
	}
}

// roleLabel is the role of a pod in its labels. Empty if it has none, because all pods of the component serve requests.
func roleLabel(c component) string {
	switch {
	case c.role != backend.RoleMain:
		return string(c.role)
	case c.weights:
		return string(backend.RoleLeader)
	default:
		return ""
	}
}
