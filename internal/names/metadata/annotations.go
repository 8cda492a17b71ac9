package metadata

// Annotations that users set on a DynamoGraphDeployment or on a component.
const (
	// AnnotationEnableGrove "false" prevents the graph from running on Grove.
	AnnotationEnableGrove = "nvidia.com/enable-grove"
	// AnnotationWorkloadProvider is ProviderGrove or ProviderComponent: the choice that the Dynamo operator has made for the graph.
	AnnotationWorkloadProvider = "nvidia.com/workload-provider"
	// AnnotationDisaggregatedSet "true" makes the Dynamo operator 1.6 run a graph as a DisaggregatedSet, which has no effect here.
	AnnotationDisaggregatedSet = "nvidia.com/enable-disaggregatedset"
	// AnnotationEnableMetrics "false" leaves LabelMetricsEnabled out.
	AnnotationEnableMetrics = "nvidia.com/enable-metrics"
	// AnnotationDiscoveryBackend is kubernetes or etcd.
	AnnotationDiscoveryBackend = "nvidia.com/dynamo-discovery-backend"
	// AnnotationKubeDiscoveryMode is pod or container.
	AnnotationKubeDiscoveryMode = "nvidia.com/dynamo-kube-discovery-mode"
	// AnnotationOriginVersion is the version of the operator that first saw the graph.
	AnnotationOriginVersion = "nvidia.com/dynamo-operator-origin-version"
	// AnnotationVLLMExecutor is ray or mp, in any case.
	AnnotationVLLMExecutor = "nvidia.com/vllm-distributed-executor-backend"
	// AnnotationGroveUpdateStrategy is RollingRecreate, the default, Coherent: Grove then replaces what serves together at once, or OnDelete:
	// Grove then updates a pod when it is deleted.
	AnnotationGroveUpdateStrategy = "nvidia.com/grove-update-strategy"
	// AnnotationKAIQueue is the queue of the KAI scheduler.
	AnnotationKAIQueue = "nvidia.com/kai-scheduler-queue"
	// AnnotationSSHSecret is the name of a Secret of the user with the MPI key pair.
	AnnotationSSHSecret = "nvidia.com/mpi-ssh-secret" //nolint:gosec // The name of an annotation is no secret.
	// AnnotationVolcanoQueue is the queue of the Volcano scheduler. The LWS operator reads it for its own gangs too.
	AnnotationVolcanoQueue = "scheduling.volcano.sh/queue-name"
	// AnnotationVolcanoQueueOnGrove is the queue of the Volcano scheduler for a graph on Grove, as with the Dynamo operator of August 2026.
	AnnotationVolcanoQueueOnGrove = "nvidia.com/volcano-queue"
	// AnnotationDeploymentStrategy "Recreate" replaces the rolling update of a Deployment.
	AnnotationDeploymentStrategy = "nvidia.com/deployment-strategy"
	// AnnotationMaxSurge and AnnotationMaxUnavailable limit the rolling update of a Deployment: a number or a percentage.
	AnnotationMaxSurge       = "nvidia.com/deployment-rolling-update-max-surge"
	AnnotationMaxUnavailable = "nvidia.com/deployment-rolling-update-max-unavailable"
	// AnnotationGPUPowerLimit is the limit of the power of each GPU of a component, in watts. The power agent reads it from pods.
	AnnotationGPUPowerLimit = "dynamo.nvidia.com/gpu-power-limit"
)

// Values of AnnotationWorkloadProvider.
const (
	ProviderGrove = "grove"
	// ProviderComponent is everything but Grove.
	ProviderComponent = "component"
	// ProviderDisaggregatedSet is an experiment of Dynamo 1.6, and not supported.
	ProviderDisaggregatedSet = "disaggregatedset"
)

// Annotations of users and of Grove about multi-node NVLink.
const (
	// AnnotationAutoMNNVL is enabled or disabled. On a graph or a component it says whether the pods take part. On a PodCliqueSet, up to
	// Grove v0.1.0-alpha.8, it says whether Grove creates a ComputeDomain.
	AnnotationAutoMNNVL = "grove.io/auto-mnnvl"
	// AnnotationMNNVLGroup is the group whose pods share a ComputeDomain that Grove creates, in v0.1.0-alpha.9 and later. Value none means
	// no domain.
	AnnotationMNNVLGroup = "grove.io/mnnvl-group"
)

// Annotations about the placement of a graph.
const (
	// AnnotationPreferredDomain is set by users on a graph or on a component: the domain into which pods are packed if there is room. On a
	// LeaderWorkerSet it records how its pods were placed.
	AnnotationPreferredDomain = "nvidia.com/topology-preferred-domain"
	// AnnotationTopologyProfile and AnnotationPackDomain record on a workload how its pods were placed.
	AnnotationTopologyProfile = "nvidia.com/topology-profile"
	AnnotationPackDomain      = "nvidia.com/topology-pack-domain"
)

