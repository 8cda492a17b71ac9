package metadata

// Annotations that users set on a DynamoGraphDeployment or on a service.
const (
	// AnnotationEnableGrove "false" keeps the graph off Grove.
	AnnotationEnableGrove = "nvidia.com/enable-grove"
	// AnnotationEnableMetrics "false" leaves LabelMetricsEnabled out.
	AnnotationEnableMetrics = "nvidia.com/enable-metrics"
	// AnnotationDiscoveryBackend is kubernetes or etcd.
	AnnotationDiscoveryBackend = "nvidia.com/dynamo-discovery-backend"
	// AnnotationKubeDiscoveryMode is pod or container.
	AnnotationKubeDiscoveryMode = "nvidia.com/dynamo-kube-discovery-mode"
	// AnnotationOriginVersion is the version of the operator that first saw the graph.
	AnnotationOriginVersion = "nvidia.com/dynamo-operator-origin-version"
	// AnnotationVLLMExecutor is ray or mp.
	AnnotationVLLMExecutor = "nvidia.com/vllm-distributed-executor-backend"
	// AnnotationKAIQueue is the queue of the KAI scheduler.
	AnnotationKAIQueue = "nvidia.com/kai-scheduler-queue"
	// AnnotationSSHSecret names a Secret of the user's own with the MPI key pair.
	AnnotationSSHSecret = "nvidia.com/mpi-ssh-secret" //nolint:gosec // The name of an annotation is no secret.
	// AnnotationVolcanoQueue is the queue of the Volcano scheduler; also read by the LWS operator's own gangs.
	AnnotationVolcanoQueue = "scheduling.volcano.sh/queue-name"
	// AnnotationDeploymentStrategy "Recreate" replaces the rolling update of a Deployment.
	AnnotationDeploymentStrategy = "nvidia.com/deployment-strategy"
	// AnnotationMaxSurge and AnnotationMaxUnavailable bound the rolling update of a Deployment: a number or a percentage.
	AnnotationMaxSurge       = "nvidia.com/deployment-rolling-update-max-surge"
	AnnotationMaxUnavailable = "nvidia.com/deployment-rolling-update-max-unavailable"
)

// Annotations by which users, and Grove, decide about multi-node NVLink.
const (
	// AnnotationAutoMNNVL is enabled or disabled: on a graph or a service whether it takes part; on a PodCliqueSet, up to
	// Grove v0.1.0-alpha.8, whether Grove itself makes a ComputeDomain.
	AnnotationAutoMNNVL = "grove.io/auto-mnnvl"
	// AnnotationMNNVLGroup is the group whose pods share a ComputeDomain that Grove makes, since v0.1.0-alpha.9; none for no
	// domain.
	AnnotationMNNVLGroup = "grove.io/mnnvl-group"
)

// Annotations about the placement of a graph.
const (
	// AnnotationPreferredDomain is set by users on a graph or on a service: the domain into which pods are packed where there
	// is room. On a LeaderWorkerSet it records what its pods were placed by.
	AnnotationPreferredDomain = "nvidia.com/topology-preferred-domain"
	// AnnotationTopologyProfile and AnnotationPackDomain record on a workload what its pods were placed by.
	AnnotationTopologyProfile = "nvidia.com/topology-profile"
	AnnotationPackDomain      = "nvidia.com/topology-pack-domain"
)

// AnnotationGroupName names the PodGroup of a pod.
const AnnotationGroupName = "scheduling.k8s.io/group-name"

// Annotations by which the KAI scheduler packs the pods of a workload into one domain of a topology.
const (
	// AnnotationKAITopology names the topology.
	AnnotationKAITopology = "kai.scheduler/topology"
	// AnnotationKAIRequiredPlacement is the node label whose values are the domains.
	AnnotationKAIRequiredPlacement = "kai.scheduler/topology-required-placement"
	// AnnotationKAIPreferredPlacement is the node label whose values are the preferred domains.
	AnnotationKAIPreferredPlacement = "kai.scheduler/topology-preferred-placement"
)

// Annotations of restarts.
const (
	// AnnotationRestartAt of a pod template is the id of the restart that its pods come from.
	AnnotationRestartAt = "nvidia.com/restartAt"
	// AnnotationAvailableSince of a LeaderWorkerSet is the last transition of its condition Available before its pod template
	// changed last, where the status does not tell its generation.
	AnnotationAvailableSince = "dynamo.nvidia.com/available-since-before-restart"
)

// Annotations of adoption.
const (
	// AnnotationAdoptFrom of a graph lets it take over the objects that another controller has made for it; the value is the
	// controller: AdoptFromOperator.
	AnnotationAdoptFrom = "dynamo.nvidia.com/adopt-from"
	// AnnotationAdoptedFrom of an object is the controller that a graph has taken it over from.
	AnnotationAdoptedFrom = "dynamo.nvidia.com/adopted-from"
)

// AdoptFromOperator is the Dynamo operator as the value of AnnotationAdoptFrom.
const AdoptFromOperator = "dynamo-operator"

// AnnotationRevision of a workload names the ControllerRevision with the pod templates that it was given.
const AnnotationRevision = "dynamo.nvidia.com/revision"

// AnnotationTemplateHash of a LeaderWorkerSet is a hash of the pod template that it was given, without the mark of its last
// restart. It tells which of the replicas of a service have a new template. On a HorizontalPodAutoscaler that holds back a
// scale-in it is a hash of the pod templates that the PodCliqueSet was given meanwhile.
const AnnotationTemplateHash = "dynamo.nvidia.com/pod-template-hash"

// AnnotationNoPullSecrets set to true on a service keeps the platform's pull secrets from its pods.
const AnnotationNoPullSecrets = "nvidia.com/disable-image-pull-secret-discovery" //nolint:gosec // The name of an annotation is no secret.

// AnnotationBaseModel names the model of a headless model Service.
const AnnotationBaseModel = "nvidia.com/dynamo-base-model"

// UserAnnotations are those that users set on a graph or on a service.
func UserAnnotations() []string {
	return []string{
		AnnotationEnableGrove,
		AnnotationEnableMetrics,
		AnnotationDiscoveryBackend,
		AnnotationKubeDiscoveryMode,
		AnnotationOriginVersion,
		AnnotationVLLMExecutor,
		AnnotationKAIQueue,
		AnnotationSSHSecret,
		AnnotationVolcanoQueue,
		AnnotationDeploymentStrategy,
		AnnotationMaxSurge,
		AnnotationMaxUnavailable,
		AnnotationAutoMNNVL,
		AnnotationMNNVLGroup,
		AnnotationPreferredDomain,
		AnnotationNoPullSecrets,
		AnnotationAdoptFrom,
	}
}

// PropagatedAnnotations of a DynamoGraphDeployment's metadata reach each service that has no value of its own.
func PropagatedAnnotations() []string {
	return []string{
		AnnotationEnableMetrics,
		AnnotationDiscoveryBackend,
		AnnotationKubeDiscoveryMode,
		AnnotationOriginVersion,
		AnnotationVLLMExecutor,
	}
}
