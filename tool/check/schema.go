package check

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/strict"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/manifest"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
)

const (
	// enough errors of step plan, which counts the others then. What only the API server would find is not looked for before these are fixed.
	enough = 50

	// mostItems of the lists of a graph that is refused anyway are given to the API server's validation, which compares each error with all
	// others. https://github.com/kubernetes/kube-openapi/blob/master/pkg/validation/validate/result.go
	mostItems = 2000
)

// schema finds what the API server would refuse in a graph and what step plan has not already found, in better words.
func (c *Checker) schema(result *preview.Result) ([]Finding, error) {
	o := &result.Source
	if found := unknownVersion(o); len(found) > 0 {
		return found, nil
	}
	planned := result.Verdict.Mistakes()
	if len(planned) > enough {
		return nil, nil
	}
	_, version, _ := strings.Cut(o.GetAPIVersion(), "/")
	validator, err := c.Previewer.Validators.Of(result.Definition(), version)
	if err != nil {
		return nil, errors.Errorf("cannot validate graphs: %w", err)
	}
	var found []Finding
	known := knownOf(o, planned, result.Verdict.Words())
	object := o.Unstructured
	if len(planned) > 0 {
		object = shortened(object)
	}
	for _, e := range validator.ValidateUpdate(object, replaced(result, o.GetAPIVersion())) {
		mark(e)
		if isAround(e) {
			continue // They are known in better words.
		}
		if !known.has(e) && !known.causes(e) {
			if strict.IsSecretPath(e.Field) {
				e.BadValue = field.OmitValueType{}
			}
			found = append(found, ofError(o, e))
		}
	}
	return append(found, empty(o, validator.Nulls(object), known)...), nil
}

// unknownVersion of the API.
func unknownVersion(o *manifest.Object) []Finding {
	supported := make([]string, 0, len(versions()))
	for _, v := range versions() {
		supported = append(supported, v1beta1.Group+"/"+v)
	}
	if slices.Contains(supported, o.GetAPIVersion()) {
		return nil
	}
	unknown := field.ErrorList{field.NotSupported(field.NewPath("apiVersion"), o.GetAPIVersion(), supported)}
	return []Finding{ofError(o, rule.Mark(rule.UnknownVersion, unknown)[0])}
}

// Around returns the mistakes in a graph that its functions do not see, because the API server refuses or drops them: a version that does not exist,
// and fields outside of the spec that do not.
func Around(graph *unstructured.Unstructured) []string {
	o := manifest.Alone(graph)
	var mistakes []string
	for _, f := range sorted(append(unknownVersion(o), unknownAround(o)...)) {
		mistakes = append(mistakes, f.Text())
	}
	return mistakes
}

// empty fields, but for those of which step plan says more.
func empty(o *manifest.Object, paths []string, known known) []Finding {
	var found []Finding
	for _, path := range paths {
		if !known.has(&field.Error{Type: field.ErrorTypeTypeInvalid, Field: path}) {
			found = append(found, about(o, Warning, rule.EmptyField, path, "has no value, so server-side apply refuses the graph; remove the field, or give it a value"))
		}
	}
	return found
}

// shortened is an object with as many items of lists as are validated.
func shortened(o *unstructured.Unstructured) *unstructured.Unstructured {
	left := mostItems
	short, _ := shorten(o.Object, &left).(map[string]any)
	return &unstructured.Unstructured{Object: short}
}

// shorten the lists in a value, of which as many items are kept as are left.
func shorten(value any, left *int) any {
	switch t := value.(type) {
	case map[string]any:
		short := make(map[string]any, len(t))
		for _, key := range slices.Sorted(maps.Keys(t)) {
			short[key] = shorten(t[key], left)
		}
		return short
	case []any:
		short := []any{}
		for _, item := range t {
			if *left == 0 {
				break
			}
			*left--
			short = append(short, shorten(item, left))
		}
		return short
	default:
		return value
	}
}

// replaced is the graph that one replaces, in the version of the other: the API server converts it by changing the version only. nil if it
// does not exist.
func replaced(result *preview.Result, apiVersion string) *unstructured.Unstructured {
	if result.Replaces == nil {
		return nil
	}
	old := result.Replaces.DeepCopy()
	old.SetAPIVersion(apiVersion)
	return old
}

