package scaling

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/graphtest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
)

// worker is component Worker of graph llama.
func worker(service v1alpha1.Service) *graph.Component {
	return graphtest.Of(&graph.Graph{Name: "llama", Namespace: "inference"}, v1alpha1.DynamoGraphDeploymentSpec{
		Services: map[string]v1alpha1.Service{"Worker": service},
	}).Component("Worker")
}

func autoscalerOf(name string, spec autoscalingv2.HorizontalPodAutoscalerSpec) *autoscalingv2.HorizontalPodAutoscaler {
	return &autoscalingv2.HorizontalPodAutoscaler{
		TypeMeta: metav1.TypeMeta{APIVersion: "autoscaling/v2", Kind: "HorizontalPodAutoscaler"},
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "inference", Labels: map[string]string{
			"nvidia.com/dynamo-graph-deployment-name": "llama", "nvidia.com/dynamo-component": "Worker",
		}},
		Spec: spec,
	}
}

func TestAutoscaler(t *testing.T) {
	target := target{APIVersion: "grove.io/v1alpha1", Kind: "PodClique", Name: "llama-0-worker"}
	metrics := []autoscalingv2.MetricSpec{{Type: autoscalingv2.PodsMetricSourceType, Pods: &autoscalingv2.PodsMetricSource{}}}
	behavior := &autoscalingv2.HorizontalPodAutoscalerBehavior{ScaleUp: &autoscalingv2.HPAScalingRules{}}
	cases := map[string]struct {
		reason  string
		given   v1alpha1.Autoscaling
		atLeast int32
		want    autoscalingv2.HorizontalPodAutoscalerSpec
	}{
		"Full": {
			reason:  "What the user says is passed on.",
			given:   v1alpha1.Autoscaling{MinReplicas: 2, MaxReplicas: 8, Metrics: metrics, Behavior: behavior},
			atLeast: 1,
			want:    autoscalingv2.HorizontalPodAutoscalerSpec{ScaleTargetRef: target, MinReplicas: new(int32(2)), MaxReplicas: 8, Metrics: metrics, Behavior: behavior},
		},
		"NoMinimum": {
			reason:  "Without a minimum, what the orchestrator keeps together is the least.",
			given:   v1alpha1.Autoscaling{MaxReplicas: 8},
			atLeast: 3,
			want:    autoscalingv2.HorizontalPodAutoscalerSpec{ScaleTargetRef: target, MinReplicas: new(int32(3)), MaxReplicas: 8},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := autoscaler(worker(v1alpha1.Service{Autoscaling: &tc.given}), target, tc.atLeast)
			if diff := cmp.Diff(autoscalerOf("llama-worker", tc.want), got); diff != "" {
				t.Errorf("%s\nautoscaler(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestHelper pins what moves a component to a number: bounds that are equal, and no metrics.
func TestHelper(t *testing.T) {
	target := target{APIVersion: "grove.io/v1alpha1", Kind: "PodCliqueScalingGroup", Name: "llama-0-worker"}
	want := autoscalerOf("llama-worker-replicas", autoscalingv2.HorizontalPodAutoscalerSpec{ScaleTargetRef: target, MinReplicas: new(int32(4)), MaxReplicas: 4})
	if diff := cmp.Diff(want, helperOf(worker(v1alpha1.Service{Multinode: &v1alpha1.Multinode{NodeCount: 2}}), 4)); diff != "" {
		t.Errorf("helperOf(...): -want, +got:\n%s", diff)
	}
}

func TestInitial(t *testing.T) {
	cases := map[string]struct {
		reason   string
		replicas *int32
		given    v1alpha1.Autoscaling
		want     int32
	}{
		"Within":  {reason: "A service begins with the user's number where that is within the bounds.", replicas: new(int32(3)), given: v1alpha1.Autoscaling{MinReplicas: 2, MaxReplicas: 8}, want: 3},
		"Below":   {reason: "A service whose number is below the bounds begins with the least.", given: v1alpha1.Autoscaling{MinReplicas: 2, MaxReplicas: 8}, want: 2},
		"Above":   {reason: "A service whose number is above the bounds begins with the most.", replicas: new(int32(9)), given: v1alpha1.Autoscaling{MinReplicas: 2, MaxReplicas: 8}, want: 8},
		"Nothing": {reason: "Without a minimum a service begins with one, since from none an autoscaler does not start.", replicas: new(int32(0)), given: v1alpha1.Autoscaling{MaxReplicas: 8}, want: 1},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := initial(worker(v1alpha1.Service{Replicas: tc.replicas, Autoscaling: &tc.given})); got != tc.want {
				t.Errorf("%s\ninitial(...): want %d, got %d", tc.reason, tc.want, got)
			}
		})
	}
}
