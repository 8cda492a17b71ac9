package explain

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/strict"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/definitions"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/fields"
)

// Field of the API in text. A path that does not begin with spec is that of a field of the graph or of its components, in the form of a
// version. Names, indices and keys in brackets do not count.
func Field(path, version string) (string, error) {
	r, err := readReference()
	if err != nil {
		return "", err
	}
	return r.field(path, version)
}

// resourceNames with which the path of a field may begin, as with kubectl explain.
func resourceNames() []string {
	return []string{"dynamographdeployments.nvidia.com", "dynamographdeployment.nvidia.com", "dynamographdeployments", "dynamographdeployment", "dgd"}
}

// withoutKind is a path without the kind of graphs. ok: it had one, or begins with spec.
func withoutKind(path string) (rest string, ok bool) {
	for _, kind := range resourceNames() {
		if len(path) >= len(kind) && strings.EqualFold(path[:len(kind)], kind) && (len(path) == len(kind) || path[len(kind)] == '.') {
			return cmp.Or(strings.TrimPrefix(path[len(kind):], "."), "spec"), true
		}
	}
	return path, fields.Within(path, "spec") || strings.HasPrefix(path, "spec[")
}

// IsField reports whether a path is meant as that of a field, and not of a file: it begins with the kind of graphs or with spec, or the field
// exists.
func IsField(path, version string) bool {
	if _, ok := withoutKind(path); ok && !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(path)) {
		return true
	}
	_, err := Field(path, version)
	return err == nil
}

// reference of all fields.
type reference struct {
	spec    *extv1.JSONSchemaProps
	support map[string][]fields.State
}

func readReference() (*reference, error) {
	crd, err := definitions.CRD(definitions.Graph)
	if err != nil {
		return nil, err
	}
	// Both versions have the same fields. Only the first one, which is stored, has their descriptions.
	spec := crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
	delete(spec.Properties, "crossplane")
	support, err := fields.Support()
	return &reference{spec: &spec, support: support}, err
}

func (r *reference) field(path, version string) (string, error) {
	path, _ = withoutKind(path)
	f, err := fieldAt(r.spec, path, version)
	if err != nil {
		return "", err
	}
	return f.describe(r.support), nil
}

// field of the API.
type field struct {
	path   string
	schema *extv1.JSONSchemaProps
}

// fieldAt a path, which may be that of a field of the graph, or of one of its components.
func fieldAt(spec *extv1.JSONSchemaProps, path, version string) (field, error) {
	names := namesIn(path)
	if len(names) > 0 && names[0] == "spec" {
		return descend(field{path: "spec", schema: spec}, names[1:])
	}
	if len(names) == 0 {
		return field{}, errors.New("expected the path of a field, such as spec.components.replicas")
	}
	if _, ok := spec.Properties[names[0]]; ok {
		return descend(field{path: "spec", schema: spec}, names)
	}
	form := "components"
	if version == v1alpha1.Version {
		form = "services"
	}
	all := spec.Properties[form]
	component, suffix := fields.ElementOf(&all)
	if near := strict.Nearest(names[0], fieldsOf(spec)); !has(component, names[0]) && near != "" {
		return field{}, errors.Errorf("%s is not a field; did you mean spec.%s?", path, near)
	}
	return descend(field{path: "spec." + form + suffix, schema: component}, names)
}

// namesIn a path, without what is in brackets.
func namesIn(path string) []string {
	var names []string
	depth, name := 0, strings.Builder{}
	for _, r := range path + "." {
		switch {
		case r == '[':
			depth++
		case r == ']':
			depth--
		case depth > 0:
		case r != '.':
			name.WriteRune(r)
		case name.Len() > 0:
			names = append(names, name.String())
			name.Reset()
		}
	}
	return names
}

// descend along names of fields. The key of a map may be among them or not.
func descend(f field, names []string) (field, error) {
	for len(names) > 0 {
		element, suffix := fields.ElementOf(f.schema)
		next, ok := element.Properties[names[0]]
		if ok {
			f = field{path: f.path + suffix + "." + names[0], schema: &next}
			names = names[1:]
			continue
		}
		isMistake := len(names) == 1 && strict.Near(names[0], fieldsOf(element)) != ""
		if suffix == ".*" && !isMistake && (len(names) == 1 || names[0] == "*" || has(element, names[1])) {
			f = field{path: f.path + suffix, schema: element}
			names = names[1:]
			continue
		}
		return field{}, unknown(f.path+suffix, element, names[0])
	}
	return f, nil
}

