package harness

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// ScalingAdapter of another graph, which shows that a cluster serves the kind. The Dynamo operator brings it.
func ScalingAdapter() *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "nvidia.com/v1beta1", "kind": "DynamoGraphDeploymentScalingAdapter",
		"metadata": map[string]any{"name": "another", "namespace": "another"},
	}}
}

// APIService of an API that a cluster with everything serves.
func APIService(t testing.TB, name string) *unstructured.Unstructured {
	t.Helper()
	all := Read(t, "examples/cluster/all.yaml")
	i := slices.IndexFunc(all, func(o *unstructured.Unstructured) bool { return o.GetKind() == "APIService" && o.GetName() == name })
	if i < 0 {
		t.Fatalf("no APIService %s", name)
	}
	return all[i]
}
