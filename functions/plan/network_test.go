package plan

import (
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
)

// threeLevels is the input of a platform with a profile.
const threeLevels = `"topology":{"profiles":[{"name":"my-topology","levels":[{"domain":"zone","key":"example.org/zone"},
	{"domain":"rack","key":"example.org/rack"},{"domain":"host","key":"kubernetes.io/hostname"}]}]}`

// withPodGroupSchema delivers the schema, JSON, of PodGroup.
func withPodGroupSchema(schema string) plantest.RequestOption {
	return func(req *fnv1.RunFunctionRequest) {
		req.RequiredSchemas["schema-podgroup"] = &fnv1.Schema{}
		if schema != "" {
			req.RequiredSchemas["schema-podgroup"].OpenapiV3 = resource.MustStructJSON(schema)
		}
	}
}

// podGroupSchema whose network topology has these properties, JSON.
func podGroupSchema(properties string) string {
	return `{"properties":{"spec":{"properties":{"networkTopology":{"properties":` + properties + `}}}}}`
}

// onVolcano is a graph on LeaderWorkerSets and Volcano, with further input of the platform.
func onVolcano(xr, input string, more ...plantest.RequestOption) *fnv1.RunFunctionRequest {
	return plantest.Request(xr, append([]plantest.RequestOption{plantest.WithGroups("lws", "volcano"), withVolcanoQueue("Open"), withInput(threeLevels + input)}, more...)...)
}

// TestNetwork shows what Volcano is told of a domain.
func TestNetwork(t *testing.T) {
	const (
		whole = "spec.topologyConstraint.packDomain: on LeaderWorkerSet each replica of a service that spans nodes is packed separately, not the graph as a whole"
		tier  = `,"volcano":{"topologyDialect":"Tier"}`
		named = `{"domain":"rack","network":{"highestTierName":"example.org/rack","mode":"hard"}}`
		first = `{"domain":"rack","network":{"highestTierAllowed":1,"mode":"hard"}}`
	)
	podGroup := []string{"PodGroup"}
	onRack := plantest.GraphOf(placed("", "rack", ""))
	compareTopologies(t, map[string]topologyCase{
		"NewVolcano": {
			reason: "A Volcano of today knows tiers by name, and the name is the node label.",
			req:    onVolcano(onRack, "", withPodGroupSchema(podGroupSchema(`{"highestTierAllowed":{"type":"integer"},"highestTierName":{"type":"string"}}`))),
			want:   topologyDecision{Topology: placedBy(named), Asked: podGroup},
		},
		"OldVolcano": {
			reason: "An older Volcano knows tiers by number, counted from the host upwards.",
			req:    onVolcano(onRack, "", withPodGroupSchema(podGroupSchema(`{"highestTierAllowed":{"type":"integer"}}`))),
			want:   topologyDecision{Topology: placedBy(first), Asked: podGroup},
		},
		"NoSchema": {
			reason: "A schema that is not there tells nothing.",
			req:    onVolcano(onRack, "", withPodGroupSchema("")),
			want:   topologyDecision{Topology: placedBy(named), Asked: podGroup},
		},
		"SchemaNotDelivered": {
			reason: "There is no plan until the schema of PodGroup is known.",
			req:    onVolcano(onRack, ""),
			want:   topologyDecision{Asked: podGroup},
		},
		"CallerCannotTell": {
			reason: "Where nobody can tell, Volcano is taken to be new.",
			req:    onVolcano(onRack, "", withoutCapabilities()),
			want:   topologyDecision{Topology: placedBy(named)},
		},
		"InputTierName": {
			reason: "The platform can name the dialect of Volcano, and then nothing is looked up.",
			req:    onVolcano(onRack, `,"volcano":{"topologyDialect":"TierName"}`),
			want:   topologyDecision{Topology: placedBy(named)},
		},
		"InputTier": {
			reason: "The platform can name the dialect of an older Volcano, and then nothing is looked up.",
			req:    onVolcano(plantest.GraphOf(placed("zone", "", "")), tier),
			want:   topologyDecision{Topology: placedBy(`{"domain":"zone","network":{"highestTierAllowed":2,"mode":"hard"}}`), Accepted: []string{whole}},
		},
		"InputTiers": {
			reason: "The platform can name the tiers themselves, which take precedence over the dialect.",
			req:    onVolcano(onRack, `,"volcano":{"topologyDialect":"TierName","tiers":{"rack":5}}`),
			want:   topologyDecision{Topology: placedBy(`{"domain":"rack","network":{"highestTierAllowed":5,"mode":"hard"}}`)},
		},
		"OtherTiers": {
			reason: "The tier of a domain that the platform does not list is counted from the host upwards.",
			req:    onVolcano(onRack, `,"volcano":{"topologyDialect":"Tier","tiers":{"zone":5}}`),
			want:   topologyDecision{Topology: placedBy(first)},
		},
		"Preferred": {
			reason: "A domain that is only preferred makes the mode soft.",
			req:    onVolcano(preferring(placed("", "", ""), "", "rack"), `,"volcano":{"topologyDialect":"TierName"}`),
			want:   topologyDecision{Topology: placedBy(`{"network":{"highestTierName":"example.org/rack","mode":"soft"},"preferredDomain":"rack"}`)},
		},
		"PreferredByGraph": {
			reason: "A domain that the graph only prefers makes the mode soft.",
			req:    onVolcano(preferring(placed("", "", ""), "rack", ""), tier),
			want:   topologyDecision{Topology: placedBy(`{"network":{"highestTierAllowed":1,"mode":"soft"},"preferredDomain":"rack"}`)},
		},
		"RequiredAndPreferred": {
			reason: "There is only one mode, and what is required goes first.",
			req:    onVolcano(preferring(placed("", "zone", ""), "", "rack"), tier),
			want: topologyDecision{
				Topology: placedBy(`{"domain":"zone","network":{"highestTierAllowed":2,"mode":"hard"}}`),
				Accepted: []string{"spec.services[Worker].annotations[nvidia.com/topology-preferred-domain]: has no effect together with zone, which is required: Volcano supports only one of the two"},
			},
		},
		"Host": {
			reason: "No HyperNode is as small as a machine.",
			req:    onVolcano(plantest.GraphOf(placed("", "host", "")), tier),
			want: topologyDecision{
				Topology: placedBy(`{"domain":"host","network":{"highestTierAllowed":0,"mode":"hard"}}`),
				Accepted: []string{"spec.services[Worker].topologyConstraint.packDomain: host packs all 2 nodes of a replica of Worker into one machine, so its pods wait until one machine has room for all of them; specify a broader domain, such as rack"},
			},
		},
		"ProviderLWS": {
			reason: "The LWS operator's own gangs know no topology, so its dialect is not asked for.",
			req:    onVolcano(onRack, `,"lws":{"gangProvider":"LWS"}`),
			want: topologyDecision{
				Topology: `{"dialect":"","name":"my-topology"}`,
				Accepted: []string{"spec.topologyConstraint: topology constraints have no effect on LeaderWorkerSet: the LWS operator creates the PodGroups and does not support topology; " +
					"let the platform set lws.gangProvider to PodGroup in the input of step plan, or run the graph on Grove"},
			},
		},
		"NoConstraint": {
			reason: "A profile alone asks for nothing.",
			req:    onVolcano(plantest.GraphOf(placed("", "", "")), ""),
		},
	})
}

