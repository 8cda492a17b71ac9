package desired

import (
	"google.golang.org/protobuf/proto"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"
)

// Size of an object in a response that has it in its desired state, in bytes.
func Size(key resource.Name, object any) (int, error) {
	s, err := toStruct(object)
	if err != nil {
		return 0, errors.Wrapf(err, "cannot encode composed resource %s", key)
	}
	return proto.Size(&fnv1.State{Resources: map[string]*fnv1.Resource{
		string(key): {Resource: s, Ready: fnv1.Ready_READY_TRUE},
	}}), nil
}
