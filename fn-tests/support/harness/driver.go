package harness

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Driver of ComputeDomains, which shows that it is installed by its API and its class of devices. Most clusters of the examples do not have it.
func Driver(t testing.TB) []*unstructured.Unstructured {
	t.Helper()
	driver := slices.DeleteFunc(Read(t, "examples/cluster/all.yaml"), func(object *unstructured.Unstructured) bool {
		return object.GetName() != "v1beta1.resource.nvidia.com" && object.GetKind() != "DeviceClass"
	})
	if len(driver) == 0 {
		t.Fatal("the cluster with everything has no driver")
	}
	return driver
}
