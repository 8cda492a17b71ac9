package topology_test

import (
	"fmt"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	volcanov1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest/whole"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// withPodGroupSchema delivers the schema of PodGroup, whose network topology has these properties. Without any it is empty.
func withPodGroupSchema(properties ...string) plantest.RequestOption {
	return func(req *fnv1.RunFunctionRequest) {
		schema := &fnv1.Schema{}
		if len(properties) > 0 {
			known := map[string]apiextensionsv1.JSONSchemaProps{}
			for _, name := range properties {
				known[name] = apiextensionsv1.JSONSchemaProps{}
			}
			schema.OpenapiV3 = plantest.Struct(withProperty("spec", withProperty("networkTopology", apiextensionsv1.JSONSchemaProps{Properties: known})))
		}
		req.RequiredSchemas["schema-podgroup"] = schema
	}
}

// withProperty is the schema of an object with a property.
func withProperty(name string, property apiextensionsv1.JSONSchemaProps) apiextensionsv1.JSONSchemaProps {
	return apiextensionsv1.JSONSchemaProps{Properties: map[string]apiextensionsv1.JSONSchemaProps{name: property}}
}

// onVolcano is a request for a graph on LeaderWorkerSets and Volcano, with the settings of the platform for Volcano, and with HyperNodes of
// every tier.
func onVolcano(xr *v1alpha1.DynamoGraphDeployment, volcano inputv1alpha1.Volcano, more ...plantest.RequestOption) *fnv1.RunFunctionRequest {
	return plantest.Request(xr, append([]plantest.RequestOption{
		plantest.WithGroups("lws", "volcano"), plantest.WithVolcanoQueue("Open"), plantest.WithInput(inputv1alpha1.Policy{Topology: plantest.ThreeLevels("my-topology"), Volcano: volcano}),
		withHyperNodes("example.org/host", "example.org/rack", "example.org/zone", "old", "", "other"),
	}, more...)...)
}

// withHyperNodes delivers a HyperNode for each tier, from 0 on, by the name of the tier.
func withHyperNodes(tierNames ...string) plantest.RequestOption {
	return func(req *fnv1.RunFunctionRequest) {
		plantest.WithServed("hypernode")(req)
		var all []any
		for tier, name := range tierNames {
			all = append(all, fmt.Sprintf(`{"apiVersion":"topology.volcano.sh/v1alpha1","kind":"HyperNode","metadata":{"name":"domain-%[1]d"},"spec":{"tier":%[1]d,"tierName":%[2]q}}`, tier, name))
		}
		req.RequiredResources["hypernodes"] = plantest.Objects(all...)
	}
}

// Dialects that the platform names.
func tierDialect() inputv1alpha1.Volcano {
	return inputv1alpha1.Volcano{TopologyDialect: inputv1alpha1.VolcanoDialectTier}
}

func tierNameDialect() inputv1alpha1.Volcano {
	return inputv1alpha1.Volcano{TopologyDialect: inputv1alpha1.VolcanoDialectTierName}
}

// inTier is a placement by the number of a tier.
func inTier(domain, mode string, tier int) graphplan.Placement {
	return graphplan.Placement{Domain: domain, Network: &graphplan.NetworkTopology{Mode: mode, HighestTierAllowed: &tier}}
}

// inTierOf is a placement by the name of a tier.
func inTierOf(mode, name string) graphplan.Placement {
	return graphplan.Placement{Domain: "rack", Network: &graphplan.NetworkTopology{Mode: mode, HighestTierName: name}}
}

// preferred makes the domain of a placement one that is only preferred.
func preferred(placement graphplan.Placement) graphplan.Placement {
	placement.Domain, placement.PreferredDomain = "", placement.Domain
	return placement
}

// TestNetwork shows what Volcano is told of a domain.
func TestNetwork(t *testing.T) {
	named, first := inTierOf("hard", "example.org/rack"), inTier("rack", "hard", 1)
	asked := []string{"PodGroup"}
	asDetected := inputv1alpha1.Volcano{}
	onRack := plantest.Graph(plantest.Placed("", "rack", ""))
	compare(t, map[string]whole.Row[decision]{
		"NewVolcano": {
			Reason:  "A Volcano of today knows tiers by name, and the name is the node label.",
			Request: onVolcano(onRack, asDetected, withPodGroupSchema("highestTierAllowed", "highestTierName")),
			Want:    decision{Topology: placedBy(named), Asked: asked},
		},
		"OldVolcano": {
			Reason:  "An older Volcano knows tiers by number, counted from the host upwards.",
			Request: onVolcano(onRack, asDetected, withPodGroupSchema("highestTierAllowed")),
			Want:    decision{Topology: placedBy(first), Asked: asked},
		},
		"NoSchema": {
			Reason:  "A schema that is not there tells nothing.",
			Request: onVolcano(onRack, asDetected, withPodGroupSchema()),
			Want:    decision{Topology: placedBy(named), Asked: asked},
		},
		"SchemaNotDelivered": {
			Reason:  "There is no plan until the schema of PodGroup is known.",
			Request: onVolcano(onRack, asDetected),
			Want:    decision{Asked: asked},
		},
		"CallerCannotTell": {
			Reason:  "If its version cannot be detected, Volcano is assumed to be new.",
			Request: onVolcano(onRack, asDetected, plantest.WithoutCapabilities()),
			Want:    decision{Topology: placedBy(named)},
		},
		"InputTierName": {
			Reason:  "The platform can name the dialect of Volcano, and then nothing is looked up.",
			Request: onVolcano(onRack, tierNameDialect()),
			Want:    decision{Topology: placedBy(named)},
		},
		"InputTier": {
			Reason:  "The platform can name the dialect of an older Volcano, and then nothing is looked up.",
			Request: onVolcano(plantest.Graph(plantest.Placed("zone", "", "")), tierDialect()),
			Want:    decision{Topology: placedBy(inTier("zone", "hard", 2)), Said: warned(domainOfGraph)},
		},
		"InputTiers": {
			Reason:  "The platform can name the tiers themselves, which take precedence over the dialect.",
			Request: onVolcano(onRack, inputv1alpha1.Volcano{TopologyDialect: inputv1alpha1.VolcanoDialectTierName, Tiers: map[string]int{"rack": 5}}),
			Want:    decision{Topology: placedBy(inTier("rack", "hard", 5))},
		},
		"OtherTiers": {
			Reason:  "The tier of a domain that the platform does not list is counted from the host upwards.",
			Request: onVolcano(onRack, inputv1alpha1.Volcano{TopologyDialect: inputv1alpha1.VolcanoDialectTier, Tiers: map[string]int{"zone": 5}}),
			Want:    decision{Topology: placedBy(first)},
		},
		"Preferred": {
			Reason:  "A domain that is only preferred makes the mode soft.",
			Request: onVolcano(preferring(plantest.Placed("", "", ""), "", "rack"), tierNameDialect()),
			Want:    decision{Topology: placedBy(preferred(inTierOf("soft", "example.org/rack")))},
		},
		"PreferredByGraph": {
			Reason:  "A domain that the graph only prefers makes the mode soft.",
			Request: onVolcano(preferring(plantest.Placed("", "", ""), "rack", ""), tierDialect()),
			Want:    decision{Topology: placedBy(preferred(inTier("rack", "soft", 1)))},
		},
		"RequiredAndPreferred": {
			Reason:  "There is only one mode, and what is required goes first.",
			Request: onVolcano(preferring(plantest.Placed("", "zone", ""), "", "rack"), tierDialect()),
			Want:    decision{Topology: placedBy(inTier("zone", "hard", 2)), Said: warned(preferredOfWorker)},
		},
		"Host": {
			Reason:  "No HyperNode is as small as a machine.",
			Request: onVolcano(plantest.Graph(plantest.Placed("", "host", "")), tierDialect()),
			Want:    decision{Topology: placedBy(inTier("host", "hard", 0)), Said: warned(domainOfWorker)},
		},
		"ProviderLWS": {
			Reason:  "The LWS operator's own gangs know no topology, so its dialect is not asked for.",
			Request: onVolcano(onRack, asDetected, plantest.WithInput(inputv1alpha1.Policy{Topology: plantest.ThreeLevels("my-topology"), LWS: inputv1alpha1.LWS{GangProvider: inputv1alpha1.GangProviderLWS}})),
			Want:    decision{Topology: myTopology(""), Said: warned(onGraph)},
		},
		"NoConstraint": {
			Reason:  "A profile alone asks for nothing.",
			Request: onVolcano(plantest.Graph(plantest.Placed("", "", "")), asDetected),
		},
	})
}

// TestNetworkIsSticky shows that gangs stay placed as they are, and new replicas are placed like them.
func TestNetworkIsSticky(t *testing.T) {
	nothing := myTopology("")
	onRack := plantest.Graph(plantest.Placed("", "rack", ""))
	group := func(network *volcanov1beta1.NetworkTopologySpec) plantest.RequestOption {
		return plantest.WithObserved("podgroup-worker-0", plantest.PodGroup(volcanov1beta1.PodGroupSpec{MinMember: 2, NetworkTopology: network}))
	}
	const hard, soft = volcanov1beta1.HardNetworkTopologyMode, volcanov1beta1.SoftNetworkTopologyMode
	set := plantest.WithObserved("leaderworkerset-worker-0", plantest.SetOfVolcano())
	marked := plantest.WithObserved("leaderworkerset-worker-0", plantest.SetOfVolcano(plantest.MarkedWith("rack")))
	compare(t, map[string]whole.Row[decision]{
		"AsItWas": {
			Reason:  "Another dialect, or another number, does not move what runs.",
			Request: onVolcano(onRack, tierDialect(), marked, group(&volcanov1beta1.NetworkTopologySpec{Mode: hard, HighestTierName: "old"})),
			Want:    decision{Topology: placedBy(inTierOf("hard", "old"))},
		},
		"FoundByScheduler": {
			Reason:  "The tier that the scheduler found for a name is kept, and never written together with the name.",
			Request: onVolcano(onRack, tierDialect(), marked, group(&volcanov1beta1.NetworkTopologySpec{Mode: hard, HighestTierName: "old", HighestTierAllowed: new(3)})),
			Want:    decision{Topology: placedBy(inTier("rack", "hard", 3))},
		},
		"Without": {
			Reason:  "A gang that was created without a topology stays without one.",
			Request: onVolcano(onRack, tierDialect(), set, group(nil)),
			Want:    decision{Topology: nothing, Said: warned(onGraph)},
		},
		"GroupGone": {
			Reason:  "A gang that was created without a topology stays without one when its PodGroup is deleted.",
			Request: onVolcano(onRack, tierDialect(), set),
			Want:    decision{Topology: nothing, Said: warned(onGraph)},
		},
		"GroupNotYet": {
			Reason:  "A set that is marked, and whose PodGroup is not there yet, gets one that is packed.",
			Request: onVolcano(onRack, tierDialect(), marked),
			Want:    decision{Topology: placedBy(inTier("rack", "hard", 1))},
		},
		"SetNotYet": {
			Reason:  "A PodGroup whose set could not be created yet stays, and its set is marked as a new one is.",
			Request: onVolcano(onRack, tierDialect(), group(&volcanov1beta1.NetworkTopologySpec{Mode: hard, HighestTierAllowed: new(3)})),
			Want:    decision{Topology: placedBy(inTier("rack", "hard", 3))},
		},
		"SoftSetNotYet": {
			Reason:  "A PodGroup whose set could not be created yet keeps its preferred domain.",
			Request: onVolcano(preferring(plantest.Placed("", "", ""), "", "rack"), tierDialect(), group(&volcanov1beta1.NetworkTopologySpec{Mode: soft, HighestTierAllowed: new(3)})),
			Want:    decision{Topology: placedBy(preferred(inTier("rack", "soft", 3)))},
		},
		"LevelGone": {
			Reason: "A level that is gone changes nothing, and is reported.",
			Request: plantest.Request(onRack, plantest.WithGroups("lws", "volcano"), plantest.WithVolcanoQueue("Open"), withHyperNodes("", "", "", ""), marked,
				group(&volcanov1beta1.NetworkTopologySpec{Mode: hard, HighestTierAllowed: new(3)}),
				plantest.WithInput(inputv1alpha1.Policy{Topology: plantest.Profile("my-topology", "zone=z")})),
			Want: decision{Topology: myTopology("", missing("rack"), placing(inTier("rack", "hard", 3)))},
		},
	})
}
