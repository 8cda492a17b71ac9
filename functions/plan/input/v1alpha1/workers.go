package v1alpha1

// WorkerGenerations is whether the workers from before and after a change work together.
//
// +kubebuilder:validation:Enum=Separate;Shared
type WorkerGenerations string

// The values.
const (
	// GenerationsSeparate lets workers only find workers of their own generation.
	GenerationsSeparate WorkerGenerations = "Separate"
	// GenerationsShared lets all workers of a graph find each other.
	GenerationsShared WorkerGenerations = "Shared"
)

// Workers is the policy for the rollouts of workers.
type Workers struct {
	// Generations are Separate (the default, if the images of all workers and planners contain Dynamo 1.5.0 or later) or Shared. Annotation
	// dynamo.nvidia.com/worker-generations of a graph takes precedence. A change of this field does not affect the workers of a running graph
	// until their user changes a worker.
	Generations WorkerGenerations `json:"generations,omitempty"`
}
