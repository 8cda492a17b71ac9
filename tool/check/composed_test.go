package check

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/manifest"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/render"
)

// TestComposed checks that objects are held to the schemas of the API server.
func TestComposed(t *testing.T) {
	metadata := map[string]any{"name": "a", "namespace": "ns"}
	cases := map[string]struct {
		reason string
		object map[string]any
		want   []string
	}{
		"Valid": {
			reason: "A valid object is not an error.",
			object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": map[string]any{"a": "b"}},
		},
		"Type": {
			reason: "Values have the types of Kubernetes, and may be secret.",
			object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": map[string]any{"a": true}},
			want:   []string{"error: becomes an invalid ConfigMap a: data[a]: Invalid value: must be a string, not a boolean; put it in quotes"},
		},
		"Unknown": {
			reason: "The API server drops fields that it does not know.",
			object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "dataa": map[string]any{"a": "b"}},
			want:   []string{`warning: becomes an invalid ConfigMap a: dataa: Invalid value: unknown field; did you mean "data"?`},
		},
		"Name": {
			reason: "Services have stricter names than other objects.",
			object: map[string]any{"apiVersion": "v1", "kind": "Service", "metadata": map[string]any{"name": "1a", "namespace": "ns"}},
			want: []string{"error: becomes an invalid Service 1a: metadata.name: Invalid value: a DNS-1035 label must consist of lower case alphanumeric characters or '-', " +
				"start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123')"},
		},
		"Definition": {
			reason: "Other kinds are held to their definitions.",
			object: map[string]any{"apiVersion": "resource.nvidia.com/v1beta1", "kind": "ComputeDomain", "metadata": metadata, "spec": map[string]any{"numNodes": "4"}},
			want: []string{
				"error: becomes an invalid ComputeDomain a: spec.channel: Required value",
				`error: becomes an invalid ComputeDomain a: spec.numNodes: Invalid value: spec.numNodes in body must be of type integer: "string"`,
			},
		},
		"NoDefinition": {
			reason: "A kind that is not known is not judged.",
			object: map[string]any{"apiVersion": "example.org/v1", "kind": "Box", "metadata": metadata, "spec": 1},
		},
	}
	files, err := manifest.Reader{In: strings.NewReader("apiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeployment\nmetadata: {name: a}\n")}.Read([]string{"-"})
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := &Checker{}
			found, err := c.composed(&preview.Result{Verdict: &plan.Verdict{}, Source: files.Graphs()[0], Rendered: &render.Output{ComposedResources: []unstructured.Unstructured{{Object: tc.object}}}})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range sorted(found) {
				got = append(got, string(f.Severity)+": "+f.Message)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\ncomposed(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
