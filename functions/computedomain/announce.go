package computedomain

import (
	"strings"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/response"
)

// announce the domains that do not exist yet, all in one result. There is no result when they exist, because a result becomes an event.
func announce(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, domains []domain) {
	var created []string
	for _, d := range domains {
		if _, exists := req.GetObserved().GetResources()[string(d.key)]; !exists {
			created = append(created, d.name)
		}
	}
	if len(created) == 0 {
		return
	}
	response.Normal(rsp, condition.ReasonComputeDomainCreated, "creating ComputeDomain "+strings.Join(condition.Shorten(created), ", "))
}
