package budget

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/scaling/gang"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/response"
)

// measure encodes the objects that run a component: replicas that span nodes completely, and otherwise the pods with the part of the
// surrounding objects that always exists.
type measure struct {
	graph *graph.Graph
	plan  *graphplan.Plan
	pods  pod.Pods
	gangs gang.Builder
}

func (m *measure) component(component *graph.Component) (componentSize, error) {
	out := componentSize{name: component.Name, objects: 1}
	if replicaIsObject(m.graph, m.plan, component.Name) {
		out.objects, out.replica = component.Replicas(), true
	}
	if _, scaled := m.graph.Scaled[component.Name]; scaled {
		adapter, _ := component.Adapter()
		out.adapter = adapter.Name
	}
	for key, object := range m.objects(component) {
		bytes, err := response.SizeOf(key, object)
		if err != nil {
			return out, err
		}
		out.each += int64(bytes)
	}
	return out, nil
}

// objects of a component. The first replica represents all replicas.
func (m *measure) objects(component *graph.Component) map[names.Resource]any {
	switch {
	case m.plan.Orchestrator == graphplan.Grove:
		return m.cliques(component.Name)
	case component.IsMultinode():
		return m.replica(component.Name)
	default:
		deployment := &appsv1.Deployment{
			TypeMeta: metav1.TypeMeta{APIVersion: appsv1.SchemeGroupVersion.String(), Kind: "Deployment"},
			ObjectMeta: metav1.ObjectMeta{
				Name: m.graph.Names().Component(component.Name), Namespace: m.graph.Namespace,
				Labels: pod.WorkloadLabels(component, m.plan), Annotations: pod.WorkloadAnnotations(component),
			},
			Spec: appsv1.DeploymentSpec{Template: m.template(component.Name, backend.RoleMain)},
		}
		pod.Queue(&deployment.ObjectMeta, m.plan)
		return map[names.Resource]any{names.KeyDeployment(component.Name): deployment}
	}
}

// cliques of a component. They are parts of the same object.
func (m *measure) cliques(name string) map[names.Resource]any {
	cliques := map[names.Resource]any{}
	for _, c := range pod.Cliques(m.graph.Component(name)) {
		template := m.template(name, c.Role)
		cliques[names.Resource(c.Name)] = grovev1alpha1.Clique{
			Name: name, Labels: template.Labels, Annotations: template.Annotations,
			Spec: grovev1alpha1.CliqueSpec{RoleName: name, PodSpec: template.Spec},
		}
	}
	return cliques
}

// replica of a component that spans nodes.
func (m *measure) replica(name string) map[names.Resource]any {
	built := m.gangs.Build(name, 0)
	objects := map[names.Resource]any{names.KeyLeaderWorkerSet(name, 0): built.LeaderWorkerSet}
	if built.PodGroup != nil {
		objects[names.KeyPodGroup(name, 0)] = built.PodGroup
	}
	if built.Native != nil {
		objects[names.KeySchedulingGroup(name, 0, "")] = built.Native
	}
	return objects
}

func (m *measure) template(name string, role backend.Role) corev1.PodTemplateSpec {
	pods := m.pods[name]
	return pods[slices.IndexFunc(pods, func(p pod.Built) bool { return p.Settings.Role == role })].Template
}
