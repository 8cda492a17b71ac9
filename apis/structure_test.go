package apis_test

import (
	"maps"
	"slices"
	"testing"

	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/schema"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/shared"
)

// TestUpstreamFields checks that every field that the Dynamo operator's definitions served is a field of ours, with a
// type that takes the same values.
func TestUpstreamFields(t *testing.T) {
	for _, release := range []string{"dynamo-2026-04", "dynamo-2026-08"} {
		t.Run(release, func(t *testing.T) {
			upstream, err := schema.Load(shared.Path(t, 1, "crds", release, "nvidia.com_dynamographdeployments.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			ours, err := schema.Load(definitions["Namespaced"])
			if err != nil {
				t.Fatal(err)
			}
			for _, version := range upstream[0].Spec.Versions {
				for _, part := range []string{"spec", "status"} {
					theirs, own := version.Schema.OpenAPIV3Schema.Properties[part], versionSchema(t, ours[0], version.Name).Properties[part]
					t.Logf("%s of %s has %d leaves", part, version.Name, compare(part, &theirs, &own, t.Errorf))
				}
			}
		})
	}
}

func versionSchema(t testing.TB, crd *extv1.CustomResourceDefinition, name string) *extv1.JSONSchemaProps {
	t.Helper()
	for _, version := range crd.Spec.Versions {
		if version.Name == name {
			return version.Schema.OpenAPIV3Schema
		}
	}
	t.Fatalf("%s has no version %s", crd.Name, name)
	return nil
}

// compare reports every field of upstream that ours lacks or that has another type, and returns the number of leaves.
func compare(path string, upstream, ours *extv1.JSONSchemaProps, report func(format string, args ...any)) int {
	if kind(upstream) != kind(ours) && (kind(upstream) != "string" || kind(ours) != "int-or-string") {
		report("%s: upstream has type %s, ours %s", path, kind(upstream), kind(ours))
		return 1
	}
	for _, field := range ours.Required {
		if !slices.Contains(upstream.Required, field) {
			report("%s: ours requires %s, upstream does not", path, field)
		}
	}
	if keeps(upstream) && !keeps(ours) {
		report("%s: upstream keeps unknown fields, ours does not", path)
	}
	leaves := 0
	for _, name := range slices.Sorted(maps.Keys(upstream.Properties)) {
		theirs := upstream.Properties[name]
		property, ok := ours.Properties[name]
		if !ok {
			report("%s.%s: upstream has it, ours does not", path, name)
			continue
		}
		leaves += compare(path+"."+name, &theirs, &property, report)
	}
	if theirs := element(upstream); theirs != nil {
		leaves += compare(path+"[]", theirs, element(ours), report)
	}
	return max(leaves, 1)
}

func kind(props *extv1.JSONSchemaProps) string {
	switch {
	case props == nil:
		return "nothing"
	case props.XIntOrString:
		return "int-or-string"
	case props.AdditionalProperties != nil:
		return "map"
	case props.Items != nil:
		return "list"
	default:
		return props.Type
	}
}

func keeps(props *extv1.JSONSchemaProps) bool {
	return props.XPreserveUnknownFields != nil && *props.XPreserveUnknownFields
}

func element(props *extv1.JSONSchemaProps) *extv1.JSONSchemaProps {
	switch {
	case props.Items != nil:
		return props.Items.Schema
	case props.AdditionalProperties != nil:
		return props.AdditionalProperties.Schema
	default:
		return nil
	}
}
