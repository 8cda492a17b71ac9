package jsonschema

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/shared"
)

// TestExamples checks that an editor finds nothing wrong with the examples, nor with manifests that many people have written and that are
// accepted.
func TestExamples(t *testing.T) {
	schemas := map[string]editor{"nvidia.com/v1alpha1": editorOf(t, "v1alpha1"), "nvidia.com/v1beta1": editorOf(t, "v1beta1")}
	var paths []string
	for _, e := range append(harness.Examples(t), harness.ExamplesV1alpha1(t)...) {
		paths = append(paths, e.XR)
	}
	for _, m := range shared.Corpus(t) {
		if m.Valid {
			paths = append(paths, m.Path)
		}
	}
	for _, path := range paths {
		for _, o := range harness.Read(t, path) {
			if o.GetKind() != "DynamoGraphDeployment" {
				continue
			}
			if problems := schemas[o.GetAPIVersion()].check("", o.Object, schemas[o.GetAPIVersion()].root); len(problems) > 0 {
				t.Errorf("%s: %v", path, problems)
			}
		}
	}
}

// TestMistakes checks that an editor flags what is misspelt, in both versions.
func TestMistakes(t *testing.T) {
	cases := map[string]struct {
		reason   string
		version  string
		manifest string
		want     []string
	}{
		"Field": {
			reason: "Objects are closed.", version: "v1beta1",
			manifest: "{apiVersion: nvidia.com/v1beta1, kind: DynamoGraphDeployment, metadata: {name: a}, spec: {components: [{name: a, replica: 1}]}}",
			want:     []string{".spec.components[0].replica is unknown"},
		},
		"Value": {
			reason: "Enumerations are known.", version: "v1alpha1",
			manifest: "{apiVersion: nvidia.com/v1alpha1, kind: DynamoGraphDeployment, metadata: {name: a}, spec: {backendFramework: vLLM, services: {}}}",
			want:     []string{".spec.backendFramework is none of the values"},
		},
		"Version": {
			reason: "The schema is that of one version.", version: "v1beta1",
			manifest: "{apiVersion: nvidia.com/v1alpha1, kind: DynamoGraphDeployment, metadata: {name: a}, spec: {components: []}}",
			want:     []string{".apiVersion is not nvidia.com/v1beta1"},
		},
		"Required": {
			reason: "Required fields are known.", version: "v1beta1",
			manifest: "{apiVersion: nvidia.com/v1beta1, kind: DynamoGraphDeployment, metadata: {}, spec: {components: [{type: worker}]}}",
			want:     []string{".metadata.name is required", ".spec.components[0].name is required"},
		},
		"Form": {
			reason: "A graph has either components or services.", version: "v1beta1",
			manifest: "{apiVersion: nvidia.com/v1beta1, kind: DynamoGraphDeployment, metadata: {name: a}, spec: {components: [], services: {}}}",
			want:     []string{".spec matches 2 of the schemas, want one"},
		},
		"Type": {
			reason: "Types are known, deep inside a pod.", version: "v1beta1",
			manifest: "{apiVersion: nvidia.com/v1beta1, kind: DynamoGraphDeployment, metadata: {name: a}, spec: {components: [{name: a, podTemplate: {spec: {containers: [{name: main, env: [{name: A, value: true}]}]}}}]}}",
			want:     []string{".spec.components[0].podTemplate.spec.containers[0].env[0].value is not a string or null"},
		},
		"IntOrString": {
			reason: "Ports have numbers or names.", version: "v1beta1",
			manifest: "{apiVersion: nvidia.com/v1beta1, kind: DynamoGraphDeployment, metadata: {name: a}, spec: {components: [{name: a, podTemplate: {spec: {containers: [" +
				"{name: main, livenessProbe: {tcpSocket: {port: http}}}, {name: b, livenessProbe: {tcpSocket: {port: 1}}}, {name: c, livenessProbe: {tcpSocket: {port: true}}}]}}}]}}",
			want: []string{".spec.components[0].podTemplate.spec.containers[2].livenessProbe.tcpSocket.port matches none of the schemas"},
		},
		"Null": {
			reason: "A key without a value counts as absent.", version: "v1beta1",
			manifest: "{apiVersion: nvidia.com/v1beta1, kind: DynamoGraphDeployment, metadata: {name: a}, spec: {env: null, components: [{name: a, type: null}]}}",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			object := map[string]any{}
			if err := yaml.Unmarshal([]byte(tc.manifest), &object); err != nil {
				t.Fatal(err)
			}
			e := editorOf(t, tc.version)
			if diff := cmp.Diff(tc.want, e.check("", object, e.root)); diff != "" {
				t.Errorf("%s\nproblems: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestOfErrors(t *testing.T) {
	if _, err := Of("v2"); err == nil || !strings.Contains(err.Error(), "there is no version v2") {
		t.Errorf("want an error for another version, got %v", err)
	}
}

// editor understands the keywords of JSON Schema that are used here.
type editor struct {
	root        map[string]any
	definitions map[string]any
}

func editorOf(t *testing.T, version string) editor {
	t.Helper()
	text, err := Of(version)
	if err != nil {
		t.Fatal(err)
	}
	root := map[string]any{}
	if err := json.Unmarshal([]byte(text), &root); err != nil {
		t.Fatal(err)
	}
	definitions, _ := root["definitions"].(map[string]any)
	return editor{root: root, definitions: definitions}
}

func (e editor) check(path string, value any, schema map[string]any) []string {
	if ref, ok := schema["$ref"].(string); ok {
		target, _ := e.definitions[strings.TrimPrefix(ref, "#/definitions/")].(map[string]any)
		return e.check(path, value, target)
	}
	if want, ok := schema["const"]; ok && want != value {
		return []string{fmt.Sprintf("%s is not %v", path, want)}
	}
	if kinds := kindsOf(schema); len(kinds) > 0 && !slices.ContainsFunc(kinds, func(kind string) bool { return isKind(value, kind) }) {
		return []string{path + " is not a " + strings.Join(kinds, " or ")}
	}
	if values, ok := schema["enum"].([]any); ok && !slices.Contains(values, value) {
		return []string{path + " is none of the values"}
	}
	problems := e.alternatives(path, value, schema)
	switch typed := value.(type) {
	case map[string]any:
		problems = append(problems, e.object(path, typed, schema)...)
	case []any:
		items, _ := schema["items"].(map[string]any)
		for i, item := range typed {
			problems = append(problems, e.check(fmt.Sprintf("%s[%d]", path, i), item, items)...)
		}
	}
	return problems
}

func (e editor) alternatives(path string, value any, schema map[string]any) []string {
	if n := e.matching(path, value, schema["oneOf"]); schema["oneOf"] != nil && n != 1 {
		return []string{fmt.Sprintf("%s matches %d of the schemas, want one", path, n)}
	}
	if schema["anyOf"] != nil && e.matching(path, value, schema["anyOf"]) == 0 {
		return []string{path + " matches none of the schemas"}
	}
	return nil
}

// matching is how many schemas of a list a value matches.
func (e editor) matching(path string, value, list any) int {
	schemas, _ := list.([]any)
	n := 0
	for _, item := range schemas {
		if schema, ok := item.(map[string]any); ok && len(e.check(path, value, schema)) == 0 {
			n++
		}
	}
	return n
}

func (e editor) object(path string, object, schema map[string]any) []string {
	var problems []string
	required, _ := schema["required"].([]any)
	for _, name := range required {
		if _, has := object[fmt.Sprint(name)]; !has {
			problems = append(problems, fmt.Sprintf("%s.%s is required", path, name))
		}
	}
	properties, _ := schema["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(object)) {
		below := path + "." + name
		if property, ok := properties[name].(map[string]any); ok {
			problems = append(problems, e.check(below, object[name], property)...)
			continue
		}
		switch more := schema["additionalProperties"].(type) {
		case bool:
			problems = append(problems, below+" is unknown")
		case map[string]any:
			problems = append(problems, e.check(below, object[name], more)...)
		}
	}
	return problems
}

func kindsOf(schema map[string]any) []string {
	switch typed := schema["type"].(type) {
	case string:
		return []string{typed}
	case []any:
		var kinds []string
		for _, kind := range typed {
			kinds = append(kinds, fmt.Sprint(kind))
		}
		return kinds
	default:
		return nil
	}
}

func isKind(value any, kind string) bool {
	switch typed := value.(type) {
	case nil:
		return kind == "null"
	case bool:
		return kind == "boolean"
	case string:
		return kind == "string"
	case []any:
		return kind == "array"
	case map[string]any:
		return kind == "object"
	case float64:
		return kind == "number" || kind == "integer" && typed == float64(int64(typed))
	default:
		return kind == "integer" || kind == "number"
	}
}
