package harness

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Driver of ComputeDomains, which shows that it is installed. Most clusters of the examples do not have it.
func Driver(t testing.TB) *unstructured.Unstructured {
	t.Helper()
	for _, object := range Read(t, "examples/cluster/all.yaml") {
		if object.GetName() == "v1beta1.resource.nvidia.com" {
			return object
		}
	}
	t.Fatal("the cluster with everything has no driver")
	return nil
}
