package scaling

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
)

// TestReplicasOfDeployment shows who decides how many replicas a Deployment has.
func TestReplicasOfDeployment(t *testing.T) {
	enabled := &v1alpha1.Autoscaling{Enabled: true, MinReplicas: 2, MaxReplicas: 8}
	service := func(replicas int32, autoscaling *v1alpha1.Autoscaling) v1alpha1.Service {
		return v1alpha1.Service{Replicas: &replicas, Autoscaling: autoscaling}
	}
	owner := func(manager string, operation metav1.ManagedFieldsOperationType) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{Manager: manager, Operation: operation, FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:replicas":{}}}`)}
	}
	ours := owner("apiextensions.crossplane.io/composed/a", metav1.ManagedFieldsOperationApply)
	theirs := owner("kube-controller-manager", metav1.ManagedFieldsOperationUpdate)
	observed := func(replicas int32, owners ...metav1.ManagedFieldsEntry) *appsv1.Deployment {
		return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{ManagedFields: owners}, Spec: appsv1.DeploymentSpec{Replicas: &replicas}}
	}
	cases := map[string]struct {
		reason   string
		service  v1alpha1.Service
		observed *appsv1.Deployment
		// want is nil if the Deployment does not set its replicas.
		want *int32
	}{
		"Graph":        {reason: "Without an autoscaler the graph decides.", service: service(3, nil), observed: observed(7, theirs), want: new(int32(3))},
		"New":          {reason: "A new Deployment begins with the graph's number.", service: service(3, enabled), want: new(int32(3))},
		"NewBelow":     {reason: "A new Deployment begins within the bounds of the autoscaler.", service: service(1, enabled), want: new(int32(2))},
		"TurnedOn":     {reason: "Left out, a number that Crossplane alone has set would fall to 1: it is repeated.", service: service(3, enabled), observed: observed(5, ours), want: new(int32(5))},
		"NoOwners":     {reason: "A number without a recorded owner is repeated.", service: service(3, enabled), observed: observed(5), want: new(int32(5))},
		"Autoscaled":   {reason: "Once the autoscaler has set the number, it is left to the autoscaler.", service: service(3, enabled), observed: observed(7, theirs)},
		"SharedOwner":  {reason: "A number that both Crossplane and the autoscaler have set stays, and is left to the autoscaler alone.", service: service(3, enabled), observed: observed(7, ours, theirs)},
		"TurnedOff":    {reason: "Without the autoscaler the graph's number applies again.", service: service(3, &v1alpha1.Autoscaling{MaxReplicas: 8}), observed: observed(7, theirs), want: new(int32(3))},
		"Paused":       {reason: "Zero pauses the autoscaler, as Kubernetes has it.", service: service(0, enabled), observed: observed(7, theirs), want: new(int32(0))},
		"Resumed":      {reason: "An autoscaler does not leave zero by itself.", service: service(1, enabled), observed: observed(0, ours), want: new(int32(2))},
		"ScaledToZero": {reason: "An autoscaler does not leave zero by itself if another client scaled to it.", service: service(3, enabled), observed: observed(0, theirs), want: new(int32(3))},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var live *structpb.Struct
			if tc.observed != nil {
				live = steptest.Struct(tc.observed)
			}
			if diff := cmp.Diff(tc.want, ReplicasOfDeployment(worker(tc.service), live)); diff != "" {
				t.Errorf("%s\nReplicasOfDeployment(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestAutoscalerOfDeployment(t *testing.T) {
	service := v1alpha1.Service{Autoscaling: &v1alpha1.Autoscaling{Enabled: true, MaxReplicas: 8}}
	want := autoscalerOf("llama-worker", autoscalingv2.HorizontalPodAutoscalerSpec{
		ScaleTargetRef: target{APIVersion: "apps/v1", Kind: "Deployment", Name: "llama-worker"}, MinReplicas: new(int32(1)), MaxReplicas: 8,
	})
	if diff := cmp.Diff(want, AutoscalerOfDeployment(worker(service))); diff != "" {
		t.Errorf("AutoscalerOfDeployment(...): -want, +got:\n%s", diff)
	}
}
