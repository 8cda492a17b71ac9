package pod

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

// TestGPUMemoryService shows what becomes of a pod whose containers share its GPUs.
func TestGPUMemoryService(t *testing.T) {
	const worker = `"componentType":"worker","resources":{"requests":{"gpu":"2","memory":"1Gi"},"limits":{"gpu":"2"}}`
	const mount = `{"name":"gms-intrapod-control","mountPath":"/gms-intrapod-control"}`
	const claims = `{"claims":[{"name":"intrapod-shared-gpu"}]}`
	const server = `{"name":"gms-server","image":"runtime","command":["python3","-m","gpu_memory_service.cli.server"],"restartPolicy":"Always",
		"env":[{"name":"GMS_SOCKET_DIR","value":"/gms-intrapod-control"}],"resources":` + claims + `,"volumeMounts":[` + mount + `]}`
	cases := map[string]struct {
		reason string
		spec   string
		want   string
	}{
		"Main": {
			reason: "The server is there before the engine, and both claim the GPUs in place of asking for them.",
			spec:   `{` + worker + `,"gpuMemoryService":{"enabled":true},"extraPodSpec":{"mainContainer":{"image":"runtime"}}}`,
			want: `{"init":[` + server + `],"tolerations":[{"key":"nvidia.com/gpu","operator":"Exists","effect":"NoSchedule"}],
				"claims":[{"name":"intrapod-shared-gpu","resourceClaimTemplateName":"llama-s-gpu"}],
				"volume":{"name":"gms-intrapod-control","emptyDir":{}},
				"containers":{"main":{"folder":"/gms-intrapod-control","resources":{"requests":{"memory":"1Gi"},"claims":[{"name":"intrapod-shared-gpu"}]},"mounted":true}}}`,
		},
		"Clients": {
			reason: "Further clients share the same GPUs, and other containers do not; what the user has stays: init containers, claims, a folder.",
			spec: `{` + worker + `,"gpuMemoryService":{"enabled":true,"extraClientContainers":["loader"]},"envs":[{"name":"GMS_SOCKET_DIR","value":"/mine"}],
				"extraPodSpec":{"tolerations":[{"key":"nvidia.com/gpu","operator":"Exists","effect":"NoSchedule"}],"resourceClaims":[{"name":"nic","resourceClaimName":"n"}],
				"initContainers":[{"name":"first","image":"x"}],
				"containers":[{"name":"logs","image":"x"},{"name":"loader","image":"x","resources":{"limits":{"nvidia.com/gpu":"2"}}}],
				"mainContainer":{"image":"runtime","resources":{"claims":[{"name":"nic"}]}}}}`,
			want: `{"init":[{"name":"first","image":"x","resources":{}},` + server + `],"tolerations":[{"key":"nvidia.com/gpu","operator":"Exists","effect":"NoSchedule"}],
				"claims":[{"name":"nic","resourceClaimName":"n"},{"name":"intrapod-shared-gpu","resourceClaimTemplateName":"llama-s-gpu"}],
				"volume":{"name":"gms-intrapod-control","emptyDir":{}},
				"containers":{
					"main":{"folder":"/mine","resources":{"requests":{"memory":"1Gi"},"claims":[{"name":"nic"},{"name":"intrapod-shared-gpu"}]},"mounted":true},
					"logs":{"folder":"","resources":{},"mounted":false},
					"loader":{"folder":"/gms-intrapod-control","resources":` + claims + `,"mounted":true}}}`,
		},
		"OtherDevice": {
			reason: "GPUs of another name are claimed as well.",
			spec: `{"componentType":"worker","resources":{"limits":{"gpu":"1","gpuType":"nvidia.com/mig-1g.10gb"}},"gpuMemoryService":{"enabled":true},
				"extraPodSpec":{"mainContainer":{"image":"runtime"}}}`,
			want: `{"init":[` + server + `],"tolerations":[{"key":"nvidia.com/gpu","operator":"Exists","effect":"NoSchedule"}],
				"claims":[{"name":"intrapod-shared-gpu","resourceClaimTemplateName":"llama-s-gpu"}],
				"volume":{"name":"gms-intrapod-control","emptyDir":{}},
				"containers":{"main":{"folder":"/gms-intrapod-control","resources":` + claims + `,"mounted":true}}}`,
		},
		"Off": {
			reason: "Without the GPU memory service nothing changes.",
			spec:   `{` + worker + `,"gpuMemoryService":{"enabled":false},"extraPodSpec":{"mainContainer":{"image":"runtime"}}}`,
			want: `{"init":null,"tolerations":null,"claims":null,"volume":{"name":"shared-memory","emptyDir":{"medium":"Memory","sizeLimit":"8Gi"}},
				"containers":{"main":{"folder":"","resources":{"requests":{"memory":"1Gi","nvidia.com/gpu":"2"},"limits":{"nvidia.com/gpu":"2"}},"mounted":false}}}`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			spec := service(t, tc.spec).Spec
			if diff := cmp.Diff(parse(t, tc.want), tree(t, shared(spec))); diff != "" {
				t.Errorf("%s\npod: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// shared are the parts of a pod that the GPU memory service changes.
func shared(spec corev1.PodSpec) map[string]any {
	containers := map[string]any{}
	for _, c := range spec.Containers {
		mounted := false
		for _, mount := range c.VolumeMounts {
			mounted = mounted || mount.Name == GPUMemoryVolume
		}
		containers[c.Name] = map[string]any{"resources": c.Resources, "folder": values(c.Env)["GMS_SOCKET_DIR"], "mounted": mounted}
	}
	return map[string]any{
		"init": spec.InitContainers, "tolerations": spec.Tolerations, "claims": spec.ResourceClaims,
		"volume": spec.Volumes[len(spec.Volumes)-1], "containers": containers,
	}
}
