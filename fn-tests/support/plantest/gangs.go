package plantest

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"
	volcanov1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	schedulingv1beta1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/scheduling/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// A SetChange of an observed LeaderWorkerSet.
type SetChange = func(*lwsv1.LeaderWorkerSet)

// SetOn is the LeaderWorkerSet of a replica whose pods a scheduler schedules.
func SetOn(scheduler, name string, changes ...SetChange) *lwsv1.LeaderWorkerSet {
	set := LeaderWorkerSet(name)
	set.Spec.LeaderWorkerTemplate.WorkerTemplate.Spec.SchedulerName = scheduler
	for _, change := range changes {
		change(set)
	}
	return set
}

// SetOfVolcano has a PodGroup.
func SetOfVolcano(changes ...SetChange) *lwsv1.LeaderWorkerSet {
	return ReplicaOnVolcano("llama-worker-0", changes...)
}

// ReplicaOnVolcano is the LeaderWorkerSet of a name, which has a PodGroup.
func ReplicaOnVolcano(name string, changes ...SetChange) *lwsv1.LeaderWorkerSet {
	return SetOn(graphplan.VolcanoScheduler, name, append([]SetChange{func(set *lwsv1.LeaderWorkerSet) {
		set.Spec.LeaderWorkerTemplate.WorkerTemplate.Annotations = map[string]string{"scheduling.k8s.io/group-name": name}
	}}, changes...)...)
}

// SetOfKAI is in queue dynamo of KAI.
func SetOfKAI(changes ...SetChange) *lwsv1.LeaderWorkerSet {
	return SetOn(graphplan.KAIScheduler, "llama-worker-0", append([]SetChange{func(set *lwsv1.LeaderWorkerSet) {
		set.Spec.LeaderWorkerTemplate.WorkerTemplate.Labels = map[string]string{"kai.scheduler/queue": "dynamo"}
	}}, changes...)...)
}

// AnnotatedSet has these annotations on the LeaderWorkerSet itself.
func AnnotatedSet(annotations map[string]string) SetChange {
	return func(set *lwsv1.LeaderWorkerSet) { set.Annotations = annotations }
}

// PodGroup of Volcano of the first replica, with this spec.
func PodGroup(spec volcanov1beta1.PodGroupSpec) *volcanov1beta1.PodGroup {
	return &volcanov1beta1.PodGroup{
		TypeMeta:   metav1.TypeMeta{APIVersion: "scheduling.volcano.sh/v1beta1", Kind: "PodGroup"},
		ObjectMeta: metav1.ObjectMeta{Name: "llama-worker-0"},
		Spec:       spec,
	}
}

// WithVolcanoQueue delivers the Volcano queue in a state.
func WithVolcanoQueue(state string) RequestOption {
	return WithObject("volcano-queue", &volcanov1beta1.Queue{Status: volcanov1beta1.QueueStatus{State: volcanov1beta1.QueueState(state)}})
}

// OnKAI has the pods of a clique in a queue of KAI.
func OnKAI(c *grovev1alpha1.Clique) {
	c.Labels = map[string]string{"kai.scheduler/queue": "dynamo"}
	c.Spec.PodSpec.SchedulerName = graphplan.KAIScheduler
}

// SetOfKubernetes names the PodGroup of Kubernetes of the first replica.
func SetOfKubernetes(changes ...SetChange) *lwsv1.LeaderWorkerSet {
	return SetOn("", "llama-worker-0", append([]SetChange{func(set *lwsv1.LeaderWorkerSet) {
		set.Spec.LeaderWorkerTemplate.WorkerTemplate.Spec.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: new("llama-worker-0")}
	}}, changes...)...)
}

// NativeGroup is the PodGroup of Kubernetes of the first replica, packed by a label unless it is empty.
func NativeGroup(key string) *schedulingv1beta1.PodGroup {
	group := &schedulingv1beta1.PodGroup{
		TypeMeta:   metav1.TypeMeta{APIVersion: schedulingv1beta1.APIVersion, Kind: schedulingv1beta1.Kind},
		ObjectMeta: metav1.ObjectMeta{Name: "llama-worker-0"},
		Spec: schedulingv1beta1.Spec{
			SchedulingPolicy: schedulingv1beta1.SchedulingPolicy{Gang: &schedulingv1beta1.Gang{MinCount: 2}}, PriorityClassName: "important",
		},
	}
	if key != "" {
		group.Spec.SchedulingConstraints = &schedulingv1beta1.SchedulingConstraints{Topology: []schedulingv1beta1.TopologyConstraint{{Key: key}}}
	}
	return group
}
