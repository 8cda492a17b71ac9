package topology_test

import (
	"fmt"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	volcanov1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
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
	compare(t, map[string]topologyCase{
		"NewVolcano": {
			reason: "A Volcano of today knows tiers by name, and the name is the node label.",
			req:    onVolcano(onRack, asDetected, withPodGroupSchema("highestTierAllowed", "highestTierName")),
			want:   decision{Topology: placedBy(named), Asked: asked},
		},
		"OldVolcano": {
			reason: "An older Volcano knows tiers by number, counted from the host upwards.",
			req:    onVolcano(onRack, asDetected, withPodGroupSchema("highestTierAllowed")),
			want:   decision{Topology: placedBy(first), Asked: asked},
		},
		"NoSchema": {
			reason: "A schema that is not there tells nothing.",
			req:    onVolcano(onRack, asDetected, withPodGroupSchema()),
			want:   decision{Topology: placedBy(named), Asked: asked},
		},
		"SchemaNotDelivered": {
			reason: "There is no plan until the schema of PodGroup is known.",
			req:    onVolcano(onRack, asDetected),
			want:   decision{Asked: asked},
		},
		"CallerCannotTell": {
			reason: "If its version cannot be detected, Volcano is assumed to be new.",
			req:    onVolcano(onRack, asDetected, plantest.WithoutCapabilities()),
			want:   decision{Topology: placedBy(named)},
		},
		"InputTierName": {
			reason: "The platform can name the dialect of Volcano, and then nothing is looked up.",
			req:    onVolcano(onRack, tierNameDialect()),
			want:   decision{Topology: placedBy(named)},
		},
		"InputTier": {
			reason: "The platform can name the dialect of an older Volcano, and then nothing is looked up.",
			req:    onVolcano(plantest.Graph(plantest.Placed("zone", "", "")), tierDialect()),
			want:   decision{Topology: placedBy(inTier("zone", "hard", 2)), Said: warned(domainOfGraph)},
		},
		"InputTiers": {
			reason: "The platform can name the tiers themselves, which take precedence over the dialect.",
			req:    onVolcano(onRack, inputv1alpha1.Volcano{TopologyDialect: inputv1alpha1.VolcanoDialectTierName, Tiers: map[string]int{"rack": 5}}),
			want:   decision{Topology: placedBy(inTier("rack", "hard", 5))},
		},
		"OtherTiers": {
			reason: "The tier of a domain that the platform does not list is counted from the host upwards.",
			req:    onVolcano(onRack, inputv1alpha1.Volcano{TopologyDialect: inputv1alpha1.VolcanoDialectTier, Tiers: map[string]int{"zone": 5}}),
			want:   decision{Topology: placedBy(first)},
		},
		"Preferred": {
			reason: "A domain that is only preferred makes the mode soft.",
			req:    onVolcano(preferring(plantest.Placed("", "", ""), "", "rack"), tierNameDialect()),
			want:   decision{Topology: placedBy(preferred(inTierOf("soft", "example.org/rack")))},
		},
		"PreferredByGraph": {
			reason: "A domain that the graph only prefers makes the mode soft.",
			req:    onVolcano(preferring(plantest.Placed("", "", ""), "rack", ""), tierDialect()),
			want:   decision{Topology: placedBy(preferred(inTier("rack", "soft", 1)))},
		},
		"RequiredAndPreferred": {
			reason: "There is only one mode, and what is required goes first.",
			req:    onVolcano(preferring(plantest.Placed("", "zone", ""), "", "rack"), tierDialect()),
			want:   decision{Topology: placedBy(inTier("zone", "hard", 2)), Said: warned(preferredOfWorker)},
		},
		"Host": {
			reason: "No HyperNode is as small as a machine.",
			req:    onVolcano(plantest.Graph(plantest.Placed("", "host", "")), tierDialect()),
			want:   decision{Topology: placedBy(inTier("host", "hard", 0)), Said: warned(domainOfWorker)},
		},
		"ProviderLWS": {
			reason: "The LWS operator's own gangs know no topology, so its dialect is not asked for.",
			req:    onVolcano(onRack, asDetected, plantest.WithInput(inputv1alpha1.Policy{Topology: plantest.ThreeLevels("my-topology"), LWS: inputv1alpha1.LWS{GangProvider: inputv1alpha1.GangProviderLWS}})),
			want:   decision{Topology: myTopology(""), Said: warned(onGraph)},
		},
		"NoConstraint": {
			reason: "A profile alone asks for nothing.",
			req:    onVolcano(plantest.Graph(plantest.Placed("", "", "")), asDetected),
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
	compare(t, map[string]topologyCase{
		"AsItWas": {
			reason: "Another dialect, or another number, does not move what runs.",
			req:    onVolcano(onRack, tierDialect(), marked, group(&volcanov1beta1.NetworkTopologySpec{Mode: hard, HighestTierName: "old"})),
			want:   decision{Topology: placedBy(inTierOf("hard", "old"))},
		},
		"FoundByScheduler": {
			reason: "The tier that the scheduler found for a name is kept, and never written together with the name.",
			req:    onVolcano(onRack, tierDialect(), marked, group(&volcanov1beta1.NetworkTopologySpec{Mode: hard, HighestTierName: "old", HighestTierAllowed: new(3)})),
			want:   decision{Topology: placedBy(inTier("rack", "hard", 3))},
		},
		"Without": {
			reason: "A gang that was created without a topology stays without one.",
			req:    onVolcano(onRack, tierDialect(), set, group(nil)),
			want:   decision{Topology: nothing, Said: warned(onGraph)},
		},
		"GroupGone": {
			reason: "A gang that was created without a topology stays without one when its PodGroup is deleted.",
			req:    onVolcano(onRack, tierDialect(), set),
			want:   decision{Topology: nothing, Said: warned(onGraph)},
		},
		"GroupNotYet": {
			reason: "A set that is marked, and whose PodGroup is not there yet, gets one that is packed.",
			req:    onVolcano(onRack, tierDialect(), marked),
			want:   decision{Topology: placedBy(inTier("rack", "hard", 1))},
		},
		"SetNotYet": {
			reason: "A PodGroup whose set could not be created yet stays, and its set is marked as a new one is.",
			req:    onVolcano(onRack, tierDialect(), group(&volcanov1beta1.NetworkTopologySpec{Mode: hard, HighestTierAllowed: new(3)})),
			want:   decision{Topology: placedBy(inTier("rack", "hard", 3))},
		},
		"SoftSetNotYet": {
			reason: "A PodGroup whose set could not be created yet keeps its preferred domain.",
			req:    onVolcano(preferring(plantest.Placed("", "", ""), "", "rack"), tierDialect(), group(&volcanov1beta1.NetworkTopologySpec{Mode: soft, HighestTierAllowed: new(3)})),
			want:   decision{Topology: placedBy(preferred(inTier("rack", "soft", 3)))},
		},
		"LevelGone": {
			reason: "A level that is gone changes nothing, and is reported.",
			req: plantest.Request(onRack, plantest.WithGroups("lws", "volcano"), plantest.WithVolcanoQueue("Open"), withHyperNodes("", "", "", ""), marked,
				group(&volcanov1beta1.NetworkTopologySpec{Mode: hard, HighestTierAllowed: new(3)}),
				plantest.WithInput(inputv1alpha1.Policy{Topology: plantest.Profile("my-topology", "zone=z")})),
			want: decision{Topology: myTopology("", missing("rack"), placing(inTier("rack", "hard", 3)))},
		},
	})
}