// Annotations of pods of workers that say where kvTransferPolicy finds their topology domain, as with the Dynamo operator of August 2026.
const (
	// AnnotationTopologyLabelKey is the node label whose value is the domain.
	AnnotationTopologyLabelKey = "nvidia.com/topology-label-key"
	// AnnotationTopologyName is the topology object of Grove that defines the labels of the domains.
	AnnotationTopologyName = "nvidia.com/topology-cluster-topology-name"
)

// Annotations of pods of components that refer to a checkpoint, as with the Dynamo operator of August 2026.
const (
	// AnnotationRestoreCandidate "true" lets a webhook restore the pod if the checkpoint is ready when the pod is created.
	AnnotationRestoreCandidate = "nvidia.com/dynamo-checkpoint-restore-candidate"
	// AnnotationCheckpointName is the name of the checkpoint.
	AnnotationCheckpointName = "nvidia.com/dynamo-checkpoint-name"
	// AnnotationCheckpointStartupPolicy is Immediate or WaitForCheckpoint.
	AnnotationCheckpointStartupPolicy = "nvidia.com/dynamo-checkpoint-startup-policy"
)

// Annotations of checkpoints that a graph creates.
const (
	// AnnotationCheckpointTemplate of pods and of SnapshotJobs is the hash of the pod template whose state is stored.
	AnnotationCheckpointTemplate = "dynamo.nvidia.com/checkpoint-template"
	// AnnotationAutoCheckpoint "true" marks SnapshotJobs of graphs, as with the Dynamo operator.
	AnnotationAutoCheckpoint = "nvidia.com/dynamo-auto-checkpoint"
	// AnnotationCheckpointDeletionPolicy of SnapshotJobs is Delete or Retain, as with the Dynamo operator.
	AnnotationCheckpointDeletionPolicy = "nvidia.com/dynamo-checkpoint-deletion-policy"
)

// AnnotationGroveVolcanoQueue of a PodCliqueSet and its cliques is the queue of the Volcano scheduler.
const AnnotationGroveVolcanoQueue = "scheduling.grove.io/volcano-queue"

// GroveDefaultVolcanoQueue is the queue of a PodCliqueSet without AnnotationGroveVolcanoQueue.
const GroveDefaultVolcanoQueue = "default"

// AnnotationGroupName is the name of the PodGroup of a pod.
const AnnotationGroupName = "scheduling.k8s.io/group-name"

// Annotations by which the KAI scheduler packs the pods of a workload into one domain of a topology.
const (
	// AnnotationKAITopology is the name of the topology.
	AnnotationKAITopology = "kai.scheduler/topology"
	// AnnotationKAIRequiredPlacement is the node label whose values are the domains.
	AnnotationKAIRequiredPlacement = "kai.scheduler/topology-required-placement"
	// AnnotationKAIPreferredPlacement is the node label whose values are the preferred domains.
	AnnotationKAIPreferredPlacement = "kai.scheduler/topology-preferred-placement"
)

// Annotations of restarts.
const (
	// AnnotationRestartAt of a pod template is the id of the last restart of its pods.
	AnnotationRestartAt = "nvidia.com/restartAt"
	// AnnotationAvailableSince of a LeaderWorkerSet is the last transition of its condition Available before the last change of its pod
	// template. It is set if the status does not contain its generation.
	AnnotationAvailableSince = "dynamo.nvidia.com/available-since-before-restart"
)

// AnnotationScaleTogether of a graph is how many replicas of which components are scaled together, such as Prefill=1,Decode=2.
const AnnotationScaleTogether = "dynamo.nvidia.com/scale-together"

// AnnotationGraphReplicas of a scaling adapter is the number of replicas in the graph when the adapter was created. The adapter has counted
// instead since then, so another number in the graph is a change without effect.
const AnnotationGraphReplicas = "dynamo.nvidia.com/graph-replicas"

// AnnotationPodSelector of a scaling adapter selects its pods: one of each replica, because autoscalers count them.
const AnnotationPodSelector = "dynamo.nvidia.com/pod-selector"

// Annotations of a workload with what its graph has given it: the queue of Kueue, and the priority in it. The labels may also be those of a component.
const (
	AnnotationKueueQueue    = "dynamo.nvidia.com/kueue-queue"
	AnnotationKueuePriority = "dynamo.nvidia.com/kueue-priority-class"
)

// Annotations of adoption.
const (
	// AnnotationAdoptFrom of a graph lets it take over the objects that another controller has made for it. The value is the
	// controller: AdoptFromOperator.
	AnnotationAdoptFrom = "dynamo.nvidia.com/adopt-from"
	// AnnotationAdoptedFrom of an object is the controller from which a graph has taken it over.
	AnnotationAdoptedFrom = "dynamo.nvidia.com/adopted-from"
	// AnnotationReleasedFrom of an object is the name of the graph of the Dynamo operator that was its owner until the owner reference was
	// removed.
	AnnotationReleasedFrom = "dynamo.nvidia.com/released-from"
)

