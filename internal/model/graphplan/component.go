package graphplan

import (
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
)

// Component contains the decisions for one component.
type Component struct {
	// Quota is why Kueue holds a replica that spans nodes, as the reason of a condition. Empty if it holds none, or nobody knows.
	Quota string `json:"quota,omitempty"`

	// Queue of the pods. nil if they are in none.
	Queue *Queue `json:"queue,omitempty"`

	// Framework of a worker. Empty if there is none.
	Framework v1alpha1.BackendFramework `json:"framework,omitempty"`

	// Executor with which a vLLM engine spans nodes: ray or mp.
	Executor string `json:"executor,omitempty"`

	// ExecutorFrom says who has decided it. Empty if there is no executor.
	ExecutorFrom ExecutorSource `json:"executorFrom,omitempty"`

	// Discovery backend: kubernetes or etcd.
	Discovery string `json:"discovery"`

	// DynamoNamespace of the component.
	DynamoNamespace string `json:"dynamoNamespace"`

	// ClaimedGPUs are those in claims that each pod of the component gets from templates of its user, as far as they are known.
	ClaimedGPUs int64 `json:"claimedGPUs,omitempty"`

	// ScalingAdapter says that the component has a DynamoGraphDeploymentScalingAdapter.
	ScalingAdapter bool `json:"scalingAdapter,omitempty"`

	// RuntimeVersion is the release of Dynamo in the image of the component, which its pods have to fit. It is empty if a release is assumed.
	RuntimeVersion runtime.Version `json:"runtimeVersion,omitempty"`

	// SidecarVersion is the release in the image of the frontend sidecar. If empty, it is that of the component.
	SidecarVersion runtime.Version `json:"sidecarVersion,omitempty"`

	// WeightServers says that the weights of the component are in pods of their own, which the pods of its engines share.
	WeightServers bool `json:"weightServers,omitempty"`

	// RuntimeContainer says that the runtime of Dynamo is in an init container, beside the engine in the main container.
	RuntimeContainer bool `json:"runtimeContainer,omitempty"`

	// Replicas are those that the scaling adapter of the component asks for. They count instead of those in the graph. nil if there is no
	// adapter yet.
	Replicas *int32 `json:"replicas,omitempty"`

	// Retained are the replicas on LeaderWorkerSets that the component keeps in addition while its scale-in is delayed.
	Retained []int32 `json:"retained,omitempty"`

	// Checkpoint to which the component refers. nil if it refers to none.
	Checkpoint *Checkpoint `json:"checkpoint,omitempty"`

	// Endpoints of the component.
	Endpoints Endpoints `json:"endpoints,omitzero"`

	// Written is a hash of what the user has written for the pods of the component, including the last restart that has reached it. As long
	// as it is the same, the user has not changed them.
	Written Written `json:"written,omitempty"`
}
