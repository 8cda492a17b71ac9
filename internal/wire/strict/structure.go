package strict

import (
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// keyRoom is the number of keys of an object that need no allocation. Few objects have more.
const keyRoom = 16

func (d *decoder) structure(in any, v reflect.Value, s *shape, secret bool) {
	object, ok := objectOf(in)
	if !ok {
		d.wrongType(in, "an object", secret)
		return
	}
	outermost := len(d.trail) == 0
	mistaken := false
	var room [keyRoom]string
	for _, k := range object.keys(room[:0], d.sorted) {
		value := object.valueOf(k)
		m, known := s.fields[k]
		switch {
		case value == nil, outermost && d.ignored[k]:
		case known:
			d.decodeBelow(stretch{name: k}, value, m.in(v), m.shape, secret || m.secret)
		case !d.lenient:
			mistaken = d.unknown(k, value, v.Type(), s, secret) || mistaken
		}
	}
	if d.lenient {
		return
	}
	for _, n := range s.required {
		// Where something else is written in place of the only field that is required, that is the mistake.
		if object.valueOf(n) == nil && !mistaken && !d.trail.endsIn(d.optional, n) {
			d.errs.add(field.Required(childPath(d.path(), n), "must be specified"))
		}
	}
}

// unknown field of an object. It reports whether the field was probably written in place of the only one that the object requires.
func (d *decoder) unknown(name string, value any, parent reflect.Type, s *shape, secret bool) bool {
	if d.errs.counted() {
		return false
	}
	if d.refused != nil {
		if reason := d.refused(parent, name); reason != "" {
			d.noted(field.Forbidden(childPath(d.path(), name), reason), Unknown{})
			return false
		}
	}
	near := Nearest(name, s.names)
	given, hinted := d.hints[hintKey{parent: parent, name: name}]
	if !hinted && d.place != nil {
		given.remedy = d.place(parent, name)
		hinted = given.remedy != ""
	}
	var remedy string
	about := Unknown{MovedTo: given.to}
	switch {
	case hinted:
		remedy = given.remedy
	case near != "":
		about.Meant = near
		remedy = `did you mean "` + near + `"?`
	case secret:
		// The name may be the secret, as in an entry of env that is written as NAME=VALUE.
		d.noted(field.Invalid(d.path(), field.OmitValueType{}, "has an unknown field; the known fields are "+strings.Join(s.names, ", ")), about)
		return false
	default:
		about.Useless = true
		remedy = "remove it"
	}
	secret = secret || soundsSecret(name) || s.fields[near].secret || near == "" && s.runs
	d.noted(field.Invalid(childPath(d.path(), name), shown(plain(value), secret), "unknown field; "+remedy), about)
	return len(s.required) == 1 && (hinted || near == s.required[0])
}

// noted is an error about a field that does not exist.
func (d *decoder) noted(e *field.Error, about Unknown) {
	d.errs.add(e)
	if d.note != nil {
		d.note(e, about)
	}
}

// raw copies in without its nulls, for fields whose content has no type here.
func (d *decoder) raw(in any) (any, bool) {
	if len(d.trail) > MaxDepth {
		d.errs.add(field.Invalid(d.path(), field.OmitValueType{}, "is nested too deeply; flatten it"))
		return nil, false
	}
	in = plain(in)
	if f, ok := in.(float64); ok && !finite(f) {
		d.errs.add(field.Invalid(d.path(), field.OmitValueType{}, "must be a finite number"))
		return nil, false
	}
	if object, ok := objectOf(in); ok {
		return d.rawObject(object)
	}
	if list, ok := listOf(in); ok {
		return d.rawList(list)
	}
	return in, true
}

func (d *decoder) rawObject(object branch) (any, bool) {
	out := make(map[string]any, object.len())
	for _, k := range object.keys(nil, d.sorted) {
		value := object.valueOf(k)
		if value == nil && !d.lenient {
			continue
		}
		e, ok := d.rawBelow(stretch{name: k}, value)
		if !ok {
			return nil, false
		}
		out[k] = e
	}
	return out, true
}

func (d *decoder) rawList(list row) (any, bool) {
	out := make([]any, 0, list.len())
	for i := range list.len() {
		e, ok := d.rawBelow(stretch{index: i, kind: ofIndex}, list.entry(i))
		if !ok {
			return nil, false
		}
		out = append(out, e)
	}
	return out, true
}

func (d *decoder) rawBelow(step stretch, in any) (any, bool) {
	d.trail = append(d.trail, step)
	defer func() { d.trail = d.trail[:len(d.trail)-1] }()
	return d.raw(in)
}
