package topology_test

import (
	"maps"
	"testing"

	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
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
	compare(t, map[string]topologyCase{
		"OfGraph": {
			reason: "A graph may prefer a domain.",
			req:    onGroveAnd(preferring(packed("zone", ""), "rack", "")),
			want:   decision{Topology: myTopology(graphplan.DialectPack, prefer("rack", "")), Asked: asked},
		},
		"OfService": {
			reason: "A service may prefer a domain.",
			req:    onGroveAnd(preferring(packed("zone", ""), "", "rack")),
			want:   decision{Topology: myTopology(graphplan.DialectPack, prefer("", "rack")), Asked: asked},
		},
		"Alone": {
			reason: "A graph and a service may prefer domains and require none.",
			req:    onGroveAnd(preferring(packed("", ""), "block", "rack")),
			want:   decision{Topology: myTopology(graphplan.DialectPack, prefer("block", "rack")), Asked: asked},
		},
		"AsRequired": {
			reason: "The required domain may be preferred as well.",
			req:    onGroveAnd(preferring(packed("zone", ""), "zone", "")),
			want:   decision{Topology: myTopology(graphplan.DialectPack, prefer("zone", "")), Asked: asked},
		},
		"Broader": {
			reason: "A preferred domain that is broader than the required one is left out, because KAI places no pods by such a pair.",
			req:    onGroveAnd(preferring(packed("rack", "host"), "zone", "rack")),
			want:   decision{Topology: pack, Asked: asked, Said: warned(preferredOfGraph, preferredOfWorker)},
		},
		"BroaderThanGraphRequires": {
			reason: "A preferred domain of a service that is broader than what the graph requires is left out.",
			req:    onGroveAnd(preferring(packed("rack", ""), "", "block")),
			want:   decision{Topology: pack, Asked: asked, Said: warned(preferredOfWorker)},
		},
		"Hierarchy": {
			reason: "Grove refuses a service that prefers a broader domain than its graph.",
			req:    onGroveAnd(preferring(packed("", ""), "rack", "block")),
			want:   decision{Asked: asked, Said: invalid(preferredOfWorker)},
		},
		"NoLevels": {
			reason: "All domains must exist, required and preferred.",
			req:    onGroveAnd(preferring(packed("planet", ""), "shelf", "tray")),
			want:   decision{Asked: asked, Said: invalid(preferredOfGraph, preferredOfWorker, domainOfGraph)},
		},
		"NoProfile": {
			reason: "A preferred domain needs a topology.",
			req:    plantest.Request(preferring(withoutTopology, "rack", "block"), plantest.WithGroups("grove", "kai"), plantest.WithKAIQueue()),
			want:   decision{Said: invalid(profileOfGraph)},
		},
		"PackDomain": {
			reason: "Older versions of Grove know no preferred domains.",
			req:    onGroveAnd(preferring(packed("zone", ""), "rack", "rack"), withDialect(inputv1alpha1.DialectPackDomain)),
			want:   decision{Topology: myTopology(graphplan.DialectPackDomain, recordingName), Said: warned(preferredOfGraph, preferredOfWorker)},
		},
		"PackDomainWithTopologyName": {
			reason: "Grove v0.1.0-alpha.9 knows no preferred domains.",
			req:    onGroveAnd(preferring(packed("", ""), "rack", ""), withDialect(inputv1alpha1.DialectPackDomainWithTopologyName)),
			want:   decision{Topology: myTopology(graphplan.DialectPackDomainWithTopologyName, unwritten), Said: warned(preferredOfGraph)},
		},
		"WithoutKAI": {
			reason: "A preferred domain is a constraint.",
			req:    plantest.Request(preferring(packed("", ""), "rack", ""), plantest.WithGroups("grove"), plantest.WithTopologyBindings(true), plantest.WithTopology()),
			want:   decision{Asked: []string{"ClusterTopologyBinding"}, Said: invalid(onGraph)},
		},
	})
}

