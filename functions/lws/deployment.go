package lws

import (
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/scaling"
)

// deployment runs a component whose replicas each fit on one node.
func (b *builder) deployment(component *graph.Component) *appsv1.Deployment {
	template := b.pods.Build(component.Name, backend.RoleMain, nil)
	annotations := pod.WorkloadAnnotations(component)
	deployment := &appsv1.Deployment{
		TypeMeta: metav1.TypeMeta{APIVersion: appsv1.SchemeGroupVersion.String(), Kind: "Deployment"},
		ObjectMeta: metav1.ObjectMeta{
			Name: b.graph.Names().Component(component.Name), Namespace: b.graph.Namespace,
			Labels: pod.WorkloadLabels(component, b.plan), Annotations: annotations,
		},
		Spec: appsv1.DeploymentSpec{
			Replicas: scaling.ReplicasOfDeployment(component, b.observed[string(names.KeyDeployment(component.Name))].GetResource()),
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{
				metadata.LabelSelector: template.Labels[metadata.LabelSelector],
			}},
			Strategy:                pod.RolloutStrategy(annotations),
			MinReadySeconds:         b.plan.MinReadySeconds,
			ProgressDeadlineSeconds: b.deadline(component.Name, template),
			Template:                template,
		},
	}
	pod.Queue(&deployment.ObjectMeta, b.plan)
	return deployment
}
