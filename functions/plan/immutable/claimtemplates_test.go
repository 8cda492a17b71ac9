package immutable_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/immutable"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
)

func TestClaimTemplates(t *testing.T) {
	const path = "spec.services[Worker].gpuMemoryService: Forbidden: shared GPUs cannot be changed while the GPU memory service is enabled; they were 4 of class gpu.nvidia.com, and would be "
	const remedy = ": undo the change, or disable the GPU memory service, apply, and enable it again"
	template := func(request string) string {
		return `{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaimTemplate","spec":{"spec":{"devices":{"requests":[` + request + `]}}}}`
	}
	four := template(`{"name":"gpus","exactly":{"allocationMode":"ExactCount","count":4,"deviceClassName":"gpu.nvidia.com"}}`)
	cases := map[string]struct {
		reason   string
		observed string
		service  string
		want     []string
	}{
		"Same":   {reason: "A claim template that does not change is accepted.", observed: four, service: `"resources":{"limits":{"gpu":"4"}},"gpuMemoryService":{"enabled":true}`},
		"Off":    {reason: "Without the GPU memory service, the claim template goes away.", observed: four, service: `"resources":{"limits":{"gpu":"8"}}`},
		"First":  {reason: "A claim template that does not exist yet can be for any number of GPUs.", observed: ``, service: `"resources":{"limits":{"gpu":"8"}},"gpuMemoryService":{"enabled":true}`},
		"Other":  {reason: "A claim template with other contents is left for the API server to judge.", observed: template(``), service: `"resources":{"limits":{"gpu":"8"}},"gpuMemoryService":{"enabled":true}`},
		"Broken": {reason: "A claim template that cannot be read is left for the API server to judge.", observed: `{"spec":"x"}`, service: `"resources":{"limits":{"gpu":"8"}},"gpuMemoryService":{"enabled":true}`},
		"Count": {
			reason: "The API server refuses another number of GPUs in a claim template.", observed: four,
			service: `"resources":{"limits":{"gpu":"8"}},"gpuMemoryService":{"enabled":true}`,
			want:    []string{path + "8 of class gpu.nvidia.com" + remedy},
		},
		"Class": {
			reason: "The API server refuses another device class in a claim template.", observed: four,
			service: `"resources":{"limits":{"gpu":"4"}},"gpuMemoryService":{"enabled":true,"deviceClassName":"mig.nvidia.com"}`,
			want:    []string{path + "4 of class mig.nvidia.com" + remedy},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			spec := `{"services":{"Worker":{"componentType":"worker",` + tc.service + `}}}`
			req := plantest.Request(plantest.GraphOf(spec))
			if tc.observed != "" {
				plantest.WithObserved("claimtemplate-worker", tc.observed)(req)
			}
			var got []string
			for _, err := range immutable.Check(plantest.Facts(t, req)).Changes {
				got = append(got, err.Error())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nCheck(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
