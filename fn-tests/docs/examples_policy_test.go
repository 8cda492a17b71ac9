package docs

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// podCliqueSet has the pods of a PodCliqueSet.
type podCliqueSet struct {
	Spec struct {
		Template struct {
			Cliques []struct {
				Name string `json:"name"`
				Spec struct {
					PodSpec corev1.PodSpec `json:"podSpec"`
				} `json:"spec"`
			} `json:"cliques"`
		} `json:"template"`
	} `json:"spec"`
}

// underPolicy renders a graph on a cluster with everything and the policy beside the example.
func underPolicy(t *testing.T, binary *harness.Binary, graph *unstructured.Unstructured) harness.Output {
	t.Helper()
	cluster := append(harness.Read(t, everything), only(t, beside("platform-policy", "environmentconfig.yaml"), "EnvironmentConfig"))
	return binary.Render(t, harness.Render{
		XR: harness.Write(t, graph), Composition: harness.Composition, Cluster: harness.Write(t, cluster...), Everything: true,
	})
}

// TestPolicyDefaults checks what main containers get from the policy beside the graph, in both versions.
func TestPolicyDefaults(t *testing.T) {
	binary := harness.New(t)
	type resources struct{ CPU, Memory, GPUs string }
	want := map[string]resources{"frontend": {CPU: "4", Memory: "16Gi", GPUs: "0"}, "worker": {CPU: "4", Memory: "64Gi", GPUs: "1"}}
	for _, path := range []string{"examples/platform-policy.yaml", "examples/v1alpha1/platform-policy.yaml"} {
		t.Run(path, func(t *testing.T) {
			out := underPolicy(t, binary, harness.Read(t, path)[0])
			if out.Err != nil {
				t.Fatalf("%v: %s", out.Err, out.Stderr)
			}
			object := byKey(out)["podcliqueset"]
			if object == nil {
				t.Fatal("the graph has no PodCliqueSet")
			}
			var set podCliqueSet
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &set); err != nil {
				t.Fatal(err)
			}
			got := map[string]resources{}
			for _, clique := range set.Spec.Template.Cliques {
				main := clique.Spec.PodSpec.Containers[0].Resources
				gpus := main.Limits["nvidia.com/gpu"]
				got[clique.Name] = resources{CPU: main.Requests.Cpu().String(), Memory: main.Requests.Memory().String(), GPUs: gpus.String()}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("resources of main containers: -want, +got:\n%s", diff)
			}
		})
	}
}

// elementOf a list of objects, which is not copied.
func elementOf(t *testing.T, object map[string]any, i int, path ...string) map[string]any {
	t.Helper()
	value, _, err := unstructured.NestedFieldNoCopy(object, path...)
	if err != nil {
		t.Fatal(err)
	}
	list, ok := value.([]any)
	if !ok || len(list) <= i {
		t.Fatalf("%v has no element %d", path, i)
	}
	element, ok := list[i].(map[string]any)
	if !ok {
		t.Fatalf("%v has no objects", path)
	}
	return element
}

// TestPolicyRefuses breaks each guard rail that the policy has for the namespace of the graph.
func TestPolicyRefuses(t *testing.T) {
	binary := harness.New(t)
	worker := func(change func(component, spec, main map[string]any)) func(*unstructured.Unstructured) {
		return func(graph *unstructured.Unstructured) {
			component := elementOf(t, graph.Object, 1, "spec", "components")
			main := elementOf(t, component, 0, "podTemplate", "spec", "containers")
			spec, _, err := unstructured.NestedFieldNoCopy(component, "podTemplate", "spec")
			if fields, ok := spec.(map[string]any); ok && err == nil {
				change(component, fields, main)
			}
		}
	}
	security := func(fields map[string]any) func(*unstructured.Unstructured) {
		return worker(func(_, _, main map[string]any) { main["securityContext"] = fields })
	}
	cases := map[string]struct {
		change func(*unstructured.Unstructured)
		want   string
	}{
		"maxGPUs": {
			change: worker(func(component, _, _ map[string]any) { component["replicas"] = int64(16) }),
			want:   "spec.components: Invalid value: 16: the graph may need 16 GPUs, and the platform allows at most 8; reduce replicas, or what each of them requests",
		},
		"maxReplicas": {
			change: worker(func(component, _, main map[string]any) {
				component["replicas"] = int64(32)
				delete(main, "resources")
			}),
			want: "the graph may need 33 replicas, and the platform allows at most 32",
		},
		"imageRegistries": {
			change: worker(func(_, _, main map[string]any) { main["image"] = "docker.io/vllm/vllm-openai:v0.11.0" }),
			want:   "the platform only allows images from nvcr.io/nvidia, registry.example.org",
		},
		"allowHostPath": {
			change: worker(func(_, spec, _ map[string]any) {
				spec["volumes"] = []any{map[string]any{"name": "models", "hostPath": map[string]any{"path": "/models"}}}
			}),
			want: "the platform does not allow volumes of type hostPath",
		},
		"allowHostNetwork": {
			change: worker(func(_, spec, _ map[string]any) { spec["hostNetwork"] = true }),
			want:   "the platform does not allow pods in namespaces of their nodes",
		},
		"allowPrivileged": {
			change: security(map[string]any{"privileged": true}),
			want:   "the platform does not allow privileged containers",
		},
		"capabilities": {
			change: security(map[string]any{"capabilities": map[string]any{"add": []any{"IPC_LOCK", "SYS_PTRACE"}}}),
			want:   `Invalid value: "SYS_PTRACE": the platform only allows capabilities IPC_LOCK`,
		},
	}
	rails, _, err := unstructured.NestedMap(only(t, beside("platform-policy", "environmentconfig.yaml"), "EnvironmentConfig").Object, "data", "guardRails")
	if err != nil {
		t.Fatal(err)
	}
	for name := range rails {
		if _, ok := cases[name]; !ok {
			t.Errorf("no graph breaks guard rail %s", name)
		}
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			graph := harness.Read(t, "examples/platform-policy.yaml")[0]
			tc.change(graph)
			if out := underPolicy(t, binary, graph); out.Err == nil || !strings.Contains(out.Stderr, tc.want) {
				t.Errorf("want the graph refused with %q, got %v: %s", tc.want, out.Err, out.Stderr)
			}
		})
	}
}
