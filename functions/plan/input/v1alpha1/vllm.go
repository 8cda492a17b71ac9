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
	// DistributedExecutor of components that do not name an executor, with annotation nvidia.com/vllm-distributed-executor-backend or in
	// their command. By default, the release of Dynamo in the image decides: mp since 1.0.0, and ray in earlier releases. Running components
	// keep their executor.
	DistributedExecutor VLLMExecutor `json:"distributedExecutor,omitempty"`
}
