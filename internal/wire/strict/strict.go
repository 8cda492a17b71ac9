// Package strict decodes a tree of JSON values into Go types and reports all errors at once.
//
// For a preview without an API server, it does what schema validation does in a cluster: unknown fields, wrong types and missing required
// fields are errors, and a null counts as an absent field. Each error contains the exact path, the value and the remedy, but never a value
// that may contain a credential, such as command lines and environment variables.
package strict

import (
	"fmt"
	"math"
	"reflect"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// MaxDepth limits the nesting of the input. A pod template has about 15 levels.
const MaxDepth = 64

// Options of Decode.
type Options struct {
	// Optional exempts fields from being required. A pattern is a dotted path of JSON names without list indices and map
	// keys, matched against the end of the path, such as "extraPodSpec.mainContainer.name".
	Optional []string

	// Ignored are fields of the outermost object that have another owner.
	Ignored []string

	// Hints are remedies for unknown fields. Without a hint, the nearest known name is suggested.
	Hints []Hint

	// Elsewhere gives remedies for unknown fields of which it is known where they belong: the remedy for a field of the type of parent, or nothing. It
	// is only called for unknown fields without a hint.
	Elsewhere func(parent reflect.Type, name string) string

	// Refused gives reasons why fields are refused that exist, but not here: the one for a field of the type of parent, or nothing.
	Refused func(parent reflect.Type, name string) string

	// Note is called for each error about a field that does not exist.
	Note func(*field.Error, Unknown)

	// Lenient reads an object with another owner, which may have a newer version: unknown fields are ignored, no field is required,
	// and a null in a list or a map is the zero value, as in encoding/json. Managed fields, which are half of an object in a cluster, are
	// ignored too. Errors contain no value, which may be that of a Secret, and no remedy, because the user cannot apply it.
	Lenient bool
}

// A Hint is the remedy for an unknown field.
type Hint struct {
	// Parent is a value of the type of the object with the field.
	Parent any

	// Name of the field.
	Name string

	// To is the field of the same object in which the content belongs. Empty if there is none.
	To string

	Remedy string
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

// Decode reads in into out, which must be a non-nil pointer. Fields that cannot be decoded are not changed in out. Errors are sorted by path.
func Decode(in *structpb.Value, out any, path *field.Path, options Options) field.ErrorList {
	v := reflect.ValueOf(out)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return field.ErrorList{field.InternalError(path, errors.Errorf("cannot decode into a %T: a pointer is needed", out))}
	}
	if tree.IsNull(in) {
		return nil
	}
	d := &decoder{Options: options, root: path}
	s := shapeOf(v.Type().Elem())
	d.decode(in, v.Elem(), s, d.Lenient)
	if len(d.errs.errs) == 0 {
		return nil
	}
	// Only errors depend on the order of keys: which of too many are kept, and the order of those with the same path.
	d.sorted, d.trail, d.errs = true, nil, collector{}
	d.decode(in, v.Elem(), s, d.Lenient)
	return d.errs.list(path)
}

type decoder struct {
	Options

	root   *field.Path
	trail  trail
	sorted bool
	errs   collector
}

// path of the current position.
func (d *decoder) path() *field.Path { return d.trail.path(d.root) }

// decodeBelow decodes a value one level further down.
func (d *decoder) decodeBelow(step stretch, in *structpb.Value, v reflect.Value, s *shape, secret bool) {
	d.trail = append(d.trail, step)
	d.decode(in, v, s, secret)
	d.trail = d.trail[:len(d.trail)-1]
}

// decode reads in, which is not null, into v, which can be set. secret says that values must not be printed.
func (d *decoder) decode(in *structpb.Value, v reflect.Value, s *shape, secret bool) {
	if len(d.trail) > MaxDepth {
		d.errs.add(field.Invalid(d.path(), field.OmitValueType{}, fmt.Sprintf("is nested more than %d levels deep; flatten it", MaxDepth)))
		return
	}
	// Protobuf has numbers that JSON does not have.
	if n := in.GetNumberValue(); math.IsNaN(n) || math.IsInf(n, 0) {
		d.errs.add(field.Invalid(d.path(), field.OmitValueType{}, "must be a finite number"))
		return
	}
	secret = secret || s.secret
	if s.leaf != noLeaf && d.leaf(in, v, secret) {
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

// keyRoom is the number of keys of an object that need no allocation. Few objects have more.
const keyRoom = 16

// keys of an object, which are sorted on demand.
func (d *decoder) keys(object *structpb.Struct, keys []string) []string {
	for key := range object.GetFields() {
		keys = append(keys, key)
	}
	if d.sorted {
		slices.Sort(keys)
	}
	return keys
}

func (d *decoder) mapping(in *structpb.Value, v reflect.Value, s *shape, secret bool) {
	object := in.GetStructValue()
	if _, ok := in.GetKind().(*structpb.Value_StructValue); !ok {
		d.wrongType(in, "an object", secret)
		return
	}
	t := v.Type()
	if t.Key().Kind() != reflect.String {
		d.errs.add(field.InternalError(d.path(), errors.Errorf("cannot decode a map with keys of kind %s", t.Key().Kind())))
		return
	}
	out := reflect.MakeMapWithSize(t, len(object.GetFields()))
	key, e := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
	var room [keyRoom]string
	for _, k := range d.keys(object, room[:0]) {
		value := object.GetFields()[k]
		isNull := tree.IsNull(value)
		if isNull && !d.Lenient {
			continue
		}
		e.SetZero()
		if !isNull {
			d.decodeBelow(stretch{name: k, kind: ofKey}, value, e, s.elem, secret)
		}
		key.SetString(k)
		out.SetMapIndex(key, e)
	}
	v.Set(out)
}

func (d *decoder) slice(in *structpb.Value, v reflect.Value, s *shape, secret bool) {
	elem := v.Type().Elem().Kind()
	if elem == reflect.Uint8 {
		d.bytes(in, v, secret)
		return
	}
	list := in.GetListValue().GetValues()
	if _, ok := in.GetKind().(*structpb.Value_ListValue); !ok {
		d.wrongType(in, "a list", secret)
		return
	}
	out := reflect.MakeSlice(v.Type(), len(list), len(list))
	for i, e := range list {
		switch {
		case !tree.IsNull(e):
			d.decodeBelow(stretch{index: i, kind: ofIndex}, e, out.Index(i), s.elem, secret)
		case !d.Lenient && elem != reflect.Interface:
			// The API server drops a null of a field, but not an item of a list.
			d.errs.add(field.TypeInvalid(d.path().Index(i), field.OmitValueType{}, "must not be null; set a value or remove the entry"))
		}
	}
	v.Set(out)
}

// anything decodes what has no type here to what encoding/json makes of it, but without nulls in objects.
func (d *decoder) anything(in *structpb.Value, v reflect.Value) {
	if v.NumMethod() != 0 {
		d.errs.add(field.InternalError(d.path(), errors.Errorf("cannot decode into a %s", v.Type())))
		return
	}
	var out reflect.Value
	switch in.GetKind().(type) {
	case *structpb.Value_StructValue:
		out = reflect.New(reflect.TypeFor[map[string]any]()).Elem()
	case *structpb.Value_ListValue:
		out = reflect.New(reflect.TypeFor[[]any]()).Elem()
	default:
		v.Set(reflect.ValueOf(in.AsInterface()))
		return
	}
	d.decode(in, out, shapeOf(out.Type()), false)
	v.Set(out)
}
