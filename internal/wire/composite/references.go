// Package composite reads the fields of a composite resource that Crossplane manages.
package composite

import (
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// References of the observed composite resource to its composed resources: the list of a modern composite resource, then that of a
// composite resource with scope LegacyCluster. Either may be null.
func References(req *fnv1.RunFunctionRequest) []*structpb.Value {
	spec := req.GetObserved().GetComposite().GetResource().GetFields()["spec"].GetStructValue().GetFields()
	return []*structpb.Value{spec["crossplane"].GetStructValue().GetFields()["resourceRefs"], spec["resourceRefs"]}
}
