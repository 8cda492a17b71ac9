// Package backend knows the engines that a worker runs (vLLM, SGLang, TensorRT-LLM): which one a command starts, how
// many GPUs its sizes ask for, and what has to change in the container and the pod so that the nodes of one replica
// become one engine.
package backend

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/engine"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/runtime"
)

// Role of a pod within one replica of a service.
type Role string

// The roles. A service of one node has only RoleMain; one of n nodes has a leader and n-1 workers.
const (
	RoleMain   Role = "main"
	RoleLeader Role = "leader"
	RoleWorker Role = "worker"
)

// Executor is how a vLLM engine that spans nodes starts its processes.
type Executor string

// The executors: a Ray cluster, or vLLM's own processes that meet at the leader.
const (
	ExecutorRay Executor = "ray"
	ExecutorMP  Executor = "mp"
)

// Settings are what a backend needs to know of a service to set up one of its roles.
type Settings struct {
	// Framework of the service, as Detect returns it. Empty: no backend, nothing changes.
	Framework v1alpha1.BackendFramework
	// Role of the pod.
	Role Role
	// NodeCount of one replica.
	NodeCount int32
	// Hosts gives the orchestrator's addresses. Only needed when NodeCount is above 1.
	Hosts Hosts
	// Executor of vLLM.
	Executor Executor
	// GPULimit and GPURequest of the main container, 0 when there is none.
	GPULimit, GPURequest int64
	// WaitScriptConfigMap is the name of the ConfigMap that holds WaitScript under WaitScriptKey.
	WaitScriptConfigMap string
	// RuntimeVersion is the release of Dynamo in the image.
	RuntimeVersion runtime.Version
	// SSHSecret is the name of the Secret that holds the key pair of TensorRT-LLM's nodes.
	SSHSecret string
}

// multinode reports whether these settings are of a pod that shares its replica with others.
func (s Settings) multinode() bool {
	return s.NodeCount > 1 && s.Hosts != nil && (s.Role == RoleLeader || s.Role == RoleWorker)
}

// ConfigureContainer makes the main container one node of its replica. What it could not do is returned, in words that
// name the remedy; a container of a single node is left as it is, unless further nodes can join it while it runs.
func ConfigureContainer(c *corev1.Container, s Settings) []string {
	if !s.multinode() {
		if s.Role == RoleMain && IsElasticHead(s.Framework, c) {
			return startElasticHead(readInvocation(s.Framework, c), c)
		}
		return nil
	}
	switch engine.Of(s.Framework).Nodes {
	case engine.ByExecutor:
		return configureVLLM(c, s)
	case engine.ByRank:
		return configureSGLang(c, s)
	case engine.ByMPI:
		return configureTRTLLM(c, s)
	default:
		return nil
	}
}

// ConfigurePod adds the volumes and init containers that the main container of these settings needs. It may be called
// before or after ConfigureContainer.
func ConfigurePod(p *corev1.PodSpec, main *corev1.Container, s Settings) {
	if NeedsWaitScript(s, main) {
		addWaitForLeader(p, main, s)
	}
	if NeedsSSH(s) {
		addSSHVolume(p, s)
	}
}

// removeProbes takes all probes from a worker: only the leader serves the port that they ask. A probe of the user's own
// is removed too, because it can only be meant for the leader.
func removeProbes(c *corev1.Container) {
	c.LivenessProbe, c.ReadinessProbe, c.StartupProbe = nil, nil, nil
}

// appendEnv adds a variable at the end unless the container has one of that name: a second entry would be refused by
// Grove's webhook, and the user's value wins.
func appendEnv(c *corev1.Container, v corev1.EnvVar) {
	for _, have := range c.Env {
		if have.Name == v.Name {
			return
		}
	}
	c.Env = append(c.Env[:len(c.Env):len(c.Env)], v)
}
