package render

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/pipeline"
)

func TestCheckVersion(t *testing.T) {
	cases := map[string]struct {
		reason          string
		composition, xr string
		want            string
	}{
		"Same":  {reason: "A Composition is for its version.", composition: "example.org/v1", xr: "example.org/v1"},
		"Older": {reason: "A graph is rendered at the version that its user wrote.", composition: "nvidia.com/v1beta1", xr: "nvidia.com/v1alpha1"},
		"Newer": {reason: "A Composition for the older version takes a graph of the newer one.", composition: "nvidia.com/v1alpha1", xr: "nvidia.com/v1beta1"},
		"Unknown": {
			reason: "A version of graphs that does not exist is refused.", composition: "nvidia.com/v1beta1", xr: "nvidia.com/v1",
			want: "composition's compositeTypeRef.apiVersion (nvidia.com/v1beta1) does not match XR's apiVersion (nvidia.com/v1)",
		},
		"OtherGroup": {
			reason: "A kind of another group is another kind.", composition: "example.org/v1beta1", xr: "nvidia.com/v1beta1",
			want: "composition's compositeTypeRef.apiVersion (example.org/v1beta1) does not match XR's apiVersion (nvidia.com/v1beta1)",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := &pipeline.Composition{}
			c.Spec.Mode, c.Spec.CompositeTypeRef.APIVersion = "Pipeline", tc.composition
			xr := &unstructured.Unstructured{Object: map[string]any{"apiVersion": tc.xr}}
			var got string
			if err := Check(c, xr); err != nil {
				got = err.Error()
			}
			if got != tc.want {
				t.Errorf("%s\nwant error %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}
