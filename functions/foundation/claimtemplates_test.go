package foundation

import (
	"testing"

	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
)

func TestClaimTemplates(t *testing.T) {
	template := func(name, class string, count int64) *resourcev1.ResourceClaimTemplate {
		gpus := &resourcev1.ExactDeviceRequest{AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: count, DeviceClassName: class}
		return &resourcev1.ResourceClaimTemplate{
			TypeMeta:   metav1.TypeMeta{APIVersion: "resource.k8s.io/v1", Kind: "ResourceClaimTemplate"},
			ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "inference"},
			Spec: resourcev1.ResourceClaimTemplateSpec{Spec: resourcev1.ResourceClaimSpec{
				Devices: resourcev1.DeviceClaim{Requests: []resourcev1.DeviceRequest{{Name: "gpus", Exactly: gpus}}},
			}},
		}
	}
	compareParts(t, "claimtemplate-", map[string]partCase{
		"Shared": {
			reason: "The pods of a service with the GPU memory service claim its GPUs.",
			req: steptest.Request(`{"services":{"Decode":{"componentType":"worker","resources":{"limits":{"gpu":"8"}},"gpuMemoryService":{"enabled":true}},
				"Prefill":{"componentType":"worker","resources":{"requests":{"gpu":"2"},"limits":{"gpu":"2"}},"gpuMemoryService":{"enabled":true,"deviceClassName":"mig.nvidia.com"}}}}`,
				steptest.OnGrove(t, steptest.Components("etcd", "Decode", "Prefill"))),
			want: map[string]any{
				"claimtemplate-decode":  template("llama-decode-gpu", "gpu.nvidia.com", 8),
				"claimtemplate-prefill": template("llama-prefill-gpu", "mig.nvidia.com", 2),
			},
		},
		"NotShared": {
			reason: "The pods of other services ask for their GPUs as a resource.",
			req:    steptest.Request(`{"services":{"S":{"resources":{"limits":{"gpu":"8"}},"gpuMemoryService":{"enabled":false}}}}`, steptest.OnGrove(t, steptest.Components("etcd", "S"))),
			want:   map[string]any{},
		},
	})
}
