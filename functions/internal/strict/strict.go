// Package strict decodes a tree of JSON values into Go types and reports everything that does not fit, all at once.
//
// It does for a preview without an API server what the server's schema validation does in a cluster: unknown fields,
// wrong types and missing required fields are errors, and a null counts as an absent field. Each error names the exact
// path, the value and what to do about it, and never prints the value of an environment variable.
package strict

import (
	"fmt"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// maxDepth bounds the nesting of the input. A pod template is about 15 levels deep.
const maxDepth = 64

// An Option changes how Decode works.
type Option func(*decoder)

// Optional exempts fields from being required. A pattern is a dotted path of JSON names without list indices and map
// keys, matched against the end of the path, such as "extraPodSpec.mainContainer.name".
func Optional(patterns ...string) Option {
	return func(d *decoder) {
		for _, p := range patterns {
			d.optional[p] = true
		}
	}
}

// Ignore makes Decode pass over fields of the outermost object, for fields that somebody else owns.
func Ignore(names ...string) Option {
	return func(d *decoder) {
		for _, n := range names {
			d.ignored[n] = true
		}
	}
}

// Hint sets what the user is told on finding the unknown field name in an object of parent's type. Without a hint the
// nearest known name is suggested.
func Hint(parent any, name, remedy string) Option {
	return func(d *decoder) {
		d.hints[hintKey{parent: reflect.TypeOf(parent), name: name}] = remedy
	}
}

type hintKey struct {
	parent reflect.Type
	name   string
}

// Decode reads in, a tree of map[string]any, []any, string, float64, int64, int, bool and nil, into out, which must be
// a pointer that is not nil. Fields that cannot be decoded are left as they are in out. Errors are sorted by path.
func Decode(in, out any, path *field.Path, opts ...Option) field.ErrorList {
	d := &decoder{
		optional: map[string]bool{},
		ignored:  map[string]bool{},
		hints:    map[hintKey]string{},
		layouts:  map[reflect.Type]*layout{},
	}
	for _, o := range opts {
		o(d)
	}
	v := reflect.ValueOf(out)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return field.ErrorList{field.InternalError(path, fmt.Errorf("cannot decode into a %T: a pointer is needed", out))}
	}
	if in != nil {
		d.decode(in, v.Elem(), place{path: path})
	}
	return d.errs.list(path)
}

type decoder struct {
	optional map[string]bool
	ignored  map[string]bool
	hints    map[hintKey]string
	layouts  map[reflect.Type]*layout
	errs     collector
}

// A place is where in the input the decoder is.
type place struct {
	path *field.Path
	// names are the JSON field names above, without indices and keys.
	names []string
	depth int
	// secret says that values here must not be printed.
	secret bool
}

func (p place) child(name string) place {
	return place{path: childPath(p.path, name), names: slices.Concat(p.names, []string{name}), depth: p.depth + 1, secret: p.secret}
}

func (p place) index(i int) place {
	return place{path: p.path.Index(i), names: p.names, depth: p.depth + 1, secret: p.secret}
}

func (p place) key(k string) place {
	return place{path: p.path.Key(Printable(k)), names: p.names, depth: p.depth + 1, secret: p.secret}
}

// childPath is path.Child, with the name made fit for a message and a nil path taken as the root.
func childPath(path *field.Path, name string) *field.Path {
	if path == nil {
		return field.NewPath(Printable(name))
	}
	return path.Child(Printable(name))
}

// matches says whether the names above and name end in one of the patterns.
func matches(patterns map[string]bool, above []string, name string) bool {
	if len(patterns) == 0 {
		return false
	}
	suffix := name
	for i := len(above); ; i-- {
		if patterns[suffix] {
			return true
		}
		if i == 0 {
			return false
		}
		suffix = above[i-1] + "." + suffix
	}
}

// decode reads in into v, which can be set. A nil in is the caller's to judge.
func (d *decoder) decode(in any, v reflect.Value, at place) {
	if at.depth > maxDepth {
		d.errs.add(field.Invalid(at.path, field.OmitValueType{}, fmt.Sprintf("is nested more than %d levels deep; flatten it", maxDepth)))
		return
	}
	at.secret = at.secret || holdsSecrets(v.Type())
	if f, ok := in.(float64); ok && !finite(f) {
		d.errs.add(field.Invalid(at.path, field.OmitValueType{}, "must be a finite number"))
		return
	}
	if d.leaf(in, v, at) {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		target := reflect.New(v.Type().Elem())
		before := len(d.errs.errs)
		d.decode(in, target.Elem(), at)
		// A number that could not be read must not look like an explicit 0.
		if len(d.errs.errs) == before || target.Elem().Kind() == reflect.Struct {
			v.Set(target)
		}
	case reflect.Struct:
		d.structure(in, v, at)
	case reflect.Map:
		d.mapping(in, v, at)
	case reflect.Slice:
		d.slice(in, v, at)
	case reflect.Interface:
		d.anything(in, v, at)
	default:
		d.scalar(in, v, at)
	}
}

func (d *decoder) mapping(in any, v reflect.Value, at place) {
	object, ok := in.(map[string]any)
	if !ok {
		d.wrongType(at, in, "an object")
		return
	}
	if v.Type().Key().Kind() != reflect.String {
		d.errs.add(field.InternalError(at.path, fmt.Errorf("cannot decode a map with keys of kind %s", v.Type().Key().Kind())))
		return
	}
	out := reflect.MakeMapWithSize(v.Type(), len(object))
	for _, k := range sortedKeys(object) {
		if object[k] == nil {
			continue
		}
		e := reflect.New(v.Type().Elem()).Elem()
		d.decode(object[k], e, at.key(k))
		out.SetMapIndex(reflect.ValueOf(k).Convert(v.Type().Key()), e)
	}
	v.Set(out)
}

func (d *decoder) slice(in any, v reflect.Value, at place) {
	if v.Type().Elem().Kind() == reflect.Uint8 {
		d.bytes(in, v, at)
		return
	}
	list, ok := in.([]any)
	if !ok {
		d.wrongType(at, in, "a list")
		return
	}
	out := reflect.MakeSlice(v.Type(), len(list), len(list))
	for i, e := range list {
		if e == nil {
			// The API server drops a null of a field, but not an entry of a list.
			d.errs.add(field.TypeInvalid(at.index(i).path, field.OmitValueType{}, "must not be empty; fill the entry in or remove it"))
			continue
		}
		d.decode(e, out.Index(i), at.index(i))
	}
	v.Set(out)
}

func (d *decoder) anything(in any, v reflect.Value, at place) {
	if v.NumMethod() != 0 {
		d.errs.add(field.InternalError(at.path, fmt.Errorf("cannot decode into a %s", v.Type())))
		return
	}
	if raw, ok := d.raw(in, at); ok {
		v.Set(reflect.ValueOf(raw))
	}
}
