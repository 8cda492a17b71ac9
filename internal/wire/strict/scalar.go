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

func (d *decoder) scalar(in *structpb.Value, v reflect.Value, secret bool) {
	switch v.Kind() {
	case reflect.String:
		s, ok := text(in)
		if !ok {
			d.wrongType(in, "a string", secret)
			return
		}
		v.SetString(s)
	case reflect.Bool:
		b, ok := in.GetKind().(*structpb.Value_BoolValue)
		if !ok {
			d.wrongType(in, "true or false", secret)
			return
		}
		v.SetBool(b.BoolValue)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		d.integer(in, v, secret)
	case reflect.Float32, reflect.Float64:
		f, ok := in.GetKind().(*structpb.Value_NumberValue)
		if !ok {
			d.wrongType(in, "a number", secret)
			return
		}
		v.SetFloat(f.NumberValue)
	default:
		d.errs.add(field.InternalError(d.path(), errors.Errorf("cannot decode into a %s", v.Type())))
	}
}

func (d *decoder) integer(in *structpb.Value, v reflect.Value, secret bool) {
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

func (d *decoder) bytes(in *structpb.Value, v reflect.Value, secret bool) {
	s, ok := text(in)
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

// text of a value that is one.
func text(in *structpb.Value) (string, bool) {
	_, ok := in.GetKind().(*structpb.Value_StringValue)
	return in.GetStringValue(), ok
}

// whole is in as an integer, if it is exactly one.
func whole(in *structpb.Value) (int64, bool) {
	n, ok := in.GetKind().(*structpb.Value_NumberValue)
	// 2^63 itself is a float64, but not an int64.
	if !ok || n.NumberValue != math.Trunc(n.NumberValue) || n.NumberValue < math.MinInt64 || n.NumberValue >= math.MaxInt64 {
		return 0, false
	}
	return int64(n.NumberValue), true
}

// wrongType reports that in does not have the type of the field. The value is not shown, whatever the field is for: what stands in the wrong
// place may be a credential. Only a number stays a number.
func (d *decoder) wrongType(in *structpb.Value, want string, secret bool) {
	kind := kindOf(in)
	detail, value := "must be "+want, any(field.OmitValueType{})
	if want == "a whole number" && kind == "a number" {
		detail, value = detail+", without a fraction", shown(in, secret)
	} else {
		detail += ", not " + kind
	}
	if !d.Lenient {
		detail += remedyOf(in, kind, want)
	}
	d.errs.add(field.TypeInvalid(d.path(), value, detail))
}

// remedyOf a value of the wrong type, if it is mechanical.
func remedyOf(in *structpb.Value, kind, want string) string {
	switch {
	case want == "a string" && (kind == "a number" || kind == "a boolean"):
		return "; put it in quotes"
	case kind == "a string" && unquotes(in.GetStringValue(), want):
		return "; remove the quotes"
	case want == "a list" && kind == "an object":
		return "; begin each entry with a dash"
	default:
		return ""
	}
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

func kindOf(in *structpb.Value) string {
	switch in.GetKind().(type) {
	case *structpb.Value_StructValue:
		return "an object"
	case *structpb.Value_ListValue:
		return "a list"
	case *structpb.Value_StringValue:
		return "a string"
	case *structpb.Value_BoolValue:
		return "a boolean"
	case *structpb.Value_NumberValue:
		return "a number"
	default:
		return "null"
	}
}