// TestNetworkIsSticky shows that gangs stay placed as they are, and new replicas are placed like them.
func TestNetworkIsSticky(t *testing.T) {
	const (
		unmoved = "spec.topologyConstraint: topology constraints have no effect on LeaderWorkerSet: its replicas already exist and were not packed; delete and recreate the graph"
		nothing = `{"dialect":"","name":"my-topology"}`
		tier    = `,"volcano":{"topologyDialect":"Tier"}`
	)
	onRack := plantest.GraphOf(placed("", "rack", ""))
	group := func(network string) plantest.RequestOption {
		return plantest.WithObserved("podgroup-worker-0", `{"kind":"PodGroup","spec":{"minMember":2`+network+`}}`)
	}
	set := plantest.WithObserved("leaderworkerset-worker-0", setOfVolcano)
	marked := plantest.WithObserved("leaderworkerset-worker-0", markedSet(setOfVolcano, "rack"))
	compareTopologies(t, map[string]topologyCase{
		"AsItWas": {
			reason: "Another dialect, or another number, does not move what runs.",
			req:    onVolcano(onRack, tier, marked, group(`,"networkTopology":{"mode":"hard","highestTierName":"old"}`)),
			want:   topologyDecision{Topology: placedBy(`{"domain":"rack","network":{"highestTierName":"old","mode":"hard"}}`)},
		},
		"FoundByScheduler": {
			reason: "The tier that the scheduler found for a name is kept, and never written together with the name.",
			req:    onVolcano(onRack, tier, marked, group(`,"networkTopology":{"mode":"hard","highestTierName":"old","highestTierAllowed":3}`)),
			want:   topologyDecision{Topology: placedBy(`{"domain":"rack","network":{"highestTierAllowed":3,"mode":"hard"}}`)},
		},
		"Without": {
			reason: "A gang that was created without a topology stays without one.",
			req:    onVolcano(onRack, tier, set, group("")),
			want:   topologyDecision{Topology: nothing, Accepted: []string{unmoved}},
		},
		"GroupGone": {
			reason: "A gang that was created without a topology stays without one when its PodGroup is deleted.",
			req:    onVolcano(onRack, tier, set),
			want:   topologyDecision{Topology: nothing, Accepted: []string{unmoved}},
		},
		"GroupNotYet": {
			reason: "A set that is marked, and whose PodGroup is not there yet, gets one that is packed.",
			req:    onVolcano(onRack, tier, marked),
			want:   topologyDecision{Topology: placedBy(`{"domain":"rack","network":{"highestTierAllowed":1,"mode":"hard"}}`)},
		},
		"SetNotYet": {
			reason: "A PodGroup whose set could not be created yet stays, and its set is marked as a new one is.",
			req:    onVolcano(onRack, tier, group(`,"networkTopology":{"mode":"hard","highestTierAllowed":3}`)),
			want:   topologyDecision{Topology: placedBy(`{"domain":"rack","network":{"highestTierAllowed":3,"mode":"hard"}}`)},
		},
		"SoftSetNotYet": {
			reason: "A PodGroup whose set could not be created yet keeps its preferred domain.",
			req:    onVolcano(preferring(placed("", "", ""), "", "rack"), tier, group(`,"networkTopology":{"mode":"soft","highestTierAllowed":3}`)),
			want:   topologyDecision{Topology: placedBy(`{"network":{"highestTierAllowed":3,"mode":"soft"},"preferredDomain":"rack"}`)},
		},
		"LevelGone": {
			reason: "A level that is gone changes nothing, and is reported.",
			req: plantest.Request(onRack, plantest.WithGroups("lws", "volcano"), withVolcanoQueue("Open"), marked, group(`,"networkTopology":{"mode":"hard","highestTierAllowed":3}`),
				withInput(`"topology":{"profiles":[{"name":"my-topology","levels":[{"domain":"zone","key":"z"}]}]}`)),
			want: topologyDecision{Topology: `{"dialect":"","missing":["rack"],"name":"my-topology","placements":{"Worker":{"domain":"rack","network":{"highestTierAllowed":3,"mode":"hard"}}}}`},
		},
	})
}
