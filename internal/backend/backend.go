// Package backend configures the engines that workers run (vLLM, SGLang, TensorRT-LLM). It detects which engine a command starts and how
// many GPUs its flags require, and changes the container and the pod so that the nodes of a replica form one engine.
package backend

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/engine"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// Role of a pod within a replica of a component.
type Role string

// The roles. A single-node component only has RoleMain. A component with n nodes has a leader and n-1 workers. With weight servers, each node
// also has a pod with RoleWeights, which runs no engine.
const (
	RoleMain   Role = "main"
	RoleLeader Role = "leader"
	RoleWorker Role = "worker"

	RoleWeights Role = "weights"
)

// Executor determines how a vLLM engine that spans nodes starts its processes.
type Executor string

// The executors: a Ray cluster, or processes of vLLM that connect to the leader.
const (
	ExecutorRay Executor = "ray"
	ExecutorMP  Executor = "mp"
)

// Settings are the properties of a component and of a pod that a backend needs.
type Settings struct {
	// Texts of the command lines of the graph.
	Texts *Texts
	// Framework of the component, as returned by Detect. If it is empty, nothing is changed.
	Framework v1alpha1.BackendFramework
	// Role of the pod.
	Role Role
	// OwnCommand says that each role has a pod template of its user, whose command connects the nodes.
	OwnCommand bool
	// NodeCount of one replica.
	NodeCount int32
	// Hosts has the addresses of the pods. It is only needed if NodeCount is greater than 1.
	Hosts Hosts
	// Executor, for vLLM.
	Executor Executor
	// FromWeightServer says that the engine takes its weights from a weight server in another pod.
	FromWeightServer bool
	// GPULimit and GPURequest of the main container. 0 if it has none.
	GPULimit, GPURequest int64
	// WaitScriptConfigMap is the name of the ConfigMap that contains WaitScript under WaitScriptKey.
	WaitScriptConfigMap string
	// RuntimeVersion is the release of Dynamo in the image.
	RuntimeVersion runtime.Version
	// SSHSecret is the name of the Secret that contains the key pair for the nodes of TensorRT-LLM.
	SSHSecret string
}

// multinode reports whether the replica of the pod has several nodes.
func (s Settings) multinode() bool {
	return s.NodeCount > 1 && s.Hosts != nil && (s.Role == RoleLeader || s.Role == RoleWorker)
}

// ConfigureContainer makes the main container one node of its replica. The warnings describe what could not be configured, with the remedy.
// The container of a single-node component does not change, unless other nodes can join it while it runs, or its ranks export metrics.
func ConfigureContainer(c *corev1.Container, s Settings) []message.Text {
	warnings := append(loadFromWeightServer(c, s), declareExporterPorts(c, s)...)
	if !s.multinode() {
		if s.Role == RoleMain && s.Texts.IsElasticHead(s.Framework, c) {
			startElasticHead(s.Texts.readInvocation(s.Framework, c), c)
		}
		return warnings
	}
	nameNode(c, s)
	if s.OwnCommand {
		completeRole(c, s)
		return warnings
	}
	switch engine.Of(s.Framework).Nodes {
	case engine.ByExecutor:
		return append(warnings, configureVLLM(c, s)...)
	case engine.ByRank:
		return append(warnings, configureSGLang(c, s)...)
	case engine.ByMPI:
		return append(warnings, configureTRTLLM(c, s)...)
	default:
		return warnings
	}
}

// ConnectsItself reports whether a program of the user connects the nodes of a replica: it is none of the engines, and no module of Dynamo.
// It gets no flags. How it learns its rank and the address of the first node is described in docs/multinode.md.
func ConnectsItself(c *corev1.Container, s Settings) bool {
	return s.multinode() && engine.Of(s.Framework).Nodes == "" && s.Texts.OtherModule(c) == ""
}

// ConfigurePod adds the volumes and init containers that the main container needs. It can be called before or after ConfigureContainer.
func ConfigurePod(p *corev1.PodSpec, main *corev1.Container, s Settings) {
	if NeedsWaitScript(s, main) {
		addWaitForLeader(p, main, s)
	}
	if NeedsSSH(s) {
		addSSHVolume(p, s)
	}
}

// removeProbes removes all probes from a worker, because only the leader serves the port that they probe. Probes of the user are removed as
// well, because they can only be meant for the leader.
func removeProbes(c *corev1.Container) {
	c.LivenessProbe, c.ReadinessProbe, c.StartupProbe = nil, nil, nil
}

// appendEnv adds an environment variable at the end, unless the container already has one with this name. The value of the user takes
// precedence, and Grove's webhook refuses duplicates.
func appendEnv(c *corev1.Container, v corev1.EnvVar) {
	for _, have := range c.Env {
		if have.Name == v.Name {
			return
		}
	}
	c.Env = append(c.Env[:len(c.Env):len(c.Env)], v)
}
