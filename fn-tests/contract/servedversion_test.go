package contract

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// TestServedVersion checks that it makes no difference at which version a graph is given to functions: a cluster gives them the stored one,
// whatever its user wrote.
func TestServedVersion(t *testing.T) {
	binary := harness.New(t)
	for _, e := range harness.Examples(t) {
		t.Run(e.Name, func(t *testing.T) {
			var texts []string
			for _, version := range []string{"v1alpha1", "v1beta1"} {
				xr := harness.Read(t, e.XR)[0]
				xr.SetAPIVersion("nvidia.com/" + version)
				// Otherwise render derives one from the version, among others.
				xr.SetUID("6f1c2d3e-0000-4000-8000-000000000001")
				out := binary.Render(t, harness.Render{XR: harness.Write(t, xr), Composition: e.Composition, Cluster: harness.GroveKAI})
				if out.Err != nil {
					t.Fatalf("%v: %s", out.Err, out.Stderr)
				}
				text := string(harness.Format(t, append([]*unstructured.Unstructured{out.Composite}, out.Composed...)...))
				texts = append(texts, strings.NewReplacer("nvidia.com/v1alpha1\n", "nvidia.com/VERSION\n", "nvidia.com/v1beta1\n", "nvidia.com/VERSION\n").Replace(text))
			}
			if diff := cmp.Diff(texts[0], texts[1]); diff != "" {
				t.Errorf("-v1alpha1, +v1beta1:\n%s", diff)
			}
		})
	}
}
