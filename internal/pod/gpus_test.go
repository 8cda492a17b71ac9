package pod

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/graphtest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
)

// TestGPUNames shows which resources are GPUs.
func TestGPUNames(t *testing.T) {
	cases := map[string]struct {
		reason  string
		service v1alpha1.Service
		want    []string
	}{
		"Common": {reason: "Without a type GPUs have the common name.", want: []string{"nvidia.com/gpu"}},
		"Types": {
			reason: "Limits and requests may name types.",
			service: v1alpha1.Service{Resources: &v1alpha1.Resources{
				Limits: &v1alpha1.ResourceList{GPUType: "b.example.com/gpu"}, Requests: &v1alpha1.ResourceList{GPUType: "a.example.com/gpu"},
			}},
			want: []string{"a.example.com/gpu", "b.example.com/gpu", "nvidia.com/gpu"},
		},
		"Same": {
			reason:  "A type that is named several times counts once.",
			service: v1alpha1.Service{Resources: &v1alpha1.Resources{Limits: &v1alpha1.ResourceList{GPUType: "nvidia.com/gpu"}}},
			want:    []string{"nvidia.com/gpu"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, graphtest.Component(tc.service).GPUNames()); diff != "" {
				t.Errorf("%s\nGPUNames(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestCountGPUs shows how many GPUs a pod holds at a time.
func TestCountGPUs(t *testing.T) {
	with := func(limit, request string) corev1.Container {
		c := corev1.Container{Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{}, Requests: corev1.ResourceList{}}}
		if limit != "" {
			c.Resources.Limits[graph.DefaultGPU] = resource.MustParse(limit)
		}
		if request != "" {
			c.Resources.Requests[graph.DefaultGPU] = resource.MustParse(request)
		}
		return c
	}
	sidecar := with("1", "")
	sidecar.RestartPolicy = new(corev1.ContainerRestartPolicyAlways)
	cases := map[string]struct {
		reason string
		spec   corev1.PodSpec
		want   int64
	}{
		"None":         {reason: "A pod may have no GPUs.", spec: corev1.PodSpec{Containers: []corev1.Container{with("", "")}}},
		"Zero":         {reason: "Zero GPUs are none.", spec: corev1.PodSpec{Containers: []corev1.Container{with("0", "0")}}},
		"Limit":        {reason: "A limit alone gives a container GPUs.", spec: corev1.PodSpec{Containers: []corev1.Container{with("4", "")}}, want: 4},
		"Request":      {reason: "A request alone gives a container GPUs.", spec: corev1.PodSpec{Containers: []corev1.Container{with("", "2")}}, want: 2},
		"Both":         {reason: "A limit and a request are of the same GPUs.", spec: corev1.PodSpec{Containers: []corev1.Container{with("4", "4")}}, want: 4},
		"Containers":   {reason: "The GPUs of containers add up.", spec: corev1.PodSpec{Containers: []corev1.Container{with("2", ""), with("1", "")}}, want: 3},
		"Init":         {reason: "Init containers run before the other containers, so only the larger number counts.", spec: corev1.PodSpec{Containers: []corev1.Container{with("2", "")}, InitContainers: []corev1.Container{with("1", ""), with("3", "")}}, want: 3},
		"Sidecar":      {reason: "The GPUs of sidecars, which keep running, add up too.", spec: corev1.PodSpec{Containers: []corev1.Container{with("2", "")}, InitContainers: []corev1.Container{sidecar}}, want: 3},
		"OtherDevices": {reason: "Other devices do not count.", spec: corev1.PodSpec{Containers: []corev1.Container{{Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{"rdma/ib": resource.MustParse("8")}}}}}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := CountGPUs(&tc.spec, []string{graph.DefaultGPU}); got != tc.want {
				t.Errorf("%s\nCountGPUs(...): want %d, got %d", tc.reason, tc.want, got)
			}
			if got := HasGPUs(&tc.spec, []string{graph.DefaultGPU}); got != (tc.want > 0) {
				t.Errorf("%s\nHasGPUs(...): got %t", tc.reason, got)
			}
		})
	}
}

// TestTakenGPUs shows what counts as a GPU of a pod.
func TestTakenGPUs(t *testing.T) {
	const main = `"resources":{"limits":{"gpu":"2"}},"extraPodSpec":{"mainContainer":{"image":"a"}`
	sidecar := func(name string) string {
		return `{"name":"` + name + `","restartPolicy":"Always","resources":{"limits":{"nvidia.com/gpu":"1"}}}`
	}
	cases := map[string]struct {
		reason, component string
		want              int64
	}{
		"Main":    {reason: "The main container counts.", component: main + `}`, want: 2},
		"GPUType": {reason: "GPUs may have any name.", component: `"resources":{"limits":{"gpu":"3","gpuType":"example.org/accelerator"}}`, want: 3},
		"TypeOfSidecar": {
			reason:    "What a service calls GPUs are GPUs in all containers of its pods.",
			component: `"resources":{"limits":{"gpu":"1","gpuType":"example.org/accelerator"}},"extraPodSpec":{"containers":[{"name":"a","resources":{"limits":{"example.org/accelerator":"8"}}}]}`,
			want:      9,
		},
		"Sidecars":     {reason: "Sidecars run beside the main container.", component: main + `,"initContainers":[` + sidecar("a") + `,` + sidecar("b") + `]}`, want: 4},
		"Containers":   {reason: "All containers run at once.", component: main + `,"containers":[{"name":"a","resources":{"requests":{"amd.com/gpu":"1"}}}]}`, want: 3},
		"Init":         {reason: "Init containers run before the others.", component: main + `,"initContainers":[{"name":"a","resources":{"limits":{"nvidia.com/gpu":"5"}}}]}`, want: 5},
		"InitSidecars": {reason: "They run beside the sidecars that have begun.", component: main + `,"initContainers":[` + sidecar("a") + `,{"name":"b","resources":{"limits":{"nvidia.com/gpu":"5"}}}]}`, want: 6},
		"Class":        {reason: "Kubernetes makes a claim for a device of a class.", component: `"extraPodSpec":{"mainContainer":{"resources":{"limits":{"deviceclass.resource.kubernetes.io/nvidia-h100":"4"}}}}`, want: 4},
		"Shared":       {reason: "A share of a device plugin counts as a GPU.", component: `"extraPodSpec":{"mainContainer":{"resources":{"limits":{"nvidia.com/gpu.shared":"4"}}}}`, want: 4},
		"Fraction":     {reason: "A share of KAI counts as a GPU.", component: `"extraPodMetadata":{"annotations":{"gpu-fraction":"0.5"}}`, want: 1},
		"Memory":       {reason: "A part of the memory of several GPUs takes several GPUs.", component: `"annotations":{"gpu-memory":"2000","gpu-fraction-num-devices":"3"}`, want: 3},
		"Devices":      {reason: "A number of devices without a share means nothing.", component: `"annotations":{"gpu-fraction-num-devices":"3"}`},
		"CPU":          {reason: "Other resources do not count.", component: `"resources":{"limits":{"cpu":"4","custom":{"rdma/ib":"1"}}}`},
		"Absurd":       {reason: "No number is so large that sums become negative.", component: `"resources":{"limits":{"gpu":"9223372036854775807"}}`, want: mostGPUs},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := TakenGPUs(decodeComponent(t, `{`+tc.component+`}`).Component("S")); got != tc.want {
				t.Errorf("%s\nTakenGPUs(...): want %d, got %d", tc.reason, tc.want, got)
			}
		})
	}
}
