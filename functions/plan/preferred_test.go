package plan_test

import (
	"maps"
	"testing"

	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

const (
	preferredOfGraph  = "metadata.annotations[nvidia.com/topology-preferred-domain]"
	preferredOfWorker = "spec.services[Worker].annotations[nvidia.com/topology-preferred-domain]"
)

// onGroveAnd is a graph on Grove and KAI, with a topology of levels zone, block, rack and host, and further options.
func onGroveAnd(xr *v1alpha1.DynamoGraphDeployment, more ...plantest.RequestOption) *fnv1.RunFunctionRequest {
	return plantest.Request(xr, append([]plantest.RequestOption{plantest.WithGroups("grove", "kai"), plantest.WithKAIQueue(), plantest.WithTopologyBindings(true), plantest.WithTopology()}, more...)...)
}

func withDialect(dialect inputv1alpha1.TopologyDialect) plantest.RequestOption {
	return plantest.WithInput(inputv1alpha1.Policy{Grove: inputv1alpha1.Grove{TopologyDialect: dialect}})
}

// TestPreferredOnGrove shows which preferred domains Grove is told of.
func TestPreferredOnGrove(t *testing.T) {
	pack := myTopology(graphplan.DialectPack)
	asked := []string{"ClusterTopologyBinding"}
	withoutTopology := func(xr *v1alpha1.DynamoGraphDeployment) {
		plantest.Frontend(xr)
		plantest.Worker(xr)
	}
	older := func(path string) string {
		return path + ": has no effect on the installed version of Grove: preferred domains require v0.1.0-alpha.10 or later"
	}
	broader := func(path, domain, required string) string {
		return path + ": " + domain + " has no effect, because it is broader than " + required + ", which is required; prefer a narrower domain, or remove the annotation"
	}
	const available = " of ClusterTopologyBinding my-topology; available domains: block, host, rack, zone"
	compareTopologies(t, map[string]topologyCase{
		"OfGraph": {
			reason: "A graph may prefer a domain.",
			req:    onGroveAnd(preferring(packed("zone", ""), "rack", "")),
			want:   topologyDecision{Topology: myTopology(graphplan.DialectPack, prefer("rack", "")), Asked: asked},
		},
		"OfService": {
			reason: "A service may prefer a domain.",
			req:    onGroveAnd(preferring(packed("zone", ""), "", "rack")),
			want:   topologyDecision{Topology: myTopology(graphplan.DialectPack, prefer("", "rack")), Asked: asked},
		},
		"Alone": {
			reason: "A graph and a service may prefer domains and require none.",
			req:    onGroveAnd(preferring(packed("", ""), "block", "rack")),
			want:   topologyDecision{Topology: myTopology(graphplan.DialectPack, prefer("block", "rack")), Asked: asked},
		},
		"AsRequired": {
			reason: "The required domain may be preferred as well.",
			req:    onGroveAnd(preferring(packed("zone", ""), "zone", "")),
			want:   topologyDecision{Topology: myTopology(graphplan.DialectPack, prefer("zone", "")), Asked: asked},
		},
		"Broader": {
			reason: "A preferred domain that is broader than the required one is left out, because KAI places no pods by such a pair.",
			req:    onGroveAnd(preferring(packed("rack", "host"), "zone", "rack")),
			want: topologyDecision{
				Topology: pack, Asked: asked,
				Accepted: []string{broader(preferredOfGraph, "zone", "rack"), broader(preferredOfWorker, "rack", "host")},
			},
		},
		"BroaderThanGraphRequires": {
			reason: "A preferred domain of a service that is broader than what the graph requires is left out.",
			req:    onGroveAnd(preferring(packed("rack", ""), "", "block")),
			want:   topologyDecision{Topology: pack, Asked: asked, Accepted: []string{broader(preferredOfWorker, "block", "rack")}},
		},
		"Hierarchy": {
			reason: "Grove refuses a service that prefers a broader domain than its graph.",
			req:    onGroveAnd(preferring(packed("", ""), "rack", "block")),
			want: topologyDecision{Asked: asked, Accepted: []string{
				preferredOfWorker + `: Invalid value: "block": is broader than rack, which the graph prefers; specify that domain or a narrower one`,
			}},
		},
		"NoLevels": {
			reason: "All domains must exist, required and preferred.",
			req:    onGroveAnd(preferring(packed("planet", ""), "shelf", "tray")),
			want: topologyDecision{Asked: asked, Accepted: []string{
				preferredOfGraph + `: Invalid value: "shelf": is not a domain` + available,
				preferredOfWorker + `: Invalid value: "tray": is not a domain` + available,
				`spec.topologyConstraint.packDomain: Invalid value: "planet": is not a domain` + available,
			}},
		},
		"NoProfile": {
			reason: "A preferred domain needs a topology.",
			req:    plantest.Request(preferring(withoutTopology, "rack", "block"), plantest.WithGroups("grove", "kai"), plantest.WithKAIQueue()),
			want: topologyDecision{Accepted: []string{
				"spec.topologyConstraint.topologyProfile: Required value: service Worker prefers a domain; specify the topology that defines its level",
				"spec.topologyConstraint.topologyProfile: Required value: the graph prefers a domain; specify the topology that defines its level",
			}},
		},
		"PackDomain": {
			reason: "Older versions of Grove know no preferred domains.",
			req:    onGroveAnd(preferring(packed("zone", ""), "rack", "rack"), withDialect(inputv1alpha1.DialectPackDomain)),
			want: topologyDecision{
				Topology: myTopology(graphplan.DialectPackDomain, recordingName),
				Accepted: []string{older(preferredOfGraph), older(preferredOfWorker)},
			},
		},
		"PackDomainWithTopologyName": {
			reason: "Grove v0.1.0-alpha.9 knows no preferred domains.",
			req:    onGroveAnd(preferring(packed("", ""), "rack", ""), withDialect(inputv1alpha1.DialectPackDomainWithTopologyName)),
			want:   topologyDecision{Topology: myTopology(graphplan.DialectPackDomainWithTopologyName, unwritten), Accepted: []string{older(preferredOfGraph)}},
		},
		"WithoutKAI": {
			reason: "A preferred domain is a constraint.",
			req:    plantest.Request(preferring(packed("", ""), "rack", ""), plantest.WithGroups("grove"), plantest.WithTopologyBindings(true), plantest.WithTopology()),
			want: topologyDecision{Asked: []string{"ClusterTopologyBinding"}, Accepted: []string{"spec.topologyConstraint: Forbidden: topology constraints on Grove require the KAI scheduler (API group scheduling.run.ai), " +
				"which is not installed; install it, remove the constraints, or let the platform set topology.allowWithoutKAI in the input of step plan"}},
		},
	})
}

// TestPreferredOfLiveGraphs shows that preferred domains stay as they were written.
func TestPreferredOfLiveGraphs(t *testing.T) {
	asked := []string{"ClusterTopologyBinding"}
	const back = ": undo the change, or delete and recreate the graph"
	live := func(ofGraph, ofWorker string, more ...plantest.RequestOption) *fnv1.RunFunctionRequest {
		observed := packedSet(plantest.Constraint("zone", "block"), plantest.Constraint("rack", "host"))
		return onGroveAnd(preferring(packed("zone", "rack"), ofGraph, ofWorker), append(more, plantest.WithObserved("podcliqueset", observed))...)
	}
	unset := func(ofGraph string, observed *grovev1alpha1.PodCliqueSet, more ...plantest.RequestOption) *fnv1.RunFunctionRequest {
		return onGroveAnd(preferring(packed("zone", "rack"), ofGraph, ""), append(more, plantest.WithObserved("podcliqueset", observed))...)
	}
	older := packedSet(plantest.OlderConstraint("my-topology", "zone"), plantest.OlderConstraint("my-topology", "rack"))
	kept := prefer("block", "host")
	compareTopologies(t, map[string]topologyCase{
		"AsItWas": {
			reason: "A graph that did not change is fine.",
			req:    live("block", "host"),
			want:   topologyDecision{Topology: myTopology(graphplan.DialectPack, kept), Asked: asked},
		},
		"TopologyGone": {
			reason: "A graph that did not change is fine without its topology.",
			req:    live("block", "host", plantest.WithoutObject("topology")),
			want:   topologyDecision{Topology: myTopology(graphplan.DialectPack, notFound, kept), Asked: asked},
		},
		"LevelGone": {
			reason: "A graph that did not change is fine without the level that it prefers.",
			req:    live("block", "host", plantest.WithLevels("zone=z", "rack=r", "host=h")),
			want:   topologyDecision{Topology: myTopology(graphplan.DialectPack, missing("block"), kept), Asked: asked},
		},
		"Changed": {
			reason: "The preferred domains of a live graph cannot change.",
			req:    live("rack", "rack"),
			want: topologyDecision{Asked: asked, Accepted: []string{
				preferredOfGraph + `: Invalid value: "rack": cannot be changed after creation; it was "block"` + back,
				preferredOfWorker + `: Invalid value: "rack": cannot be changed after creation; it was "host"` + back,
			}},
		},
		"Removed": {
			reason: "A preferred domain cannot be removed from a live graph.",
			req:    live("", "host"),
			want:   topologyDecision{Asked: asked, Accepted: []string{preferredOfGraph + `: Invalid value: "": cannot be changed after creation; it was "block"` + back}},
		},
		"Added": {
			reason: "A preferred domain cannot be added to a live graph.",
			req:    unset("rack", observedPacked()),
			want:   topologyDecision{Asked: asked, Accepted: []string{preferredOfGraph + `: Invalid value: "rack": cannot be changed after creation; it was ""` + back}},
		},
		"AddedInVain": {
			reason: "A preferred domain that has no effect may be added to a live graph.",
			req:    onGroveAnd(preferring(packed("zone", "rack"), "", "block"), plantest.WithObserved("podcliqueset", observedPacked())),
			want: topologyDecision{Topology: myTopology(graphplan.DialectPack), Asked: asked, Accepted: []string{
				preferredOfWorker + ": block has no effect, because it is broader than rack, which is required; prefer a narrower domain, or remove the annotation",
			}},
		},
		"CannotTell": {
			reason: "A preferred domain may be added while the topology is gone, because it is unknown whether it has an effect.",
			req:    unset("rack", observedPacked(), plantest.WithoutObject("topology")),
			want:   topologyDecision{Topology: myTopology(graphplan.DialectPack, notFound), Asked: asked},
		},
		"FromOlderGrove": {
			reason: "Grove takes an older constraint as it was, and nothing more.",
			req:    unset("rack", older),
			want: topologyDecision{Topology: myTopology(graphplan.DialectPack), Asked: asked, Accepted: []string{
				preferredOfGraph + ": has no effect: the graph was created with a version of Grove before v0.1.0-alpha.10; delete and recreate the graph",
			}},
		},
	})
}

// TestPreferredOnKAI shows how LeaderWorkerSets on KAI are packed by preferred domains.
func TestPreferredOnKAI(t *testing.T) {
	on := func(xr *v1alpha1.DynamoGraphDeployment, more ...plantest.RequestOption) *fnv1.RunFunctionRequest {
		return plantest.Request(xr, append([]plantest.RequestOption{
			plantest.WithGroups("lws", "kai"), plantest.WithKAIQueue(), plantest.WithInput(inputv1alpha1.Policy{Topology: threeLevels("my-topology")}),
		}, more...)...)
	}
	by := func(placement graphplan.Placement) *graphplan.Topology {
		return myTopology("", byKAITopology("my-topology"), placing(placement))
	}
	onlyZone := graphplan.Placement{Domain: "zone", RequiredLabel: "example.org/zone"}
	onlyRack := graphplan.Placement{Domain: "rack", RequiredLabel: "example.org/rack"}
	both := graphplan.Placement{Domain: "zone", RequiredLabel: "example.org/zone", PreferredDomain: "rack", PreferredLabel: "example.org/rack"}
	live := func(changes ...plantest.SetChange) plantest.RequestOption {
		return plantest.WithObserved("leaderworkerset-worker-0", plantest.SetOfKAI(changes...))
	}
	onZone := func(set *lwsv1.LeaderWorkerSet) {
		markedWith("zone")(set)
		maps.Copy(set.Annotations, packedByKAI("example.org/zone"))
	}
	preferringRack := func(set *lwsv1.LeaderWorkerSet) {
		set.Annotations["kai.scheduler/topology-preferred-placement"] = "example.org/rack"
		set.Annotations[annotationPreferred] = "rack"
	}
	compareTopologies(t, map[string]topologyCase{
		"Alone": {
			reason: "A preferred domain may be all there is.",
			req:    on(preferring(placed("", "", ""), "", "rack")),
			want:   topologyDecision{Topology: by(graphplan.Placement{PreferredDomain: "rack", PreferredLabel: "example.org/rack"})},
		},
		"Both": {
			reason: "KAI knows a required and a preferred domain together.",
			req:    on(preferring(placed("", "zone", ""), "", "rack")),
			want:   topologyDecision{Topology: by(both)},
		},
		"GraphsPreference": {
			reason: "A service prefers what its graph prefers.",
			req:    on(preferring(placed("", "zone", ""), "rack", "")),
			want:   topologyDecision{Topology: by(both)},
		},
		"NotForThisService": {
			reason: "A service that is packed more narrowly does not prefer what its graph prefers.",
			req:    on(preferring(placed("", "rack", ""), "zone", "")),
			want:   topologyDecision{Topology: by(onlyRack)},
		},
		"Broader": {
			reason: "KAI places no pods by a preferred domain that is broader than the required one.",
			req:    on(preferring(placed("", "rack", ""), "", "zone")),
			want: topologyDecision{Topology: by(onlyRack), Accepted: []string{
				preferredOfWorker + ": zone has no effect, because it is broader than rack, which is required; prefer a narrower domain, or remove the annotation",
			}},
		},
		"OfOneNode": {
			reason: "Services of one node are not packed.",
			req:    on(plantest.Graph(placed("", "rack", ""), plantest.Changed("Frontend", plantest.WithAnnotation(annotationPreferred, "rack")))),
			want: topologyDecision{Topology: by(onlyRack), Accepted: []string{
				"spec.services[Frontend].annotations[nvidia.com/topology-preferred-domain]: has no effect on a service of one node on LeaderWorkerSet: place its pods with affinity in extraPodSpec",
			}},
		},
		"Live": {
			reason: "What runs stays as it is.",
			req:    on(preferring(placed("", "zone", ""), "", "rack"), live(onZone, preferringRack)),
			want:   topologyDecision{Topology: by(both)},
		},
		"Added": {
			reason: "A preferred domain that is added later is not obeyed by what runs, and so not by new replicas.",
			req:    on(preferring(placed("", "zone", ""), "", "rack"), live(onZone)),
			want: topologyDecision{Topology: by(onlyZone), Accepted: []string{
				preferredOfWorker + ": has no effect on replicas that were placed without it; delete and recreate the graph",
			}},
		},
		"Changed": {
			reason: "A preferred domain that was obeyed cannot change.",
			req:    on(preferring(placed("", "zone", ""), "", "host"), live(onZone, preferringRack)),
			want: topologyDecision{Accepted: []string{
				preferredOfWorker + `: Invalid value: "host": cannot be changed after creation; it was "rack": undo the change, or delete and recreate the graph`,
			}},
		},
	})
}

// TestHosts warns of services that can hardly be placed.
func TestHosts(t *testing.T) {
	message := func(path, domain, instead string) []string {
		return []string{path + ": " + domain + " packs all 2 nodes of a replica of Worker into one machine, so its pods wait until one machine has room for all of them; specify a broader domain" + instead}
	}
	const ofWorker, ofGraph = "spec.services[Worker].topologyConstraint.packDomain", "spec.topologyConstraint.packDomain"
	pack := myTopology(graphplan.DialectPack)
	asked := []string{"ClusterTopologyBinding"}
	compareTopologies(t, map[string]topologyCase{
		"Own": {
			reason: "A warning says that a service's own domain packs several nodes into one machine.",
			req:    onGroveAnd(plantest.Graph(placed("zone", "host", ""))),
			want:   topologyDecision{Topology: pack, Asked: asked, Accepted: message(ofWorker, "host", ", such as rack")},
		},
		"Inherited": {
			reason: "A warning says that the graph's domain packs several nodes into one machine.",
			req:    onGroveAnd(plantest.Graph(placed("host", "", ""))),
			want:   topologyDecision{Topology: pack, Asked: asked, Accepted: message(ofGraph, "host", ", such as rack")},
		},
		"OneNode": {
			reason: "A service of one node may be packed into one machine.",
			req:    onGroveAnd(plantest.Graph(placed("", "", "host"))),
			want:   topologyDecision{Topology: pack, Asked: asked},
		},
		"ByLabel": {
			reason: "A host may have another name.",
			req:    onGroveAnd(plantest.Graph(placed("", "tray", "")), plantest.WithLevels("block=b", "tray=kubernetes.io/hostname")),
			want:   topologyDecision{Topology: pack, Asked: asked, Accepted: message(ofWorker, "tray", ", such as block")},
		},
		"PartOfHost": {
			reason: "A domain that is part of a host is too small for several nodes.",
			req:    onGroveAnd(plantest.Graph(placed("", "numa", "")), plantest.WithLevels("rack=r", "host=h", "numa=n")),
			want:   topologyDecision{Topology: pack, Asked: asked, Accepted: message(ofWorker, "numa", ", such as rack")},
		},
		"OnlyHosts": {
			reason: "The warning suggests no broader domain when there is none.",
			req:    onGroveAnd(plantest.Graph(placed("", "host", "")), plantest.WithLevels("host=h")),
			want:   topologyDecision{Topology: pack, Asked: asked, Accepted: message(ofWorker, "host", "")},
		},
	})
}
