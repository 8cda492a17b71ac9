package pod

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

// TestGPUMemoryService shows what becomes of a pod whose containers share its GPUs.
func TestGPUMemoryService(t *testing.T) {
	claims := fields{"claims": []any{fields{"name": "intrapod-shared-gpu"}}}
	server := fields{
		"name": "gms-server", "image": "runtime", "command": []any{"python3", "-m", "gpu_memory_service.cli.server"}, "restartPolicy": "Always",
		"env": []any{env("GMS_SOCKET_DIR", "/gms-intrapod-control")}, "resources": claims,
		"volumeMounts": []any{mount("gms-intrapod-control", "/gms-intrapod-control")},
	}
	cases := map[string]struct {
		reason string
		spec   string
		want   fields
	}{
		"Clients": {
			reason: "Further clients share the same GPUs, and other containers do not; what the user has stays: init containers, claims, a folder.",
			spec: `{"componentType":"worker","resources":{"requests":{"gpu":"2","memory":"1Gi"},"limits":{"gpu":"2"}},"gpuMemoryService":{"enabled":true,"extraClientContainers":["loader"]},"envs":[{"name":"GMS_SOCKET_DIR","value":"/mine"}],
				"extraPodSpec":{"tolerations":[{"key":"nvidia.com/gpu","operator":"Exists","effect":"NoSchedule"}],"resourceClaims":[{"name":"nic","resourceClaimName":"n"}],
				"initContainers":[{"name":"first","image":"x"}],
				"containers":[{"name":"logs","image":"x"},{"name":"loader","image":"x","resources":{"limits":{"nvidia.com/gpu":"2"}}}],
				"mainContainer":{"image":"runtime","resources":{"claims":[{"name":"nic"}]}}}}`,
			want: fields{
				"init":        []any{fields{"name": "first", "image": "x", "resources": fields{}}, server},
				"tolerations": []any{fields{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}},
				"claims": []any{
					fields{"name": "nic", "resourceClaimName": "n"},
					fields{"name": "intrapod-shared-gpu", "resourceClaimTemplateName": "llama-s-gpu"},
				},
				"volume": fields{"name": "gms-intrapod-control", "emptyDir": fields{}},
				"containers": fields{
					"main": fields{
						"folder": "/mine",
						"resources": fields{
							"requests": fields{"memory": "1Gi"},
							"claims":   []any{fields{"name": "nic"}, fields{"name": "intrapod-shared-gpu"}},
						},
						"mounted": true,
					},
					"logs":   fields{"folder": "", "resources": fields{}, "mounted": false},
					"loader": fields{"folder": "/gms-intrapod-control", "resources": claims, "mounted": true},
				},
			},
		},
		"OtherDevice": {
			reason: "GPUs of another name are claimed as well.",
			spec: `{"componentType":"worker","resources":{"limits":{"gpu":"1","gpuType":"nvidia.com/mig-1g.10gb"}},"gpuMemoryService":{"enabled":true},
				"extraPodSpec":{"mainContainer":{"image":"runtime"}}}`,
			want: fields{
				"init":        []any{server},
				"tolerations": []any{fields{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}},
				"claims":      []any{fields{"name": "intrapod-shared-gpu", "resourceClaimTemplateName": "llama-s-gpu"}},
				"volume":      fields{"name": "gms-intrapod-control", "emptyDir": fields{}},
				"containers":  fields{"main": fields{"folder": "/gms-intrapod-control", "resources": claims, "mounted": true}},
			},
		},
		"Off": {
			reason: "Without the GPU memory service nothing changes.",
			spec:   `{"componentType":"worker","resources":{"requests":{"gpu":"2","memory":"1Gi"},"limits":{"gpu":"2"}},"gpuMemoryService":{"enabled":false},"extraPodSpec":{"mainContainer":{"image":"runtime"}}}`,
			want: fields{
				"init":        nil,
				"tolerations": nil,
				"claims":      nil,
				"volume":      fields{"name": "shared-memory", "emptyDir": fields{"medium": "Memory", "sizeLimit": "8Gi"}},
				"containers": fields{
					"main": fields{
						"folder":    "",
						"resources": fields{"requests": fields{"memory": "1Gi", "nvidia.com/gpu": "2"}, "limits": fields{"nvidia.com/gpu": "2"}},
						"mounted":   false,
					},
				},
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			spec := templateOf(t, tc.spec).Spec
			if diff := cmp.Diff(tree(t, tc.want), tree(t, shared(spec))); diff != "" {
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
