package pod

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// TestVolumes shows volumes and mounts of a component without a backend.
func TestVolumes(t *testing.T) {
	cases := map[string]struct {
		reason string
		body   string
		want   fields
	}{
		"Claim": {
			reason: "A claim is a volume of its name, mounted where the user says.",
			body:   `{"volumeMounts":[{"name":"cache","mountPoint":"/cache"}]}`,
			want: fields{
				"volumes": []any{fields{"name": "cache", "persistentVolumeClaim": fields{"claimName": "cache"}}, sharedMemory("8Gi")},
				"mounts":  []any{mount("cache", "/cache"), mount("shared-memory", "/dev/shm")},
			},
		},
		"ClaimMountedTwice": {
			reason: "However often a claim is mounted, two volumes of one name would be an invalid pod.",
			body:   `{"volumeMounts":[{"name":"cache","mountPoint":"/a"},{"name":"cache","mountPoint":"/b"}]}`,
			want: fields{
				"volumes": []any{fields{"name": "cache", "persistentVolumeClaim": fields{"claimName": "cache"}}, sharedMemory("8Gi")},
				"mounts":  []any{mount("cache", "/a"), mount("cache", "/b"), mount("shared-memory", "/dev/shm")},
			},
		},
		"UsersVolumeOfTheClaimsName": {
			reason: "A volume that the user defines is the one that is mounted.",
			body: `{"volumeMounts":[{"name":"cache","mountPoint":"/a"}],
				"extraPodSpec":{"volumes":[{"name":"cache","persistentVolumeClaim":{"claimName":"cache","readOnly":true}}]}}`,
			want: fields{
				"volumes": []any{
					fields{"name": "cache", "persistentVolumeClaim": fields{"claimName": "cache", "readOnly": true}},
					sharedMemory("8Gi"),
				},
				"mounts": []any{mount("cache", "/a"), mount("shared-memory", "/dev/shm")},
			},
		},
		"OrderOfMounts": {
			reason: "The user's own mounts come first, then claims, then shared memory.",
			body: `{"volumeMounts":[{"name":"cache","mountPoint":"/cache"}],
				"extraPodSpec":{"volumes":[{"name":"v","emptyDir":{}}],"mainContainer":{"volumeMounts":[{"name":"v","mountPath":"/v"}]}}}`,
			want: fields{
				"volumes": []any{
					fields{"name": "v", "emptyDir": fields{}},
					fields{"name": "cache", "persistentVolumeClaim": fields{"claimName": "cache"}},
					sharedMemory("8Gi"),
				},
				"mounts": []any{mount("v", "/v"), mount("cache", "/cache"), mount("shared-memory", "/dev/shm")},
			},
		},
		"SharedMemoryWithoutSize": {
			reason: "Without a size of the user's the default is the limit of the tmpfs.",
			body:   `{"sharedMemory":{}}`,
			want:   fields{"volumes": []any{sharedMemory("8Gi")}, "mounts": []any{mount("shared-memory", "/dev/shm")}},
		},
		"SharedMemoryDisabled": {
			reason: "Disabled, the container runtime's own /dev/shm stays, or what the user mounts there.",
			body: `{"sharedMemory":{"disabled":true},"extraPodSpec":{"volumes":[{"name":"shm","emptyDir":{}}],
				"mainContainer":{"volumeMounts":[{"name":"shm","mountPath":"/dev/shm"}]}}}`,
			want: fields{
				"volumes": []any{fields{"name": "shm", "emptyDir": fields{}}},
				"mounts":  []any{mount("shm", "/dev/shm")},
			},
		},
		"SharedMemoryReplaces": {
			reason: "A volume named shared-memory and mounts at /dev/shm give way: a container mounts one thing at a path.",
			body: `{"sharedMemory":{"size":"1Gi"},"extraPodSpec":{
				"volumes":[{"name":"shared-memory","emptyDir":{}},{"name":"shm","emptyDir":{}},{"name":"v","emptyDir":{}}],
				"mainContainer":{"volumeMounts":[{"name":"shm","mountPath":"/dev/shm"},{"name":"shared-memory","mountPath":"/x"},{"name":"v","mountPath":"/v"}]}}}`,
			want: fields{
				"volumes": []any{
					fields{"name": "shm", "emptyDir": fields{}},
					fields{"name": "v", "emptyDir": fields{}},
					sharedMemory("1Gi"),
				},
				"mounts": []any{mount("v", "/v"), mount("shared-memory", "/dev/shm")},
			},
		},
		"DefaultMountsGiveWay": {
			reason: "The Endpoint Picker's volumes are there unless the user defines them or mounts something in their place.",
			body: `{"componentType":"epp","eppConfig":{"config":{"plugins":[],"schedulingProfiles":[]}},"extraPodSpec":{"volumes":[{"name":"hf-cache","persistentVolumeClaim":{"claimName":"hf"}},{"name":"c","configMap":{"name":"c"}}],
				"mainContainer":{"volumeMounts":[{"name":"c","mountPath":"/etc/epp"}]}}}`,
			want: fields{
				"volumes": []any{
					fields{"name": "hf-cache", "persistentVolumeClaim": fields{"claimName": "hf"}},
					fields{"name": "c", "configMap": fields{"name": "c"}},
					fields{
						"name": "epp-config",
						"configMap": fields{
							"name":  "llama-epp-config",
							"items": []any{fields{"key": "epp-config-dynamo.yaml", "path": "epp-config-dynamo.yaml"}},
						},
					},
					sharedMemory("8Gi"),
				},
				"mounts": []any{mount("c", "/etc/epp"), mount("hf-cache", "/home/nonroot/.cache"), mount("shared-memory", "/dev/shm")},
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			template := templateOf(t, tc.body)
			got := map[string]any{"volumes": tree(t, template.Spec.Volumes), "mounts": tree(t, main(template).VolumeMounts)}
			if diff := cmp.Diff(tree(t, tc.want), any(got)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestCompilationCache shows where an engine is told to keep its compiled kernels.
func TestCompilationCache(t *testing.T) {
	type cache struct {
		MountPath, Env string
		FurtherMounts  int
	}
	cases := map[string]struct {
		reason    string
		framework v1alpha1.BackendFramework
		body      string
		want      cache
	}{
		"VLLMDefault": {
			reason:    "The engine is told the default path too, because it looks there by itself only if it runs as root.",
			framework: v1alpha1.BackendVLLM,
			body:      `{"volumeMounts":[{"name":"cache","useAsCompilationCache":true}]}`,
			want:      cache{MountPath: "/root/.cache/vllm", Env: "/root/.cache/vllm"},
		},
		"VLLMElsewhere": {
			reason:    "A path of the user's is told to vLLM.",
			framework: v1alpha1.BackendVLLM,
			body:      `{"volumeMounts":[{"name":"cache","mountPoint":"/cache","useAsCompilationCache":true}]}`,
			want:      cache{MountPath: "/cache", Env: "/cache"},
		},
		"UsersVariable": {
			reason:    "The user's own variable wins, and there is only one of the name.",
			framework: v1alpha1.BackendVLLM,
			body:      `{"envs":[{"name":"VLLM_CACHE_ROOT","value":"/mine"}],"volumeMounts":[{"name":"cache","mountPoint":"/cache","useAsCompilationCache":true}]}`,
			want:      cache{MountPath: "/cache", Env: "/mine"},
		},
		"MountedAlready": {
			reason:    "A cache that the main container mounts itself is not mounted again, because a path has one mount.",
			framework: v1alpha1.BackendVLLM,
			body: `{"volumeMounts":[{"name":"cache","useAsCompilationCache":true}],
				"extraPodSpec":{"mainContainer":{"volumeMounts":[{"name":"cache","mountPath":"/root/.cache/vllm/","subPath":"vllm"}]}}}`,
			want: cache{MountPath: "/root/.cache/vllm/", Env: "/root/.cache/vllm"},
		},
		"NoCache": {
			reason:    "A claim that is no cache is only mounted.",
			framework: v1alpha1.BackendVLLM,
			body:      `{"volumeMounts":[{"name":"cache","mountPoint":"/cache"}]}`,
			want:      cache{MountPath: "/cache"},
		},
		"SGLang": {
			reason:    "SGLang has no variable for the path of its cache.",
			framework: v1alpha1.BackendSGLang,
			body:      `{"volumeMounts":[{"name":"cache","mountPoint":"/cache","useAsCompilationCache":true}]}`,
			want:      cache{MountPath: "/cache"},
		},
		"NoPathKnown": {
			reason:    "Where no engine says where it looks there is no path; validation refuses such a graph.",
			framework: "",
			body:      `{"volumeMounts":[{"name":"cache","useAsCompilationCache":true}]}`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := planned(decodeComponent(t, tc.body), graphplan.Component{Framework: tc.framework})
			container := main(b.Build("S", backend.RoleMain, nil))
			count := 0
			for _, e := range container.Env {
				if e.Name == "VLLM_CACHE_ROOT" {
					count++
				}
			}
			if count > 1 {
				t.Errorf("%s\nwant VLLM_CACHE_ROOT once at most, got it %d times", tc.reason, count)
			}
			got := cache{MountPath: container.VolumeMounts[0].MountPath, Env: values(container.Env)["VLLM_CACHE_ROOT"], FurtherMounts: len(container.VolumeMounts) - 2}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestIsOwnVolume shows that every volume which a pod has without the user's doing is known as such.
func TestIsOwnVolume(t *testing.T) {
	for _, componentType := range []string{"", "frontend", "worker", "planner", "epp"} {
		for _, volume := range planned(graphOf(t, fields{"services": fields{"S": fields{"componentType": componentType}}}, fields{}), graphplan.Component{Discovery: "etcd"}).Build("S", backend.RoleMain, nil).Spec.Volumes {
			if !IsOwnVolume(volume.Name) {
				t.Errorf("IsOwnVolume(%s): want true for a volume of component type %q", volume.Name, componentType)
			}
		}
	}
	if IsOwnVolume("cache") {
		t.Error("IsOwnVolume(cache): want false for a claim of the user's")
	}
}
