package strict

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/crossplane/function-sdk-go/errors"
)

// AppendCanonical appends the JSON of a value to a buffer in a form that only depends on its meaning: fields are sorted by name, and fields
// without meaning are left out. These are zero values, empty lists and maps, and structs in which no field has a meaning. A pointer always
// has a meaning. Equal quantities are equal in any notation. In contrast to the output of encoding/json, the result does not change if the
// packages of Kubernetes reorder or add fields, or change their omitempty tags.
func AppendCanonical(buffer []byte, value any) ([]byte, error) {
	v := reflect.ValueOf(value)
	if !v.IsValid() {
		return append(buffer, "null"...), nil
	}
	c := canonical{buffer: buffer}
	c.value(v, shapeOf(v.Type()))
	return c.buffer, c.err
}

type canonical struct {
	buffer []byte
	err    error
}

func (c *canonical) value(v reflect.Value, s *shape) {
	if s.leaf != noLeaf {
		c.leaf(v, s)
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			c.write("null")
			return
		}
		c.value(v.Elem(), s.elem)
	case reflect.Struct:
		c.structure(v, s)
	case reflect.Map:
		c.mapping(v, s)
	case reflect.Slice:
		c.list(v, s)
	default:
		c.scalar(v)
	}
}

func (c *canonical) structure(v reflect.Value, s *shape) {
	c.write("{")
	begin := len(c.buffer)
	for i, name := range s.names {
		m := &s.members[i]
		field := m.in(v)
		if saysNothing(field, m.shape) {
			continue
		}
		before := len(c.buffer)
		c.separate(begin)
		c.key(name)
		value := len(c.buffer)
		c.value(field, m.shape)
		if field.Kind() == reflect.Struct && string(c.buffer[value:]) == "{}" {
			c.buffer = c.buffer[:before]
		}
	}
	c.write("}")
}

// saysNothing reports whether the value of a field is equivalent to an absent one, as far as it is known without its content.
func saysNothing(v reflect.Value, s *shape) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map:
		return v.Len() == 0
	default:
		if s.leaf == quantityLeaf {
			q, ok := v.Interface().(resource.Quantity)
			return ok && q.IsZero()
		}
		return v.IsZero()
	}
}

func (c *canonical) mapping(v reflect.Value, s *shape) {
	values := make(map[string]reflect.Value, v.Len())
	for entry := v.MapRange(); entry.Next(); {
		values[entry.Key().String()] = entry.Value()
	}
	c.write("{")
	begin := len(c.buffer)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		c.separate(begin)
		c.key(name)
		c.value(values[name], s.elem)
	}
	c.write("}")
}

func (c *canonical) list(v reflect.Value, s *shape) {
	if v.Type().Elem().Kind() == reflect.Uint8 {
		c.writeText(base64.StdEncoding.EncodeToString(v.Bytes()))
		return
	}
	c.write("[")
	begin := len(c.buffer)
	for i := range v.Len() {
		c.separate(begin)
		c.value(v.Index(i), s.elem)
	}
	c.write("]")
}

func (c *canonical) scalar(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		c.writeText(v.String())
	case reflect.Bool:
		c.buffer = strconv.AppendBool(c.buffer, v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		c.buffer = strconv.AppendInt(c.buffer, v.Int(), 10)
	case reflect.Float32, reflect.Float64:
		c.buffer = strconv.AppendFloat(c.buffer, v.Float(), 'g', -1, 64)
	default:
		c.err = errors.Errorf("cannot encode a %s", v.Type())
	}
}

// leaf encodes types with their own JSON form.
func (c *canonical) leaf(v reflect.Value, s *shape) {
	if q, ok := v.Interface().(resource.Quantity); ok && s.leaf == quantityLeaf {
		c.writeText(CanonicalQuantity(q))
		return
	}
	encoded, err := json.Marshal(v.Interface())
	if err != nil {
		c.err = errors.Errorf("cannot encode a %s: %w", v.Type(), err)
		return
	}
	c.buffer = append(c.buffer, encoded...)
}

// CanonicalQuantity is the same text for equal quantities: 1 for 1000m, and 1073741824 for 1Gi.
func CanonicalQuantity(q resource.Quantity) string {
	q.Format = resource.DecimalSI
	number, unit := q.CanonicalizeBytes(nil)
	return string(number) + string(unit)
}

func (c *canonical) key(name string) {
	c.writeText(name)
	c.write(":")
}

// separate an item of a list or an object from the previous one.
func (c *canonical) separate(begin int) {
	if len(c.buffer) > begin {
		c.write(",")
	}
}

// writeText quotes a text as in JSON, but keeps invalid UTF-8, so that two texts never have the same encoding.
func (c *canonical) writeText(s string) {
	const digits = "0123456789abcdef"
	c.write(`"`)
	plain := 0
	for i := range len(s) {
		b := s[i]
		if b >= ' ' && b != '"' && b != '\\' {
			continue
		}
		c.write(s[plain:i])
		plain = i + 1
		if b < ' ' {
			c.buffer = append(c.buffer, '\\', 'u', '0', '0', digits[b>>4], digits[b&0xf])
			continue
		}
		c.buffer = append(c.buffer, '\\', b)
	}
	c.write(s[plain:])
	c.write(`"`)
}

func (c *canonical) write(s string) { c.buffer = append(c.buffer, s...) }
