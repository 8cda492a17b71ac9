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

// initial is the initial number of replicas of a service with an autoscaler: the number of the user, within the limits of the autoscaler,
// which would otherwise change it immediately.
func initial(service *graph.Component) int32 {
	return max(least(service, 1), min(service.Replicas(), int32(service.Autoscaling.MaxReplicas))) //nolint:gosec // Bounded by step plan.
}

// least is the minimum of an autoscaler. It is atLeast if the user does not specify one.
func least(service *graph.Component, atLeast int32) int32 {
	if service.Autoscaling.MinReplicas == 0 {
		return atLeast
	}
	return int32(service.Autoscaling.MinReplicas) //nolint:gosec // Bounded by step plan.
}

// autoscaler of a service as the user describes it. Its minimum is atLeast if the user does not specify one.
func autoscaler(service *graph.Component, target target, atLeast int32) *autoscalingv2.HorizontalPodAutoscaler {
	object := scaler(service, service.Graph().Names().Component(service.Name), target)
	object.Spec.MinReplicas = new(least(service, atLeast))
	object.Spec.MaxReplicas = int32(service.Autoscaling.MaxReplicas) //nolint:gosec // Bounded by step plan.
	object.Spec.Metrics = service.Autoscaling.Metrics
	object.Spec.Behavior = service.Autoscaling.Behavior
	return object
}

// helperOf a service scales the child of Grove that runs it to a fixed number of replicas: an autoscaler with equal limits. It needs neither
// metrics nor pods, because limits take precedence.
func helperOf(service *graph.Component, replicas int32) *autoscalingv2.HorizontalPodAutoscaler {
	helper := scaler(service, service.Graph().Names().Replicas(service.Name), childOf(service))
	helper.Spec.MinReplicas = &replicas
	helper.Spec.MaxReplicas = replicas
	return helper
}

// temporary marks a helper that only scales a service until a rolling update is complete, and to a number of replicas after that.
func temporary(helper *autoscalingv2.HorizontalPodAutoscaler, before int32) *autoscalingv2.HorizontalPodAutoscaler {
	helper.Annotations = map[string]string{metadata.AnnotationReplicasBefore: strconv.Itoa(int(before))}
	return helper
}

// beforeOf a temporary helper is the number of replicas to which the service returns; 0 if it does not: a HorizontalPodAutoscaler does not scale a
// service without replicas.
func beforeOf(helper *structpb.Struct) int32 {
	before, err := strconv.ParseInt(tree.Text(helper, metadata.AnnotationReplicasBefore, "metadata", "annotations"), 10, 32)
	if err != nil {
		return 0
	}
	return max(0, int32(before))
}

func scaler(service *graph.Component, name string, target target) *autoscalingv2.HorizontalPodAutoscaler {
	return &autoscalingv2.HorizontalPodAutoscaler{
		TypeMeta:   metav1.TypeMeta{APIVersion: autoscalingv2.SchemeGroupVersion.String(), Kind: "HorizontalPodAutoscaler"},
		ObjectMeta: objectMeta(service.Graph(), service.Name, name),
		Spec:       autoscalingv2.HorizontalPodAutoscalerSpec{ScaleTargetRef: target},
	}
}

// objectMeta of the objects that determine the replicas of a service, or of several if it is empty.
func objectMeta(g *graph.Graph, service, name string) metav1.ObjectMeta {
	meta := metav1.ObjectMeta{Name: name, Namespace: g.Namespace, Labels: map[string]string{metadata.LabelGraphName: g.Name}}
	if service != "" {
		meta.Labels[metadata.LabelComponent] = service
	}
	return meta
}
