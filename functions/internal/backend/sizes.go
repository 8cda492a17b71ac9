package backend

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/engine"
)

// visibleDevices is the variable that leaves an engine some of the GPUs of its pod.
const visibleDevices = "CUDA_VISIBLE_DEVICES"

// CertainParallelism is what ParseParallelism reads, where the engine has exactly these sizes: the command line runs one
// engine, nothing else that it reads can set another size, and all values are numbers. Else ok is false.
func CertainParallelism(f v1alpha1.BackendFramework, c *corev1.Container) (p Parallelism, ok bool) {
	if !runsOneEngine(f, c) {
		return Parallelism{}, false
	}
	sizes := engine.Of(f).Sizes
	for word := range commandWords(c) {
		if name, _, _ := splitFlag(word); slices.Contains(sizes.Other, name) {
			return Parallelism{}, false
		}
	}
	read := readShape(f, c)
	if sizes.FromEnvironment && !read.sized {
		return Parallelism{}, false
	}
	return read.parallelism, read.unread == ""
}

// runsOneEngine reports whether the command line runs the module of a framework once, with all GPUs of the pod.
func runsOneEngine(f v1alpha1.BackendFramework, c *corev1.Container) bool {
	if f == "" || slices.ContainsFunc(c.Env, func(v corev1.EnvVar) bool { return v.Name == visibleDevices }) {
		return false
	}
	in := readInvocation(f, c)
	if in.script >= 0 {
		script := in.argv[in.script]
		return len(in.engineRuns(script)) == 1 && !strings.Contains(script, visibleDevices)
	}
	return in.found && runsModule(in.argv, f)
}

// IdleGPUs is how many GPUs of a replica its engine leaves unused, 0 where that is not certain.
func IdleGPUs(c *corev1.Container, s Settings) int64 {
	p, ok := CertainParallelism(s.Framework, c)
	if !ok {
		return 0
	}
	// What keeps nodes of vLLM from being one engine, or being filled, has a warning that has the numbers.
	read := readShape(s.Framework, c)
	if engine.Of(s.Framework).Nodes == engine.ByExecutor && s.NodeCount > 1 && read.span(s.GPULimit) != spanWorld {
		return 0
	}
	return max(0, int64(s.NodeCount)*s.gpus()-p.GPUs())
}

// gpus of a node.
func (s Settings) gpus() int64 {
	if s.GPULimit > 0 {
		return s.GPULimit
	}
	return s.GPURequest
}

// Ranks is how many processes MPI starts for the engine of TensorRT-LLM: as many as its sizes need, which it compares with
// how many there are; one for each GPU of the replica where the sizes are not certain.
// https://github.com/NVIDIA/TensorRT-LLM/blob/main/tensorrt_llm/llmapi/mpi_session.py
func Ranks(c *corev1.Container, s Settings) int64 {
	all := int64(s.NodeCount) * max(1, s.gpus())
	if p, ok := CertainParallelism(s.Framework, c); ok {
		return min(p.WorldSize(), all)
	}
	return all
}
