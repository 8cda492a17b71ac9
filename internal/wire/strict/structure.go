package strict

import (
	"reflect"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

func (d *decoder) structure(in *structpb.Value, v reflect.Value, s *shape, secret bool) {
	object := in.GetStructValue()
	if _, ok := in.GetKind().(*structpb.Value_StructValue); !ok {
		d.wrongType(in, "an object", secret)
		return
	}
	outermost := len(d.trail) == 0
	mistaken := false
	var room [keyRoom]string
	for _, k := range d.keys(object, room[:0]) {
		value := object.GetFields()[k]
		m, known := s.fields[k]
		switch {
		case tree.IsNull(value), outermost && slices.Contains(d.Ignored, k):
		case known:
			d.decodeBelow(stretch{name: k}, value, m.in(v), m.shape, secret || m.secret)
		case !d.Lenient:
			mistaken = d.unknown(k, value, v.Type(), s, secret) || mistaken
		}
	}
	if d.Lenient {
		return
	}
	for _, n := range s.required {
		// Where something else is written in place of the only field that is required, that is the mistake.
		if tree.IsNull(object.GetFields()[n]) && !mistaken && !d.trail.endsIn(d.Optional, n) {
			d.errs.add(field.Required(childPath(d.path(), n), "must be specified"))
		}
	}
}

// unknown field of an object. It reports whether the field was probably written in place of the only one that the object requires.
func (d *decoder) unknown(name string, value *structpb.Value, parent reflect.Type, s *shape, secret bool) bool {
	if d.errs.counted() {
		return false
	}
	if d.Refused != nil {
		if reason := d.Refused(parent, name); reason != "" {
			d.noted(field.Forbidden(childPath(d.path(), name), reason), Unknown{})
			return false
		}
	}
	near := Nearest(name, s.names)
	hint := d.hint(parent, name)
	var remedy string
	about := Unknown{MovedTo: hint.To}
	switch {
	case hint.Remedy != "":
		remedy = hint.Remedy
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
	d.noted(field.Invalid(childPath(d.path(), name), shown(value, secret), "unknown field; "+remedy), about)
	return len(s.required) == 1 && (hint.Remedy != "" || near == s.required[0])
}

// hint for a field of an object. It has no remedy if there is none.
func (d *decoder) hint(parent reflect.Type, name string) Hint {
	for _, h := range d.Hints {
		if h.Name == name && reflect.TypeOf(h.Parent) == parent {
			return h
		}
	}
	if d.Elsewhere == nil {
		return Hint{}
	}
	return Hint{Remedy: d.Elsewhere(parent, name)}
}

// noted is an error about a field that does not exist.
func (d *decoder) noted(e *field.Error, about Unknown) {
	d.errs.add(e)
	if d.Note != nil {
		d.Note(e, about)
	}
}
