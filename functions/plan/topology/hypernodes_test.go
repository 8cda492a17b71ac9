package topology_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest/whole"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// TestMissingTiers shows when a graph waits for HyperNodes that do not exist.
func TestMissingTiers(t *testing.T) {
	onRack := plantest.Graph(plantest.Placed("", "rack", ""))
	missingTier := func(placement graphplan.Placement, tier string) decision {
		topology := placedBy(placement)
		topology.MissingTiers = map[string]string{"Worker": tier}
		return decision{Topology: topology}
	}
	named, first := inTierOf("hard", "example.org/rack"), inTier("rack", "hard", 1)
	compare(t, map[string]whole.Row[decision]{
		"Named": {
			Reason:  "A HyperNode has the name of the tier, whatever its number.",
			Request: onVolcano(onRack, tierNameDialect(), withHyperNodes("", "", "example.org/rack")),
			Want:    decision{Topology: placedBy(named)},
		},
		"NameMissing": {
			Reason:  "A HyperNode of the number without the name does not count for Volcano.",
			Request: onVolcano(onRack, tierNameDialect(), withHyperNodes("", "rack", "example.org/zone")),
			Want:    missingTier(named, "tierName example.org/rack"),
		},
		"Numbered": {
			Reason:  "A HyperNode has the number of the tier, whatever its name.",
			Request: onVolcano(onRack, tierDialect(), withHyperNodes("", "other")),
			Want:    decision{Topology: placedBy(first)},
		},
		"NumberMissing": {
			Reason:  "A narrower HyperNode is not the domain that was asked for.",
			Request: onVolcano(onRack, tierDialect(), withHyperNodes("")),
			Want:    missingTier(first, "tier 1"),
		},
		"None": {
			Reason:  "The API is served, but there is no HyperNode.",
			Request: onVolcano(onRack, tierDialect(), withHyperNodes()),
			Want:    missingTier(first, "tier 1"),
		},
		"NotServed": {
			Reason:  "Where HyperNodes are not served, there are none.",
			Request: onVolcano(onRack, tierNameDialect(), withHyperNodes("", "example.org/rack"), plantest.WithoutObject("apiservice-hypernode")),
			Want:    missingTier(named, "tierName example.org/rack"),
		},
		"Preferred": {
			Reason:  "A domain that is only preferred does not have to exist.",
			Request: onVolcano(preferring(plantest.Placed("", "", ""), "", "rack"), tierNameDialect(), withHyperNodes()),
			Want:    decision{Topology: placedBy(preferred(inTierOf("soft", "example.org/rack")))},
		},
		"Unreadable": {
			Reason: "A HyperNode that cannot be read is not one of the tier.",
			Request: onVolcano(onRack, tierDialect(), func(req *fnv1.RunFunctionRequest) {
				req.RequiredResources["hypernodes"] = plantest.Objects(`{"apiVersion":"topology.volcano.sh/v1alpha1","kind":"HyperNode","metadata":{"name":"a"},"spec":{"tier":"first"}}`)
			}),
			Want: missingTier(first, "tier 1"),
		},
	})
}

// TestHyperNodesAreLookedUp shows which graphs Crossplane wakes when a HyperNode changes, and that it is never asked for a kind that the
// cluster does not serve.
func TestHyperNodesAreLookedUp(t *testing.T) {
	const api = "apiservice-hypernode"
	without := func(names ...string) plantest.RequestOption {
		return func(req *fnv1.RunFunctionRequest) {
			for _, name := range names {
				delete(req.GetRequiredResources(), name)
			}
		}
	}
	onRack := plantest.Graph(plantest.Placed("", "rack", ""))
	cases := map[string]struct {
		reason  string
		req     *fnv1.RunFunctionRequest
		want    []string
		planned bool
	}{
		"Asked":       {reason: "The API comes first.", req: onVolcano(onRack, tierDialect(), without(api, "hypernodes")), want: []string{api}},
		"Served":      {reason: "All HyperNodes of the cluster are looked up.", req: onVolcano(onRack, tierDialect(), without("hypernodes")), want: []string{api, "hypernodes"}},
		"NotServed":   {reason: "Crossplane could not look up what is not served.", req: onVolcano(onRack, tierDialect(), without("hypernodes"), plantest.WithoutObject(api)), want: []string{api}, planned: true},
		"Unpacked":    {reason: "A graph without constraints does not depend on them.", req: onVolcano(plantest.Graph(plantest.Placed("", "", "")), tierDialect()), planned: true},
		"Preferred":   {reason: "A domain that is only preferred does not have to exist.", req: onVolcano(preferring(plantest.Placed("", "", ""), "", "rack"), tierDialect()), planned: true},
		"OnOneNode":   {reason: "Volcano packs no pods of one node.", req: onVolcano(plantest.Graph(plantest.InTopology("my-topology", ""), packedOnOneNode), tierDialect()), planned: true},
		"OtherGangs":  {reason: "KAI packs by node labels.", req: onKAI(onRack), planned: true},
		"PackedByLWS": {reason: "The LWS operator's own gangs know no topology.", req: onVolcano(onRack, tierDialect(), gangsOfLWS()), planned: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			rsp := whole.Run(t, tc.req).Response
			var got []string
			for name, selector := range rsp.GetRequirements().GetResources() {
				if name != api && name != "hypernodes" {
					continue
				}
				got = append(got, name)
				if selector.Namespace != nil {
					t.Errorf("%s\nwant no namespace for a cluster-scoped kind, got %q", tc.reason, selector.GetNamespace())
				}
			}
			slices.Sort(got)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nlooked up: -want, +got:\n%s", tc.reason, diff)
			}
			if planned := rsp.GetContext() != nil; planned != tc.planned {
				t.Errorf("%s\nwant a plan: %t, got %t", tc.reason, tc.planned, planned)
			}
		})
	}
}

// packedOnOneNode packs a component that does not span nodes.
func packedOnOneNode(xr *v1alpha1.DynamoGraphDeployment) {
	plantest.Changed("Worker", plantest.InDomain("rack"))(xr)
}

// onKAI is a request for a graph on LeaderWorkerSets and KAI.
func onKAI(xr *v1alpha1.DynamoGraphDeployment) *fnv1.RunFunctionRequest {
	return plantest.Request(xr, plantest.WithGroups("lws", "kai"), plantest.WithKAIQueue(), plantest.WithInput(inputv1alpha1.Policy{Topology: plantest.ThreeLevels("my-topology")}))
}

// gangsOfLWS is the input of a platform that lets the LWS operator make the PodGroups.
func gangsOfLWS() plantest.RequestOption {
	return plantest.WithInput(inputv1alpha1.Policy{Topology: plantest.ThreeLevels("my-topology"), LWS: inputv1alpha1.LWS{GangProvider: inputv1alpha1.GangProviderLWS}})
}
