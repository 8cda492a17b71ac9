package response

import (
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/structs"
)

// status of a composed resource, which belongs to its controller.
const status = "status"

// Set a desired composed resource under its key, and keep all others unchanged.
//
// The object is encoded by encoding/json, and not by composed.From of the SDK, which keeps zero numbers and false, so that server-side
// apply would claim these fields, and drops an empty emptyDir.
// https://github.com/crossplane/function-sdk-go/pull/70
func Set(rsp *fnv1.RunFunctionResponse, key names.Resource, object any) error {
	s, err := structs.Of(object)
	if err != nil {
		return errors.Wrapf(err, "cannot encode composed resource %s", key)
	}
	delete(s.GetFields(), status)
	SetStruct(rsp, key, s)
	return nil
}

// SetStruct is Set for an encoded object.
func SetStruct(rsp *fnv1.RunFunctionResponse, key names.Resource, object *structpb.Struct) {
	if rsp.GetDesired() == nil {
		rsp.Desired = &fnv1.State{}
	}
	if rsp.Desired.Resources == nil {
		rsp.Desired.Resources = map[string]*fnv1.Resource{}
	}
	rsp.Desired.Resources[string(key)] = &fnv1.Resource{Resource: object}
}

// Replace the object of a desired composed resource, which keeps its readiness and its connection details.
func Replace(rsp *fnv1.RunFunctionResponse, key string, object *structpb.Struct) {
	before := rsp.GetDesired().GetResources()[key]
	rsp.Desired.Resources[key] = &fnv1.Resource{Resource: object, ConnectionDetails: before.GetConnectionDetails(), Ready: before.GetReady()}
}

// readySize of the readiness of a resource.
const readySize = 2

// SizeOf of an object in the desired state of a response, in bytes.
func SizeOf(key names.Resource, object any) (int, error) {
	size, err := structs.Size(object, status)
	if err != nil {
		return 0, errors.Wrapf(err, "cannot encode composed resource %s", key)
	}
	inResource := structs.FieldSize(size) + readySize
	return structs.FieldSize(structs.FieldSize(len(key)) + structs.FieldSize(inResource)), nil
}
