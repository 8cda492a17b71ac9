// Package engine is the table of the engines that a worker can run. An engine whose nodes are joined in one of the known ways is an entry
// here. Another way also needs a file in package backend.
package engine

import (
	"slices"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
)

// Nodes is how the nodes of one replica become one engine.
type Nodes string

// The ways to join nodes.
const (
	// ByRank gives each node its rank, the number of nodes and the address of the first node.
	ByRank Nodes = "Rank"
	// ByExecutor uses an executor that can be selected: Ray, or the engine's own processes.
	ByExecutor Nodes = "Executor"
	// ByMPI makes the leader log in to the other nodes by SSH and start a rank for each GPU.
	ByMPI Nodes = "MPI"
)

// An Engine is the description of a framework.
type Engine struct {
	// Framework is its name in a graph.
	Framework v1alpha1.BackendFramework

	// Nodes is how the engine spans several nodes.
	Nodes Nodes

	// Sizes are the flags that distribute the engine over GPUs.
	Sizes Sizes

	// CachePath is where the engine stores compiled kernels unless the environment variable CacheVariable is set. Both are empty if there
	// is no such variable.
	CachePath, CacheVariable string
}

// Sizes are the flags for the sizes of an engine, without leading dashes, and with dashes instead of underscores.
type Sizes struct {
	// Tensor, Pipeline and Data are the spellings of the flags for the three sizes.
	Tensor, Pipeline, Data []string

	// Attention is the flag with which the data-parallel size only applies to the attention, so that there is one copy of the model. Empty if
	// there is none.
	Attention string

	// Other flags set sizes in a way that is not read: in a file, for one of several processes, or for another kind of engine.
	Other []string

	// FromEnvironment says that the sizes may also come from environment variables, which an image may set.
	FromEnvironment bool
}

// Of a framework. For an unknown framework, it is the zero value.
func Of(f v1alpha1.BackendFramework) Engine {
	switch f {
	case v1alpha1.BackendSGLang:
		return sglang()
	case v1alpha1.BackendTRTLLM:
		return tensorRTLLM()
	case v1alpha1.BackendVLLM:
		return vllm()
	default:
		return Engine{}
	}
}

// Frameworks of all engines, sorted.
func Frameworks() []string {
	return []string{string(v1alpha1.BackendSGLang), string(v1alpha1.BackendTRTLLM), string(v1alpha1.BackendVLLM)}
}

// IsKnown reports whether a framework has an engine.
func IsKnown(f v1alpha1.BackendFramework) bool { return slices.Contains(Frameworks(), string(f)) }

// Module is the Python module with which Dynamo runs a framework.
func Module(f v1alpha1.BackendFramework) string { return "dynamo." + string(f) }

// Command that runs a framework.
func Command(f v1alpha1.BackendFramework) []string { return []string{"python3", "-m", Module(f)} }

// https://docs.sglang.ai/advanced_features/server_arguments.html; --tp, --pp and --dp are argparse's abbreviations.
func sglang() Engine {
	return Engine{
		Framework: v1alpha1.BackendSGLang,
		Nodes:     ByRank,
		Sizes: Sizes{
			Tensor:    []string{"tensor-parallel-size", "tp-size", "tp"},
			Pipeline:  []string{"pipeline-parallel-size", "pp-size", "pp"},
			Data:      []string{"data-parallel-size", "dp-size", "dp"},
			Attention: "enable-dp-attention",
			Other:     []string{"config", "image-diffusion-worker", "num-gpus", "video-generation-worker"},
		},
	}
}

// In TensorRT-LLM, attention data parallelism is a switch within the tensor parallel size.
func tensorRTLLM() Engine {
	return Engine{
		Framework: v1alpha1.BackendTRTLLM,
		Nodes:     ByMPI,
		Sizes: Sizes{
			Tensor:          []string{"tensor-parallel-size", "tp-size", "tp"},
			Pipeline:        []string{"pipeline-parallel-size", "pp-size", "pp"},
			Other:           []string{"config", "extra-engine-args", "modality", "override-engine-args"},
			FromEnvironment: true,
		},
	}
}

// https://docs.vllm.ai/en/latest/configuration/engine_args.html
func vllm() Engine {
	return Engine{
		Framework: v1alpha1.BackendVLLM,
		Nodes:     ByExecutor,
		Sizes: Sizes{
			Tensor:   []string{"tensor-parallel-size", "tp"},
			Pipeline: []string{"pipeline-parallel-size", "pp"},
			Data:     []string{"data-parallel-size", "dp"},
			Other: []string{
				"config", "data-parallel-rank", "data-parallel-size-local", "data-parallel-start-rank", "enable-elastic-ep", "headless", "nnodes", "omni",
				"stage-configs-path",
			},
		},
		CachePath:     "/root/.cache/vllm",
		CacheVariable: "VLLM_CACHE_ROOT",
	}
}
