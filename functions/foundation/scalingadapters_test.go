package foundation

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step/steptest"
)

// TestScalingAdapters shows where the number of replicas of an adapter comes from.
func TestScalingAdapters(t *testing.T) {
	const spec = `{"services":{"Worker":{"replicas":2,"scalingAdapter":{"enabled":true}},"Other":{"scalingAdapter":{"enabled":true}}}}`
	plan := steptest.OnGrove(t, map[string]graphplan.Service{"Worker": {Discovery: "etcd", DynamoNamespace: "n", ScalingAdapter: true}, "Other": {Discovery: "etcd", DynamoNamespace: "n"}})
	began := func(replicas string) map[string]string {
		return map[string]string{"dynamo.nvidia.com/graph-replicas": replicas}
	}
	adapter := func(replicas *int32, annotations map[string]string) map[string]any {
		return map[string]any{"scalingadapter-worker": &scalingAdapter{
			TypeMeta: metav1.TypeMeta{APIVersion: "nvidia.com/v1alpha1", Kind: "DynamoGraphDeploymentScalingAdapter"},
			ObjectMeta: metav1.ObjectMeta{Name: "llama-worker", Namespace: "inference", Annotations: annotations, Labels: map[string]string{
				"nvidia.com/dynamo-component": "Worker", "nvidia.com/dynamo-graph-deployment-name": "llama",
			}},
			Spec: scalingAdapterSpec{Replicas: replicas, DGDRef: graphReference{Name: "llama", ServiceName: "Worker"}},
		}}
	}
	managedBy := func(manager, subresource string, operation metav1.ManagedFieldsOperationType) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{
			Manager: manager, Operation: operation, Subresource: subresource, FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:replicas":{}}}`),
		}
	}
	crossplane := managedBy("apiextensions.crossplane.io/composed/a", "", metav1.ManagedFieldsOperationApply)
	autoscaler := managedBy("kube-controller-manager", "scale", metav1.ManagedFieldsOperationUpdate)
	observing := func(replicas int32, annotations map[string]string, managers ...metav1.ManagedFieldsEntry) *fnv1.RunFunctionRequest {
		req := steptest.Request(spec, plan)
		req.Observed.Resources = steptest.State(map[string]any{"scalingadapter-worker": &scalingAdapter{
			ObjectMeta: metav1.ObjectMeta{Annotations: annotations, ManagedFields: managers}, Spec: scalingAdapterSpec{Replicas: &replicas},
		}}).GetResources()
		return req
	}
	compareParts(t, "scalingadapter-", map[string]partCase{
		"New": {
			reason: "An adapter begins with the replicas of the graph. A service for which the plan has none gets none.",
			req:    steptest.Request(spec, plan),
			want:   adapter(new(int32(2)), began("2")),
		},
		"Absent": {
			reason: "A service without a number has one replica.",
			req:    steptest.Request(`{"services":{"Worker":{"scalingAdapter":{"enabled":true}}}}`, plan),
			want:   adapter(new(int32(1)), began("1")),
		},
		"Scaled": {
			reason: "An adapter that exists decides itself.",
			req:    observing(5, nil),
			want:   adapter(new(int32(5)), nil),
		},
		"ScaledToZero": {
			reason: "An adapter that exists decides itself, also when its number is zero.",
			req:    observing(0, nil),
			want:   adapter(new(int32(0)), nil),
		},
		"OwnedByAnAutoscaler": {
			reason: "A number that another client has set is not applied again, because it may be outdated already.",
			req:    observing(5, nil, crossplane, autoscaler),
			want:   adapter(nil, nil),
		},
		"Began": {
			reason: "The number that the graph had in the beginning stays recorded.",
			req:    observing(5, began("3"), crossplane),
			want:   adapter(new(int32(5)), began("3")),
		},
		"BeganOwnedByAnAutoscaler": {
			reason: "What is recorded does not depend on who owns the number.",
			req:    observing(5, began("3"), autoscaler),
			want:   adapter(nil, began("3")),
		},
		"WithoutEffect": {
			reason: "An adapter that was created before adapters had an effect and that was never scaled starts again with the number of the graph.",
			req:    observing(5, nil, crossplane),
			want:   adapter(new(int32(2)), began("2")),
		},
	})
}
