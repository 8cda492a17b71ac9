// Package composite reads what Crossplane keeps in a composite resource.
package composite

import (
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// References of the observed composite resource to what is composed: a list of those of a modern one, then of those of one of
// scope LegacyCluster. Either may be null.
func References(req *fnv1.RunFunctionRequest) []*structpb.Value {
	spec := req.GetObserved().GetComposite().GetResource().GetFields()["spec"].GetStructValue().GetFields()
	return []*structpb.Value{spec["crossplane"].GetStructValue().GetFields()["resourceRefs"], spec["resourceRefs"]}
}
