package override

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/graphtest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
)

func TestInto(t *testing.T) {
	set := map[string]any{"spec": map[string]any{"template": map[string]any{
		"cliques":                []any{map[string]any{"name": "frontend"}, map[string]any{"name": "worker-ldr"}},
		"podCliqueScalingGroups": []any{map[string]any{"name": "worker"}},
	}}}
	rack := map[string]any{"packDomain": "rack"}
	cases := map[string]struct {
		reason  string
		of      string
		name    string
		value   string
		changes func(template map[string]any)
	}{
		"Set": {
			reason: "The constraint of the graph belongs to the template of the PodCliqueSet.", of: TargetSet,
			value:   `{"spec":{"template":{"topologyConstraint":{"packDomain":"rack"}}}}`,
			changes: func(template map[string]any) { template[Constraint] = rack },
		},
		"Clique": {
			reason: "The constraint of a role belongs to its clique.", of: TargetClique, name: "worker-ldr",
			value: `{"topologyConstraint":{"packDomain":"rack"}}`,
			changes: func(template map[string]any) {
				template["cliques"] = []any{map[string]any{"name": "frontend"}, map[string]any{"name": "worker-ldr", Constraint: rack}}
			},
		},
		"Group": {
			reason: "The constraint of a service with several cliques belongs to its scaling group.", of: TargetGroup, name: "worker",
			value: `{"topologyConstraint":{"packDomain":"rack"}}`,
			changes: func(template map[string]any) {
				template["podCliqueScalingGroups"] = []any{map[string]any{"name": "worker", Constraint: rack}}
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			before, err := structpb.NewStruct(set)
			if err != nil {
				t.Fatal(err)
			}
			o := Override{ProviderOverride: v1alpha1.ProviderOverride{Value: runtime.RawExtension{Raw: []byte(tc.value)}}, Of: tc.of, Name: tc.name}
			got := o.Into(before).AsMap()

			want := before.AsMap()
			template, _, err := unstructured.NestedMap(want, "spec", "template")
			if err != nil {
				t.Fatal(err)
			}
			tc.changes(template)
			want["spec"] = map[string]any{"template": template}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s\nInto(...): -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(set, before.AsMap()); diff != "" {
				t.Errorf("%s\nwant the PodCliqueSet left alone: -before, +after:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestHasTyped(t *testing.T) {
	cases := map[string]struct {
		reason string
		spec   v1alpha1.DynamoGraphDeploymentSpec
		want   bool
	}{
		"Graph":   {reason: "The constraint of the graph counts.", spec: v1alpha1.DynamoGraphDeploymentSpec{TopologyConstraint: &v1alpha1.SpecTopologyConstraint{}}, want: true},
		"Service": {reason: "The constraint of a service counts.", spec: v1alpha1.DynamoGraphDeploymentSpec{Services: map[string]v1alpha1.Service{"Worker": {TopologyConstraint: &v1alpha1.TopologyConstraint{}}}}, want: true},
		"None":    {reason: "A graph without constraints has none.", spec: v1alpha1.DynamoGraphDeploymentSpec{Services: map[string]v1alpha1.Service{"Worker": {}}}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := HasTyped(graphtest.Of(&graph.Graph{}, tc.spec)); got != tc.want {
				t.Errorf("%s\nHasTyped(...): want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}
