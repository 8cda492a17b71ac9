package pod

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestResources(t *testing.T) {
	cases := map[string]struct {
		reason string
		body   string
		want   string
	}{
		"ShortForm": {
			reason: "The short form is written under the resources' own names, and nothing is copied between requests and limits.",
			body:   `{"resources":{"requests":{"cpu":"2","memory":"8Gi"},"limits":{"gpu":"8","custom":{"rdma/ib":"1"}}}}`,
			want:   `{"requests":{"cpu":"2","memory":"8Gi"},"limits":{"nvidia.com/gpu":"8","rdma/ib":"1"}}`,
		},
		"Numbers": {
			reason: "A quantity written as a number is one.",
			body:   `{"resources":{"limits":{"gpu":8,"cpu":1.5}}}`,
			want:   `{"limits":{"nvidia.com/gpu":"8","cpu":"1500m"}}`,
		},
		"GPUType": {
			reason: "The type of the block names the GPUs of that block.",
			body:   `{"resources":{"requests":{"gpu":"1"},"limits":{"gpu":"1","gpuType":"gpu.intel.com/xe"}}}`,
			want:   `{"requests":{"nvidia.com/gpu":"1"},"limits":{"gpu.intel.com/xe":"1"}}`,
		},
		"BelowMainContainer": {
			reason: "The main container's own resources have priority over the short form, one by one.",
			body: `{"resources":{"limits":{"cpu":"4","memory":"2Gi","gpu":"2","custom":{"rdma/ib":"1"}}},
				"extraPodSpec":{"mainContainer":{"resources":{"limits":{"cpu":"1","nvidia.com/gpu":"1"},"requests":{"cpu":"1"}}}}}`,
			want: `{"limits":{"cpu":"1","memory":"2Gi","nvidia.com/gpu":"1","rdma/ib":"1"},"requests":{"cpu":"1"}}`,
		},
		"Claims": {
			reason: "Claims are added to those of the main container, each once.",
			body: `{"resources":{"claims":[{"name":"b"},{"name":"a"}]},
				"extraPodSpec":{"mainContainer":{"resources":{"claims":[{"name":"a"}]}}}}`,
			want: `{"claims":[{"name":"a"},{"name":"b"}]}`,
		},
		"Nothing": {
			reason: "No resources are given where none are asked for.",
			body:   `{}`,
			want:   `{}`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(parse(t, tc.want), tree(t, main(templateOf(t, tc.body)).Resources)); diff != "" {
				t.Errorf("%s\nresources: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
