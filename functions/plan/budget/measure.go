package budget

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"
	volcanov1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/desired"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/resource"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
)

// measure encodes what runs a service: the pods as they will be, and so much of the objects around them as is always
// there.
type measure struct {
	graph *graph.Graph
	plan  *graphplan.Plan
	pods  pod.Builder
}

func (m *measure) service(name string, service *v1alpha1.Service) (serviceSize, error) {
	out := serviceSize{name: name, objects: 1}
	if replicaIsObject(m.plan, pod.IsMultinode(service)) {
		out.objects, out.replica = pod.Replicas(service), true
	}
	for key, object := range m.objects(name, service) {
		bytes, err := desired.Size(key, object)
		if err != nil {
			return out, err
		}
		out.each += int64(bytes)
	}
	return out, nil
}

// objects of a service, of which the first replica stands for all.
func (m *measure) objects(name string, service *v1alpha1.Service) map[resource.Name]any {
	switch {
	case m.plan.Orchestrator == graphplan.Grove:
		return m.cliques(name, service)
	case pod.IsMultinode(service):
		return m.replica(name)
	default:
		return map[resource.Name]any{names.KeyDeployment(name): &appsv1.Deployment{
			TypeMeta:   metav1.TypeMeta{APIVersion: appsv1.SchemeGroupVersion.String(), Kind: "Deployment"},
			ObjectMeta: m.objectMeta(m.graph.Names().Component(name), name),
			Spec:       appsv1.DeploymentSpec{Template: m.template(name, backend.RoleMain)},
		}}
	}
}

// cliques of a service. They are parts of one object.
func (m *measure) cliques(name string, service *v1alpha1.Service) map[resource.Name]any {
	cliques := map[resource.Name]any{}
	for _, role := range subject.Roles(service) {
		template := m.template(name, role)
		cliques[resource.Name(role)] = grovev1alpha1.Clique{
			Name: name, Labels: template.Labels, Annotations: template.Annotations,
			Spec: grovev1alpha1.CliqueSpec{RoleName: name, PodSpec: template.Spec},
		}
	}
	return cliques
}

// replica of a service that spans nodes.
func (m *measure) replica(name string) map[resource.Name]any {
	meta := m.objectMeta(m.graph.Names().Replica(name, 0), name)
	meta.Labels[metadata.LabelInstance] = "0"
	leader, worker := m.template(name, backend.RoleLeader), m.template(name, backend.RoleWorker)
	gang := m.plan.LWS.Gang
	ownScheduler := leader.Spec.SchedulerName != "" || worker.Spec.SchedulerName != ""
	if !ownScheduler {
		leader.Spec.SchedulerName, worker.Spec.SchedulerName = gang.SchedulerName, gang.SchedulerName
	}
	objects := map[resource.Name]any{names.KeyLeaderWorkerSet(name, 0): &lwsv1.LeaderWorkerSet{
		TypeMeta:   metav1.TypeMeta{APIVersion: lwsv1.GroupVersion.String(), Kind: "LeaderWorkerSet"},
		ObjectMeta: meta,
		Spec: lwsv1.LeaderWorkerSetSpec{
			Replicas:        new(int32(1)),
			StartupPolicy:   lwsv1.LeaderCreatedStartupPolicy,
			RolloutStrategy: lwsv1.RolloutStrategy{Type: lwsv1.RollingUpdateStrategyType},
			LeaderWorkerTemplate: lwsv1.LeaderWorkerTemplate{
				Size:           new(int32(2)),
				RestartPolicy:  lwsv1.RecreateGroupOnPodRestart,
				LeaderTemplate: &leader,
				WorkerTemplate: worker,
			},
		},
	}}
	if !ownScheduler && gang.Provider == graphplan.GangPodGroup {
		// The templates in the set share their annotations with these.
		leader.Annotations[metadata.AnnotationGroupName], worker.Annotations[metadata.AnnotationGroupName] = meta.Name, meta.Name
		objects[names.KeyPodGroup(name, 0)] = &volcanov1beta1.PodGroup{
			TypeMeta:   metav1.TypeMeta{APIVersion: volcanov1beta1.SchemeGroupVersion.String(), Kind: "PodGroup"},
			ObjectMeta: metav1.ObjectMeta{Name: meta.Name, Namespace: meta.Namespace},
			Spec:       volcanov1beta1.PodGroupSpec{MinMember: 1, Queue: gang.Queue},
		}
	}
	return objects
}

func (m *measure) template(name string, role backend.Role) corev1.PodTemplateSpec {
	template := m.pods.Build(name, role, subject.Hosts(m.plan.Orchestrator, name))
	if role != backend.RoleMain && m.plan.Orchestrator != graphplan.Grove {
		delete(template.Labels, metadata.LabelSelector)
		template.Labels[metadata.LabelInstance] = "0"
	}
	return corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: template.Labels, Annotations: template.Annotations}, Spec: template.Spec}
}

func (m *measure) objectMeta(object, service string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name: object, Namespace: m.graph.Namespace,
		Labels:      pod.WorkloadLabels(m.graph, m.plan, service),
		Annotations: pod.WorkloadAnnotations(m.graph, service),
	}
}
