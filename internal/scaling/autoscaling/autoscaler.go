// Package autoscaling contains what the steps share about the number of replicas of services: the composed autoscalers, and the numbers
// that are left to others.
package autoscaling

import (
	"strconv"

	"google.golang.org/protobuf/types/known/structpb"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// Target is the object whose replicas an autoscaler sets.
type Target = autoscalingv2.CrossVersionObjectReference

// GroveChild is the object that determines the number of replicas of a service on Grove.
func GroveChild(g *graph.Graph, name string) Target {
	kind := grovev1alpha1.KindPodClique
	if g.Component(name).IsScalingGroup() {
		kind = grovev1alpha1.KindPodCliqueScalingGroup
	}
	return Target{APIVersion: grovev1alpha1.APIVersion, Kind: kind, Name: g.Names().GroveChild(name)}
}

// Initial is the initial number of replicas of a service with an autoscaler: the number of the user, within the limits of the autoscaler,
// which would otherwise change it immediately.
func Initial(service *graph.Component) int32 {
	return max(Least(service, 1), min(service.Replicas(), int32(service.Autoscaling.MaxReplicas))) //nolint:gosec // Bounded by step plan.
}

// Least is the minimum of an autoscaler. It is atLeast if the user does not specify one.
func Least(service *graph.Component, atLeast int32) int32 {
	if service.Autoscaling.MinReplicas == 0 {
		return atLeast
	}
	return int32(service.Autoscaling.MinReplicas) //nolint:gosec // Bounded by step plan.
}

// Autoscaler of a service as the user describes it. Its minimum is atLeast if the user does not specify one.
func Autoscaler(g *graph.Graph, name string, target Target, atLeast int32) *autoscalingv2.HorizontalPodAutoscaler {
	service := g.Component(name)
	autoscaler := build(g, name, g.Names().Component(name), target)
	autoscaler.Spec.MinReplicas = new(Least(service, atLeast))
	autoscaler.Spec.MaxReplicas = int32(service.Autoscaling.MaxReplicas) //nolint:gosec // Bounded by step plan.
	autoscaler.Spec.Metrics = service.Autoscaling.Metrics
	autoscaler.Spec.Behavior = service.Autoscaling.Behavior
	return autoscaler
}

// Helper scales a service to a fixed number of replicas: an autoscaler with equal limits. It needs neither metrics nor pods, because limits
// take precedence.
func Helper(g *graph.Graph, name string, target Target, replicas int32) *autoscalingv2.HorizontalPodAutoscaler {
	helper := build(g, name, g.Names().Replicas(name), target)
	helper.Spec.MinReplicas = &replicas
	helper.Spec.MaxReplicas = replicas
	return helper
}

// Temporary marks a helper that only scales a service until a rolling update is complete, and to a number of replicas after that.
func Temporary(helper *autoscalingv2.HorizontalPodAutoscaler, before int32) *autoscalingv2.HorizontalPodAutoscaler {
	helper.Annotations = map[string]string{metadata.AnnotationReplicasBefore: strconv.Itoa(int(before))}
	return helper
}

// Before is the number of replicas with which Temporary has marked a helper. It is 0, and ok is false, if there is no such mark. A service
// without replicas has none: a HorizontalPodAutoscaler does not scale it.
func Before(helper *structpb.Struct) (replicas int32, ok bool) {
	before, err := strconv.ParseInt(tree.Text(helper, metadata.AnnotationReplicasBefore, "metadata", "annotations"), 10, 32)
	if err != nil || before <= 0 {
		return 0, false
	}
	return int32(before), true
}

func build(g *graph.Graph, service, object string, target Target) *autoscalingv2.HorizontalPodAutoscaler {
	return &autoscalingv2.HorizontalPodAutoscaler{
		TypeMeta:   metav1.TypeMeta{APIVersion: autoscalingv2.SchemeGroupVersion.String(), Kind: "HorizontalPodAutoscaler"},
		ObjectMeta: metav1.ObjectMeta{Name: object, Namespace: g.Namespace, Labels: Labels(g, service)},
		Spec:       autoscalingv2.HorizontalPodAutoscalerSpec{ScaleTargetRef: target},
	}
}

// Labels of the objects that determine the replicas of a service.
func Labels(g *graph.Graph, service string) map[string]string {
	return map[string]string{metadata.LabelGraphName: g.Name, metadata.LabelComponent: service}
}
