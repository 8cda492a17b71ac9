// Package metadata names the labels and annotations that Dynamo, its schedulers and Crossplane read.
package metadata

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// Labels of pods and of the objects around them.
const (
	// LabelSelector selects the pods of one service: <graph>-<service>.
	LabelSelector = "nvidia.com/selector"
	// LabelGraphName is the name of the DynamoGraphDeployment.
	LabelGraphName = "nvidia.com/dynamo-graph-deployment-name"
	// LabelComponent is the service as the user spells it.
	LabelComponent = "nvidia.com/dynamo-component"
	// LabelComponentType is the component type of the service.
	LabelComponentType = "nvidia.com/dynamo-component-type"
	// LabelSubComponentType is the finer role of the service.
	LabelSubComponentType = "nvidia.com/dynamo-sub-component-type"
	// LabelDynamoNamespace is the Dynamo namespace of the service.
	LabelDynamoNamespace = "nvidia.com/dynamo-namespace"
	// LabelBaseModelHash marks all pods that serve one model.
	LabelBaseModelHash = "nvidia.com/dynamo-base-model-hash"
	// LabelMetricsEnabled asks for the pod to be scraped.
	LabelMetricsEnabled = "nvidia.com/metrics-enabled"
	// LabelDiscoveryBackend and LabelDiscoveryEnabled mark what takes part in Kubernetes discovery.
	LabelDiscoveryBackend = "nvidia.com/dynamo-discovery-backend"
	LabelDiscoveryEnabled = "nvidia.com/dynamo-discovery-enabled"
	// LabelInferencePool marks the pods of the graph's InferencePool where no other label does.
	LabelInferencePool = "nvidia.com/dynamo-inference-pool"
	// LabelWorkerHash is the generation of the workers of a graph, which the Dynamo operator writes on their pods.
	LabelWorkerHash = "nvidia.com/dynamo-worker-hash"
	// LabelKAIQueue is the queue of the KAI scheduler.
	LabelKAIQueue = "kai.scheduler/queue"

	// LabelRole is leader or worker on the pods of a multinode service. Only the leader serves requests.
	LabelRole = "role"
	// LabelInstance is the number of the replica of a multinode service on LeaderWorkerSets.
	LabelInstance = "instance-id"

	LabelManagedBy    = "app.kubernetes.io/managed-by"
	LabelAppComponent = "app.kubernetes.io/component"
	LabelAppName      = "app.kubernetes.io/name"
	LabelPartOf       = "app.kubernetes.io/part-of"

	// LabelPodCliqueSetReplica is the number of the replica of a PodCliqueSet that an object belongs to.
	LabelPodCliqueSetReplica = "grove.io/podcliqueset-replica-index"
	// LabelComputeDomain of a template of claims is the UID of the NVLink domain that the driver made it for.
	LabelComputeDomain = "resource.nvidia.com/computeDomain"
	// LabelGPUClique of a node names the NVLink clique that it is part of. Only nodes with a fabric have it.
	LabelGPUClique = "nvidia.com/gpu.clique"
)

// LabelValue is a name as the value of a label, which is shorter than the name of most objects may be. What is too long is cut,
// as the Dynamo operator does it, so that only labels may get it that nothing selects by.
func LabelValue(name string) string {
	if len(name) <= validation.LabelValueMaxLength {
		return name
	}
	// A value ends with a letter or digit.
	return strings.TrimRight(name[:validation.LabelValueMaxLength], "-_.")
}

// ManagedBy is the value of LabelManagedBy on what this project composes.
const ManagedBy = "configuration-dynamo"
