package docs

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
)

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
			set := as(t, object, &grovev1alpha1.PodCliqueSet{})
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
