package status

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/grovev1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/require"
)

// reportTopology says whether the levels that the graph is packed by exist: by the topology object itself, then, where
// Grove runs the graph, by what Grove reports. It returns whether they do.
func reportTopology(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, p *graphplan.Plan) bool {
	const conditionType = condition.TypeTopologyLevelsAvailable
	t := p.Topology
	if t.NotFound {
		condition.False(rsp, conditionType, condition.ReasonTopologyDefinitionNotFound, fmt.Sprintf("topology %s does not exist", t.Name))
		return false
	}
	if len(t.Missing) > 0 {
		condition.False(rsp, conditionType, condition.ReasonTopologyLevelsUnavailable,
			fmt.Sprintf("topology %s has no level %s", t.Name, strings.Join(t.Missing, ", ")))
		return false
	}
	if p.Orchestrator != graphplan.Grove {
		condition.True(rsp, conditionType, condition.ReasonAllTopologyLevelsAvailable, "")
		return true
	}
	return reportGrove(rsp, groveCondition(req))
}

// reportGrove says what Grove reports. Its condition has negative polarity, and its Unknown is not an all-clear.
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
	observed := req.GetObserved().GetResources()[string(names.KeyPodCliqueSet)].GetResource()
	set := &grovev1alpha1.PodCliqueSet{}
	if observed == nil || require.Into(observed, set) != nil {
		return nil
	}
	for i := range set.Status.Conditions {
		if set.Status.Conditions[i].Type == grovev1alpha1.ConditionTopologyLevelsUnavailable {
			return &set.Status.Conditions[i]
		}
	}
	return nil
}
