package status

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	schedulingv1beta1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/scheduling/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
)

// unpacked are the names of components with a gang of Kubernetes that does not have the constraint of its plan, sorted: while a gate is off, the API
// server drops it from a new PodGroup without a word.
func unpacked(req *fnv1.RunFunctionRequest, p *graphplan.Plan) []string {
	if p.LWS.Gang.Provider != graphplan.GangKubernetes {
		return nil
	}
	lacking := map[string]bool{}
	for key, r := range req.GetObserved().GetResources() {
		lower, ok := names.PodGroupOf(key)
		if !ok || observed.KindOf(r.GetResource()) != observed.KindNativePodGroup {
			continue
		}
		group := schedulingv1beta1.PodGroup{}
		if err := require.Into(r.GetResource(), &group); err == nil && group.Spec.TopologyKey() == "" {
			lacking[lower] = true
		}
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(p.Topology.Placements)), func(name string) bool { return !lacking[names.Lower(name)] })
}

func reportUnpacked(rsp *fnv1.RunFunctionResponse, components []string) {
	condition.False(rsp, condition.TypeTopologyLevelsAvailable, condition.ReasonTopologyLevelsUnavailable,
		fmt.Sprintf("Kubernetes has dropped the constraint from the PodGroups of %s, whose pods are scheduled together and not packed: feature gate %s is off in the API server; turn it on there and in the scheduler, then restart the graph",
			strings.Join(components, ", "), schedulingv1beta1.GateTopology))
}
