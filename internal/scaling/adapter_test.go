package scaling

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
)

// TestAdapterOf shows where the number of replicas of an adapter comes from.
func TestAdapterOf(t *testing.T) {
	began := func(replicas string) map[string]string {
		return map[string]string{"dynamo.nvidia.com/graph-replicas": replicas}
	}
	adapter := func(replicas *int32, recorded map[string]string) *Adapter {
		annotations := map[string]string{"dynamo.nvidia.com/pod-selector": "nvidia.com/dynamo-component=Worker,nvidia.com/dynamo-graph-deployment-name=llama"}
		maps.Copy(annotations, recorded)
		a := &Adapter{
			TypeMeta: metav1.TypeMeta{APIVersion: "nvidia.com/v1beta1", Kind: "DynamoGraphDeploymentScalingAdapter"},
			ObjectMeta: metav1.ObjectMeta{Name: "llama-worker", Namespace: "inference", Annotations: annotations, Labels: map[string]string{
				"nvidia.com/dynamo-component": "Worker", "nvidia.com/dynamo-graph-deployment-name": "llama",
			}},
		}
		a.Spec.Replicas, a.Spec.DGDRef.Name, a.Spec.DGDRef.ComponentName = replicas, "llama", "Worker"
		return a
	}
	// unchanged is an adapter that is only applied to the live one as it was observed.
	unchanged := func(a *Adapter) *Adapter {
		a.ResourceVersion = "7"
		return a
	}
	managedBy := func(manager, subresource string, operation metav1.ManagedFieldsOperationType) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{
			Manager: manager, Operation: operation, Subresource: subresource, FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:replicas":{}}}`),
		}
	}
	crossplane := managedBy("apiextensions.crossplane.io/composed/a", "", metav1.ManagedFieldsOperationApply)
	autoscaler := managedBy("kube-controller-manager", "scale", metav1.ManagedFieldsOperationUpdate)
	observing := func(replicas int32, annotations map[string]string, managers ...metav1.ManagedFieldsEntry) *structpb.Struct {
		live := &Adapter{ObjectMeta: metav1.ObjectMeta{ResourceVersion: "7", Annotations: annotations, ManagedFields: managers}}
		live.Spec.Replicas = &replicas
		return steptest.Struct(live)
	}
	cases := map[string]struct {
		reason string
		absent bool
		nodes  int32
		live   *structpb.Struct
		want   *Adapter
	}{
		"New": {
			reason: "An adapter begins with the replicas of the graph.",
			want:   adapter(new(int32(2)), began("2")),
		},
		"Absent": {
			reason: "A service without a number has one replica.",
			absent: true,
			want:   adapter(new(int32(1)), began("1")),
		},
		"Scaled": {
			reason: "An adapter that exists decides itself.",
			live:   observing(5, nil),
			want:   unchanged(adapter(new(int32(5)), nil)),
		},
		"ScaledToZero": {
			reason: "An adapter that exists decides itself, also when its number is zero.",
			live:   observing(0, nil),
			want:   unchanged(adapter(new(int32(0)), nil)),
		},
		"OwnedByAnAutoscaler": {
			reason: "A number that another client has set is not applied again, because it may be outdated already, so that the rest can be applied to any version.",
			live:   observing(5, nil, crossplane, autoscaler),
			want:   adapter(nil, nil),
		},
		"Began": {
			reason: "The number that the graph had in the beginning stays recorded, and one that was set since it was observed is not undone.",
			live:   observing(5, began("3"), crossplane),
			want:   unchanged(adapter(new(int32(5)), began("3"))),
		},
		"BeganOwnedByAnAutoscaler": {
			reason: "What is recorded does not depend on who owns the number.",
			live:   observing(5, began("3"), autoscaler),
			want:   adapter(nil, began("3")),
		},
		"WithoutEffect": {
			reason: "An adapter that was created before adapters had an effect and that was never scaled starts again with the number of the graph.",
			live:   observing(5, nil, crossplane),
			want:   unchanged(adapter(new(int32(2)), began("2"))),
		},
		"Nodes": {
			reason: "Autoscalers count the pods that are selected as replicas.",
			nodes:  2,
			want: adapter(new(int32(2)), map[string]string{
				"dynamo.nvidia.com/graph-replicas": "2",
				"dynamo.nvidia.com/pod-selector":   "nvidia.com/dynamo-component=Worker,nvidia.com/dynamo-graph-deployment-name=llama,role=leader",
			}),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			service := v1alpha1.Service{Replicas: new(int32(2)), ScalingAdapter: &v1alpha1.ScalingAdapter{Enabled: true}}
			if tc.absent {
				service.Replicas = nil
			}
			if tc.nodes > 0 {
				service.Multinode = &v1alpha1.Multinode{NodeCount: tc.nodes}
			}
			g, _ := graph.Decode(steptest.Request(steptest.Spec(t, map[string]v1alpha1.Service{"Worker": service}), "{}"))
			if diff := cmp.Diff(tc.want, AdapterOf(&g.Adapters()[0], tc.live)); diff != "" {
				t.Errorf("%s\nAdapterOf(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestAdapterOfUnit shows the adapter of components that are scaled together, which counts units.
func TestAdapterOfUnit(t *testing.T) {
	g, _ := graph.Decode(steptest.Request(steptest.Spec(t, map[string]v1alpha1.Service{
		"Frontend": {}, "Prefill": {Replicas: new(int32(3))}, "Decode": {Replicas: new(int32(6))},
	}), "{}"))
	g.Annotations = map[string]string{"dynamo.nvidia.com/scale-together": "Decode=2, Prefill=1"}
	want := &Adapter{
		TypeMeta: metav1.TypeMeta{APIVersion: "nvidia.com/v1beta1", Kind: "DynamoGraphDeploymentScalingAdapter"},
		ObjectMeta: metav1.ObjectMeta{
			Name: "llama", Namespace: "inference", Annotations: map[string]string{
				"dynamo.nvidia.com/graph-replicas": "3",
				// One pod of each unit.
				"dynamo.nvidia.com/pod-selector": "nvidia.com/dynamo-component=Prefill,nvidia.com/dynamo-graph-deployment-name=llama",
			},
			Labels: map[string]string{"nvidia.com/dynamo-graph-deployment-name": "llama"},
		},
	}
	want.Spec.Replicas, want.Spec.DGDRef.Name, want.Spec.DGDRef.ComponentName = new(int32(3)), "llama", "Decode=2,Prefill=1"
	if diff := cmp.Diff([]*Adapter{want}, []*Adapter{AdapterOf(&g.Adapters()[0], nil)}); diff != "" {
		t.Errorf("AdapterOf(...): -want, +got:\n%s", diff)
	}
}
