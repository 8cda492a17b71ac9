package status

import (
	"fmt"
	"strings"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/response"
)

// reasonReferencesRestored is the reason of the event about references that were lost.
const reasonReferencesRestored = "ReferencesRestored"

// reportLost says which objects were found again. The next call finds the references to them where they belong.
func reportLost(rsp *fnv1.RunFunctionResponse, p *graphplan.Plan) {
	if len(p.Lost) == 0 {
		return
	}
	objects := make([]string, 0, len(p.Lost))
	for _, l := range p.Lost {
		objects = append(objects, l.Kind+" "+l.Name)
	}
	response.Normal(rsp, reasonReferencesRestored, fmt.Sprintf("the graph had lost its references to %d of its objects, which are restored: %s",
		len(objects), strings.Join(condition.Shorten(objects), ", ")))
}
