package topology_test

import (
	"maps"
	"testing"

	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest/whole"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// TestPlacements shows how the replicas of a graph on LeaderWorkerSets are packed by KAI.
func TestPlacements(t *testing.T) {
	notGrove := plantest.Annotated("nvidia.com/enable-grove", "false")
	packedBy := func(kai, domain, label string) *graphplan.Topology {
		return myTopology(graphplan.DialectPack, byKAITopology(kai), placing(graphplan.Placement{Domain: domain, RequiredLabel: label}))
	}
	keptOnRack := func(topology *graphplan.Topology) {
		byKAITopology("my-topology")(topology)
		placing(graphplan.Placement{RequiredLabel: "r"})(topology)
	}
	asked := []string{"ClusterTopologyBinding"}
	known := []plantest.RequestOption{plantest.WithGroups("grove", "lws", "kai"), plantest.WithKAIQueue(), plantest.WithTopologyBindings(true)}
	live := func(changes ...plantest.SetChange) plantest.RequestOption {
		return plantest.WithObserved("leaderworkerset-worker-0", plantest.SetOfKAI(changes...))
	}
	onRack := plantest.AnnotatedSet(packedByKAI("r"))
	onMarkedRack := func(set *lwsv1.LeaderWorkerSet) {
		plantest.MarkedWith("rack")(set)
		maps.Copy(set.Annotations, packedByKAI("r"))
	}
	with := func(base []plantest.RequestOption, more ...plantest.RequestOption) []plantest.RequestOption {
		return append(base[:len(base):len(base)], more...)
	}

	boundTopology := plantest.TopologyOf("rack=r")
	boundTopology.Spec.SchedulerTopologyBindings = []grovev1alpha1.SchedulerTopologyBinding{
		{SchedulerName: "other", TopologyReference: "no"}, {SchedulerName: graphplan.KAIScheduler, TopologyReference: "gb200"},
	}
	scheduledBy := func(s *v1alpha1.Service) { s.ExtraPodSpec.SchedulerName = "mine" }

	compare(t, map[string]whole.Row[decision]{
		"ServicesOwnDomain": {
			Reason:  "The domain of the service is that of its replicas.",
			Request: plantest.Request(plantest.Graph(plantest.Placed("zone", "rack", ""), notGrove), with(known, plantest.WithTopology())...),
			Want:    decision{Topology: packedBy("my-topology", "rack", "r"), Said: warned(domainOfGraph), Asked: asked},
		},
		"GraphsDomain": {
			Reason:  "Replicas of a service without a domain are packed by the domain of the graph.",
			Request: plantest.Request(plantest.Graph(plantest.Placed("zone", "", ""), notGrove), with(known, plantest.WithTopology())...),
			Want:    decision{Topology: packedBy("my-topology", "zone", "z"), Said: warned(domainOfGraph), Asked: asked},
		},
		"OfOneNode": {
			Reason:  "KAI does not schedule the pods of Deployments.",
			Request: plantest.Request(plantest.Graph(plantest.Placed("", "rack", "rack"), notGrove), with(known, plantest.WithTopology())...),
			Want:    decision{Topology: packedBy("my-topology", "rack", "r"), Said: warned("spec.components[Frontend].topologyConstraint.packDomain"), Asked: asked},
		},
		"OfOneNodeOnly": {
			Reason:  "Where only services of one node are constrained, nothing is packed, but the levels are looked up all the same.",
			Request: plantest.Request(plantest.Graph(plantest.Placed("", "", "rack"), notGrove), with(known, plantest.WithTopology())...),
			Want:    decision{Topology: myTopology(graphplan.DialectPack), Said: warned(onGraph), Asked: asked},
		},
		"TopologyOfTheSchedulersOwn": {
			Reason:  "The topology object may name another topology of KAI's.",
			Request: plantest.Request(plantest.Graph(plantest.Placed("", "rack", ""), notGrove), with(known, plantest.WithObject("topology", boundTopology))...),
			Want:    decision{Topology: packedBy("gb200", "rack", "r"), Asked: asked},
		},
		"UnknownDomain": {
			Reason:  "A domain that does not exist is refused.",
			Request: plantest.Request(plantest.Graph(plantest.Placed("", "shelf", ""), notGrove), with(known, plantest.WithTopology())...),
			Want:    decision{Said: invalid(domainOfWorker), Asked: asked},
		},
		"NotFound": {
			Reason:  "A topology that does not exist is refused.",
			Request: plantest.Request(plantest.Graph(plantest.Placed("", "rack", ""), notGrove), with(known, plantest.WithoutObject("topology"))...),
			Want:    decision{Said: invalid(profileOfGraph), Asked: asked},
		},
		"NotDelivered": {
			Reason:  "A topology that has not been looked up yet is not taken to be missing.",
			Request: plantest.Request(plantest.Graph(plantest.Placed("", "rack", ""), notGrove), known...),
			Want:    decision{Asked: asked},
		},
		"WithoutGrove": {
			Reason:  "Without Grove's API there is no topology object, and it must not be asked for.",
			Request: plantest.Request(plantest.Graph(plantest.Placed("", "rack", "")), plantest.WithGroups("lws", "kai"), plantest.WithKAIQueue()),
			Want:    decision{Topology: myTopology("", undefined), Said: warned(onGraph)},
		},
		"UsersOwnScheduler": {
			Reason:  "Pods that the user leaves to another scheduler are not packed.",
			Request: plantest.Request(plantest.Graph(plantest.Placed("", "rack", ""), plantest.Changed("Worker", scheduledBy), notGrove), with(known, plantest.WithTopology())...),
			Want:    decision{Topology: myTopology(graphplan.DialectPack), Said: warned(onGraph), Asked: asked},
		},
		"Profile": {
			Reason: "A profile of the platform takes the place of the topology object.",
			Request: plantest.Request(plantest.Graph(plantest.Placed("", "rack", "")), plantest.WithGroups("lws", "kai"), plantest.WithKAIQueue(),
				plantest.WithInput(inputv1alpha1.Policy{Topology: plantest.Profile("my-topology", "zone=p/z", "rack=p/r")})),
			Want: decision{Topology: myTopology("", byKAITopology("my-topology"), placing(graphplan.Placement{Domain: "rack", RequiredLabel: "p/r"}))},
		},
		"LiveAndNotPacked": {
			Reason:  "What runs is not moved when Grove comes later.",
			Request: plantest.Request(plantest.Graph(plantest.Placed("", "rack", "")), with(known, plantest.WithTopology(), live())...),
			Want:    decision{Topology: myTopology(graphplan.DialectPack), Said: warned(onGraph), Asked: asked},
		},
		"LiveAndMarked": {
			Reason:  "What is marked stays marked.",
			Request: plantest.Request(plantest.Graph(plantest.Placed("", "rack", "")), with(known, plantest.WithTopology(), live(onMarkedRack))...),
			Want:    decision{Topology: myTopology(graphplan.DialectPack, byKAITopology("my-topology"), placing(graphplan.Placement{Domain: "rack", RequiredLabel: "r"})), Asked: asked},
		},
		"LiveAndPacked": {
			Reason:  "What runs is not moved when the levels get other labels.",
			Request: plantest.Request(plantest.Graph(plantest.Placed("", "rack", "")), with(known, plantest.WithLevels("rack=new"), live(onRack))...),
			Want:    decision{Topology: myTopology(graphplan.DialectPack, keptOnRack), Asked: asked},
		},
		"LiveAndGroveGone": {
			Reason:  "What runs stays packed when Grove's API goes away.",
			Request: plantest.Request(plantest.Graph(plantest.Placed("", "rack", "")), plantest.WithGroups("lws", "kai"), plantest.WithKAIQueue(), live(onRack)),
			Want:    decision{Topology: myTopology("", undefined, keptOnRack)},
		},
		"LiveAndTopologyGone": {
			Reason:  "What runs stays packed when the topology object goes away.",
			Request: plantest.Request(plantest.Graph(plantest.Placed("", "rack", "")), with(known, plantest.WithoutObject("topology"), live(onRack))...),
			Want:    decision{Topology: myTopology(graphplan.DialectPack, notFound, keptOnRack), Asked: asked},
		},
		"LiveAndLevelGone": {
			Reason:  "What runs stays packed when the level goes away.",
			Request: plantest.Request(plantest.Graph(plantest.Placed("", "rack", "")), with(known, plantest.WithLevels("zone=z"), live(onRack))...),
			Want:    decision{Topology: myTopology(graphplan.DialectPack, missing("rack"), keptOnRack), Asked: asked},
		},
	})
}
