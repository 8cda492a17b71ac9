package graph

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
)

func TestGPUs(t *testing.T) {
	type gpus struct{ GPUs, Limit, Request int64 }
	cases := map[string]struct {
		reason string
		body   string
		want   gpus
	}{
		"Limit":         {reason: "The limit of GPUs counts.", body: `{"resources":{"limits":{"gpu":"8"}}}`, want: gpus{GPUs: 8, Limit: 8}},
		"Request":       {reason: "Without a limit of GPUs the request counts.", body: `{"resources":{"requests":{"gpu":"4"}}}`, want: gpus{GPUs: 4, Request: 4}},
		"Both":          {reason: "Of a limit and a request the limit counts.", body: `{"resources":{"limits":{"gpu":"8"},"requests":{"gpu":"4"}}}`, want: gpus{GPUs: 8, Limit: 8, Request: 4}},
		"OfAnyType":     {reason: "GPUs of another type are GPUs.", body: `{"resources":{"limits":{"gpu":"2","gpuType":"amd.com/gpu"}}}`, want: gpus{GPUs: 2, Limit: 2}},
		"MainContainer": {reason: "The main container's own resources count.", body: `{"resources":{"limits":{"cpu":"1"}},"extraPodSpec":{"mainContainer":{"resources":{"limits":{"nvidia.com/gpu":"2"},"requests":{"nvidia.com/gpu":2}}}}}`, want: gpus{GPUs: 2, Limit: 2, Request: 2}},
		"MainWins":      {reason: "The main container's own resources have priority.", body: `{"resources":{"limits":{"gpu":"1"}},"extraPodSpec":{"mainContainer":{"resources":{"limits":{"nvidia.com/gpu":"2"}}}}}`, want: gpus{GPUs: 2, Limit: 2}},
		"Mixed":         {reason: "GPUs that the two forms request under different names are added.", body: `{"resources":{"limits":{"gpu":"1","gpuType":"example.org/accelerator"}},"extraPodSpec":{"mainContainer":{"resources":{"limits":{"amd.com/gpu":"2"}}}}}`, want: gpus{GPUs: 3, Limit: 3}},
		"Slices":        {reason: "A slice of a GPU is a device for the engine.", body: `{"extraPodSpec":{"mainContainer":{"resources":{"limits":{"nvidia.com/mig-1g.10gb":"4"}}}}}`, want: gpus{GPUs: 4, Limit: 4}},
		"Custom":        {reason: "GPUs among the custom resources count.", body: `{"resources":{"limits":{"custom":{"gpu.intel.com/xe":"2","rdma/ib":"8","nvidia.com/gpu.memory":"9"}}}}`, want: gpus{GPUs: 2, Limit: 2}},
		"Gaudi":         {reason: "Accelerators of other vendors are GPUs.", body: `{"resources":{"limits":{"custom":{"habana.ai/gaudi":"8"}}}}`, want: gpus{GPUs: 8, Limit: 8}},
		"TPU":           {reason: "TPUs are GPUs.", body: `{"resources":{"limits":{"custom":{"google.com/tpu":"4"}}}}`, want: gpus{GPUs: 4, Limit: 4}},
		"ShareOfIntel":  {reason: "What else a GPU of Intel has is no GPU.", body: `{"resources":{"limits":{"custom":{"gpu.intel.com/i915":"1","gpu.intel.com/millicores":"100","gpu.intel.com/i915_monitoring":"1"}}}}`, want: gpus{GPUs: 1, Limit: 1}},
		"None":          {reason: "A service that asks for no GPUs has none.", body: `{"extraPodSpec":{"mainContainer":{"image":"i"}}}`},
		"NoSettings":    {reason: "A service without any settings has no GPUs.", body: `{}`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := decodedFrom(t, `{"services":{"S":`+tc.body+`}}`).Component("S")
			got := gpus{GPUs: s.GPUs(), Limit: s.GPULimit(), Request: s.GPURequest()}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestGPUName(t *testing.T) {
	cases := map[string]struct {
		reason string
		list   *v1alpha1.ResourceList
		want   string
	}{
		"NoBlock": {reason: "Without a block GPUs are NVIDIA's.", want: "nvidia.com/gpu"},
		"NoType":  {reason: "Without a type GPUs are NVIDIA's.", list: &v1alpha1.ResourceList{}, want: "nvidia.com/gpu"},
		"Type":    {reason: "The type of a block is the name of its GPUs.", list: &v1alpha1.ResourceList{GPUType: "amd.com/gpu"}, want: "amd.com/gpu"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := string(GPUName(tc.list)); got != tc.want {
				t.Errorf("%s\nGPUName(...): want %s, got %s", tc.reason, tc.want, got)
			}
		})
	}
}

func TestGPUPath(t *testing.T) {
	const limits = "spec.components[S].podTemplate.spec.containers[main].resources.limits"
	cases := map[string]struct {
		reason, body, want string
	}{
		"None":   {reason: "Without GPUs, those of NVIDIA are meant.", body: `{}`, want: limits + "[nvidia.com/gpu]"},
		"Other":  {reason: "The accelerator of the container is meant.", body: `{"resources":{"limits":{"custom":{"habana.ai/gaudi":"8","rdma/ib":"8"}}}}`, want: limits + "[habana.ai/gaudi]"},
		"Named":  {reason: "What the user calls GPUs is meant.", body: `{"resources":{"limits":{"gpu":"1","gpuType":"example.org/accelerator"}}}`, want: limits + "[example.org/accelerator]"},
		"Slices": {reason: "Slices are meant.", body: `{"resources":{"limits":{"custom":{"nvidia.com/mig-1g.10gb":"1"}}}}`, want: limits + "[nvidia.com/mig-1g.10gb]"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := decodedFrom(t, `{"services":{"S":`+tc.body+`}}`).Component("S").GPUPath().String(); got != tc.want {
				t.Errorf("%s\nGPUPath(): want %s, got %s", tc.reason, tc.want, got)
			}
		})
	}
}
