package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// State of a graph in one word.
//
// +kubebuilder:validation:Enum=initializing;pending;successful;failed
type State string

// The states.
const (
	StateInitializing State = "initializing"
	StatePending      State = "pending"
	StateSuccessful   State = "successful"
	StateFailed       State = "failed"
)

// DynamoGraphDeploymentStatus is the observed graph.
type DynamoGraphDeploymentStatus struct {
	// State of the graph: initializing, pending, successful or failed.
	//
	// +kubebuilder:default=initializing
	State State `json:"state,omitempty"`

	// ObservedGeneration is the generation that the rest of the status describes.
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// Conditions of the graph.
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// Orchestrator that runs the graph: Grove, LeaderWorkerSet or Deployment. Selected when the graph is created.
	Orchestrator string `json:"orchestrator,omitempty"`

	// MNNVL is the configuration of multi-node NVLink. Selected when the graph is created.
	MNNVL *MNNVLStatus `json:"mnnvl,omitempty"`

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

	// Services holds the replica counts of each service by name, for a graph with services.
	Services map[string]ServiceStatus `json:"services,omitempty"`

	// Restart is the progress of the last requested restart.
	Restart *RestartStatus `json:"restart,omitempty"`

	// Checkpoints holds the state of each component's checkpoint by name.
	Checkpoints map[string]CheckpointStatus `json:"checkpoints,omitempty"`

	// RollingUpdate is the progress of an update that the Dynamo operator performs. Never set by these functions.
	RollingUpdate *RollingUpdateStatus `json:"rollingUpdate,omitempty"`

	// Placement is the quality of the placement that the scheduler reports.
	Placement *PlacementStatus `json:"placement,omitempty"`
}

// MNNVLStatus is the configuration of multi-node NVLink of a graph.
type MNNVLStatus struct {
	// Mode is Disabled (the graph has no domain), Auto (the domain is composed with the graph) or Grove (Grove creates the
	// domain).
	//
	// +kubebuilder:validation:Enum=Disabled;Auto;Grove
	Mode string `json:"mode,omitempty"`

	// Scope of a domain in mode Auto: Graph or Replica.
	//
	// +kubebuilder:validation:Enum=Graph;Replica
	Scope string `json:"scope,omitempty"`
}

// ComponentKind is the kind of the object that runs a service.
//
// +kubebuilder:validation:Enum=PodClique;PodCliqueScalingGroup;Deployment;LeaderWorkerSet
type ComponentKind string

// The kinds that run a service.
const (
	ComponentKindPodClique             ComponentKind = "PodClique"
	ComponentKindPodCliqueScalingGroup ComponentKind = "PodCliqueScalingGroup"
	ComponentKindDeployment            ComponentKind = "Deployment"
	ComponentKindLeaderWorkerSet       ComponentKind = "LeaderWorkerSet"
)

// ServiceStatus holds the replica counts of one service.
type ServiceStatus struct {
	// ComponentKind is the kind of the object that runs the service.
	ComponentKind ComponentKind `json:"componentKind"`

	// ComponentName is the name of the first object that runs the service.
	ComponentName string `json:"componentName"`

	// ComponentNames are the names of all objects that run the service, sorted.
	ComponentNames []string `json:"componentNames,omitempty"`

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

	// RuntimeNamespace is the Dynamo namespace that the pods use.
	RuntimeNamespace string `json:"runtimeNamespace,omitempty"`

	// ServedModelName is the name under which the pods serve their model: the first of the flags --served-model-name,
	// --model-name, --model and --model-path. Not set if their command has none of these flags, or if the value is not in the graph.
	ServedModelName string `json:"servedModelName,omitempty"`

	// RuntimeComponentName is the component with which the pods register: the middle of the value of flag --endpoint. Not set if their
	// command has no such flag.
	RuntimeComponentName string `json:"runtimeComponentName,omitempty"`

	// RuntimeVersion is the release of Dynamo that the image of the service has, or that it is assumed to have.
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

	// Executor with which an engine of vLLM spans nodes. Not set if the service runs no such engine.
	Executor *ServiceExecutor `json:"executor,omitempty"`

	// Revision is where the pod templates of the service come from.
	Revision *ServiceRevision `json:"revision,omitempty"`
}

// ServiceExecutor is how the nodes of a vLLM engine start its processes.
type ServiceExecutor struct {
	// Name of the executor: mp or ray.
	Name string `json:"name"`

	// Reason for it, such as an annotation or the release of Dynamo in the image.
	Reason string `json:"reason,omitempty"`
}

// ServiceRevision is where the pod templates of a component come from. They change only when the user changes what reaches the
// pods.
type ServiceRevision struct {
	// Name of the ControllerRevision with the pod templates.
	Name string `json:"name"`

	// Written is a hash of what the user wrote that reaches the pods.
	Written string `json:"written"`

	// Release of the functions that built the pod templates. Not set if the templates were taken from the live workload.
	Release string `json:"release,omitempty"`

	// Outdated says that the pods of a new graph with the same spec would be built differently.
	Outdated bool `json:"outdated,omitempty"`

	// Reason names fields of the pods that would be different.
	Reason string `json:"reason,omitempty"`
}

// The phases of a restart. A restart begins immediately and never gives up, so only the first two are used.
const (
	RestartPhaseRestarting = "Restarting"
	RestartPhaseCompleted  = "Completed"
	RestartPhaseFailed     = "Failed"
	RestartPhaseSuperseded = "Superseded"
)

// RestartStatus is the progress of a restart.
type RestartStatus struct {
	// ObservedID is the ID of the latest restart.
	ObservedID string `json:"observedID,omitempty"`

	// Phase of the restart: Pending, Restarting, Completed, Failed or Superseded.
	Phase string `json:"phase,omitempty"`

	// InProgress are the components that are restarting.
	InProgress []string `json:"inProgress,omitempty"`
}

// CheckpointStatus is the state of a component's checkpoint.
type CheckpointStatus struct {
	// CheckpointID is the ID of the checkpoint.
	CheckpointID string `json:"checkpointID,omitempty"`

	// CheckpointName is the name of the checkpoint.
	CheckpointName string `json:"checkpointName,omitempty"`

	// IdentityHash of the checkpoint.
	IdentityHash string `json:"identityHash,omitempty"`

	// Ready is whether the checkpoint can be used.
	Ready bool `json:"ready,omitempty"`
}

// RollingUpdatePhase of an update.
//
// +kubebuilder:validation:Enum=Pending;InProgress;Completed;Failed;""
type RollingUpdatePhase string

// RollingUpdateStatus is the progress of an update.
type RollingUpdateStatus struct {
	// Phase of the update.
	Phase RollingUpdatePhase `json:"phase,omitempty"`

	// StartTime of the update.
	StartTime *metav1.Time `json:"startTime,omitempty"`

	// EndTime of the update.
	EndTime *metav1.Time `json:"endTime,omitempty"`

	// UpdatedServices are the services that are updated.
	UpdatedServices []string `json:"updatedServices,omitempty"`
}

// PlacementState is how complete a placement report is.
//
// +kubebuilder:validation:Enum=Reported;Partial;Unsupported;Unknown
type PlacementState string

// PlacementStatus is the quality of the placement that the scheduler reports.
type PlacementStatus struct {
	// Score from 0 to 1. Higher is better.
	//
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1
	Score *float64 `json:"score,omitempty"`

	// State is how complete the score is.
	State PlacementState `json:"state,omitempty"`
}
