package scaling

import (
	"strconv"

	"google.golang.org/protobuf/types/known/structpb"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// target is the object whose replicas an autoscaler sets.
type target = autoscalingv2.CrossVersionObjectReference

// initial is the initial number of replicas of a component with an autoscaler: the number of the user, within the limits of the autoscaler,
// which would otherwise change it immediately.
func initial(component *graph.Component) int32 {
	return max(least(component, 1), min(component.Replicas(), int32(component.Autoscaling.MaxReplicas))) //nolint:gosec // Bounded by step plan.
}

// least is the minimum of an autoscaler. It is atLeast if the user does not specify one.
func least(component *graph.Component, atLeast int32) int32 {
	if component.Autoscaling.MinReplicas == 0 {
		return atLeast
	}
	return int32(component.Autoscaling.MinReplicas) //nolint:gosec // Bounded by step plan.
}

// autoscaler of a component as the user describes it. Its minimum is atLeast if the user does not specify one.
func autoscaler(component *graph.Component, target target, atLeast int32) *autoscalingv2.HorizontalPodAutoscaler {
	object := scaler(component, component.Graph().Names().Component(component.Name), target)
	object.Spec.MinReplicas = new(least(component, atLeast))
	object.Spec.MaxReplicas = int32(component.Autoscaling.MaxReplicas) //nolint:gosec // Bounded by step plan.
	object.Spec.Metrics = component.Autoscaling.Metrics
	object.Spec.Behavior = component.Autoscaling.Behavior
	return object
}

// helperOf a component scales the child of Grove that runs it to a fixed number of replicas: an autoscaler with equal limits. It needs neither
// metrics nor pods, because limits take precedence.
func helperOf(component *graph.Component, replicas int32) *autoscalingv2.HorizontalPodAutoscaler {
	helper := scaler(component, component.Graph().Names().Replicas(component.Name), childOf(component))
	helper.Spec.MinReplicas = &replicas
	helper.Spec.MaxReplicas = replicas
	return helper
}

// temporary marks a helper that only scales a component until a rolling update is complete, and to a number of replicas after that.
func temporary(helper *autoscalingv2.HorizontalPodAutoscaler, before int32) *autoscalingv2.HorizontalPodAutoscaler {
	helper.Annotations = map[string]string{metadata.AnnotationReplicasBefore: strconv.Itoa(int(before))}
	return helper
}

// beforeOf a temporary helper is the number of replicas to which the component returns; 0 if it does not: a HorizontalPodAutoscaler does not scale a
// component without replicas.
func beforeOf(helper *structpb.Struct) int32 {
	before, err := strconv.ParseInt(tree.Text(helper, metadata.AnnotationReplicasBefore, "metadata", "annotations"), 10, 32)
	if err != nil {
		return 0
	}
	return max(0, int32(before))
}

func scaler(component *graph.Component, name string, target target) *autoscalingv2.HorizontalPodAutoscaler {
	return &autoscalingv2.HorizontalPodAutoscaler{
		TypeMeta:   metav1.TypeMeta{APIVersion: autoscalingv2.SchemeGroupVersion.String(), Kind: "HorizontalPodAutoscaler"},
		ObjectMeta: objectMeta(component.Graph(), component.Name, name),
		Spec:       autoscalingv2.HorizontalPodAutoscalerSpec{ScaleTargetRef: target},
	}
}

// objectMeta of the objects that determine the replicas of a component, or of several if it is empty.
func objectMeta(g *graph.Graph, component, name string) metav1.ObjectMeta {
	meta := metav1.ObjectMeta{Name: name, Namespace: g.Namespace, Labels: map[string]string{metadata.LabelGraphName: g.Name}}
	if component != "" {
		meta.Labels[metadata.LabelComponent] = component
	}
	return meta
}
