// Package metadata names the labels and annotations that Dynamo, its schedulers and Crossplane read.
package metadata

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// Labels of pods and of the objects around them.
const (
	// LabelSelector selects the pods of one component: <graph>-<component>.
	LabelSelector = "nvidia.com/selector"
	// LabelGraphName is the name of the DynamoGraphDeployment.
	LabelGraphName = "nvidia.com/dynamo-graph-deployment-name"
	// LabelComponent is the component as spelled by the user.
	LabelComponent = "nvidia.com/dynamo-component"
	// LabelComponentType is the component type of the component.
	LabelComponentType = "nvidia.com/dynamo-component-type"
	// LabelComponentClass is ClassWorker on the pods of all types of workers, in a graph with an Endpoint Picker.
	LabelComponentClass = "nvidia.com/dynamo-component-class"
	// LabelSubComponentType is the more specific role of the component.
	LabelSubComponentType = "nvidia.com/dynamo-sub-component-type"
	// LabelDynamoNamespace is the Dynamo namespace of the component.
	LabelDynamoNamespace = "nvidia.com/dynamo-namespace"
	// LabelBaseModelHash marks all pods that serve one model.
	LabelBaseModelHash = "nvidia.com/dynamo-base-model-hash"
	// LabelMetricsEnabled marks pods to be scraped.
	LabelMetricsEnabled = "nvidia.com/metrics-enabled"
	// LabelDiscoveryBackend and LabelDiscoveryEnabled mark objects that take part in Kubernetes discovery.
	LabelDiscoveryBackend = "nvidia.com/dynamo-discovery-backend"
	LabelDiscoveryEnabled = "nvidia.com/dynamo-discovery-enabled"
	// LabelInferencePool marks the pods of the graph's InferencePool if no other label does.
	LabelInferencePool = "nvidia.com/dynamo-inference-pool"
	// LabelWorkerHash is the generation of the workers of a graph, which the Dynamo operator writes on their pods.
	LabelWorkerHash = "nvidia.com/dynamo-worker-hash"
	// LabelKAIQueue is the queue of the KAI scheduler.
	LabelKAIQueue = "kai.scheduler/queue"
	// LabelKAIProject is the project of a pod, which KAI takes for its queue where there is no other.
	LabelKAIProject = "project"
	// LabelKAINodePool of a pod is what KAI adds to the project after a dash.
	LabelKAINodePool = "kai.scheduler/node-pool"
	// LabelKueueQueue is the queue of Kueue, on graphs and on workloads. In pod templates, its webhook owns it.
	LabelKueueQueue = "kueue.x-k8s.io/queue-name"
	// LabelKueuePriority is the WorkloadPriorityClass by which Kueue orders workloads in a queue. It goes where the queue goes.
	LabelKueuePriority = "kueue.x-k8s.io/priority-class"

	// LabelFailoverMember marks the pods of engines that take over from each other.
	LabelFailoverMember = "nvidia.com/dynamo-failover-engine-group-member"

	// LabelRole is leader or worker on the pods of a multinode component, and leader and weights with weight servers on one node. Only the
	// leader serves requests.
	LabelRole = "role"
	// LabelInstance is the number of the replica of a multinode component on LeaderWorkerSets.
	LabelInstance = "instance-id"

	LabelManagedBy    = "app.kubernetes.io/managed-by"
	LabelAppComponent = "app.kubernetes.io/component"
	LabelAppName      = "app.kubernetes.io/name"
	LabelPartOf       = "app.kubernetes.io/part-of"

	// LabelPodCliqueSetReplica is the number of the replica of a PodCliqueSet that an object belongs to.
	LabelPodCliqueSetReplica = "grove.io/podcliqueset-replica-index"
	// LabelPodIndex is the number of a pod in its clique. Pods of one engine have the same one.
	LabelPodIndex = "grove.io/podclique-pod-index"
	// LabelComputeDomain of a claim template is the UID of the NVLink domain for which the driver created it.
	LabelComputeDomain = "resource.nvidia.com/computeDomain"
	// LabelGPUClique of a node is the name of its NVLink clique. Only nodes with a fabric have it.
	LabelGPUClique = "nvidia.com/gpu.clique"
)

// QueueKeys are the labels and annotations in which any scheduler, or any controller in front of one, looks for the queue of a pod or of a
// workload. Some only look at labels or only at annotations.
func QueueKeys() []string {
	// Volcano, on pods, on workloads, and through Grove.
	// https://github.com/volcano-sh/volcano/blob/master/pkg/controllers/podgroup/pg_controller_handler.go
	return append(GraphQueueKeys(), AnnotationVolcanoQueue, "volcano.sh/queue-name", AnnotationGroveVolcanoQueue)
}

// GraphQueueKeys are the labels of a graph itself that name a queue: those in which KAI looks for the queue of a pod, now and before it was open source,
// and that of Kueue, which its workloads get. KAI looks at the labels of the last owner first, which is the graph, and then at those of the pod. Where
// there is no queue, it takes the project for it.
// https://github.com/NVIDIA/KAI-Scheduler/blob/main/docs/queues/README.md
// https://github.com/NVIDIA/KAI-Scheduler/blob/main/pkg/podgrouper/podgrouper/plugins/skiptopowner/skiptopowner.go
// https://github.com/NVIDIA/KAI-Scheduler/blob/main/pkg/podgrouper/podgrouper/plugins/defaultgrouper/default_grouper.go
// https://kueue.sigs.k8s.io/docs/reference/labels-and-annotations/
func GraphQueueKeys() []string {
	return []string{LabelKAIQueue, "runai/queue", LabelKAIProject, LabelKueueQueue}
}

// QueueAnnotations are those of a graph itself that name a queue.
func QueueAnnotations() []string {
	return []string{AnnotationKAIQueue, AnnotationVolcanoQueue, AnnotationVolcanoQueueOnGrove}
}

// ClassWorker is the value of LabelComponentClass.
const ClassWorker = "worker"

// LabelValue is a name as the value of a label, which must be shorter than most names of objects. Longer names are cut, as by the Dynamo
// operator, so it is only for labels that no selector uses.
func LabelValue(name string) string {
	if len(name) <= validation.LabelValueMaxLength {
		return name
	}
	// A value ends with a letter or digit.
	return strings.TrimRight(name[:validation.LabelValueMaxLength], "-_.")
}

// ManagedBy is the value of LabelManagedBy on composed objects.
const ManagedBy = "configuration-dynamo"
