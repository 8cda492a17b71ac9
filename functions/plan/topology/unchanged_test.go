package topology_test

import (
	"testing"

	volcanov1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
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
	compare(t, map[string]topologyCase{
		"Unchanged": {
			reason: "A graph that did not change is fine.",
			req:    volcano(plantest.Placed("", "rack", "")),
			want:   decision{Topology: placedBy(kept)},
		},
		"WrittenDown": {
			reason: "Replicas stay where they are when the same domain now comes from the graph.",
			req:    volcano(plantest.Placed("rack", "", "")),
			want:   decision{Topology: placedBy(kept), Said: warned(domainOfGraph)},
		},
		"Changed": {
			reason: "Another domain of the service would move its replicas.",
			req:    volcano(plantest.Placed("", "zone", "")),
			want:   decision{Said: changed(domainOfWorker)},
		},
		"ChangedInGraph": {
			reason: "Another domain of the graph would move its replicas.",
			req:    volcano(plantest.Placed("zone", "", "")),
			want:   decision{Said: changed(domainOfGraph)},
		},
		"Removed": {
			reason: "Without a domain, the replicas might go anywhere.",
			req:    volcano(plantest.Placed("", "", "")),
			want:   decision{Said: changed(domainOfGraph)},
		},
		"AllRemoved": {
			reason: "Without a topology, the replicas might go anywhere.",
			req:    volcano(plantest.Frontend, plantest.Multinode),
			want:   decision{Said: changed(profileOfGraph, domainOfGraph)},
		},
		"Profile": {
			reason: "Domains of another topology are other domains.",
			req: plantest.Request(plantest.Graph(plantest.Placed("", "rack", ""), plantest.InTopology("other", "")), plantest.WithGroups("lws", "volcano"), plantest.WithVolcanoQueue("Open"), withHyperNodes(),
				plantest.WithInput(inputv1alpha1.Policy{Topology: plantest.ThreeLevels("other")}), observedSet, observedGroup),
			want: decision{Said: changed(profileOfGraph)},
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
	compare(t, map[string]topologyCase{
		"New":        {reason: "A new PodCliqueSet is marked with its topology.", req: on("my-topology"), want: decision{Topology: marked}},
		"Marked":     {reason: "A PodCliqueSet that is marked with its topology stays so.", req: on("my-topology", plantest.WithObserved("podcliqueset", annotated)), want: decision{Topology: marked}},
		"NotMarked":  {reason: "A live PodCliqueSet is not changed to mark it with its topology.", req: on("my-topology", plantest.WithObserved("podcliqueset", observed)), want: decision{Topology: unmarked}},
		"CannotTell": {reason: "A change of the topology is not seen on a PodCliqueSet that is not marked.", req: on("other", plantest.WithObserved("podcliqueset", observed)), want: decision{Topology: other}},
		"Changed": {
			reason: "A change of the topology is refused on a PodCliqueSet that is marked.",
			req:    on("other", plantest.WithObserved("podcliqueset", annotated)),
			want:   decision{Said: changed(profileOfGraph)},
		},
	})
}
