// Package applied extracts what Crossplane applied of an observed object, so that a step can desire the object without changes: applying
// that again changes nothing.
package applied

import (
	"maps"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/managed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// managerPrefix of the field managers with which Crossplane applies composed resources. Each composite resource has its own.
// https://github.com/crossplane/crossplane/blob/v2.4.0/internal/controller/apiextensions/composite/composition_functions.go#L124
const managerPrefix = "apiextensions.crossplane.io/composed/"

// ManagerOfComposites is the field manager with which Crossplane applies the references and the status of a composite resource.
// https://github.com/crossplane/crossplane/blob/v2.4.0/internal/controller/apiextensions/composite/composition_functions.go#L117
const ManagerOfComposites = "apiextensions.crossplane.io/composite"

// Of is what Crossplane applied of an observed object, without what Crossplane adds to each composed resource itself (owner references, its
// own label and annotation). Fields of other managers, and defaults of the API server, are left out, because desiring them would take them
// from their managers.
//
// ok is false if this cannot be determined: if the object has field managers and Crossplane is not one of them, or if Crossplane applied it
// in another version. An object without field managers, such as one that a user passes to a preview, is returned without the fields that
// servers write.
func Of(observed *structpb.Struct) (object *structpb.Struct, ok bool) {
	if len(managed.Fields(observed)) == 0 {
		return whole(observed), observed != nil
	}
	return Exactly(observed)
}

// Kept is Of for an object that stays for a while as it is. If it is not known what Crossplane applied, it is the whole object: to own all of its
// fields until then changes nothing, and to lose it would.
func Kept(observed *structpb.Struct) *structpb.Struct {
	if object, ok := Of(observed); ok {
		return object
	}
	return whole(observed)
}

// Exactly is Of for an object that must not change under any circumstances: ok is also false if the object has no field managers.
func Exactly(observed *structpb.Struct) (object *structpb.Struct, ok bool) {
	owned := ownedBy(observed, "", isCrossplane)
	if owned == nil {
		return nil, false
	}
	extracted, _ := extract(structpb.NewStructValue(observed), owned)
	return identify(extracted.GetStructValue(), observed), true
}

// isCrossplane reports whether Crossplane applies composed resources with a field manager.
func isCrossplane(manager string) bool { return strings.HasPrefix(manager, managerPrefix) }

// StatusOf is the part of the status of a composite resource that Crossplane applied for functions. Conditions are left out, because
// Crossplane adds them itself. ok is false if this cannot be determined.
func StatusOf(composite *structpb.Struct) (status *structpb.Struct, ok bool) {
	owned := ownedBy(composite, "status", func(manager string) bool { return manager == ManagerOfComposites })
	if owned == nil {
		return nil, false
	}
	extracted, _ := extract(structpb.NewStructValue(composite), owned)
	fields := map[string]*structpb.Value{}
	maps.Copy(fields, tree.At(extracted.GetStructValue(), "status").GetFields())
	delete(fields, "conditions")
	return &structpb.Struct{Fields: fields}, true
}

// Written is when Crossplane last changed the two parts of the status of a composite resource: its fields, which it applies, and the
// conditions, which it updates. It is the zero time for a part that Crossplane has not changed.
type Written struct{ Fields, Conditions time.Time }

// StatusWritten is when Crossplane changed the status of a composite resource. ok is false if this cannot be determined.
func StatusWritten(composite *structpb.Struct) (written Written, ok bool) {
	for _, entry := range managed.Fields(composite) {
		fields := entry.GetStructValue().GetFields()
		writtenAt, err := time.Parse(time.RFC3339, fields["time"].GetStringValue())
		if err != nil || fields["subresource"].GetStringValue() != "status" {
			continue
		}
		part := &written.Conditions
		if fields["manager"].GetStringValue() == ManagerOfComposites {
			part, ok = &written.Fields, true
		}
		if writtenAt.After(*part) {
			*part = writtenAt
		}
	}
	return written, ok
}

// ownedBy a manager that applies an object, or a subresource of it, in the observed version. nil if there is none.
func ownedBy(object *structpb.Struct, subresource string, is func(manager string) bool) *structpb.Struct {
	for _, entry := range managed.Fields(object) {
		fields := entry.GetStructValue().GetFields()
		if is(fields["manager"].GetStringValue()) && fields["operation"].GetStringValue() == "Apply" &&
			fields["subresource"].GetStringValue() == subresource &&
			fields["apiVersion"].GetStringValue() == object.GetFields()["apiVersion"].GetStringValue() {
			return tree.At(entry.GetStructValue(), "fieldsV1")
		}
	}
	return nil
}

// identify an object as the observed one, and remove what Crossplane adds to each composed resource.
func identify(object, observed *structpb.Struct) *structpb.Struct {
	if object.GetFields() == nil {
		object = &structpb.Struct{Fields: map[string]*structpb.Value{}}
	}
	own := map[string]*structpb.Value{}
	maps.Copy(own, tree.At(object, "metadata").GetFields())
	delete(own, "ownerReferences")
	without(own, "labels", metadata.LabelComposite, metadata.LabelClaimName, metadata.LabelClaimNamespace)
	without(own, "annotations", metadata.AnnotationCompositionResourceName)
	for _, key := range []string{"name", "namespace"} {
		if value, ok := tree.At(observed, "metadata").GetFields()[key]; ok {
			own[key] = value
		}
	}
	for _, key := range []string{"apiVersion", "kind"} {
		object.Fields[key] = observed.GetFields()[key]
	}
	object.Fields["metadata"] = structpb.NewStructValue(&structpb.Struct{Fields: own})
	return object
}

// without some keys of a map in metadata, which is removed together with its last key.
func without(own map[string]*structpb.Value, name string, keys ...string) {
	values, ok := own[name]
	if !ok {
		return
	}
	left := map[string]*structpb.Value{}
	for key, value := range values.GetStructValue().GetFields() {
		if !slices.Contains(keys, key) {
			left[key] = value
		}
	}
	if len(left) == 0 {
		delete(own, name)
		return
	}
	own[name] = structpb.NewStructValue(&structpb.Struct{Fields: left})
}

// whole is an observed object without its status, without what the API server writes to its metadata, and without what Crossplane adds to
// each composed resource itself. Applying it changes nothing, but takes all of its fields from their managers.
func whole(observed *structpb.Struct) *structpb.Struct {
	object := &structpb.Struct{Fields: map[string]*structpb.Value{}}
	for key, value := range observed.GetFields() {
		if key != "status" {
			object.Fields[key] = value
		}
	}
	own := map[string]*structpb.Value{}
	for key, value := range tree.At(observed, "metadata").GetFields() {
		if slices.Contains([]string{"labels", "annotations", "finalizers"}, key) {
			own[key] = value
		}
	}
	object.Fields["metadata"] = structpb.NewStructValue(&structpb.Struct{Fields: own})
	return identify(object, observed)
}
