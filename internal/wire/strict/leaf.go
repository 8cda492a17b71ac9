package strict

import (
	"encoding/json"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// maxQuantity is the length of the longest quantity that is parsed. The parser does arithmetic of arbitrary precision.
const maxQuantity = 64

// maxExponent is the largest decimal exponent of a quantity; a quantity is below 2^63.
const maxExponent = 30

// leaf decodes into types with their own JSON form, and reports whether v is one.
func (d *decoder) leaf(in *structpb.Value, v reflect.Value, secret bool) bool {
	switch t := v.Addr().Interface().(type) {
	case *resource.Quantity:
		d.quantity(in, t, secret)
	case *intstr.IntOrString:
		d.intOrString(in, t, secret)
	case *metav1.Duration:
		d.duration(in, t, secret)
	case *metav1.Time:
		d.timestamp(in, t, secret)
	case *[]metav1.ManagedFieldsEntry:
		return d.Lenient
	case json.Unmarshaler:
		d.unmarshal(in, t, secret)
	default:
		return false
	}
	return true
}

func (d *decoder) quantity(in *structpb.Value, q *resource.Quantity, secret bool) {
	var s string
	switch kind := in.GetKind().(type) {
	case *structpb.Value_StringValue:
		s = kind.StringValue
	case *structpb.Value_NumberValue:
		// As written in the manifest: 'f' with the fewest digits that are exact.
		s = strconv.FormatFloat(kind.NumberValue, 'f', -1, 64)
	default:
		d.wrongType(in, "a quantity such as 4, 500m or 16Gi", secret)
		return
	}
	parsed, ok := Quantity(s)
	if !ok {
		detail := "must be a quantity: a number with an optional suffix and without spaces, such as 4, 500m or 16Gi"
		if !secret {
			detail += quantityMeant(s)
		}
		d.errs.add(field.Invalid(d.path(), shown(in, secret), detail))
		return
	}
	*q = parsed
}

// amount of bytes as people write it, such as 64GB or 1.5tib.
var amount = regexp.MustCompile(`(?i)^([0-9.]+)([kmgtpe])(i?)b?$`)

// quantityMeant asks for the quantity that a text may stand for. Whether a unit of bytes is decimal or binary is only known if it says so.
func quantityMeant(text string) string {
	joined := strings.Join(strings.Fields(text), "")
	meant := []string{joined}
	if _, ok := Quantity(joined); !ok {
		parts := amount.FindStringSubmatch(joined)
		if parts == nil {
			return ""
		}
		unit := strings.ToUpper(parts[2])
		meant = []string{parts[1] + strings.Replace(unit, "K", "k", 1), parts[1] + unit + "i"}
		if parts[3] != "" {
			meant = meant[1:]
		}
	}
	if _, ok := Quantity(meant[0]); !ok {
		return ""
	}
	return "; did you mean " + strings.Join(meant, " or ") + "?"
}

// Quantity of a text. It returns false if it is not a quantity, or if its exponent would take the parser too long.
func Quantity(s string) (resource.Quantity, bool) {
	if len(s) > maxQuantity || decimalExponent(s) > maxExponent {
		return resource.Quantity{}, false
	}
	q, err := resource.ParseQuantity(s)
	if err != nil {
		return resource.Quantity{}, false
	}
	return q, true
}

// decimalExponent is the exponent of a quantity such as 1e3, without its sign. The parser would compute that power of ten.
func decimalExponent(s string) int {
	for i := range len(s) {
		if s[i] != 'e' && s[i] != 'E' {
			continue
		}
		n, err := strconv.Atoi(s[i+1:])
		if err != nil {
			// This is a unit such as Ei, or something that the parser refuses.
			return 0
		}
		return max(n, -n)
	}
	return 0
}

func (d *decoder) intOrString(in *structpb.Value, out *intstr.IntOrString, secret bool) {
	if s, ok := text(in); ok {
		*out = intstr.FromString(s)
		return
	}
	n, ok := whole(in)
	if !ok {
		d.wrongType(in, "a whole number or a string", secret)
		return
	}
	if n < math.MinInt32 || n > math.MaxInt32 {
		d.errs.add(field.Invalid(d.path(), shown(in, secret), "must be between -2147483648 and 2147483647, inclusive"))
		return
	}
	*out = intstr.FromInt32(int32(n))
}

func (d *decoder) timestamp(in *structpb.Value, out *metav1.Time, secret bool) {
	s, ok := text(in)
	if !ok {
		d.wrongType(in, "a time such as 2026-01-31T12:00:00Z", secret)
		return
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		d.errs.add(field.Invalid(d.path(), shown(in, secret), "must be a time such as 2026-01-31T12:00:00Z"))
		return
	}
	*out = metav1.NewTime(t)
}

func (d *decoder) duration(in *structpb.Value, out *metav1.Duration, secret bool) {
	s, ok := text(in)
	if !ok {
		d.wrongType(in, "a duration such as 30s, 5m or 1h30m", secret)
		return
	}
	t, err := time.ParseDuration(s)
	if err != nil {
		d.errs.add(field.Invalid(d.path(), shown(in, secret), "must be a duration such as 30s, 5m or 1h30m"))
		return
	}
	*out = metav1.Duration{Duration: t}
}

// unmarshal decodes through the type's own method, as for runtime.RawExtension, which keeps its input.
func (d *decoder) unmarshal(in *structpb.Value, out json.Unmarshaler, secret bool) {
	var raw any
	before := len(d.errs.errs)
	d.anything(in, reflect.ValueOf(&raw).Elem())
	if len(d.errs.errs) > before {
		return
	}
	data, err := json.Marshal(raw)
	if err == nil {
		err = out.UnmarshalJSON(data)
	}
	if err != nil {
		// The message of the type may contain the value.
		d.errs.add(field.Invalid(d.path(), shown(in, secret), "does not have the format of this field"))
	}
}
