package convert

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/tool/manifest"
)

func TestReplacing(t *testing.T) {
	const (
		alpha = "apiVersion: nvidia.com/v1alpha1\nkind: DynamoGraphDeployment\nspec:\n  services:\n"
		beta  = "apiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeployment\nspec:\n  components:\n"

		picker  = "    Picker: {componentType: epp}\n"
		because = "The other version writes this type differently. If the graph is running, and its InferencePool selects by label " +
			"nvidia.com/dynamo-component-type, applying the result replaces pods of its workers, whose label is the type as it is written."
	)
	cases := map[string]struct {
		reason string
		input  string
		to     string
		want   []string
	}{
		"types beside a picker": {
			reason: "Both ways to write the type of a worker for one phase are one in v1beta1.", to: "v1beta1",
			input: alpha + "    Decode: {componentType: decode}\n" + picker + "    Prefill:\n      componentType: prefill\n",
			want:  []string{"-:5:14: spec.services[Decode].componentType: " + because, "-:8:7: spec.services[Prefill].componentType: " + because},
		},
		"subtypes beside a picker": {
			reason: "A worker with a subtype has the same labels in both versions.", to: "v1beta1",
			input: alpha + "    Decode: {componentType: worker, subComponentType: decode}\n" + picker,
		},
		"types without a picker": {
			reason: "Without an Endpoint Picker it does not matter how the type is written.", to: "v1beta1",
			input: alpha + "    Decode: {componentType: decode}\n",
		},
		"components": {
			reason: "A component that was never a service becomes a worker with a subtype.", to: "v1alpha1",
			input: beta + "  - {name: Decode, type: decode}\n  - {name: Picker, type: epp}\n",
		},
		"not an object": {
			reason: "What is no service has no type.", to: "v1beta1",
			input: alpha + "    Decode: null\n" + picker,
			want:  []string{"-:5:5: spec.services[Decode]: A service must be an object. This service is left out, and kept in annotation nvidia.com/dgd-spec."},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			converter := Converter{To: tc.to}
			if _, err := converter.File(manifest.Stdin, strings.NewReader(tc.input)); err != nil {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			if diff := cmp.Diff(tc.want, converter.Warnings); diff != "" {
				t.Errorf("%s\nwarnings: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestReplacingBack converts a graph there and back: the annotation restores how the type was written.
func TestReplacingBack(t *testing.T) {
	there := Converter{To: "v1beta1"}
	const graph = "apiVersion: nvidia.com/v1alpha1\nkind: DynamoGraphDeployment\nspec:\n  services:\n    Decode: {componentType: decode}\n    Picker: {componentType: epp}\n"
	components, err := there.File(manifest.Stdin, strings.NewReader(graph))
	if err != nil {
		t.Fatal(err)
	}
	back := Converter{To: "v1alpha1"}
	if _, err := back.File(manifest.Stdin, strings.NewReader(string(components))); err != nil {
		t.Fatal(err)
	}
	if len(back.Warnings) != 1 || !strings.Contains(back.Warnings[0], ": spec.components[Decode].type: The other version writes this type differently.") {
		t.Errorf("want a warning of the type of Decode, got %q", back.Warnings)
	}
}