// AdoptFromOperator is the Dynamo operator as the value of AnnotationAdoptFrom.
const AdoptFromOperator = "dynamo-operator"

// AnnotationWorkerGenerations of a graph is whether old and new workers of a rollout are apart: GenerationsSeparate or GenerationsShared.
const AnnotationWorkerGenerations = "dynamo.nvidia.com/worker-generations"

// The values of AnnotationWorkerGenerations.
const (
	GenerationsSeparate = "Separate"
	GenerationsShared   = "Shared"
)

// AnnotationRevision of a workload is the beginning of a hash of its pod templates, as a ControllerRevision contains them.
const AnnotationRevision = "dynamo.nvidia.com/revision"

// AnnotationTemplateHash of a LeaderWorkerSet is a hash of its pod template, without the mark of its last restart. It shows which of the
// replicas of a component have a new template. On a HorizontalPodAutoscaler that scales in, it is a hash of the pod templates that its component
// has in the PodCliqueSet meanwhile. On a PodCliqueSet, it is a hash of pod templates that Grove has observed.
const AnnotationTemplateHash = "dynamo.nvidia.com/pod-template-hash"

// AnnotationEPPConfigHash of the pods of an Endpoint Picker is a hash of the configuration that it reads when it starts, if that is in the graph.
const AnnotationEPPConfigHash = "dynamo.nvidia.com/epp-config-hash"

// AnnotationReplicasBefore of a HorizontalPodAutoscaler that frees a wedged rolling update is the number of replicas to which it scales the
// component afterwards.
const AnnotationReplicasBefore = "dynamo.nvidia.com/replicas-before-update"

// AnnotationNoPullSecrets set to true on a component excludes its pods from the pull secrets of the platform.
const AnnotationNoPullSecrets = "nvidia.com/disable-image-pull-secret-discovery" //nolint:gosec // The name of an annotation is no secret.

// AnnotationIstioInject "false" keeps the sidecar of Istio out of a pod.
const AnnotationIstioInject = "sidecar.istio.io/inject"

// AnnotationBaseModel is the name of the model of a headless model Service.
const AnnotationBaseModel = "nvidia.com/dynamo-base-model"

// UserAnnotations are those that users set on a graph or on a component.
func UserAnnotations() []string {
	return []string{
		AnnotationEnableGrove,
		AnnotationWorkloadProvider,
		AnnotationEnableMetrics,
		AnnotationDiscoveryBackend,
		AnnotationKubeDiscoveryMode,
		AnnotationOriginVersion,
		AnnotationVLLMExecutor,
		AnnotationGroveUpdateStrategy,
		AnnotationKAIQueue,
		AnnotationSSHSecret,
		AnnotationVolcanoQueue,
		AnnotationVolcanoQueueOnGrove,
		AnnotationDeploymentStrategy,
		AnnotationMaxSurge,
		AnnotationMaxUnavailable,
		AnnotationAutoMNNVL,
		AnnotationMNNVLGroup,
		AnnotationPreferredDomain,
		AnnotationNoPullSecrets,
		AnnotationAdoptFrom,
		AnnotationGPUPowerLimit,
		AnnotationWorkerGenerations,
		AnnotationScaleTogether,
	}
}

// GraphAnnotations have an effect only in the metadata of a DynamoGraphDeployment. So have those of queues, about which there are messages in each place.
func GraphAnnotations() []string {
	return []string{
		AnnotationEnableGrove,
		AnnotationWorkloadProvider,
		AnnotationGroveUpdateStrategy,
		AnnotationSSHSecret,
		AnnotationAdoptFrom,
		AnnotationWorkerGenerations,
		AnnotationScaleTogether,
	}
}

// ComponentAnnotations have no effect in the metadata of a DynamoGraphDeployment, from which the Dynamo operator takes no others for components
// than PropagatedAnnotations.
// https://github.com/ai-dynamo/dynamo/blob/main/deploy/operator/internal/dynamo/graph.go
func ComponentAnnotations() []string {
	return []string{
		AnnotationDeploymentStrategy,
		AnnotationMaxSurge,
		AnnotationMaxUnavailable,
		AnnotationNoPullSecrets,
		AnnotationGPUPowerLimit,
	}
}

// PropagatedAnnotations in the metadata of a DynamoGraphDeployment apply to each component that has no value of its own.
func PropagatedAnnotations() []string {
	return []string{
		AnnotationEnableMetrics,
		AnnotationDiscoveryBackend,
		AnnotationKubeDiscoveryMode,
		AnnotationOriginVersion,
		AnnotationVLLMExecutor,
	}
}
