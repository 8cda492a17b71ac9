package applied

import (
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/strict"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// Changes reports whether applying a desired object would change the spec of the observed one: whether a field has a different value, or
// whether a field that Crossplane applied is no longer desired. Defaults of API servers, fields of other managers, and another notation of
// the same quantity are not changes.
//
// A value that an admission webhook rewrites looks like a change forever. Therefore do not wait for this to become false.
func Changes(desired, observed *structpb.Struct) bool {
	owned := ownedBy(observed, "", isCrossplane)
	c := comparison{}
	return c.changes(desired.GetFields()["spec"], observed.GetFields()["spec"], tree.At(owned, prefixField+"spec"))
}

// comparison of a desired value with an observed one.
type comparison struct {
	// quantities says that scalars are quantities, or names next to them.
	quantities bool
}

// changes compares a value. An empty set of owned fields does not show which fields of the value were applied: any observed field that is
// not desired may be a default.
func (c comparison) changes(desired, observed *structpb.Value, owned *structpb.Struct) bool {
	switch want := desired.GetKind().(type) {
	case nil, *structpb.Value_NullValue:
		return false
	case *structpb.Value_StructValue:
		return c.changesFields(want.StructValue, observed.GetStructValue(), owned)
	case *structpb.Value_ListValue:
		return c.changesElements(want.ListValue.GetValues(), observed.GetListValue().GetValues(), owned)
	default:
		same := proto.Equal(desired, observed) || isMissing(observed) && isEmpty(desired) || c.quantities && isSameQuantity(desired, observed)
		return !same
	}
}

func (c comparison) changesFields(desired, observed, owned *structpb.Struct) bool {
	for key := range owned.GetFields() {
		name, ok := strings.CutPrefix(key, prefixField)
		if ok && isMissing(desired.GetFields()[name]) && !isMissing(observed.GetFields()[name]) {
			return true
		}
	}
	for name, value := range desired.GetFields() {
		nested := comparison{quantities: c.quantities || slices.Contains([]string{"resources", "overhead", "sizeLimit", "divisor"}, name)}
		if nested.changes(value, observed.GetFields()[name], tree.At(owned, prefixField+name)) {
			return true
		}
	}
	return false
}

// changesElements compares lists by position: server-side apply keeps the order of the elements that one manager applies.
func (c comparison) changesElements(desired, observed []*structpb.Value, owned *structpb.Struct) bool {
	fields := make([]*structpb.Struct, len(observed))
	if elements := elementsOf(owned); !elements.isEmpty() {
		observed, fields = ownedElements(observed, elements)
	}
	if len(observed) != len(desired) {
		return true
	}
	for i := range desired {
		if c.changes(desired[i], observed[i], fields[i]) {
			return true
		}
	}
	return false
}

// ownedElements of a list, with the owned fields of each.
func ownedElements(list []*structpb.Value, elements elements) (values []*structpb.Value, fields []*structpb.Struct) {
	for _, value := range list {
		if owned, ok := elements.ownedOf(value); ok {
			values, fields = append(values, value), append(fields, owned)
		}
	}
	return values, fields
}

func isMissing(value *structpb.Value) bool {
	_, null := value.GetKind().(*structpb.Value_NullValue)
	return value.GetKind() == nil || null
}

// isEmpty reports whether a value is equivalent to a missing one for API servers.
func isEmpty(value *structpb.Value) bool {
	return value.GetStringValue() == "" && value.GetNumberValue() == 0 && !value.GetBoolValue() &&
		len(value.GetStructValue().GetFields()) == 0 && len(value.GetListValue().GetValues()) == 0
}

// isSameQuantity reports whether two values are the same quantity, such as 500m and 0.5.
func isSameQuantity(a, b *structpb.Value) bool {
	left, okLeft := quantityOf(a)
	right, okRight := quantityOf(b)
	return okLeft && okRight && left.Cmp(right) == 0
}

func quantityOf(value *structpb.Value) (resource.Quantity, bool) {
	if number, ok := value.GetKind().(*structpb.Value_NumberValue); ok {
		return strict.Quantity(strconv.FormatFloat(number.NumberValue, 'f', -1, 64))
	}
	return strict.Quantity(value.GetStringValue())
}
