package status

import (
	"fmt"
	"strings"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/response"
)

// reasonReferencesRestored is the reason of the event about references that were lost.
const reasonReferencesRestored = "ReferencesRestored"

// reasonAdopted is the reason of the event about objects that were taken over.
const reasonAdopted = "Adopted"

// reportLost adds events about the objects that were found again, and about those that were taken over. The references to them exist in the
// next call, so each object is reported once.
func reportLost(rsp *fnv1.RunFunctionResponse, p *graphplan.Plan) {
	var lost, adopted []string
	for _, l := range p.Lost {
		if l.Adopted {
			adopted = append(adopted, l.Kind+" "+l.Name)
			continue
		}
		lost = append(lost, l.Kind+" "+l.Name)
	}
	if len(lost) > 0 {
		response.Normal(rsp, reasonReferencesRestored, fmt.Sprintf("the graph had lost its references to %d of its objects, which are restored: %s",
			len(lost), strings.Join(condition.Shorten(lost), ", ")))
	}
	if len(adopted) > 0 {
		response.Normal(rsp, reasonAdopted, fmt.Sprintf("the graph takes over %d objects that exist, and no pods are restarted: %s",
			len(adopted), strings.Join(condition.Shorten(adopted), ", ")))
	}
}
