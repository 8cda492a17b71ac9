package foundation

import (
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/steptest"
)

func TestClaimTemplates(t *testing.T) {
	template := func(name, request string) string {
		return `{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaimTemplate","metadata":{"name":"` + name + `","namespace":"inference"},
			"spec":{"metadata":{},"spec":{"devices":{"requests":[{"name":"gpus","exactly":` + request + `}]}}}}`
	}
	compareParts(t, "claimtemplate-", map[string]partCase{
		"Shared": {
			reason: "The pods of a service with the GPU memory service claim its GPUs.",
			req: steptest.Request(`{"services":{"Decode":{"componentType":"worker","resources":{"limits":{"gpu":"8"}},"gpuMemoryService":{"enabled":true}},
				"Prefill":{"componentType":"worker","resources":{"requests":{"gpu":"2"},"limits":{"gpu":"2"}},"gpuMemoryService":{"enabled":true,"deviceClassName":"mig.nvidia.com"}}}}`,
				steptest.OnGrove(t, steptest.Services("etcd", "Decode", "Prefill"))),
			want: map[string]string{
				"claimtemplate-decode":  template("llama-decode-gpu", `{"allocationMode":"ExactCount","count":8,"deviceClassName":"gpu.nvidia.com"}`),
				"claimtemplate-prefill": template("llama-prefill-gpu", `{"allocationMode":"ExactCount","count":2,"deviceClassName":"mig.nvidia.com"}`),
			},
		},
		"NotShared": {
			reason: "The pods of other services ask for their GPUs as a resource.",
			req:    steptest.Request(`{"services":{"S":{"resources":{"limits":{"gpu":"8"}},"gpuMemoryService":{"enabled":false}}}}`, steptest.OnGrove(t, steptest.Services("etcd", "S"))),
			want:   map[string]string{},
		},
	})
}
