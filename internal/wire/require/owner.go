package require

import (
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
)

// Owner controls an object.
type Owner struct {
	APIVersion, Kind, Name, UID string

	// Claim of the owner. Empty if there is none.
	Claim string
}

// String is an owner in messages: its kind and name, and the claim that users know.
func (o Owner) String() string {
	if o.Claim != "" {
		return o.Kind + " " + o.Name + " (claim " + o.Claim + ")"
	}
	return strings.TrimSpace(o.Kind + " " + o.Name)
}

// Controller of an object. It returns false if there is none.
func Controller(object *structpb.Struct) (Owner, bool) {
	owners := metadataOf(object)["ownerReferences"].GetListValue()
	for _, owner := range owners.GetValues() {
		if fields := owner.GetStructValue().GetFields(); fields["controller"].GetBoolValue() {
			return Owner{
				APIVersion: fields["apiVersion"].GetStringValue(), Kind: fields["kind"].GetStringValue(),
				Name: fields["name"].GetStringValue(), UID: fields["uid"].GetStringValue(),
				Claim: labelsOf(object)[metadata.LabelClaimName].GetStringValue(),
			}, true
		}
	}
	return Owner{}, false
}

// IsControlled reports whether anybody controls an object.
func IsControlled(object *structpb.Struct) bool {
	_, ok := Controller(object)
	return ok
}

// ControlledBy reports whether the composite resource of a request controls an object.
func ControlledBy(object *structpb.Struct, req *fnv1.RunFunctionRequest) bool {
	uid := metadataOf(req.GetObserved().GetComposite().GetResource())["uid"].GetStringValue()
	owner, ok := Controller(object)
	return ok && uid != "" && owner.UID == uid
}

// ControlledByNamesake reports whether an object belongs to a previous composite resource with the same name, or of the same claim, which
// was deleted and which the composite resource of the request replaced.
func ControlledByNamesake(object *structpb.Struct, req *fnv1.RunFunctionRequest) bool {
	xr := req.GetObserved().GetComposite().GetResource()
	owner, ok := Controller(object)
	if !ok || ControlledBy(object, req) || owner.Kind != xr.GetFields()["kind"].GetStringValue() || group(owner.APIVersion) != group(xr.GetFields()["apiVersion"].GetStringValue()) {
		return false
	}
	claim := xr.GetFields()["spec"].GetStructValue().GetFields()["claimRef"].GetStructValue().GetFields()
	if name := claim["name"].GetStringValue(); name != "" {
		return owner.Claim == name && labelsOf(object)[metadata.LabelClaimNamespace].GetStringValue() == claim["namespace"].GetStringValue()
	}
	return owner.Name == metadataOf(xr)["name"].GetStringValue()
}

// IsDeleting reports whether an object is being deleted.
func IsDeleting(object *structpb.Struct) bool {
	return metadataOf(object)["deletionTimestamp"].GetStringValue() != ""
}

func metadataOf(object *structpb.Struct) map[string]*structpb.Value {
	return object.GetFields()["metadata"].GetStructValue().GetFields()
}

func labelsOf(object *structpb.Struct) map[string]*structpb.Value {
	return metadataOf(object)["labels"].GetStructValue().GetFields()
}

func group(apiVersion string) string {
	group, _, _ := strings.Cut(apiVersion, "/")
	return group
}
