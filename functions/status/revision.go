package status

import (
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// checkRevision refuses a pipeline without step revision. Crossplane would delete the revisions of its graphs, and the next upgrade would
// restart their pods.
func checkRevision(rsp *fnv1.RunFunctionResponse, p *graphplan.Plan) error {
	for key := range rsp.GetDesired().GetResources() {
		if names.IsRevisionKey(key) {
			return nil
		}
	}
	for _, component := range p.Components {
		if component.Written != "" {
			return errors.New("no ControllerRevision is desired: add step revision to the Composition between the steps that build workloads and step status; nothing is changed until then")
		}
	}
	return nil
}

// keepRevisions of the components in the status, which step revision has reported.
func keepRevisions(before, components *structpb.Struct) {
	for name, value := range components.GetFields() {
		if revision, ok := tree.At(before, name).GetFields()["revision"]; ok {
			value.GetStructValue().Fields["revision"] = revision
		}
	}
}
