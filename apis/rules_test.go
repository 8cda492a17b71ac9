package apis_test

import (
	"fmt"
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

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/schema"
)

// ruleCase is the spec of a graph, at its creation or in place of an old one, and the errors that it has.
type ruleCase struct {
	reason string
	old    string
	spec   string
	want   []string
}

// TestRules evaluates the CEL rules as the API server does, on both flavours of the API.
func TestRules(t *testing.T) {
	for flavour, validator := range validators(t) {
		for name, tc := range ruleCases() {
			t.Run(flavour+"/"+name, func(t *testing.T) {
				var old *unstructured.Unstructured
				if tc.old != "" {
					old = graph(t, tc.old)
					if errs := validator.Validate(old); len(errs) > 0 {
						t.Fatalf("the old graph is not valid: %v", errs)
					}
				}
				_, errs := validator.Admit(graph(t, tc.spec), old)
				if diff := cmp.Diff(tc.want, messages(errs)); diff != "" {
					t.Errorf("%s\nwant -, got +\n%s", tc.reason, diff)
				}
			})
		}
	}
}

// TestEveryRuleIsBroken holds that no rule is without a case that breaks it.
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

func graph(t testing.TB, spec string) *unstructured.Unstructured {
	t.Helper()
	object := map[string]any{}
	if err := yaml.UnmarshalStrict([]byte(spec), &object); err != nil {
		t.Fatalf("cannot parse the spec: %v\n%s", err, spec)
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "nvidia.com/v1alpha1",
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
	for _, table := range []map[string]ruleCase{specCases(), restartCases(), serviceCases(), fieldCases(), updateCases()} {
		maps.Copy(cases, table)
	}
	return cases
}

// TestLargestGraph holds that the rules stay within the API server's budget at run time too, on a graph that is as
// large as the schema allows.
func TestLargestGraph(t *testing.T) {
	services, pvcs, order := map[string]map[string]any{}, []any{}, []any{}
	for i := range 100 {
		pvcs = append(pvcs, map[string]any{"name": fmt.Sprintf("claim-%d", i), "create": true, "size": "1Ti", "storageClass": "fast", "volumeAccessMode": "ReadWriteMany"})
	}
	for i := range 25 {
		name := fmt.Sprintf("worker-%s-%02d", strings.Repeat("x", 50), i)
		order = append(order, name)
		mounts, containers := []any{}, []any{}
		for j := range 100 {
			mounts = append(mounts, map[string]any{"name": fmt.Sprintf("claim-%d", j), "mountPoint": fmt.Sprintf("/%d", j)})
			containers = append(containers, map[string]any{"name": fmt.Sprintf("sidecar-%d", j)})
		}
		services[name] = map[string]any{
			"componentType":      "worker",
			"replicas":           4,
			"minAvailable":       2,
			"multinode":          map[string]any{"nodeCount": 4},
			"topologyConstraint": map[string]any{"packDomain": strings.Repeat("d", 63)},
			"volumeMounts":       mounts,
			"frontendSidecar":    map[string]any{"image": "frontend"},
			"extraPodSpec":       map[string]any{"containers": containers},
		}
	}
	spec := map[string]any{
		"pvcs":               pvcs,
		"services":           services,
		"restart":            map[string]any{"id": "one", "strategy": map[string]any{"order": order}},
		"topologyConstraint": map[string]any{"topologyProfile": strings.Repeat("p", 253), "packDomain": strings.Repeat("d", 63)},
	}
	before, after := graph(t, `{}`), graph(t, `{}`)
	before.Object["spec"] = normal(t, spec)
	for _, service := range services {
		service["replicas"] = 5
	}
	after.Object["spec"] = spec

	validator := validators(t)["Namespaced"]
	for _, err := range validator.Validate(before) {
		t.Errorf("create: %v", err)
	}
	for _, err := range validator.ValidateUpdate(after, before) {
		t.Errorf("update: %v", err)
	}
}
