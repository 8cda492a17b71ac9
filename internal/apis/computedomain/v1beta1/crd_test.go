package v1beta1

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/shared"
)

// TestTypesAgainstCRDs holds what an empty ComputeDomain is written as to the CustomResourceDefinitions of the driver: a
// field that they do not have would be pruned without a word, one that they require must be there even when it is zero.
func TestTypesAgainstCRDs(t *testing.T) {
	cases := map[string]struct {
		reason string
		folder string
		// optional are the fields of the definition that we do not write.
		optional []string
	}{
		"Oldest": {
			reason:   "The oldest version requires numNodes. It has a default for allocationMode, which earlier versions do not know.",
			folder:   "nvidia-dra-v25.8.1",
			optional: []string{"spec.channel.allocationMode"},
		},
		"Newest": {
			reason:   "The newest version does not require numNodes.",
			folder:   "nvidia-dra-v0.4.0",
			optional: []string{"spec.channel.allocationMode"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			encoded, err := json.Marshal(ComputeDomain{})
			if err != nil {
				t.Fatal(err)
			}
			written := map[string]any{}
			if err := json.Unmarshal(encoded, &written); err != nil {
				t.Fatal(err)
			}
			schema := schemaOf(t, tc.folder).Properties["spec"]
			c := &comparison{}
			c.compare(written["spec"], &schema, "spec")
			slices.Sort(c.optional)
			if diff := cmp.Diff(comparison{optional: tc.optional}, *c, cmp.AllowUnexported(comparison{})); diff != "" {
				t.Errorf("%s\nfields of %s: -want, +got:\n%s", tc.reason, tc.folder, diff)
			}
		})
	}
}

// comparison of what is written with a schema, as paths of fields.
type comparison struct {
	unknown, missing, optional []string
}

func (c *comparison) compare(written any, schema *apiextensionsv1.JSONSchemaProps, path string) {
	object, ok := written.(map[string]any)
	if !ok {
		return
	}
	for name := range object {
		field, ok := schema.Properties[name]
		if !ok {
			c.unknown = append(c.unknown, path+"."+name)
			continue
		}
		c.compare(object[name], &field, path+"."+name)
	}
	for name := range schema.Properties {
		_, ok := object[name]
		switch {
		case ok:
		case slices.Contains(schema.Required, name):
			c.missing = append(c.missing, path+"."+name)
		default:
			c.optional = append(c.optional, path+"."+name)
		}
	}
}

// schemaOf the CustomResourceDefinition of the shared reference material.
func schemaOf(t *testing.T, folder string) *apiextensionsv1.JSONSchemaProps {
	t.Helper()
	text, err := os.ReadFile(shared.Path(t, 1, "crds", folder, "resource.nvidia.com_computedomains.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.Unmarshal(text, crd); err != nil {
		t.Fatalf("cannot read the CustomResourceDefinition of %s: %v", folder, err)
	}
	if version := crd.Spec.Versions[0].Name; crd.Spec.Group+"/"+version != APIVersion || crd.Spec.Names.Kind != Kind {
		t.Fatalf("want %s of %s, got %s of %s/%s", Kind, APIVersion, crd.Spec.Names.Kind, crd.Spec.Group, version)
	}
	return crd.Spec.Versions[0].Schema.OpenAPIV3Schema
}