// TestPreferredOfLiveGraphs shows that preferred domains stay as they were written.
func TestPreferredOfLiveGraphs(t *testing.T) {
	asked := []string{"ClusterTopologyBinding"}
	live := func(ofGraph, ofWorker string, more ...plantest.RequestOption) *fnv1.RunFunctionRequest {
		observed := packedSet(plantest.Constraint("zone", "block"), plantest.Constraint("rack", "host"))
		return onGroveAnd(preferring(packed("zone", "rack"), ofGraph, ofWorker), append(more, plantest.WithObserved("podcliqueset", observed))...)
	}
	unset := func(ofGraph string, observed *grovev1alpha1.PodCliqueSet, more ...plantest.RequestOption) *fnv1.RunFunctionRequest {
		return onGroveAnd(preferring(packed("zone", "rack"), ofGraph, ""), append(more, plantest.WithObserved("podcliqueset", observed))...)
	}
	older := packedSet(plantest.OlderConstraint("my-topology", "zone"), plantest.OlderConstraint("my-topology", "rack"))
	kept := prefer("block", "host")
	compare(t, map[string]topologyCase{
		"AsItWas": {
			reason: "A graph that did not change is fine.",
			req:    live("block", "host"),
			want:   decision{Topology: myTopology(graphplan.DialectPack, kept), Asked: asked},
		},
		"TopologyGone": {
			reason: "A graph that did not change is fine without its topology.",
			req:    live("block", "host", plantest.WithoutObject("topology")),
			want:   decision{Topology: myTopology(graphplan.DialectPack, notFound, kept), Asked: asked},
		},
		"LevelGone": {
			reason: "A graph that did not change is fine without the level that it prefers.",
			req:    live("block", "host", plantest.WithLevels("zone=z", "rack=r", "host=h")),
			want:   decision{Topology: myTopology(graphplan.DialectPack, missing("block"), kept), Asked: asked},
		},
		"Changed": {
			reason: "The preferred domains of a live graph cannot change.",
			req:    live("rack", "rack"),
			want:   decision{Asked: asked, Said: changed(preferredOfGraph, preferredOfWorker)},
		},
		"Removed": {
			reason: "A preferred domain cannot be removed from a live graph.",
			req:    live("", "host"),
			want:   decision{Asked: asked, Said: changed(preferredOfGraph)},
		},
		"Added": {
			reason: "A preferred domain cannot be added to a live graph.",
			req:    unset("rack", observedPacked()),
			want:   decision{Asked: asked, Said: changed(preferredOfGraph)},
		},
		"AddedInVain": {
			reason: "A preferred domain that has no effect may be added to a live graph.",
			req:    onGroveAnd(preferring(packed("zone", "rack"), "", "block"), plantest.WithObserved("podcliqueset", observedPacked())),
			want:   decision{Topology: myTopology(graphplan.DialectPack), Asked: asked, Said: warned(preferredOfWorker)},
		},
		"CannotTell": {
			reason: "A preferred domain may be added while the topology is gone, because it is unknown whether it has an effect.",
			req:    unset("rack", observedPacked(), plantest.WithoutObject("topology")),
			want:   decision{Topology: myTopology(graphplan.DialectPack, notFound), Asked: asked},
		},
		"FromOlderGrove": {
			reason: "Grove takes an older constraint as it was, and nothing more.",
			req:    unset("rack", older),
			want:   decision{Topology: myTopology(graphplan.DialectPack), Asked: asked, Said: warned(preferredOfGraph)},
		},
	})
}

