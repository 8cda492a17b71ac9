package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/page"
)

// ofOthers are fields and names of other projects that begin as those of graphs do: Crossplane, Flux and Volcano.
var ofOthers = regexp.MustCompile(`^spec\.(crossplane|resourceRef|ignore)\b|\.sh$`)

// TestFields holds each field of a graph, or of the input of step plan, that a page names by its path to the definitions of both.
func TestFields(t *testing.T) {
	known, groups := map[string]bool{}, map[string]bool{"spec": true}
	for path, add := range map[string]func(string){
		"apis/dynamographdeployment/definition.yaml":             func(string) {},
		"package/graph/input/plan.dynamo.nvidia.com_inputs.yaml": func(field string) { groups[field] = true },
	} {
		data, err := os.ReadFile(filepath.Join(harness.Root(), path))
		if err != nil {
			t.Fatal(err)
		}
		definition := map[string]any{}
		if err := yaml.Unmarshal(data, &definition); err != nil {
			t.Fatal(err)
		}
		spec, _ := definition["spec"].(map[string]any)
		versions, _ := spec["versions"].([]any)
		for _, version := range versions {
			v, _ := version.(map[string]any)
			schema, _ := v["schema"].(map[string]any)
			root, _ := schema["openAPIV3Schema"].(map[string]any)
			collect(root, "", known, add)
		}
	}
	path := regexp.MustCompile("`([a-z]\\w*(?:\\[\\])?(?:\\.[a-z]\\w*(?:\\[\\])?)+)`")
	found := 0
	for _, name := range markdown(t) {
		for _, match := range path.FindAllStringSubmatch(strings.Join(page.Prose(text(t, name)), "\n"), -1) {
			field := strings.ReplaceAll(match[1], "[]", "")
			if group, _, _ := strings.Cut(field, "."); !groups[group] || ofOthers.MatchString(field) {
				continue
			}
			found++
			if !known[field] {
				t.Errorf("%s names %s, which is no field", name, match[1])
			}
		}
	}
	// Fewer would mean that fields are no longer found.
	if found < 100 {
		t.Errorf("found %d fields in the pages, want at least 100", found)
	}
}

// collect the paths of all fields of a schema, from each object on the way. groups are told of the objects that it begins with.
func collect(schema map[string]any, path string, known map[string]bool, groups func(string)) {
	for at := path; at != ""; {
		known[at] = true
		_, at, _ = strings.Cut(at, ".")
	}
	for _, key := range []string{"items", "additionalProperties"} {
		if element, ok := schema[key].(map[string]any); ok {
			collect(element, path, known, func(string) {})
		}
	}
	properties, _ := schema["properties"].(map[string]any)
	for name, property := range properties {
		field, _ := property.(map[string]any)
		if field["properties"] != nil {
			groups(name)
		}
		collect(field, strings.TrimPrefix(path+"."+name, "."), known, func(string) {})
	}
}
