package platform

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	crossplanev2 "github.com/crossplane/crossplane/apis/v2/apiextensions/v2"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/policies"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/schema"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/admission"
)

// chosen values of the fields that choose a Composition.
func chosen() map[string]any {
	return map[string]any{
		"compositionRef":              map[string]any{"name": "mine"},
		"compositionRevisionRef":      map[string]any{"name": "dynamographdeployment-0000001"},
		"compositionRevisionSelector": map[string]any{"matchLabels": map[string]any{"channel": "old"}},
		"compositionSelector":         map[string]any{"matchLabels": map[string]any{"mine": "true"}},
		"compositionUpdatePolicy":     "Manual",
	}
}

// choosing is a graph with a value for a field below a root.
func choosing(t *testing.T, value any, path ...string) *unstructured.Unstructured {
	t.Helper()
	g := component(t, `{}`)
	if err := unstructured.SetNestedField(g.Object, value, path...); err != nil {
		t.Fatal(err)
	}
	return g
}

// TestCompositionFields shows that the policy knows all fields of the API with which graphs choose their Composition.
func TestCompositionFields(t *testing.T) {
	crds, err := schema.Load(filepath.Join(harness.Root(), "apis", "dynamographdeployment", "definition.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, version := range crds[0].Spec.Versions {
		var fields []string
		for name := range version.Schema.OpenAPIV3Schema.Properties["spec"].Properties["crossplane"].Properties {
			if strings.HasPrefix(name, "composition") {
				fields = append(fields, name)
			}
		}
		slices.Sort(fields)
		if want := admission.CompositionFields(); !slices.Equal(want, fields) {
			t.Errorf("%s: want the fields %v, got %v", version.Name, want, fields)
		}
	}
}

// TestCompositions shows that tenants cannot choose a Composition, neither for a new graph nor for a live one, and that the platform can.
func TestCompositions(t *testing.T) {
	policy := policies.Load(t, "compositions.yaml")
	for field, value := range chosen() {
		for _, root := range [][]string{{"spec", "crossplane"}, {"spec"}} {
			path := append(slices.Clone(root), field)
			name := strings.Join(path, ".")
			graph, other := choosing(t, value, path...), choosing(t, "other", path...)
			cases := map[string]struct {
				reason     string
				graph, old *unstructured.Unstructured
				platform   bool
				refused    bool
			}{
				"New":      {reason: "A tenant does not choose for a new graph.", graph: graph, refused: true},
				"Live":     {reason: "A tenant does not choose for a live graph.", graph: graph, old: component(t, `{}`), refused: true},
				"Changed":  {reason: "A tenant does not change what was selected.", graph: graph, old: other, refused: true},
				"Kept":     {reason: "What Crossplane has selected stays when a tenant changes something else.", graph: graph, old: graph},
				"Removed":  {reason: "Without a value, Crossplane selects one.", graph: component(t, `{}`), old: graph},
				"Platform": {reason: "The platform chooses, and Crossplane writes what it has selected.", graph: graph, old: other, platform: true},
			}
			for situation, tc := range cases {
				got := policy.RefusesUser(t, tc.graph, tc.old, nil, tc.platform)
				if want := "only the platform chooses the Composition of a graph; remove " + name; (got == want) != tc.refused || got != "" && got != want {
					t.Errorf("%s, %s: %s\nwant it refused: %t, got %q", name, situation, tc.reason, tc.refused, got)
				}
			}
		}
	}
	all := choosing(t, chosen(), "spec", "crossplane")
	if got := policy.RefusesUser(t, all, nil, nil, false); strings.Count(got, "spec.crossplane.") != len(chosen()) {
		t.Errorf("want all fields named, got %q", got)
	}
}

// TestCompositionsEnforced shows that the overlays make the API enforce a Composition that there is, and change nothing else.
func TestCompositionsEnforced(t *testing.T) {
	for api, overlay := range map[string]string{"dynamographdeployment": "composition", "xdynamographdeployment": "composition-claims"} {
		read := func(path ...string) []byte {
			data := harness.File(t, filepath.Join(append([]string{harness.Root()}, path...)...))
			converted, err := yaml.YAMLToJSON(data)
			if err != nil {
				t.Fatal(err)
			}
			return converted
		}
		before := read("apis", api, "definition.yaml")
		after, err := jsonpatch.MergePatch(before, read("package", "enforced", overlay+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		fields := map[string]any{}
		if err := yaml.Unmarshal(after, &fields); err != nil {
			t.Fatal(err)
		}
		definition := &crossplanev2.CompositeResourceDefinition{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(fields, definition, true); err != nil {
			t.Fatalf("%s: %v", overlay, err)
		}
		if ref := definition.Spec.EnforcedCompositionRef; ref == nil || ref.Name != definition.Spec.DefaultCompositionRef.Name {
			t.Errorf("%s: want the Composition enforced that is the default, got %v", overlay, ref)
		}
		unstructured.RemoveNestedField(fields, "spec", "enforcedCompositionRef")
		left, err := yaml.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		left, err = yaml.YAMLToJSON(left)
		if err != nil || !jsonpatch.Equal(before, left) {
			t.Errorf("%s: want nothing else changed: %v", overlay, err)
		}
	}
}
