package topology_test

import (
	"testing"

	volcanov1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest/whole"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// TestPlacementsAreImmutable shows that a graph on LeaderWorkerSets keeps the domains that its replicas were placed by.
func TestPlacementsAreImmutable(t *testing.T) {
	kept := inTier("rack", "hard", 1)
	network := plantest.PodGroup(volcanov1beta1.PodGroupSpec{
		NetworkTopology: &volcanov1beta1.NetworkTopologySpec{Mode: volcanov1beta1.HardNetworkTopologyMode, HighestTierAllowed: new(1)},
	})
	observedSet, observedGroup := plantest.WithObserved("leaderworkerset-worker-0", plantest.SetOfVolcano(plantest.MarkedWith("rack"))), plantest.WithObserved("podgroup-worker-0", network)
	volcano := func(changes ...plantest.GraphChange) *fnv1.RunFunctionRequest {
		return onVolcano(plantest.Graph(changes...), inputv1alpha1.Volcano{}, observedSet, observedGroup)
	}
	compare(t, map[string]whole.Row[decision]{
		"Unchanged": {
			Reason:  "A graph that did not change is fine.",
			Request: volcano(plantest.Placed("", "rack", "")),
			Want:    decision{Topology: placedBy(kept)},
		},
		"WrittenDown": {
			Reason:  "Replicas stay where they are when the same domain now comes from the graph.",
			Request: volcano(plantest.Placed("rack", "", "")),
			Want:    decision{Topology: placedBy(kept), Said: warned(domainOfGraph)},
		},
		"Changed": {
			Reason:  "Another domain of the service would move its replicas.",
			Request: volcano(plantest.Placed("", "zone", "")),
			Want:    decision{Said: changed(domainOfWorker)},
		},
		"ChangedInGraph": {
			Reason:  "Another domain of the graph would move its replicas.",
			Request: volcano(plantest.Placed("zone", "", "")),
			Want:    decision{Said: changed(domainOfGraph)},
		},
		"Removed": {
			Reason:  "Without a domain, the replicas might go anywhere.",
			Request: volcano(plantest.Placed("", "", "")),
			Want:    decision{Said: changed(domainOfGraph)},
		},
		"AllRemoved": {
			Reason:  "Without a topology, the replicas might go anywhere.",
			Request: volcano(plantest.Frontend, plantest.Multinode),
			Want:    decision{Said: changed(profileOfGraph, domainOfGraph)},
		},
		"Profile": {
			Reason: "Domains of another topology are other domains.",
			Request: plantest.Request(plantest.Graph(plantest.Placed("", "rack", ""), plantest.InTopology("other", "")), plantest.WithGroups("lws", "volcano"), plantest.WithVolcanoQueue("Open"), withHyperNodes(),
				plantest.WithInput(inputv1alpha1.Policy{Topology: plantest.ThreeLevels("other")}), observedSet, observedGroup),
			Want: decision{Said: changed(profileOfGraph)},
		},
	})
}

// TestProfileOfOldestDialect shows that a PodCliqueSet whose constraints do not name their topology is marked with it.
func TestProfileOfOldestDialect(t *testing.T) {
	unmarked := myTopology(graphplan.DialectPackDomain)
	marked := myTopology(graphplan.DialectPackDomain, recordingName)
	other := &graphplan.Topology{Name: "other", Dialect: graphplan.DialectPackDomain}
	observed := packedSet(plantest.OlderConstraint("", "zone"), plantest.OlderConstraint("", "rack"))
	annotated := packedSet(plantest.OlderConstraint("", "zone"), plantest.OlderConstraint("", "rack"))
	annotated.Annotations = map[string]string{"nvidia.com/topology-profile": "my-topology"}
	on := func(profile string, more ...plantest.RequestOption) *fnv1.RunFunctionRequest {
		xr := plantest.Graph(packed("zone", "rack"), plantest.InTopology(profile, "zone"))
		return onGroveAnd(xr, append([]plantest.RequestOption{withDialect(inputv1alpha1.DialectPackDomain)}, more...)...)
	}
	compare(t, map[string]whole.Row[decision]{
		"New":        {Reason: "A new PodCliqueSet is marked with its topology.", Request: on("my-topology"), Want: decision{Topology: marked}},
		"Marked":     {Reason: "A PodCliqueSet that is marked with its topology stays so.", Request: on("my-topology", plantest.WithObserved("podcliqueset", annotated)), Want: decision{Topology: marked}},
		"NotMarked":  {Reason: "A live PodCliqueSet is not changed to mark it with its topology.", Request: on("my-topology", plantest.WithObserved("podcliqueset", observed)), Want: decision{Topology: unmarked}},
		"CannotTell": {Reason: "A change of the topology is not seen on a PodCliqueSet that is not marked.", Request: on("other", plantest.WithObserved("podcliqueset", observed)), Want: decision{Topology: other}},
		"Changed": {
			Reason:  "A change of the topology is refused on a PodCliqueSet that is marked.",
			Request: on("other", plantest.WithObserved("podcliqueset", annotated)),
			Want:    decision{Said: changed(profileOfGraph)},
		},
	})
}