// mark an error of the API server with its rule.
func mark(e *field.Error) {
	switch {
	case e.Detail == "unknown field":
		e.Origin = string(rule.UnknownField)
	case isRule(e):
		e.Origin = string(rule.SchemaRule)
	case e.Type == field.ErrorTypeRequired:
		e.Origin = string(rule.MissingField)
	case e.Type == field.ErrorTypeTypeInvalid:
		e.Origin = string(rule.WrongType)
	default:
		e.Origin = string(rule.Schema)
	}
}

// isAround reports whether an error is about a field of the graph that is not in its spec, and that does not exist.
func isAround(e *field.Error) bool {
	return rule.CodeOf(e) == rule.UnknownField && (!strings.Contains(e.Field, ".") || strings.HasPrefix(e.Field, "metadata."))
}

// isRule reports whether an error is that of a CEL rule, which contains no value.
func isRule(e *field.Error) bool {
	_, omitted := e.BadValue.(field.OmitValueType)
	return e.Type == field.ErrorTypeInvalid && omitted || e.Type == field.ErrorTypeForbidden && e.Detail != "unknown field"
}

// known are the errors that plan has found in an object. There may be thousands of errors, and to compare their paths costs a walk through the
// object for each.
type known struct {
	object *manifest.Object
	errors field.ErrorList

	// paths of the errors in canonical form.
	paths []string

	// byIndex are the errors with indices in their paths, as the API server has them, where plan has names.
	byIndex message.List
}

func knownOf(o *manifest.Object, planned message.List, w message.Words) known {
	k := known{object: o, errors: planned.ErrorsIn(w)}
	for i, p := range planned {
		path := o.Canonical(pathOf(k.errors[i].Field))
		k.paths, k.byIndex = append(k.paths, path), append(k.byIndex, errorAt(path, p))
	}
	return k
}

// errorAt is the same message at a canonical path.
func errorAt(path string, m *message.Message) *message.Message {
	moved := *m
	moved.Field = strings.TrimPrefix(strings.ReplaceAll(path, "/", "."), ".")
	return &moved
}

// has reports whether plan has found an error of the API server too: at the same field, with the same words, or, if the API server only
// knows the object with the mistake, somewhere in that object.
func (k known) has(e *field.Error) bool {
	path := k.object.Canonical(pathOf(e.Field))
	for i, p := range k.errors {
		other := k.paths[i]
		switch {
		case other == path, other+"/name" == path, e.Detail != "" && (p.Detail == e.Detail || strings.HasSuffix(p.Detail, e.Detail)):
			return true
		case isBelow(path, other) && isDecoding(p), isCoarse(e) && isBelow(other, path):
			return true
		case e.Type == field.ErrorTypeRequired && p.Type == field.ErrorTypeRequired && (strings.HasPrefix(p.Field, e.Field+".") || isOfNoForm(path, other)):
			return true
		}
	}
	return false
}

// causes reports whether the API server misses a field because of an error that plan has found.
func (k known) causes(e *field.Error) bool {
	path := k.object.Canonical(pathOf(e.Field))
	for _, p := range []string{path, components} {
		if (p == path || isOfNoForm(path, p)) && errorAt(p, message.Of(e)).IsConsequence(k.byIndex) {
			return true
		}
	}
	return false
}

// components of a graph in the form of v1alpha1.
const components = "/spec/services"

// isOfNoForm reports whether two paths are those of what a graph is made of, which has a name in each form.
func isOfNoForm(path, other string) bool {
	return path == "/spec/components" && other == components
}

// isCoarse reports whether an error is about an object as a whole.
func isCoarse(e *field.Error) bool {
	return isRule(e) || e.Type == field.ErrorTypeDuplicate || e.Field == "metadata"
}

// isBelow reports whether a path is below another one.
func isBelow(path, other string) bool { return strings.HasPrefix(path, other+"/") }

// isDecoding reports whether an error is about a value that cannot be read, so nothing in it can be right.
func isDecoding(e *field.Error) bool {
	switch rule.CodeOf(e) {
	case rule.WrongType, rule.WrongFormat, rule.UnknownField:
		return true
	default:
		return false
	}
}
