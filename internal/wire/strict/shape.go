package strict

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// A shape is what the decoder has to know of a type.
type shape struct {
	leaf leaf

	// secret says that the content must not be printed: what a user writes into a variable may be a token.
	secret bool

	// elem of a pointer, a slice or a map.
	elem *shape

	// fields of a struct by JSON name, as encoding/json sees them: embedded structs flattened.
	fields map[string]member
	// names of the fields, and of those that must be given, sorted.
	names, required []string
	// members are the fields in the order of their names.
	members []member

	// runs says that the struct holds a command line, as a container does.
	runs bool
}

// A leaf is a type that has a JSON form of its own.
type leaf int

const (
	noLeaf leaf = iota
	quantityLeaf
	intOrStringLeaf
	timeLeaf
	durationLeaf
	unmarshalerLeaf
	managedFieldsLeaf
)

type member struct {
	index    []int
	shape    *shape
	required bool

	// secret says that the content must not be printed, whatever its shape.
	secret bool
}

// in is the field of a struct.
func (m *member) in(v reflect.Value) reflect.Value {
	if len(m.index) == 1 {
		return v.Field(m.index[0])
	}
	return v.FieldByIndex(m.index)
}

// shapes of types, by type. Reflection on types is what decoding would spend most of its time on, and types do not change.
var shapes sync.Map //nolint:gochecknoglobals // As encoding/json does it; see above.

func shapeOf(t reflect.Type) *shape {
	if known, ok := shapes.Load(t); ok {
		// There is nothing else in it.
		if s, ok := known.(*shape); ok {
			return s
		}
	}
	b := shaper{}
	s := b.shape(t)
	// Types refer to each other and to themselves: none is shared before all are complete.
	for t, s := range b {
		shapes.LoadOrStore(t, s)
	}
	return s
}

// A shaper has the shapes that are being made.
type shaper map[reflect.Type]*shape

func (b shaper) shape(t reflect.Type) *shape {
	if s, ok := b[t]; ok {
		return s
	}
	s := &shape{leaf: leafOf(t), secret: holdsSecrets(t)}
	b[t] = s
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		s.elem = b.shape(t.Elem())
	case reflect.Struct:
		if s.leaf == noLeaf {
			b.structure(t, s)
		}
	default:
	}
	return s
}

func leafOf(t reflect.Type) leaf {
	switch t {
	case reflect.TypeFor[resource.Quantity]():
		return quantityLeaf
	case reflect.TypeFor[intstr.IntOrString]():
		return intOrStringLeaf
	case reflect.TypeFor[metav1.Time]():
		return timeLeaf
	case reflect.TypeFor[metav1.Duration]():
		return durationLeaf
	case reflect.TypeFor[[]metav1.ManagedFieldsEntry]():
		return managedFieldsLeaf
	}
	if t.Kind() != reflect.Pointer && reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return unmarshalerLeaf
	}
	return noLeaf
}

// holdsSecrets says whether the content of t must not be printed.
func holdsSecrets(t reflect.Type) bool {
	for t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t == reflect.TypeFor[corev1.EnvVar]()
}

func (b shaper) structure(t reflect.Type, s *shape) {
	s.fields = map[string]member{}
	b.collect(t, s, nil)
	for name, m := range s.fields {
		s.names = append(s.names, name)
		s.runs = s.runs || name == "args" || name == "command"
		if m.required {
			s.required = append(s.required, name)
		}
	}
	slices.Sort(s.names)
	slices.Sort(s.required)
	for _, name := range s.names {
		s.members = append(s.members, s.fields[name])
	}
}

// collect adds the fields of t. A field of an outer struct hides one of the same name further in, so the fields of t
// itself are added before those that it embeds.
func (b shaper) collect(t reflect.Type, s *shape, above []int) {
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
		if _, taken := s.fields[name]; taken {
			continue
		}
		s.fields[name] = member{index: append(slices.Clone(above), i), shape: b.shape(f.Type), required: isRequired(f, flags), secret: IsSecretField(name)}
	}
	for _, f := range embedded {
		b.collect(f.Type, s, append(slices.Clone(above), f.Index...))
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
