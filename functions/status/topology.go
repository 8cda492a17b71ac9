package status

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod/override"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/response"
)

// topologySettled reports on the topology of a graph with constraints, and returns whether there is nothing to wait for. Only Grove knows
// what constraints in its own form mean.
func topologySettled(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, g *graph.Graph, p *graphplan.Plan) bool {
	switch {
	case p.Topology != nil:
		defer warnOfTopology(req, rsp)
		return reportTopology(req, rsp, p)
	case p.Orchestrator == graphplan.Grove && len(override.Constraints(g)) > 0:
		defer warnOfTopology(req, rsp)
		return reportGrove(rsp, groveCondition(req))
	default:
		return true
	}
}

// reportTopology reports whether the levels in the graph exist: according to the topology itself, to the HyperNodes if Volcano packs, and if
// Grove runs the graph, according to what Grove reports. It returns whether there is nothing to wait for.
func reportTopology(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, p *graphplan.Plan) bool {
	const conditionType = condition.TypeTopologyLevelsAvailable
	t, lacking := p.Topology, unpacked(req, p)
	switch {
	case t.Undefined:
		condition.False(rsp, conditionType, condition.ReasonTopologyDefinitionNotFound,
			fmt.Sprintf("topology %[1]s is not defined: Grove is not installed, and the platform has no profile %[1]s", t.Name))
		return true
	case t.NotFound:
		condition.False(rsp, conditionType, condition.ReasonTopologyDefinitionNotFound, fmt.Sprintf("topology %s does not exist", t.Name))
		return false
	case len(t.Missing) > 0:
		condition.False(rsp, conditionType, condition.ReasonTopologyLevelsUnavailable,
			fmt.Sprintf("topology %s has no level %s", t.Name, strings.Join(t.Missing, ", ")))
		return false
	case len(lacking) > 0:
		reportUnpacked(rsp, lacking)
		return true
	case len(t.MissingTiers) > 0:
		reportMissingTiers(rsp, t.MissingTiers)
		return false
	case p.Orchestrator != graphplan.Grove || t.Unwritten:
		condition.True(rsp, conditionType, condition.ReasonAllTopologyLevelsAvailable, "")
		return true
	default:
		return reportGrove(rsp, groveCondition(req))
	}
}

// warnOfTopology once, when the condition becomes False: Crossplane creates an event for each result in each call.
func warnOfTopology(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse) {
	const conditionType = condition.TypeTopologyLevelsAvailable
	if before := condition.Find(condition.OfComposite(req), conditionType); before != nil && before.Status == string(metav1.ConditionFalse) {
		return
	}
	for _, c := range rsp.GetConditions() {
		if c.GetType() == conditionType && c.GetStatus() == fnv1.Status_STATUS_CONDITION_FALSE {
			response.Warning(rsp, c.GetReason(), c.GetMessage())
		}
	}
}

// reportGrove reports the condition of Grove. It has negative polarity, and Unknown does not mean that all is well.
func reportGrove(rsp *fnv1.RunFunctionResponse, grove *metav1.Condition) bool {
	const conditionType = condition.TypeTopologyLevelsAvailable
	switch {
	case grove == nil:
		condition.Unknown(rsp, conditionType, condition.ReasonTopologyConditionPending, "Grove has not reported on the topology yet")
	case grove.Status == metav1.ConditionFalse:
		condition.True(rsp, conditionType, condition.ReasonAllTopologyLevelsAvailable, "")
		return true
	case grove.Status == metav1.ConditionTrue:
		condition.False(rsp, conditionType, condition.ReasonTopologyLevelsUnavailable, grove.Message)
	case grove.Reason == grovev1alpha1.ReasonClusterTopologyNotFound:
		condition.False(rsp, conditionType, condition.ReasonTopologyDefinitionNotFound, grove.Message)
	default:
		condition.Unknown(rsp, conditionType, condition.ReasonTopologyConditionPending, grove.Message)
	}
	return false
}

func groveCondition(req *fnv1.RunFunctionRequest) *metav1.Condition {
	object := req.GetObserved().GetResources()[string(names.KeyPodCliqueSet)].GetResource()
	if object == nil {
		return nil
	}
	set, err := observed.ProgressOfPodCliqueSet(object)
	if err != nil {
		return nil
	}
	for i := range set.Status.Conditions {
		if set.Status.Conditions[i].Type == grovev1alpha1.ConditionTopologyLevelsUnavailable {
			return &set.Status.Conditions[i]
		}
	}
	return nil
}
