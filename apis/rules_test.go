package apis_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/forms"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/schema"
)

// ruleCase is the spec of a graph, at its creation or in place of an old one, and the errors that it has.
type ruleCase struct {
	reason string
	old    string
	spec   string
	want   []string
}

// TestRules evaluates the CEL rules as the API server does, on both flavours and both versions of the API, whatever the form of the
// graph: Crossplane writes a graph with services at v1beta1.
func TestRules(t *testing.T) {
	for served, validator := range validators(t) {
		for name, tc := range ruleCases() {
			t.Run(served.flavour+"/"+served.version+"/"+name, func(t *testing.T) {
				var old *unstructured.Unstructured
				if tc.old != "" {
					old = graph(t, served.version, tc.old)
					if errs := validator.Validate(old); len(errs) > 0 {
						t.Fatalf("the old graph is not valid: %v", errs)
					}
				}
				_, errs := validator.Admit(graph(t, served.version, tc.spec), old)
				if diff := cmp.Diff(tc.want, messages(errs)); diff != "" {
					t.Errorf("%s\nwant -, got +\n%s", tc.reason, diff)
				}
			})
		}
	}
}

// TestEveryRuleIsBroken checks that no rule is without a case that breaks it.
func TestEveryRuleIsBroken(t *testing.T) {
	var want []string
	for _, tc := range ruleCases() {
		want = append(want, tc.want...)
	}
	crds, err := schema.Load(definitions["Namespaced"])
	if err != nil {
		t.Fatal(err)
	}
	spec := crds[0].Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
	rules := rulesIn("spec", spec)
	if len(rules) == 0 {
		t.Error("found no rules in the definition")
	}
	keys := strings.NewReplacer(regexp.QuoteMeta(".*"), `\[[^]]+\]`, regexp.QuoteMeta(".[]"), `\[[0-9]+\]`)
	for _, path := range slices.Sorted(maps.Keys(rules)) {
		for _, rule := range rules[path] {
			broken := regexp.MustCompile("^" + keys.Replace(regexp.QuoteMeta(path)) + regexp.QuoteMeta(rule.FieldPath) +
				`: .*` + regexp.QuoteMeta(rule.Message) + "$").MatchString
			if !slices.ContainsFunc(want, broken) {
				t.Errorf("%s: no case breaks %q", path, rule.Message)
			}
		}
	}
}

// TestRulesNameTheirForm checks that rules for services and rules for components have the names of their own fields.
func TestRulesNameTheirForm(t *testing.T) {
	crds, err := schema.Load(definitions["Namespaced"])
	if err != nil {
		t.Fatal(err)
	}
	spec := crds[0].Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
	for field, otherWords := range map[string]func(string) []string{"services": forms.OfComponents, "components": forms.OfServices} {
		rules := rulesIn(field, spec.Properties[field])
		if len(rules) == 0 {
			t.Errorf("found no rules below %s", field)
		}
		for path, own := range rules {
			for _, rule := range own {
				if words := otherWords(rule.Message); len(words) > 0 {
					t.Errorf("%s: the message has %q, which is of the other form: %s", path, words, rule.Message)
				}
			}
		}
	}
}

// rulesIn returns our own rules below a path. The types that we embed have none.
func rulesIn(path string, props extv1.JSONSchemaProps) map[string]extv1.ValidationRules {
	rules := map[string]extv1.ValidationRules{}
	if len(props.XValidations) > 0 {
		rules[path] = props.XValidations
	}
	for name, property := range props.Properties {
		maps.Copy(rules, rulesIn(path+"."+name, property))
	}
	if props.AdditionalProperties != nil && props.AdditionalProperties.Schema != nil {
		maps.Copy(rules, rulesIn(path+".*", *props.AdditionalProperties.Schema))
	}
	if props.Items != nil && props.Items.Schema != nil {
		maps.Copy(rules, rulesIn(path+".[]", *props.Items.Schema))
	}
	return rules
}

func graph(t testing.TB, version, spec string) *unstructured.Unstructured {
	t.Helper()
	object := map[string]any{}
	if err := yaml.UnmarshalStrict([]byte(spec), &object); err != nil {
		t.Fatalf("cannot parse the spec: %v\n%s", err, spec)
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": v1beta1.Group + "/" + version,
		"kind":       "DynamoGraphDeployment",
		"metadata":   map[string]any{"name": "graph", "namespace": "default"},
		"spec":       object,
	}}
}

func messages(errs field.ErrorList) []string {
	var messages []string
	for _, err := range errs {
		messages = append(messages, err.Error())
	}
	slices.Sort(messages)
	return messages
}

func ruleCases() map[string]ruleCase {
	cases := map[string]ruleCase{}
	for _, table := range []map[string]ruleCase{
		specCases(), restartCases(), serviceCases(), fieldCases(), updateCases(),
		formCases(), changedFormCases(), componentCases(), componentFieldCases(), componentUpdateCases(),
	} {
		maps.Copy(cases, table)
	}
	return cases
}
