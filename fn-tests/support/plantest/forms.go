package plantest

import (
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/conversion"
)

// InComponents is a request whose graph is converted to v1beta1.
func InComponents(t testing.TB, req *fnv1.RunFunctionRequest) *fnv1.RunFunctionRequest {
	t.Helper()
	req = proto.CloneOf(req)
	converted, _ := conversion.ToV1beta1(req.GetObserved().GetComposite().GetResource().AsMap())
	xr, err := structpb.NewStruct(converted)
	if err != nil {
		t.Fatalf("cannot encode the converted graph: %v", err)
	}
	req.Observed.Composite.Resource = xr
	return req
}
