package topology_test

import (
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest/whole"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
)

// TestNativePlacements shows what Kubernetes is told of a domain.
func TestNativePlacements(t *testing.T) {
	asked := []string{"PodGroup"}
	racked := graphplan.Placement{Domain: "rack", RequiredLabel: "example.org/rack"}
	onKubernetes := func(xr *v1alpha1.DynamoGraphDeployment, more ...plantest.RequestOption) *fnv1.RunFunctionRequest {
		return plantest.Request(xr, append([]plantest.RequestOption{
			plantest.WithGroups("lws", "scheduling"), plantest.WithInput(inputv1alpha1.Policy{Topology: plantest.ThreeLevels("my-topology")}),
		}, more...)...)
	}
	onRack := plantest.Graph(plantest.Placed("", "rack", ""))
	compare(t, map[string]whole.Row[decision]{
		"Required": {
			Reason:  "A PodGroup has the node label of the level.",
			Request: onKubernetes(onRack), Want: decision{Topology: placedBy(racked), Asked: asked},
		},
		"Kept": {
			Reason: "What a PodGroup was created with is kept although the level has another label now.",
			Request: onKubernetes(onRack, plantest.WithObserved("leaderworkerset-worker-0", plantest.SetOfKubernetes(plantest.MarkedWith("rack"))),
				plantest.WithObserved("schedulinggroup-worker-0", plantest.NativeGroup("example.org/old"))),
			Want: decision{Topology: placedBy(graphplan.Placement{Domain: "rack", RequiredLabel: "example.org/old"})},
		},
		"Dropped": {
			Reason: "A constraint that the API server has dropped is still what the graph asks for.",
			Request: onKubernetes(onRack, plantest.WithObserved("leaderworkerset-worker-0", plantest.SetOfKubernetes(plantest.MarkedWith("rack"))),
				plantest.WithObserved("schedulinggroup-worker-0", plantest.NativeGroup(""))),
			Want: decision{Topology: placedBy(racked)},
		},
		"PreferredLater": {
			Reason: "A live graph with a preferred domain is warned.",
			Request: onKubernetes(preferring(plantest.Placed("", "rack", ""), "host", ""), plantest.WithObserved("leaderworkerset-worker-0", plantest.SetOfKubernetes(plantest.MarkedWith("rack"))),
				plantest.WithObserved("schedulinggroup-worker-0", plantest.NativeGroup("example.org/rack"))),
			Want: decision{Topology: placedBy(racked), Said: warned(preferredOfGraph)},
		},
		"Preferred": {
			Reason:  "A new graph that prefers a domain is refused.",
			Request: onKubernetes(preferring(plantest.Placed("", "", ""), "rack", "")),
			Want:    decision{Said: plantest.Refused(subject.NotSupported, rule.NotSupportedHere, preferredOfGraph), Asked: asked},
		},
	})
}
