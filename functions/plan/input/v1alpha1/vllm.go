package v1alpha1

// VLLMExecutor is how a vLLM engine spans several nodes.
//
// +kubebuilder:validation:Enum=ray;mp
type VLLMExecutor string

// The executors.
const (
	VLLMExecutorRay VLLMExecutor = "ray"
	VLLMExecutorMP  VLLMExecutor = "mp"
)

// VLLM is the policy for vLLM workers.
type VLLM struct {
	// DistributedExecutor of services without annotation nvidia.com/vllm-distributed-executor-backend. Defaults to ray. Running
	// services keep their executor.
	DistributedExecutor VLLMExecutor `json:"distributedExecutor,omitempty"`
}