func fieldsOf(schema *extv1.JSONSchemaProps) []string {
	return slices.Sorted(maps.Keys(schema.Properties))
}

func has(schema *extv1.JSONSchemaProps, name string) bool {
	_, ok := schema.Properties[name]
	return ok
}

// unknown field below another one.
func unknown(parent string, schema *extv1.JSONSchemaProps, name string) error {
	known := fieldsOf(schema)
	if len(known) == 0 {
		return errors.Errorf("%s.%s is not a field: %s has no fields that are described", parent, name, parent)
	}
	if near := strict.Nearest(name, known); near != "" {
		return errors.Errorf("%s.%s is not a field; did you mean %s.%s?", parent, name, parent, near)
	}
	return errors.Errorf("%s.%s is not a field; the fields of %s are %s", parent, name, parent, strings.Join(known, ", "))
}

// describe a field: what is known of it, and the fields below.
func (f *field) describe(support map[string][]fields.State) string {
	var out strings.Builder
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(&out, "%-17s %s\n", name+":", text)
		}
	}
	line("FIELD", f.path)
	line("TYPE", fields.TypeOf(f.schema))
	line("FORM", f.form())
	line("VALUE", strings.ReplaceAll(fields.Limits(f.schema), "`", ""))
	for i, state := range f.states(support) {
		line(strings.ToUpper(fields.Orchestrators()[i]), effect(state))
	}
	if f.schema.Description != "" {
		fmt.Fprintf(&out, "\nDESCRIPTION:\n  %s\n", strings.Join(folded(f.schema.Description), "\n  "))
	}
	element, _ := fields.ElementOf(f.schema)
	if len(element.Properties) > 0 {
		out.WriteString("\nFIELDS:\n")
		writeFields(&out, element)
	}
	return out.String()
}

// form in which a graph has the field.
func (f *field) form() string {
	switch {
	case fields.Within(f.path, "spec.services"), f.path == "spec.envs", fields.Within(f.path, "spec.pvcs"):
		return "with services, as in v1alpha1"
	case fields.Within(f.path, "spec.components"), f.path == "spec.env":
		return "with components, as in v1beta1"
	default:
		return ""
	}
}

// states on each orchestrator. Fields of Kubernetes' own types that are not in the table are handed on with the field that contains them.
func (f *field) states(support map[string][]fields.State) []fields.State {
	for path := f.path; path != ""; {
		states := fields.StatesOf(path, false, support)
		if path != f.path {
			states = fields.StatesOf(path, true, support)
		}
		if states[0] != "" {
			return states
		}
		i := strings.LastIndexAny(path, ".[")
		if i < 0 {
			break
		}
		path = strings.TrimSuffix(path[:i], "[]")
	}
	return nil
}

// effect of a field in words.
func effect(state fields.State) string {
	return map[fields.State]string{
		fields.Works:    "takes effect",
		fields.Warned:   "has no effect, or not all of it; a warning says so",
		fields.Refused:  "refused with a value other than the default",
		fields.Below:    "depends on the field below",
		fields.NotThere: "no graph that runs on it can have the field",
	}[state]
}

// writeFields writes the fields of an object, with the first sentence about each.
func writeFields(out *strings.Builder, schema *extv1.JSONSchemaProps) {
	names := fieldsOf(schema)
	widest := 0
	for _, name := range names {
		property := schema.Properties[name]
		widest = max(widest, len(name)+len(fields.TypeOf(&property))+len(" <>"))
	}
	for _, name := range names {
		property := schema.Properties[name]
		label := fmt.Sprintf("%s <%s>", name, fields.TypeOf(&property))
		text := fields.Summary(property.Description)
		if slices.Contains(schema.Required, name) {
			text = strings.TrimSpace("Required. " + text)
		}
		out.WriteString("  " + strings.TrimRight(fmt.Sprintf("%-*s  %s", widest, label, text), " ") + "\n")
	}
}

// folded text in lines of a readable length.
func folded(text string) []string {
	const longest = 100
	var lines []string
	for paragraph := range strings.SplitSeq(text, "\n") {
		line := ""
		for word := range strings.FieldsSeq(paragraph) {
			if line != "" && len(line)+1+len(word) > longest {
				lines, line = append(lines, line), ""
			}
			line = strings.TrimSpace(line + " " + word)
		}
		lines = append(lines, line)
	}
	return lines
}
