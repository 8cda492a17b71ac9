package topology_test

import (
	"maps"
	"testing"

	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest/whole"
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
	compare(t, map[string]whole.Row[decision]{
		"OfGraph": {
			Reason:  "A graph may prefer a domain.",
			Request: onGroveAnd(preferring(packed("zone", ""), "rack", "")),
			Want:    decision{Topology: myTopology(graphplan.DialectPack, prefer("rack", "")), Asked: asked},
		},
		"OfService": {
			Reason:  "A service may prefer a domain.",
			Request: onGroveAnd(preferring(packed("zone", ""), "", "rack")),
			Want:    decision{Topology: myTopology(graphplan.DialectPack, prefer("", "rack")), Asked: asked},
		},
		"Alone": {
			Reason:  "A graph and a service may prefer domains and require none.",
			Request: onGroveAnd(preferring(packed("", ""), "block", "rack")),
			Want:    decision{Topology: myTopology(graphplan.DialectPack, prefer("block", "rack")), Asked: asked},
		},
		"AsRequired": {
			Reason:  "The required domain may be preferred as well.",
			Request: onGroveAnd(preferring(packed("zone", ""), "zone", "")),
			Want:    decision{Topology: myTopology(graphplan.DialectPack, prefer("zone", "")), Asked: asked},
		},
		"Broader": {
			Reason:  "A preferred domain that is broader than the required one is left out, because KAI places no pods by such a pair.",
			Request: onGroveAnd(preferring(packed("rack", "host"), "zone", "rack")),
			Want:    decision{Topology: pack, Asked: asked, Said: warned(preferredOfGraph, preferredOfWorker)},
		},
		"BroaderThanGraphRequires": {
			Reason:  "A preferred domain of a service that is broader than what the graph requires is left out.",
			Request: onGroveAnd(preferring(packed("rack", ""), "", "block")),
			Want:    decision{Topology: pack, Asked: asked, Said: warned(preferredOfWorker)},
		},
		"Hierarchy": {
			Reason:  "Grove refuses a service that prefers a broader domain than its graph.",
			Request: onGroveAnd(preferring(packed("", ""), "rack", "block")),
			Want:    decision{Asked: asked, Said: invalid(preferredOfWorker)},
		},
		"NoLevels": {
			Reason:  "All domains must exist, required and preferred.",
			Request: onGroveAnd(preferring(packed("planet", ""), "shelf", "tray")),
			Want:    decision{Asked: asked, Said: invalid(preferredOfGraph, preferredOfWorker, domainOfGraph)},
		},
		"NoProfile": {
			Reason:  "A preferred domain needs a topology.",
			Request: plantest.Request(preferring(withoutTopology, "rack", "block"), plantest.WithGroups("grove", "kai"), plantest.WithKAIQueue()),
			Want:    decision{Said: invalid(profileOfGraph)},
		},
		"PackDomain": {
			Reason:  "Older versions of Grove know no preferred domains.",
			Request: onGroveAnd(preferring(packed("zone", ""), "rack", "rack"), withDialect(inputv1alpha1.DialectPackDomain)),
			Want:    decision{Topology: myTopology(graphplan.DialectPackDomain, recordingName), Said: warned(preferredOfGraph, preferredOfWorker)},
		},
		"PackDomainWithTopologyName": {
			Reason:  "Grove v0.1.0-alpha.9 knows no preferred domains.",
			Request: onGroveAnd(preferring(packed("", ""), "rack", ""), withDialect(inputv1alpha1.DialectPackDomainWithTopologyName)),
			Want:    decision{Topology: myTopology(graphplan.DialectPackDomainWithTopologyName, unwritten), Said: warned(preferredOfGraph)},
		},
		"WithoutKAI": {
			Reason:  "A preferred domain is a constraint.",
			Request: plantest.Request(preferring(packed("", ""), "rack", ""), plantest.WithGroups("grove"), plantest.WithTopologyBindings(true), plantest.WithTopology()),
			Want:    decision{Asked: []string{"ClusterTopologyBinding"}, Said: invalid(onGraph)},
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
	compare(t, map[string]whole.Row[decision]{
		"AsItWas": {
			Reason:  "A graph that did not change is fine.",
			Request: live("block", "host"),
			Want:    decision{Topology: myTopology(graphplan.DialectPack, kept), Asked: asked},
		},
		"TopologyGone": {
			Reason:  "A graph that did not change is fine without its topology.",
			Request: live("block", "host", plantest.WithoutObject("topology")),
			Want:    decision{Topology: myTopology(graphplan.DialectPack, notFound, kept), Asked: asked},
		},
		"LevelGone": {
			Reason:  "A graph that did not change is fine without the level that it prefers.",
			Request: live("block", "host", plantest.WithLevels("zone=z", "rack=r", "host=h")),
			Want:    decision{Topology: myTopology(graphplan.DialectPack, missing("block"), kept), Asked: asked},
		},
		"Changed": {
			Reason:  "The preferred domains of a live graph cannot change.",
			Request: live("rack", "rack"),
			Want:    decision{Asked: asked, Said: changed(preferredOfGraph, preferredOfWorker)},
		},
		"Removed": {
			Reason:  "A preferred domain cannot be removed from a live graph.",
			Request: live("", "host"),
			Want:    decision{Asked: asked, Said: changed(preferredOfGraph)},
		},
		"Added": {
			Reason:  "A preferred domain cannot be added to a live graph.",
			Request: unset("rack", observedPacked()),
			Want:    decision{Asked: asked, Said: changed(preferredOfGraph)},
		},
		"AddedInVain": {
			Reason:  "A preferred domain that has no effect may be added to a live graph.",
			Request: onGroveAnd(preferring(packed("zone", "rack"), "", "block"), plantest.WithObserved("podcliqueset", observedPacked())),
			Want:    decision{Topology: myTopology(graphplan.DialectPack), Asked: asked, Said: warned(preferredOfWorker)},
		},
		"CannotTell": {
			Reason:  "A preferred domain may be added while the topology is gone, because it is unknown whether it has an effect.",
			Request: unset("rack", observedPacked(), plantest.WithoutObject("topology")),
			Want:    decision{Topology: myTopology(graphplan.DialectPack, notFound), Asked: asked},
		},
		"FromOlderGrove": {
			Reason:  "Grove takes an older constraint as it was, and nothing more.",
			Request: unset("rack", older),
			Want:    decision{Topology: myTopology(graphplan.DialectPack), Asked: asked, Said: warned(preferredOfGraph)},
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
	compare(t, map[string]whole.Row[decision]{
		"Alone": {
			Reason:  "A preferred domain may be all there is.",
			Request: on(preferring(plantest.Placed("", "", ""), "", "rack")),
			Want:    decision{Topology: by(graphplan.Placement{PreferredDomain: "rack", PreferredLabel: "example.org/rack"})},
		},
		"Both": {
			Reason:  "KAI knows a required and a preferred domain together.",
			Request: on(preferring(plantest.Placed("", "zone", ""), "", "rack")),
			Want:    decision{Topology: by(both)},
		},
		"GraphsPreference": {
			Reason:  "A service prefers what its graph prefers.",
			Request: on(preferring(plantest.Placed("", "zone", ""), "rack", "")),
			Want:    decision{Topology: by(both)},
		},
		"NotForThisService": {
			Reason:  "A service that is packed more narrowly does not prefer what its graph prefers.",
			Request: on(preferring(plantest.Placed("", "rack", ""), "zone", "")),
			Want:    decision{Topology: by(onlyRack)},
		},
		"Broader": {
			Reason:  "KAI places no pods by a preferred domain that is broader than the required one.",
			Request: on(preferring(plantest.Placed("", "rack", ""), "", "zone")),
			Want:    decision{Topology: by(onlyRack), Said: warned(preferredOfWorker)},
		},
		"OfOneNode": {
			Reason:  "Services of one node are not packed.",
			Request: on(plantest.Graph(plantest.Placed("", "rack", ""), plantest.Changed("Frontend", plantest.WithAnnotation(annotationPreferred, "rack")))),
			Want:    decision{Topology: by(onlyRack), Said: warned("spec.components[Frontend].annotations[nvidia.com/topology-preferred-domain]")},
		},
		"Live": {
			Reason:  "What runs stays as it is.",
			Request: on(preferring(plantest.Placed("", "zone", ""), "", "rack"), live(onZone, preferringRack)),
			Want:    decision{Topology: by(both)},
		},
		"Added": {
			Reason:  "A preferred domain that is added later is not obeyed by what runs, and so not by new replicas.",
			Request: on(preferring(plantest.Placed("", "zone", ""), "", "rack"), live(onZone)),
			Want:    decision{Topology: by(onlyZone), Said: warned(preferredOfWorker)},
		},
		"Changed": {
			Reason:  "A preferred domain that was obeyed cannot change.",
			Request: on(preferring(plantest.Placed("", "zone", ""), "", "host"), live(onZone, preferringRack)),
			Want:    decision{Said: changed(preferredOfWorker)},
		},
	})
}

// TestHosts warns of components that can hardly be placed.
func TestHosts(t *testing.T) {
	pack := myTopology(graphplan.DialectPack)
	asked := []string{"ClusterTopologyBinding"}
	compare(t, map[string]whole.Row[decision]{
		"Own": {
			Reason:  "A warning says that a service's own domain packs several nodes into one machine.",
			Request: onGroveAnd(plantest.Graph(plantest.Placed("zone", "host", ""))),
			Want:    decision{Topology: pack, Asked: asked, Said: warned(domainOfWorker)},
		},
		"Inherited": {
			Reason:  "A warning says that the graph's domain packs several nodes into one machine.",
			Request: onGroveAnd(plantest.Graph(plantest.Placed("host", "", ""))),
			Want:    decision{Topology: pack, Asked: asked, Said: warned(domainOfGraph)},
		},
		"OneNode": {
			Reason:  "A service of one node may be packed into one machine.",
			Request: onGroveAnd(plantest.Graph(plantest.Placed("", "", "host"))),
			Want:    decision{Topology: pack, Asked: asked},
		},
		"ByLabel": {
			Reason:  "A host may have another name.",
			Request: onGroveAnd(plantest.Graph(plantest.Placed("", "tray", "")), plantest.WithLevels("block=b", "tray=kubernetes.io/hostname")),
			Want:    decision{Topology: pack, Asked: asked, Said: warned(domainOfWorker)},
		},
		"PartOfHost": {
			Reason:  "A domain that is part of a host is too small for several nodes.",
			Request: onGroveAnd(plantest.Graph(plantest.Placed("", "numa", "")), plantest.WithLevels("rack=r", "host=h", "numa=n")),
			Want:    decision{Topology: pack, Asked: asked, Said: warned(domainOfWorker)},
		},
		"OnlyHosts": {
			Reason:  "The warning suggests no broader domain when there is none.",
			Request: onGroveAnd(plantest.Graph(plantest.Placed("", "host", "")), plantest.WithLevels("host=h")),
			Want:    decision{Topology: pack, Asked: asked, Said: warned(domainOfWorker)},
		},
	})
}
