package strict

import (
	"encoding/base64"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crossplane/function-sdk-go/errors"
)

func (d *decoder) scalar(in any, v reflect.Value, secret bool) {
	switch v.Kind() {
	case reflect.String:
		s, ok := in.(string)
		if !ok {
			d.wrongType(in, "a string", secret)
			return
		}
		v.SetString(s)
	case reflect.Bool:
		b, ok := in.(bool)
		if !ok {
			d.wrongType(in, "true or false", secret)
			return
		}
		v.SetBool(b)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		d.integer(in, v, secret)
	case reflect.Float32, reflect.Float64:
		f, ok := number(in)
		if !ok {
			d.wrongType(in, "a number", secret)
			return
		}
		v.SetFloat(f)
	default:
		d.errs.add(field.InternalError(d.path(), errors.Errorf("cannot decode into a %s", v.Type())))
	}
}

func (d *decoder) integer(in any, v reflect.Value, secret bool) {
	n, ok := whole(in)
	if !ok {
		d.wrongType(in, "a whole number", secret)
		return
	}
	if v.OverflowInt(n) {
		limit := int64(1)<<(v.Type().Bits()-1) - 1
		d.errs.add(field.Invalid(d.path(), shown(in, secret), fmt.Sprintf("must be between %d and %d, inclusive", -limit-1, limit)))
		return
	}
	v.SetInt(n)
}

func (d *decoder) bytes(in any, v reflect.Value, secret bool) {
	s, ok := in.(string)
	if !ok {
		d.wrongType(in, "a string", secret)
		return
	}
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		d.errs.add(field.Invalid(d.path(), field.OmitValueType{}, "must be base64-encoded"))
		return
	}
	v.SetBytes(b)
}

// number is in as a float, if it is a number.
func number(in any) (float64, bool) {
	switch t := in.(type) {
	case float64:
		return t, true
	case int64:
		return float64(t), true
	case int:
		return float64(t), true
	}
	return 0, false
}

// whole is in as an integer, if it is exactly one.
func whole(in any) (int64, bool) {
	switch t := in.(type) {
	case int64:
		return t, true
	case int:
		return int64(t), true
	case float64:
		// 2^63 itself is a float64, but not an int64.
		if t == math.Trunc(t) && t >= math.MinInt64 && t < math.MaxInt64 {
			return int64(t), true
		}
	}
	return 0, false
}

// wrongType reports that in does not have the type of the field. The value is not shown, whatever the field is for: what stands in the wrong
// place may be a credential. Only a number stays a number.
func (d *decoder) wrongType(in any, want string, secret bool) {
	detail, value := "must be "+want, any(field.OmitValueType{})
	switch {
	case want == "a whole number" && isNumber(in):
		detail, value = detail+", without a fraction", shown(in, secret)
	default:
		detail += ", not " + kindOf(in)
	}
	if !d.lenient {
		detail += remedyOf(in, want)
	}
	d.errs.add(field.TypeInvalid(d.path(), value, detail))
}

// remedyOf a value of the wrong type, if it is mechanical.
func remedyOf(in any, want string) string {
	switch t := in.(type) {
	case float64, int64, int, bool:
		if want == "a string" {
			return "; put it in quotes"
		}
	case string:
		if unquotes(t, want) {
			return "; remove the quotes"
		}
	}
	if _, ok := objectOf(in); ok && want == "a list" {
		return "; begin each entry with a dash"
	}
	return ""
}

// unquotes reports whether the string would be valid without its quotes.
func unquotes(s, want string) bool {
	switch want {
	case "true or false":
		return s == "true" || s == "false"
	case "a whole number":
		_, err := strconv.ParseInt(s, 10, 64)
		return err == nil
	case "a number":
		_, err := strconv.ParseFloat(s, 64)
		return err == nil && !strings.ContainsAny(s, "nNxX_")
	}
	return false
}

func isNumber(in any) bool {
	_, ok := number(in)
	return ok
}

func kindOf(in any) string {
	switch in.(type) {
	case map[string]any, *structpb.Struct:
		return "an object"
	case []any, *structpb.ListValue:
		return "a list"
	case string:
		return "a string"
	case bool:
		return "a boolean"
	case float64, int64, int:
		return "a number"
	case nil:
		return "null"
	}
	return "a value of another type"
}

// finite reports whether f is a number in JSON. A protobuf Struct can contain others.
func finite(f float64) bool {
	return !math.IsNaN(f) && !math.IsInf(f, 0)
}
