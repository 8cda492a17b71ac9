package computedomain

import (
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step/retain"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
)

// keep observed domains, and the Usages that protect them, that the plan does not contain. They are removed in three runs of the pipeline:
// first the workload, then the Usage, then the domain. Crossplane deletes objects that are no longer desired in random order, and stops at
// the first deletion that is refused. Pods whose domain was deleted before them would never terminate. The domain of the whole graph is
// only deleted together with the graph.
func keep(call *step.Call) error {
	const graphDomain = string(names.KeyComputeDomain)
	observed, exists := call.Request.GetObserved().GetResources()[graphDomain]
	if _, isDesired := call.Response.GetDesired().GetResources()[graphDomain]; exists && !isDesired {
		retain.Retain(call, names.KeyComputeDomain, observed.GetResource())
	}
	var requirements require.Requirements
	keeper := retain.New(call, &requirements)
	if err := keeper.Keep(isOwn); err != nil {
		return err
	}
	requirements.Write(call.Request, call.Response)
	return nil
}

func isOwn(key string) bool {
	_, _, isDomain := names.ReplicaOfComputeDomain(key)
	return isDomain || names.IsUsage(key)
}
