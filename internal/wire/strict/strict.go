// Package strict decodes a tree of JSON values into Go types and reports all errors at once.
//
// For a preview without an API server, it does what schema validation does in a cluster: unknown fields, wrong types and missing required
// fields are errors, and a null counts as an absent field. Each error contains the exact path, the value and the remedy, but never a value
// that may contain a credential, such as command lines and environment variables.
package strict

import (
	"fmt"
	"reflect"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crossplane/function-sdk-go/errors"
)

// MaxDepth limits the nesting of the input. A pod template has about 15 levels.
const MaxDepth = 64

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

// Ignore makes Decode ignore fields of the outermost object that have another owner.
func Ignore(names ...string) Option {
	return func(d *decoder) {
		for _, n := range names {
			d.ignored[n] = true
		}
	}
}

// Hint sets the remedy for the unknown field name in an object of parent's type. Without a hint, the nearest known name is suggested.
func Hint(parent any, name, remedy string) Option {
	return func(d *decoder) {
		d.hints[hintKey{parent: reflect.TypeOf(parent), name: name}] = hint{remedy: remedy}
	}
}

// Moved is Hint for a field whose content belongs in another one of the same object.
func Moved(parent any, name, to, remedy string) Option {
	return func(d *decoder) {
		d.hints[hintKey{parent: reflect.TypeOf(parent), name: name}] = hint{remedy: remedy, to: to}
	}
}

// An Unknown is a field that does not exist, or not in its object.
type Unknown struct {
	// Meant is the name of the field of the same object that was probably meant. Empty if there is none.
	Meant string

	// MovedTo is the name of the field of the same object in which the content belongs. Empty if there is none.
	MovedTo string

	// Useless says that nothing is known that the field could stand for.
	Useless bool
}

// Note calls a function for each error about a field that does not exist.
func Note(note func(*field.Error, Unknown)) Option {
	return func(d *decoder) { d.note = note }
}

// Elsewhere gives remedies for unknown fields of which it is known where they belong. place returns the remedy for a field of the type of
// parent, or nothing. It is only called for unknown fields without a Hint.
func Elsewhere(place func(parent reflect.Type, name string) string) Option {
	return func(d *decoder) { d.place = place }
}

// Refused gives reasons why fields are refused that exist, but not here. reason returns the one for a field of the type of parent, or nothing.
func Refused(reason func(parent reflect.Type, name string) string) Option {
	return func(d *decoder) { d.refused = reason }
}

// Lenient makes Decode read an object with another owner, which may have a newer version: unknown fields are ignored, no field is required,
// and a null in a list or a map is the zero value, as in encoding/json. Managed fields, which are half of an object in a cluster, are
// ignored too. Errors contain no value, which may be that of a Secret, and no remedy, because the user cannot apply it.
func Lenient() Option {
	return func(d *decoder) { d.lenient = true }
}

type hint struct{ remedy, to string }

type hintKey struct {
	parent reflect.Type
	name   string
}

// Decode reads in, a tree of protobuf values or one of map[string]any, []any, string, float64, int64, int, bool and nil, into out, which
// must be a non-nil pointer. Fields that cannot be decoded are not changed in out. Errors are sorted by path.
func Decode(in, out any, path *field.Path, opts ...Option) field.ErrorList {
	v := reflect.ValueOf(out)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return field.ErrorList{field.InternalError(path, errors.Errorf("cannot decode into a %T: a pointer is needed", out))}
	}
	if isAbsent(in) {
		return nil
	}
	d := &decoder{root: path, optional: map[string]bool{}, ignored: map[string]bool{}, hints: map[hintKey]hint{}}
	for _, o := range opts {
		o(d)
	}
	s := shapeOf(v.Type().Elem())
	d.decode(in, v.Elem(), s, d.lenient)
	if len(d.errs.errs) == 0 {
		return nil
	}
	// Only errors depend on the order of keys: which of too many are kept, and the order of those with the same path.
	d.sorted, d.trail, d.errs = true, nil, collector{}
	d.decode(in, v.Elem(), s, d.lenient)
	return d.errs.list(path)
}

type decoder struct {
	optional map[string]bool
	ignored  map[string]bool
	hints    map[hintKey]hint
	note     func(*field.Error, Unknown)
	place    func(parent reflect.Type, name string) string
	refused  func(parent reflect.Type, name string) string
	lenient  bool

	root   *field.Path
	trail  trail
	sorted bool
	errs   collector
}

// path of the current position.
func (d *decoder) path() *field.Path { return d.trail.path(d.root) }

