package strict

import (
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// A layout is what encoding/json would make of a struct: its fields by JSON name, embedded structs flattened.
type layout struct {
	fields map[string]member
	names  []string
}

type member struct {
	index    []int
	required bool
}

func (d *decoder) layoutOf(t reflect.Type) *layout {
	if l, ok := d.layouts[t]; ok {
		return l
	}
	l := &layout{fields: map[string]member{}}
	l.collect(t, nil)
	for n := range l.fields {
		l.names = append(l.names, n)
	}
	slices.Sort(l.names)
	d.layouts[t] = l
	return l
}

// collect adds the fields of t. A field of an outer struct hides one of the same name further in, so the fields of t
// itself are added before those that it embeds.
func (l *layout) collect(t reflect.Type, above []int) {
	var embedded []reflect.StructField
	for i := range t.NumField() {
		f := t.Field(i)
		name, flags, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || !f.IsExported() && !f.Anonymous {
			continue
		}
		if f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct {
			embedded = append(embedded, f)
			continue
		}
		if name == "" {
			name = f.Name
		}
		if _, taken := l.fields[name]; taken {
			continue
		}
		index := append(slices.Clone(above), i)
		l.fields[name] = member{index: index, required: isRequired(f, flags)}
	}
	for _, f := range embedded {
		l.collect(f.Type, append(slices.Clone(above), f.Index...))
	}
}

// isRequired follows the convention of the Kubernetes API: what is not marked as omitted when empty must be given. A
// pointer without that mark is optional all the same (corev1.GRPCAction.Service).
func isRequired(f reflect.StructField, flags string) bool {
	if f.Tag.Get("json") == "" || f.Type.Kind() == reflect.Pointer {
		return false
	}
	return !slices.ContainsFunc(strings.Split(flags, ","), func(flag string) bool {
		return flag == "omitempty" || flag == "omitzero" || flag == "inline"
	})
}

func (d *decoder) structure(in any, v reflect.Value, at place) {
	object, ok := in.(map[string]any)
	if !ok {
		d.wrongType(at, in, "an object")
		return
	}
	l := d.layoutOf(v.Type())
	for _, k := range sortedKeys(object) {
		m, known := l.fields[k]
		switch {
		case object[k] == nil, at.depth == 0 && d.ignored[k]:
		case known:
			d.decode(object[k], v.FieldByIndex(m.index), at.child(k))
		default:
			d.unknown(at.child(k), k, object[k], v.Type(), l)
		}
	}
	for _, n := range l.names {
		if l.fields[n].required && object[n] == nil && !matches(d.optional, at.names, n) {
			d.errs.add(field.Required(childPath(at.path, n), "must be given"))
		}
	}
}

func (d *decoder) unknown(at place, name string, value any, parent reflect.Type, l *layout) {
	detail := "unknown field"
	if hint, ok := d.hints[hintKey{parent: parent, name: name}]; ok {
		detail += "; " + hint
	} else if near := nearest(name, l.names); near != "" {
		detail += `; did you mean "` + near + `"?`
	} else {
		detail += "; remove it"
	}
	at.secret = at.secret || soundsSecret(name)
	d.errs.add(field.Invalid(at.path, shown(value, at.secret), detail))
}

// raw copies in without its nulls, for fields whose content has no type here.
func (d *decoder) raw(in any, at place) (any, bool) {
	if at.depth > maxDepth {
		d.errs.add(field.Invalid(at.path, field.OmitValueType{}, "is nested too deeply; flatten it"))
		return nil, false
	}
	switch t := in.(type) {
	case float64:
		if !finite(t) {
			d.errs.add(field.Invalid(at.path, field.OmitValueType{}, "must be a finite number"))
			return nil, false
		}
		return t, true
	case map[string]any:
		out := make(map[string]any, len(t))
		for _, k := range sortedKeys(t) {
			if t[k] == nil {
				continue
			}
			e, ok := d.raw(t[k], at.child(k))
			if !ok {
				return nil, false
			}
			out[k] = e
		}
		return out, true
	case []any:
		out := make([]any, 0, len(t))
		for i := range t {
			e, ok := d.raw(t[i], at.index(i))
			if !ok {
				return nil, false
			}
			out = append(out, e)
		}
		return out, true
	default:
		return in, true
	}
}

func sortedKeys(object map[string]any) []string {
	keys := make([]string, 0, len(object))
	for k := range object {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
