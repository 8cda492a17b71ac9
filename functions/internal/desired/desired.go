// Package desired converts typed Kubernetes objects to desired composed resources.
package desired

import (
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/resource"
)

// Set a desired composed resource under its key, and keep all others unchanged.
//
// The object is encoded by encoding/json, and not by composed.From of the SDK, which keeps zero numbers and false, so that server-side
// apply would claim these fields, and drops an empty emptyDir.
// https://github.com/crossplane/function-sdk-go/pull/70
func Set(rsp *fnv1.RunFunctionResponse, key resource.Name, object any) error {
	s, err := toStruct(object)
	if err != nil {
		return errors.Wrapf(err, "cannot encode composed resource %s", key)
	}
	SetStruct(rsp, key, s)
	return nil
}

// SetStruct is Set for an encoded object.
func SetStruct(rsp *fnv1.RunFunctionResponse, key resource.Name, object *structpb.Struct) {
	if rsp.GetDesired() == nil {
		rsp.Desired = &fnv1.State{}
	}
	if rsp.Desired.Resources == nil {
		rsp.Desired.Resources = map[string]*fnv1.Resource{}
	}
	rsp.Desired.Resources[string(key)] = &fnv1.Resource{Resource: object}
}
