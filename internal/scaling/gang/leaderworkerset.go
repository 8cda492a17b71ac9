package gang

import (
	"maps"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
)

// leaderWorkerSet is replica i of a multinode component: one group of a leader and its workers. With a LeaderWorkerSet for each replica, each
// has its own gang, and can have its own topology domain and NVLink domain. A set that was adopted with several replicas runs all of them.
func (b *Builder) leaderWorkerSet(name string, i int32) *lwsv1.LeaderWorkerSet {
	component, object := b.Graph.Component(name), b.Graph.Names().Replica(name, i)
	labels := pod.WorkloadLabels(component, b.Plan)
	b.number(name, i, labels)
	annotations := map[string]string{}
	leader := b.template(name, backend.RoleLeader, i)
	worker := b.template(name, backend.RoleWorker, i)
	b.join(name, object, labels, annotations, &leader, &worker)
	set := &lwsv1.LeaderWorkerSet{
		TypeMeta:   metav1.TypeMeta{APIVersion: lwsv1.GroupVersion.String(), Kind: "LeaderWorkerSet"},
		ObjectMeta: metav1.ObjectMeta{Name: object, Namespace: b.Graph.Namespace, Labels: labels, Annotations: annotations},
		Spec: lwsv1.LeaderWorkerSetSpec{
			Replicas: new(component.ReplicasOfSet()),
			// With LeaderReady the workers would wait for the leader, and the leader would wait for its gang.
			StartupPolicy:   lwsv1.LeaderCreatedStartupPolicy,
			RolloutStrategy: b.rolloutStrategy(name),
			LeaderWorkerTemplate: lwsv1.LeaderWorkerTemplate{
				Size:           new(component.Nodes()),
				RestartPolicy:  lwsv1.RecreateGroupOnPodRestart,
				LeaderTemplate: &leader,
				WorkerTemplate: worker,
			},
		},
	}
	pod.Queue(&set.ObjectMeta, b.Plan)
	return set
}

// number labels an object of replica i, unless all replicas have the same pod template.
func (b *Builder) number(name string, i int32, labels map[string]string) {
	if !b.Graph.Names().InOneSet(name) {
		labels[metadata.LabelInstance] = strconv.FormatInt(int64(i), 10)
	}
}

// rolloutStrategy of a LeaderWorkerSet. The controller of LeaderWorkerSets updates the replicas of one set, by default one after the other.
// Replicas that have a set each are updated by package rollout.
func (b *Builder) rolloutStrategy(name string) lwsv1.RolloutStrategy {
	strategy := lwsv1.RolloutStrategy{Type: lwsv1.RollingUpdateStrategyType}
	replicas := int(b.Graph.Component(name).ReplicasOfSet())
	if replicas <= 1 {
		return strategy // There is nothing to limit, and a graph may have thousands of annotations to read.
	}
	if most := min(Limit(pod.WorkloadAnnotations(b.Graph.Component(name)), replicas), replicas); most > 1 {
		strategy.RollingUpdateConfiguration = &lwsv1.RollingUpdateConfiguration{MaxUnavailable: intstr.FromInt(most)}
	}
	return strategy
}

func (b *Builder) template(name string, role backend.Role, i int32) corev1.PodTemplateSpec {
	pods := pod.Builder{Graph: b.Graph, Plan: b.Plan, Replica: i}
	template := pods.Build(name, role, backend.LWSHosts{})
	b.relabel(name, i, template.Labels)
	return template
}

// relabel the pods of replica i.
func (b *Builder) relabel(name string, i int32, labels map[string]string) {
	// The label selects the pods of Deployments. Here, each replica is a separate LeaderWorkerSet.
	delete(labels, metadata.LabelSelector)
	b.number(name, i, labels)
}

// Metadata of the pods of replica i, given a pod that is built already: its labels, and the annotations that the gang adds to those of the pod.
func (b *Builder) Metadata(name string, i int32, built corev1.PodTemplateSpec) metav1.ObjectMeta {
	built.Labels, built.Annotations = maps.Clone(built.Labels), nil
	b.relabel(name, i, built.Labels)
	b.join(name, b.Graph.Names().Replica(name, i), map[string]string{}, map[string]string{}, &built)
	return built.ObjectMeta
}

// join makes the pods of one LeaderWorkerSet a gang: all of them are scheduled, or none. Pods whose scheduler the user chose are not part
// of it.
func (b *Builder) join(name, object string, labels, annotations map[string]string, templates ...*corev1.PodTemplateSpec) {
	gang := b.Plan.LWS.Gang
	for _, template := range templates {
		if !gang.Places(b.Graph.Names(), name, template.Spec.SchedulerName) {
			return
		}
	}
	for _, template := range templates {
		joinPods(template, gang, object)
	}
	switch gang.Provider {
	case graphplan.GangKAI:
		labels[metadata.LabelKAIQueue] = gang.Queue
		b.place(name, annotations)
	case graphplan.GangLWS:
		annotations[metadata.AnnotationVolcanoQueue] = gang.Queue
	case graphplan.GangPodGroup, graphplan.GangKubernetes, graphplan.GangKueue:
		b.mark(name, annotations)
	}
}

// joinPods of a template to the gang of the LeaderWorkerSet with a name. Those in a PodGroup of Kubernetes keep the default scheduler.
func joinPods(template *corev1.PodTemplateSpec, gang graphplan.Gang, object string) {
	if gang.Provider == graphplan.GangKubernetes {
		template.Spec.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: new(object)}
		return
	}
	template.Spec.SchedulerName = gang.SchedulerName
	if gang.Provider == graphplan.GangKAI {
		template.Labels[metadata.LabelKAIQueue] = gang.Queue
	}
	if gang.Provider == graphplan.GangPodGroup {
		template.Annotations = with(template.Annotations, metadata.AnnotationGroupName, object)
	}
}

func with(values map[string]string, key, value string) map[string]string {
	all := maps.Clone(values)
	if all == nil {
		all = map[string]string{}
	}
	all[key] = value
	return all
}
