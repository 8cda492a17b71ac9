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
)

// AnnotationBaseModel names the model of a headless model Service.
const AnnotationBaseModel = "nvidia.com/dynamo-base-model"

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
