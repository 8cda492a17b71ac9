package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
)

// DynamoGraphDeploymentStatus is the observed graph.
type DynamoGraphDeploymentStatus struct {
	// State of the graph: initializing, pending, successful or failed.
	//
	// +kubebuilder:default=initializing
	State v1alpha1.State `json:"state,omitempty"`

	// ObservedGeneration is the generation that the rest of the status describes.
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// Conditions of the graph.
	//
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// Orchestrator that runs the graph: Grove, LeaderWorkerSet or Deployment. Selected when the graph is created.
	Orchestrator string `json:"orchestrator,omitempty"`

	// MNNVL is the configuration of multi-node NVLink. Selected when the graph is created.
	MNNVL *v1alpha1.MNNVLStatus `json:"mnnvl,omitempty"`

	// TotalGPUs is the number of GPUs that the graph requests: replicas times nodes times GPUs per pod, summed over all
	// components.
	//
	// +optional
	TotalGPUs int64 `json:"totalGPUs"`

	// ReadyComponents is the number of ready components, and the number of all components, such as 3/4.
	ReadyComponents string `json:"readyComponents,omitempty"`

	// RuntimeVersion is the release of Dynamo that the images of the components have, or all releases if they differ, such as
	// 1.1.0, 1.5.0.
	RuntimeVersion string `json:"runtimeVersion,omitempty"`

	// Components holds the replica counts of each component by name, for a graph with components.
	Components map[string]ComponentStatus `json:"components,omitempty"`

	// Restart is the progress of the last requested restart.
	Restart *v1alpha1.RestartStatus `json:"restart,omitempty"`

	// Checkpoints holds the state of each component's checkpoint by name.
	Checkpoints map[string]v1alpha1.CheckpointStatus `json:"checkpoints,omitempty"`

	// RollingUpdate is the progress of an update that the Dynamo operator performs. Never set by these functions.
	RollingUpdate *RollingUpdateStatus `json:"rollingUpdate,omitempty"`

	// Placement is the quality of the placement that the scheduler reports.
	Placement *v1alpha1.PlacementStatus `json:"placement,omitempty"`
}

// ComponentStatus holds the replica counts of one component.
type ComponentStatus struct {
	// ComponentKind is the kind of the object that runs the component.
	ComponentKind v1alpha1.ComponentKind `json:"componentKind"`

	// ComponentNames are the names of all objects that run the component, sorted.
	ComponentNames []string `json:"componentNames,omitempty"`

	// RuntimeNamespace is the Dynamo namespace that the pods use.
	RuntimeNamespace string `json:"runtimeNamespace,omitempty"`

	// ServedModelName is the name under which the pods serve their model: the first of the flags --served-model-name,
	// --model-name, --model and --model-path. Not set if their command has none of these flags, or if the value is not in the graph.
	ServedModelName string `json:"servedModelName,omitempty"`

	// RuntimeComponentName is the component with which the pods register: the middle of the value of flag --endpoint. Not set if their
	// command has no such flag.
	RuntimeComponentName string `json:"runtimeComponentName,omitempty"`

	// RuntimeVersion is the release of Dynamo that the image of the component has, or that it is assumed to have.
	RuntimeVersion string `json:"runtimeVersion,omitempty"`

	// GPUPowerLimitWatts is the power limit of each GPU, from the annotation of the pods. Not set if there is no limit.
	//
	// +kubebuilder:validation:Minimum=1
	GPUPowerLimitWatts *int32 `json:"gpuPowerLimitWatts,omitempty"`

	// GPUsPerEngine is the number of GPUs of one engine, on all nodes of a replica. Sidecars and init containers do not count.
	// Not set if GPUs are in claims, whose content only the cluster knows.
	//
	// +kubebuilder:validation:Minimum=0
	GPUsPerEngine *int64 `json:"gpusPerEngine,omitempty"`

	// GPUsPerReplica is the number of GPUs that one more replica takes, with all of its pods and containers. Not set if GPUs
	// are in claims, whose content only the cluster knows.
	//
	// +kubebuilder:validation:Minimum=0
	GPUsPerReplica *int64 `json:"gpusPerReplica,omitempty"`

	// Executor with which an engine of vLLM spans nodes. Not set if the component runs no such engine.
	Executor *v1alpha1.ServiceExecutor `json:"executor,omitempty"`

	// Replicas is the number of existing replicas.
	//
	// +kubebuilder:validation:Minimum=0
	Replicas int32 `json:"replicas"`

	// UpdatedReplicas is the number of replicas of the latest revision.
	//
	// +kubebuilder:validation:Minimum=0
	UpdatedReplicas int32 `json:"updatedReplicas"`

	// ReadyReplicas is the number of ready replicas.
	//
	// +kubebuilder:validation:Minimum=0
	ReadyReplicas *int32 `json:"readyReplicas,omitempty"`

	// AvailableReplicas is the number of available replicas.
	//
	// +kubebuilder:validation:Minimum=0
	AvailableReplicas *int32 `json:"availableReplicas,omitempty"`

	// ScheduledReplicas is the number of replicas whose pods are scheduled.
	//
	// +kubebuilder:validation:Minimum=0
	ScheduledReplicas *int32 `json:"scheduledReplicas,omitempty"`

	// Revision is where the pod templates of the component come from.
	Revision *v1alpha1.ServiceRevision `json:"revision,omitempty"`
}

// RollingUpdateStatus is the progress of an update.
type RollingUpdateStatus struct {
	// Phase of the update.
	Phase v1alpha1.RollingUpdatePhase `json:"phase,omitempty"`

	// StartTime of the update.
	StartTime *metav1.Time `json:"startTime,omitempty"`

	// EndTime of the update.
	EndTime *metav1.Time `json:"endTime,omitempty"`

	// UpdatedComponents are the components that are updated.
	UpdatedComponents []string `json:"updatedComponents,omitempty"`
}
