package contract

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// withoutField are the keys of objects that graphs in v1beta1 cannot request, because their users create them.
func withoutField() map[string][]string {
	return map[string][]string{
		"autoscaling":           {"autoscaler-frontend", "autoscaler-worker"},
		"exposed-frontend":      {"ingress-frontend"},
		"pvc-compilation-cache": {"pvc-pvc-cache-kernels"},
	}
}

// TestVersionsOfExamples checks that the examples in v1alpha1 get the same objects as those in v1beta1, which are compared with golden files.
func TestVersionsOfExamples(t *testing.T) {
	binary := harness.New(t)
	examples, others := harness.Examples(t), harness.ExamplesV1alpha1(t)
	if diff := cmp.Diff(namesOf(examples), namesOf(others)); diff != "" {
		t.Fatalf("examples: -v1beta1, +v1alpha1:\n%s", diff)
	}
	for i, e := range examples {
		for on, cluster := range map[string]string{"grove": harness.GroveKAI, "lws": harness.LWSVolcano} {
			if e.NeedsGrove && on != "grove" {
				continue
			}
			t.Run(e.Name+"-on-"+on, func(t *testing.T) {
				components, services := stored(t, binary, e, cluster), stored(t, binary, others[i], cluster)
				if diff := cmp.Diff(statusOf(t, components), statusOf(t, services)); diff != "" {
					t.Errorf("status: -v1beta1, +v1alpha1:\n%s", diff)
				}
				want, got := objectsByKey(components), objectsByKey(services)
				for _, key := range withoutField()[e.Name] {
					if got[key] == nil || want[key] != nil {
						t.Errorf("%s: want it of the graph in v1alpha1 only", key)
					}
					delete(got, key)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("composed objects: -v1beta1, +v1alpha1:\n%s", diff)
				}
			})
		}
	}
}

func namesOf(examples []harness.Example) []string {
	var names []string
	for _, e := range examples {
		names = append(names, e.Name)
	}
	return slices.Sorted(slices.Values(names))
}

// stored renders an example as a cluster stores it: graphs of both versions at the same version.
func stored(t *testing.T, binary *harness.Binary, e harness.Example, cluster string) harness.Output {
	t.Helper()
	xr := harness.Read(t, e.XR)[0]
	xr.SetAPIVersion("nvidia.com/v1beta1")
	out := binary.RenderAccepted(t, harness.Render{XR: harness.Write(t, xr), Composition: e.Composition, Cluster: cluster})
	return out
}

// statusOf a graph without the parts that use the names of its form: components or services, and the messages of conditions.
func statusOf(t *testing.T, out harness.Output) map[string]any {
	t.Helper()
	status, found, err := unstructured.NestedMap(out.Composite.Object, "status")
	if err != nil || !found {
		t.Fatalf("the graph has no status: %v", err)
	}
	for _, field := range []string{"conditions", "components", "services"} {
		delete(status, field)
	}
	return status
}

func objectsByKey(out harness.Output) map[string]*unstructured.Unstructured {
	objects := map[string]*unstructured.Unstructured{}
	for _, object := range out.Composed {
		objects[harness.Key(object)] = object
	}
	return objects
}
