package backend

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/engine"
)

// visibleDevices is the environment variable that limits the engine to some of the GPUs of its pod.
const visibleDevices = "CUDA_VISIBLE_DEVICES"

// CertainParallelism returns what ParseParallelism reads, if the engine certainly has these sizes: the command line runs one engine,
// nothing else can set another size, and all values are numbers. Otherwise ok is false.
func (t *Texts) CertainParallelism(f v1alpha1.BackendFramework, c *corev1.Container) (p Parallelism, ok bool) {
	read, ok := t.certainShape(f, c)
	return read.parallelism, ok
}

// certainShape returns what readShape reads, if the sizes in it are certain. Otherwise ok is false.
func (t *Texts) certainShape(f v1alpha1.BackendFramework, c *corev1.Container) (read shape, ok bool) {
	if !t.runsOneEngine(f, c) {
		return shape{}, false
	}
	sizes := engine.Of(f).Sizes
	for word := range t.commandWords(c) {
		if name, _, _ := splitFlag(word); slices.Contains(sizes.Other, name) {
			return shape{}, false
		}
	}
	read = t.readShape(f, c)
	if sizes.FromEnvironment && !read.sized {
		return shape{}, false
	}
	return read, read.unread == ""
}

// runsOneEngine reports whether the command line runs the module of a framework exactly once, with all GPUs of the pod.
func (t *Texts) runsOneEngine(f v1alpha1.BackendFramework, c *corev1.Container) bool {
	if f == "" || slices.ContainsFunc(c.Env, func(v corev1.EnvVar) bool { return v.Name == visibleDevices }) {
		return false
	}
	in := t.readInvocation(f, c)
	if in.script >= 0 {
		script := in.argv[in.script]
		return len(in.engineRuns(script)) == 1 && !strings.Contains(script, visibleDevices)
	}
	return in.found && runsModule(in.argv, f)
}

// IdleGPUs is the number of GPUs of a replica that its engine does not use. 0 if this is not certain.
func IdleGPUs(c *corev1.Container, s Settings) int64 {
	all := int64(s.NodeCount) * s.gpus()
	if all <= 1 {
		return 0 // An engine uses at least one, so its command need not be read.
	}
	read, ok := s.Texts.certainShape(s.Framework, c)
	if !ok {
		return 0
	}
	// If nodes of vLLM do not form one engine, or have idle GPUs, another warning contains the numbers.
	if engine.Of(s.Framework).Nodes == engine.ByExecutor && s.NodeCount > 1 && read.span(s.GPULimit) != spanWorld {
		return 0
	}
	return max(0, all-read.parallelism.GPUs())
}

// ClaimedGPUs of a node are those that the engine of a replica needs there, if its container has claims and no number of GPUs. 0 if the sizes do
// not fill the nodes. Only the cluster knows what is in a claim, and the pods of a graph do not depend on the cluster.
func (t *Texts) ClaimedGPUs(f v1alpha1.BackendFramework, c *corev1.Container, nodes int64) int64 {
	if nodes < 2 || len(c.Resources.Claims) == 0 {
		return 0
	}
	read := t.readShape(f, c)
	world, node := read.parallelism.WorldSize(), read.parallelism.GPUs()/nodes
	if read.unread != "" || node*nodes != read.parallelism.GPUs() || world <= node && node%world != 0 {
		return 0
	}
	return node
}

// gpus of a node.
func (s Settings) gpus() int64 {
	if s.GPULimit > 0 {
		return s.GPULimit
	}
	return s.GPURequest
}

// Ranks is the number of processes that MPI starts for the engine of TensorRT-LLM. It is the number that the sizes require, because the
// engine compares both numbers. If the sizes are not certain, there is one process for each GPU of the replica.
// https://github.com/NVIDIA/TensorRT-LLM/blob/main/tensorrt_llm/llmapi/mpi_session.py
func Ranks(c *corev1.Container, s Settings) int64 {
	all := int64(s.NodeCount) * max(1, s.gpus())
	if p, ok := s.Texts.CertainParallelism(s.Framework, c); ok {
		return min(p.WorldSize(), all)
	}
	return all
}