// decodeBelow decodes a value one level further down.
func (d *decoder) decodeBelow(step stretch, in any, v reflect.Value, s *shape, secret bool) {
	d.trail = append(d.trail, step)
	d.decode(in, v, s, secret)
	d.trail = d.trail[:len(d.trail)-1]
}

// decode reads in, which is not null, into v, which can be set. secret says that values must not be printed.
func (d *decoder) decode(in any, v reflect.Value, s *shape, secret bool) {
	if len(d.trail) > MaxDepth {
		d.errs.add(field.Invalid(d.path(), field.OmitValueType{}, fmt.Sprintf("is nested more than %d levels deep; flatten it", MaxDepth)))
		return
	}
	if d.simple(in, v, s) {
		return
	}
	in, secret = plain(in), secret || s.secret
	if f, ok := in.(float64); ok && !finite(f) {
		d.errs.add(field.Invalid(d.path(), field.OmitValueType{}, "must be a finite number"))
		return
	}
	if d.leaf(in, v, s, secret) {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		target := reflect.New(v.Type().Elem())
		before := len(d.errs.errs)
		d.decode(in, target.Elem(), s.elem, secret)
		// A number that could not be read must not look like an explicit 0.
		if len(d.errs.errs) == before || target.Elem().Kind() == reflect.Struct {
			v.Set(target)
		}
	case reflect.Struct:
		d.structure(in, v, s, secret)
	case reflect.Map:
		d.mapping(in, v, s, secret)
	case reflect.Slice:
		d.slice(in, v, s, secret)
	case reflect.Interface:
		d.anything(in, v)
	default:
		d.scalar(in, v, secret)
	}
}

// simple reads a protobuf value of exactly the kind of v, and reports whether it did. Most values are simple.
func (d *decoder) simple(in any, v reflect.Value, s *shape) bool {
	value, ok := in.(*structpb.Value)
	if !ok || s.leaf != noLeaf {
		return false
	}
	switch kind := value.GetKind().(type) {
	case *structpb.Value_StringValue:
		if v.Kind() == reflect.String {
			v.SetString(kind.StringValue)
			return true
		}
	case *structpb.Value_BoolValue:
		if v.Kind() == reflect.Bool {
			v.SetBool(kind.BoolValue)
			return true
		}
	case *structpb.Value_NumberValue:
		if n, ok := whole(kind.NumberValue); ok && v.CanInt() && !v.OverflowInt(n) {
			v.SetInt(n)
			return true
		}
	default:
	}
	return false
}

func (d *decoder) mapping(in any, v reflect.Value, s *shape, secret bool) {
	object, ok := objectOf(in)
	if !ok {
		d.wrongType(in, "an object", secret)
		return
	}
	t := v.Type()
	if t.Key().Kind() != reflect.String {
		d.errs.add(field.InternalError(d.path(), errors.Errorf("cannot decode a map with keys of kind %s", t.Key().Kind())))
		return
	}
	out := reflect.MakeMapWithSize(t, object.len())
	key, e := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
	var room [keyRoom]string
	for _, k := range object.keys(room[:0], d.sorted) {
		value := object.valueOf(k)
		if value == nil && !d.lenient {
			continue
		}
		e.SetZero()
		if value != nil {
			d.decodeBelow(stretch{name: k, kind: ofKey}, value, e, s.elem, secret)
		}
		key.SetString(k)
		out.SetMapIndex(key, e)
	}
	v.Set(out)
}

func (d *decoder) slice(in any, v reflect.Value, s *shape, secret bool) {
	if v.Type().Elem().Kind() == reflect.Uint8 {
		d.bytes(in, v, secret)
		return
	}
	list, ok := listOf(in)
	if !ok {
		d.wrongType(in, "a list", secret)
		return
	}
	out := reflect.MakeSlice(v.Type(), list.len(), list.len())
	for i := range list.len() {
		e := list.entry(i)
		switch {
		case e != nil:
			d.decodeBelow(stretch{index: i, kind: ofIndex}, e, out.Index(i), s.elem, secret)
		case !d.lenient:
			// The API server drops a null of a field, but not an item of a list.
			d.errs.add(field.TypeInvalid(d.path().Index(i), field.OmitValueType{}, "must not be null; set a value or remove the entry"))
		}
	}
	v.Set(out)
}

func (d *decoder) anything(in any, v reflect.Value) {
	if v.NumMethod() != 0 {
		d.errs.add(field.InternalError(d.path(), errors.Errorf("cannot decode into a %s", v.Type())))
		return
	}
	if raw, ok := d.raw(in); ok {
		v.Set(reflect.ValueOf(raw))
	}
}