// TestPreferredOnKAI shows how LeaderWorkerSets on KAI are packed by preferred domains.
func TestPreferredOnKAI(t *testing.T) {
	on := func(xr *v1alpha1.DynamoGraphDeployment, more ...plantest.RequestOption) *fnv1.RunFunctionRequest {
		return plantest.Request(xr, append([]plantest.RequestOption{
			plantest.WithGroups("lws", "kai"), plantest.WithKAIQueue(), plantest.WithInput(inputv1alpha1.Policy{Topology: plantest.ThreeLevels("my-topology")}),
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
		plantest.MarkedWith("zone")(set)
		maps.Copy(set.Annotations, packedByKAI("example.org/zone"))
	}
	preferringRack := func(set *lwsv1.LeaderWorkerSet) {
		set.Annotations["kai.scheduler/topology-preferred-placement"] = "example.org/rack"
		set.Annotations[annotationPreferred] = "rack"
	}
	compare(t, map[string]topologyCase{
		"Alone": {
			reason: "A preferred domain may be all there is.",
			req:    on(preferring(plantest.Placed("", "", ""), "", "rack")),
			want:   decision{Topology: by(graphplan.Placement{PreferredDomain: "rack", PreferredLabel: "example.org/rack"})},
		},
		"Both": {
			reason: "KAI knows a required and a preferred domain together.",
			req:    on(preferring(plantest.Placed("", "zone", ""), "", "rack")),
			want:   decision{Topology: by(both)},
		},
		"GraphsPreference": {
			reason: "A service prefers what its graph prefers.",
			req:    on(preferring(plantest.Placed("", "zone", ""), "rack", "")),
			want:   decision{Topology: by(both)},
		},
		"NotForThisService": {
			reason: "A service that is packed more narrowly does not prefer what its graph prefers.",
			req:    on(preferring(plantest.Placed("", "rack", ""), "zone", "")),
			want:   decision{Topology: by(onlyRack)},
		},
		"Broader": {
			reason: "KAI places no pods by a preferred domain that is broader than the required one.",
			req:    on(preferring(plantest.Placed("", "rack", ""), "", "zone")),
			want:   decision{Topology: by(onlyRack), Said: warned(preferredOfWorker)},
		},
		"OfOneNode": {
			reason: "Services of one node are not packed.",
			req:    on(plantest.Graph(plantest.Placed("", "rack", ""), plantest.Changed("Frontend", plantest.WithAnnotation(annotationPreferred, "rack")))),
			want:   decision{Topology: by(onlyRack), Said: warned("spec.components[Frontend].annotations[nvidia.com/topology-preferred-domain]")},
		},
		"Live": {
			reason: "What runs stays as it is.",
			req:    on(preferring(plantest.Placed("", "zone", ""), "", "rack"), live(onZone, preferringRack)),
			want:   decision{Topology: by(both)},
		},
		"Added": {
			reason: "A preferred domain that is added later is not obeyed by what runs, and so not by new replicas.",
			req:    on(preferring(plantest.Placed("", "zone", ""), "", "rack"), live(onZone)),
			want:   decision{Topology: by(onlyZone), Said: warned(preferredOfWorker)},
		},
		"Changed": {
			reason: "A preferred domain that was obeyed cannot change.",
			req:    on(preferring(plantest.Placed("", "zone", ""), "", "host"), live(onZone, preferringRack)),
			want:   decision{Said: changed(preferredOfWorker)},
		},
	})
}

// TestHosts warns of components that can hardly be placed.
func TestHosts(t *testing.T) {
	pack := myTopology(graphplan.DialectPack)
	asked := []string{"ClusterTopologyBinding"}
	compare(t, map[string]topologyCase{
		"Own": {
			reason: "A warning says that a service's own domain packs several nodes into one machine.",
			req:    onGroveAnd(plantest.Graph(plantest.Placed("zone", "host", ""))),
			want:   decision{Topology: pack, Asked: asked, Said: warned(domainOfWorker)},
		},
		"Inherited": {
			reason: "A warning says that the graph's domain packs several nodes into one machine.",
			req:    onGroveAnd(plantest.Graph(plantest.Placed("host", "", ""))),
			want:   decision{Topology: pack, Asked: asked, Said: warned(domainOfGraph)},
		},
		"OneNode": {
			reason: "A service of one node may be packed into one machine.",
			req:    onGroveAnd(plantest.Graph(plantest.Placed("", "", "host"))),
			want:   decision{Topology: pack, Asked: asked},
		},
		"ByLabel": {
			reason: "A host may have another name.",
			req:    onGroveAnd(plantest.Graph(plantest.Placed("", "tray", "")), plantest.WithLevels("block=b", "tray=kubernetes.io/hostname")),
			want:   decision{Topology: pack, Asked: asked, Said: warned(domainOfWorker)},
		},
		"PartOfHost": {
			reason: "A domain that is part of a host is too small for several nodes.",
			req:    onGroveAnd(plantest.Graph(plantest.Placed("", "numa", "")), plantest.WithLevels("rack=r", "host=h", "numa=n")),
			want:   decision{Topology: pack, Asked: asked, Said: warned(domainOfWorker)},
		},
		"OnlyHosts": {
			reason: "The warning suggests no broader domain when there is none.",
			req:    onGroveAnd(plantest.Graph(plantest.Placed("", "host", "")), plantest.WithLevels("host=h")),
			want:   decision{Topology: pack, Asked: asked, Said: warned(domainOfWorker)},
		},
	})
}
