package observed

import (
	"slices"

	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// referencesOf of the observed composite resource to its composed resources: the list of a modern composite resource, then that of a
// composite resource with scope LegacyCluster. Either may be null.
func referencesOf(req *fnv1.RunFunctionRequest) []*structpb.Value {
	spec := req.GetObserved().GetComposite().GetResource().GetFields()["spec"].GetStructValue().GetFields()
	return []*structpb.Value{spec["crossplane"].GetStructValue().GetFields()["resourceRefs"], spec["resourceRefs"]}
}

// finalizer with which Crossplane holds composite resources that it reconciles. It adds it before it calls any function.
const finalizer = "composite.apiextensions.crossplane.io"

// IsReconciled reports whether Crossplane itself reconciles the observed composite resource. Otherwise it is a preview of a new one, which no
// reconcile follows.
func IsReconciled(req *fnv1.RunFunctionRequest) bool {
	metadata := req.GetObserved().GetComposite().GetResource().GetFields()["metadata"].GetStructValue()
	return slices.ContainsFunc(metadata.GetFields()["finalizers"].GetListValue().GetValues(), func(v *structpb.Value) bool {
		return v.GetStringValue() == finalizer
	})
}
