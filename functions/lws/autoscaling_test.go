package lws

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step/steptest"
)

// TestReplicas shows who decides how many replicas a Deployment has.
func TestReplicas(t *testing.T) {
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
		// bounds of the autoscaler.
		bounds string
	}{
		"Graph":        {reason: "Without an autoscaler the graph decides.", service: service(3, nil), observed: observed(7, theirs), want: new(int32(3))},
		"New":          {reason: "A new Deployment begins with the graph's number.", service: service(3, enabled), want: new(int32(3)), bounds: "2..8"},
		"NewBelow":     {reason: "A new Deployment begins within the bounds of the autoscaler.", service: service(1, enabled), want: new(int32(2)), bounds: "2..8"},
		"TurnedOn":     {reason: "Left out, a number that Crossplane alone has set would fall to 1: it is repeated.", service: service(3, enabled), observed: observed(5, ours), want: new(int32(5)), bounds: "2..8"},
		"NoOwners":     {reason: "A number without a recorded owner is repeated.", service: service(3, enabled), observed: observed(5), want: new(int32(5)), bounds: "2..8"},
		"Autoscaled":   {reason: "Once the autoscaler has set the number, it is left to the autoscaler.", service: service(3, enabled), observed: observed(7, theirs), bounds: "2..8"},
		"SharedOwner":  {reason: "A number that both Crossplane and the autoscaler have set stays, and is left to the autoscaler alone.", service: service(3, enabled), observed: observed(7, ours, theirs), bounds: "2..8"},
		"TurnedOff":    {reason: "Without the autoscaler the graph's number applies again.", service: service(3, &v1alpha1.Autoscaling{MaxReplicas: 8}), observed: observed(7, theirs), want: new(int32(3))},
		"Paused":       {reason: "Zero pauses the autoscaler, as Kubernetes has it.", service: service(0, enabled), observed: observed(7, theirs), want: new(int32(0)), bounds: "2..8"},
		"Resumed":      {reason: "An autoscaler does not leave zero by itself.", service: service(1, enabled), observed: observed(0, ours), want: new(int32(2)), bounds: "2..8"},
		"ScaledToZero": {reason: "An autoscaler does not leave zero by itself if another client scaled to it.", service: service(3, enabled), observed: observed(0, theirs), want: new(int32(3)), bounds: "2..8"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := steptest.Request(steptest.Spec(t, map[string]v1alpha1.Service{"Worker": tc.service}), steptest.OnLeaderWorkerSets(t, steptest.ByPodGroup(), steptest.Services("etcd", "Worker")))
			if tc.observed != nil {
				req.Observed.Resources = map[string]*fnv1.Resource{"deployment-worker": steptest.Object(t, tc.observed)}
			}
			composed := run(t, req).GetDesired().GetResources()
			deployment := decode[appsv1.Deployment](t, composed["deployment-worker"])
			if diff := cmp.Diff(tc.want, deployment.Spec.Replicas); diff != "" {
				t.Errorf("%s\nreplicas: -want, +got:\n%s", tc.reason, diff)
			}
			bounds := ""
			if scaler := composed["autoscaler-worker"]; scaler != nil {
				spec := decode[autoscalingv2.HorizontalPodAutoscaler](t, scaler).Spec
				bounds = fmt.Sprintf("%d..%d", *spec.MinReplicas, spec.MaxReplicas)
				want := autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "llama-worker"}
				if diff := cmp.Diff(want, spec.ScaleTargetRef); diff != "" {
					t.Errorf("%s\ntarget of the autoscaler: -want, +got:\n%s", tc.reason, diff)
				}
			}
			if bounds != tc.bounds {
				t.Errorf("%s\nbounds of the autoscaler: want %q, got %q", tc.reason, tc.bounds, bounds)
			}
		})
	}
}

// TestAutoscalingAcrossNodes shows that a service that spans nodes has the number of replicas of the graph, and no autoscaler.
func TestAutoscalingAcrossNodes(t *testing.T) {
	spec := steptest.TwoNodes(t, steptest.WithReplicas(2), func(s *v1alpha1.Service) {
		s.Autoscaling = &v1alpha1.Autoscaling{Enabled: true, MaxReplicas: 8}
	})
	composed := run(t, steptest.Request(spec, steptest.OnLeaderWorkerSets(t, steptest.ByPodGroup(), steptest.Services("etcd", "Worker")))).GetDesired().GetResources()
	for key, want := range map[string]bool{"leaderworkerset-worker-1": true, "leaderworkerset-worker-2": false, "autoscaler-worker": false} {
		if _, got := composed[key]; got != want {
			t.Errorf("%s: want composed %t, got %t", key, want, got)
		}
	}
}

func decode[T any](t *testing.T, object *fnv1.Resource) *T {
	t.Helper()
	encoded, err := object.GetResource().MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	out := new(T)
	if err := json.Unmarshal(encoded, out); err != nil {
		t.Fatal(err)
	}
	return out
}
