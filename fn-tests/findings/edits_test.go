package findings

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/conversion"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/check"
)

// A document is a graph.
type document map[string]any

func documentOf(t *testing.T, data []byte) document {
	t.Helper()
	d := document{}
	if err := yaml.Unmarshal(data, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

func (d document) yaml(t *testing.T) []byte {
	t.Helper()
	data, err := yaml.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// apply a change to what is at the end of a path. The change returns the new value, or nil to remove it. Objects on the way are created.
func (d document) apply(path []string, change func(any) any) {
	applied(map[string]any(d), path, change)
}

func applied(at any, path []string, change func(any) any) any {
	if len(path) == 0 {
		return change(at)
	}
	list, isList := at.([]any)
	_, err := strconv.Atoi(path[0])
	if isItem := err == nil; !isList && (at != nil || !isItem) {
		object, ok := at.(map[string]any)
		if !ok {
			object = map[string]any{}
		}
		if value := applied(object[path[0]], path[1:], change); value != nil {
			object[path[0]] = value
		} else {
			delete(object, path[0])
		}
		return object
	}
	i, err := strconv.Atoi(path[0])
	if err != nil {
		i = slices.IndexFunc(list, func(item any) bool {
			object, ok := item.(map[string]any)
			return ok && (object["name"] == path[0] || object["componentName"] == path[0])
		})
	}
	if i < 0 || i >= len(list) {
		return append(list, applied(map[string]any{"name": path[0]}, path[1:], change))
	}
	if value := applied(list[i], path[1:], change); value != nil {
		list[i] = value
		return list
	}
	return slices.Delete(list, i, i+1)
}

var (
	// step in a path: the name of a field, or the key, name or index of an item.
	step = regexp.MustCompile(`\[[^\]]*\]|[^.\[]+`)
	// resource is the name of a resource, which has dots without being a path.
	resource = regexp.MustCompile(`(limits|requests)\.([\w.-]+/\w+)$`)
)

func stepsOf(path string) []string {
	steps := step.FindAllString(resource.ReplaceAllString(path, "$1[$2]"), -1)
	for i := range steps {
		steps[i] = strings.Trim(steps[i], "[]")
	}
	return steps
}

// pathOf a field of an edit: "." is the field of the finding, and each "^" goes to the object that it is in. "@" is the component, and "@pod", "@main" and
// "@annotations" are its pods, their main container, and its annotations.
func pathOf(path string, f *check.Finding, match []string) []string {
	path = words(path, match)
	at := stepsOf(f.Field)
	switch {
	case strings.HasPrefix(path, "@"):
		at = at[:3]
		short := strings.NewReplacer("@pod", "extraPodSpec", "@main", "extraPodSpec.mainContainer", "@annotations", "annotations", "@", "")
		if at[1] == "components" {
			short = strings.NewReplacer(
				"@pod", "podTemplate.spec", "@main", "podTemplate.spec.containers[main]", "@annotations", "podTemplate.metadata.annotations", "@", "")
		}
		path = short.Replace(path)
	case strings.HasPrefix(path, "."):
	case strings.HasPrefix(path, "^"):
		rest := strings.TrimLeft(path, "^")
		at, path = at[:len(at)-len(path)+len(rest)], rest
	default:
		at = nil
	}
	return slices.Concat(at, stepsOf(path))
}

// words of a finding replace $1 and so on.
func words(text string, match []string) string {
	for i := range match {
		text = strings.ReplaceAll(text, "$"+strconv.Itoa(i), match[i])
	}
	return text
}

// set a field to a value, or to words of the finding. A number in a text is one.
func set(path string, value any) edit {
	return func(d document, f *check.Finding, match []string) {
		d.apply(pathOf(path, f, match), func(any) any {
			text, ok := value.(string)
			if !ok {
				return value
			}
			var parsed any
			if err := yaml.Unmarshal([]byte(words(text, match)), &parsed); err != nil {
				panic(err)
			}
			return parsed
		})
	}
}

func remove(path string) edit {
	return func(d document, f *check.Finding, match []string) {
		d.apply(pathOf(path, f, match), func(any) any { return nil })
	}
}

// replace a text in all that is at a path.
func replace(path, old, by string) edit {
	return func(d document, f *check.Finding, match []string) {
		d.apply(pathOf(path, f, match), func(value any) any {
			text, err := yaml.Marshal(value)
			if err != nil {
				panic(err)
			}
			var replaced any
			if err := yaml.Unmarshal([]byte(strings.ReplaceAll(string(text), words(old, match), words(by, match))), &replaced); err != nil {
				panic(err)
			}
			return replaced
		})
	}
}

// rename an entry of an object.
func rename(path, name string) edit {
	return func(d document, f *check.Finding, match []string) {
		at := pathOf(path, f, match)
		old := at[len(at)-1]
		d.apply(at[:len(at)-1], func(object any) any {
			entries, ok := object.(map[string]any)
			if !ok {
				panic(fmt.Sprintf("%s is in no object", f.Field))
			}
			entries[words(name, match)] = entries[old]
			delete(entries, old)
			return entries
		})
	}
}

// quote a value.
func quote(d document, f *check.Finding, match []string) {
	d.apply(pathOf(".", f, match), func(value any) any { return fmt.Sprint(value) })
}

// move what is at a path.
func move(from, to string) edit {
	return func(d document, f *check.Finding, match []string) {
		var moved any
		d.apply(pathOf(from, f, match), func(value any) any {
			moved = value
			return nil
		})
		d.apply(pathOf(to, f, match), func(any) any { return moved })
	}
}

// together are several edits.
func together(edits ...edit) edit {
	return func(d document, f *check.Finding, match []string) {
		for _, e := range edits {
			e(d, f, match)
		}
	}
}

// key of a label, an annotation or a resource is valid.
func key(d document, f *check.Finding, match []string) {
	old, ok := f.Value.(string)
	if _, isMap := valueAt(d, pathOf(".", f, match)).(map[string]any); ok && isMap {
		rename(".["+old+"]", "example.org/valid")(d, f, match)
		return
	}
	set(".", "example.org/valid")(d, f, match)
}

func valueAt(d document, path []string) (value any) {
	d.apply(path, func(v any) any {
		value = v
		return v
	})
	return value
}

// ofAll components, an edit of one.
func ofAll(one edit) edit {
	return func(d document, f *check.Finding, match []string) {
		spec, _ := d["spec"].(map[string]any)
		of := *f
		services, _ := spec["services"].(map[string]any)
		for name := range services {
			of.Field = "spec.services[" + name + "]"
			one(d, &of, match)
		}
		components, _ := spec["components"].([]any)
		for i := range components {
			of.Field = "spec.components[" + strconv.Itoa(i) + "]"
			one(d, &of, match)
		}
	}
}

// toComponents converts a graph with services.
func toComponents(d document, _ *check.Finding, _ []string) {
	converted, _ := conversion.ToV1beta1(d)
	clear(d)
	maps.Copy(d, converted)
}

// removeOverride of a field.
func removeOverride(d document, f *check.Finding, match []string) {
	path := pathOf(".", f, match)
	at := slices.Index(path, "providerOverride")
	d.apply(path[:at+1], func(any) any { return nil })
}
