package gang

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	resourcehelper "k8s.io/component-helpers/resource"
	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"
	volcanov1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
)

// composesPodGroup reports whether the chain composes the gang of a LeaderWorkerSet: Volcano schedules the pods, and the LWS operator does
// not create the gang itself.
func (b *Builder) composesPodGroup(set *lwsv1.LeaderWorkerSet) bool {
	return b.Plan.LWS.Gang.Provider == graphplan.GangPodGroup &&
		set.Spec.LeaderWorkerTemplate.WorkerTemplate.Annotations[metadata.AnnotationGroupName] == set.Name
}

// podGroup is the gang of one LeaderWorkerSet of a component, with the same name.
func (b *Builder) podGroup(name string, set *lwsv1.LeaderWorkerSet) *volcanov1beta1.PodGroup {
	size := *set.Spec.LeaderWorkerTemplate.Size
	leader := set.Spec.LeaderWorkerTemplate.LeaderTemplate.Spec
	worker := set.Spec.LeaderWorkerTemplate.WorkerTemplate.Spec
	group := &volcanov1beta1.PodGroup{
		TypeMeta: metav1.TypeMeta{APIVersion: volcanov1beta1.SchemeGroupVersion.String(), Kind: "PodGroup"},
		ObjectMeta: metav1.ObjectMeta{
			Name: set.Name, Namespace: set.Namespace, Labels: map[string]string{metadata.LabelInstance: set.Labels[metadata.LabelInstance]},
		},
		Spec: volcanov1beta1.PodGroupSpec{
			MinMember:         size,
			Queue:             b.Plan.LWS.Gang.Queue,
			PriorityClassName: leader.PriorityClassName,
			NetworkTopology:   b.networkTopology(name),
		},
	}
	if resources := sum(requests(leader), requests(worker), int64(size)-1); len(resources) > 0 {
		group.Spec.MinResources = &resources
	}
	return group
}

// requests of a pod as the scheduler counts them. If only a limit is set, the request is equal to it.
func requests(spec corev1.PodSpec) corev1.ResourceList {
	spec = *spec.DeepCopy()
	for _, containers := range [][]corev1.Container{spec.Containers, spec.InitContainers} {
		for i := range containers {
			requestLimits(&containers[i].Resources, nil)
		}
	}
	pod := &corev1.Pod{Spec: spec}
	if spec.Resources != nil {
		requestLimits(spec.Resources, resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{SkipPodLevelResources: true}))
	}
	return resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{})
}

// requestLimits adds a request for each limit that has none, either here or in within.
// https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/
func requestLimits(r *corev1.ResourceRequirements, within corev1.ResourceList) {
	for name, limit := range r.Limits {
		if _, ok := r.Requests[name]; ok {
			continue
		}
		if _, ok := within[name]; ok {
			continue
		}
		if r.Requests == nil {
			r.Requests = corev1.ResourceList{}
		}
		r.Requests[name] = limit
	}
}

// sum of one leader and a number of workers.
func sum(leader, worker corev1.ResourceList, workers int64) corev1.ResourceList {
	total := leader.DeepCopy()
	for name, amount := range worker {
		amount.Mul(workers)
		amount.Add(total[name])
		total[name] = amount
	}
	return total
}
