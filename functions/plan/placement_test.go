package plan_test

import (
	"maps"
	"strings"
	"testing"

	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step/steptest"
)

// placed is a graph of a frontend and a multinode worker, packed into these domains.
func placed(own, ofWorker, ofFrontend string) plantest.GraphChange {
	return func(xr *v1alpha1.DynamoGraphDeployment) {
		plantest.InTopology("my-topology", own)(xr)
		plantest.Frontend(xr)
		plantest.Multinode(xr)
		plantest.Changed("Frontend", plantest.InDomain(ofFrontend))(xr)
		plantest.Changed("Worker", plantest.InDomain(ofWorker))(xr)
	}
}

// TestPlacements shows how the replicas of a graph on LeaderWorkerSets are packed by KAI.
func TestPlacements(t *testing.T) {
	const (
		whole    = "spec.topologyConstraint.packDomain: on LeaderWorkerSet each replica of a service that spans nodes is packed separately, not the graph as a whole"
		noEffect = "spec.topologyConstraint: topology constraints have no effect on LeaderWorkerSet: "
		byOthers = noEffect + "run the graph on Grove, or place its pods with affinity in extraPodSpec"
		unmoved  = noEffect + "its replicas already exist and were not packed; delete and recreate the graph"
		nowhere  = noEffect + "topology my-topology is not defined; let the platform add profile my-topology to topology.profiles in the input of step plan, or install Grove and create the topology"
		single   = "spec.services[Frontend].topologyConstraint.packDomain: has no effect on a service of one node on LeaderWorkerSet: place its pods with affinity in extraPodSpec"
		mine     = noEffect + "its pods use scheduler mine; remove schedulerName, or place its pods with affinity in extraPodSpec"
	)
	chosen := func(why string) responseOption {
		return conditioned("OrchestratorSelected", isTrue, "Selected", "LeaderWorkerSet runs the graph: "+why+", and LeaderWorkerSet and a gang scheduler are installed")
	}
	aside := chosen("annotation nvidia.com/enable-grove is false")
	warned := func(messages ...string) responseOption {
		message := strings.Join(messages, "\n")
		return func(rsp *fnv1.RunFunctionResponse) {
			conditioned("Accepted", isTrue, "ValidWithWarnings", message)(rsp)
			warningResult(message)(rsp)
		}
	}
	notGrove := plantest.Annotated("nvidia.com/enable-grove", "false")
	document := func(dialect graphplan.TopologyDialect, changes ...topologyChange) responseOption {
		return planOf(steptest.PlanOnLeaderWorkerSets(steptest.ByKAI(), vllmServices("Frontend"), withGPUTotal(32), constrainedTo(myTopology(dialect, changes...))))
	}
	packedBy := func(kai, domain, label string) responseOption {
		return document(graphplan.DialectPack, byKAITopology(kai), placing(graphplan.Placement{Domain: domain, RequiredLabel: label}))
	}
	looked := func(changes ...topologyChange) responseOption { return document(graphplan.DialectPack, changes...) }
	keptOnRack := func(topology *graphplan.Topology) {
		byKAITopology("my-topology")(topology)
		placing(graphplan.Placement{RequiredLabel: "r"})(topology)
	}
	asked := []responseOption{asksForGroups(), asksForQueue("dynamo"), asksForSchema(), asksForTopology("ClusterTopologyBinding")}
	known := []plantest.RequestOption{plantest.WithGroups("grove", "lws", "kai"), plantest.WithKAIQueue(), plantest.WithTopologyBindings(true)}
	live := func(changes ...plantest.SetChange) plantest.RequestOption {
		return plantest.WithObserved("leaderworkerset-worker-0", plantest.SetOfKAI(changes...))
	}
	onRack := plantest.AnnotatedSet(packedByKAI("r"))
	onMarkedRack := func(set *lwsv1.LeaderWorkerSet) {
		markedWith("rack")(set)
		maps.Copy(set.Annotations, packedByKAI("r"))
	}
	of := func(base []responseOption, more ...responseOption) []responseOption {
		return append(base[:len(base):len(base)], more...)
	}
	with := func(base []plantest.RequestOption, more ...plantest.RequestOption) []plantest.RequestOption {
		return append(base[:len(base):len(base)], more...)
	}

	boundTopology := plantest.TopologyOf("rack=r")
	boundTopology.Spec.SchedulerTopologyBindings = []grovev1alpha1.SchedulerTopologyBinding{
		{SchedulerName: "other", TopologyReference: "no"}, {SchedulerName: graphplan.KAIScheduler, TopologyReference: "gb200"},
	}
	scheduledBy := func(s *v1alpha1.Service) { s.ExtraPodSpec.SchedulerName = "mine" }

	compare(t, map[string]responseCase{
		"ServicesOwnDomain": {
			reason: "The domain of the service is that of its replicas.",
			req:    plantest.Request(plantest.Graph(placed("zone", "rack", ""), notGrove), with(known, plantest.WithTopology())...),
			want:   want(of(asked, warned(whole), aside, queueFound(), packedBy("my-topology", "rack", "r"))...),
		},
		"GraphsDomain": {
			reason: "Replicas of a service without a domain are packed by the domain of the graph.",
			req:    plantest.Request(plantest.Graph(placed("zone", "", ""), notGrove), with(known, plantest.WithTopology())...),
			want:   want(of(asked, warned(whole), aside, queueFound(), packedBy("my-topology", "zone", "z"))...),
		},
		"OfOneNode": {
			reason: "KAI does not schedule the pods of Deployments.",
			req:    plantest.Request(plantest.Graph(placed("", "rack", "rack"), notGrove), with(known, plantest.WithTopology())...),
			want:   want(of(asked, warned(single), aside, queueFound(), packedBy("my-topology", "rack", "r"))...),
		},
		"OfOneNodeOnly": {
			reason: "Where only services of one node are constrained, nothing is packed, but the levels are looked up all the same.",
			req:    plantest.Request(plantest.Graph(placed("", "", "rack"), notGrove), with(known, plantest.WithTopology())...),
			want:   want(of(asked, warned(byOthers), aside, queueFound(), looked())...),
		},
		"TopologyOfTheSchedulersOwn": {
			reason: "The topology object may name another topology of KAI's.",
			req:    plantest.Request(plantest.Graph(placed("", "rack", ""), notGrove), with(known, plantest.WithObject("topology", boundTopology))...),
			want:   want(of(asked, accepted(), aside, queueFound(), packedBy("gb200", "rack", "r"))...),
		},
		"UnknownDomain": {
			reason: "A domain that does not exist is refused.",
			req:    plantest.Request(plantest.Graph(placed("", "shelf", ""), notGrove), with(known, plantest.WithTopology())...),
			want: want(of(asked, refusal("Invalid",
				`spec.services[Worker].topologyConstraint.packDomain: Invalid value: "shelf": is not a domain of ClusterTopologyBinding my-topology; available domains: block, host, rack, zone`))...),
		},
		"NotFound": {
			reason: "A topology that does not exist is refused.",
			req:    plantest.Request(plantest.Graph(placed("", "rack", ""), notGrove), with(known, plantest.WithoutObject("topology"))...),
			want: want(of(asked, refusal("Invalid",
				`spec.topologyConstraint.topologyProfile: Invalid value: "my-topology": there is no ClusterTopologyBinding of this name; create it, or specify one that exists`))...),
		},
		"NotDelivered": {
			reason: "A topology that has not been looked up yet is not taken to be missing.",
			req:    plantest.Request(plantest.Graph(placed("", "rack", ""), notGrove), known...),
			want:   want(asked...),
		},
		"WithoutGrove": {
			reason: "Without Grove's API there is no topology object, and it must not be asked for.",
			req:    plantest.Request(plantest.Graph(placed("", "rack", "")), plantest.WithGroups("lws", "kai"), plantest.WithKAIQueue()),
			want:   want(asksForGroups(), asksForQueue("dynamo"), warned(nowhere), chosen("Grove is not installed"), queueFound(), document("", undefined)),
		},
		"UsersOwnScheduler": {
			reason: "Pods that the user leaves to another scheduler are not packed.",
			req:    plantest.Request(plantest.Graph(placed("", "rack", ""), plantest.Changed("Worker", scheduledBy), notGrove), with(known, plantest.WithTopology())...),
			want:   want(of(asked, warned(mine), aside, queueFound(), looked())...),
		},
		"Profile": {
			reason: "A profile of the platform takes the place of the topology object.",
			req: plantest.Request(plantest.Graph(placed("", "rack", "")), plantest.WithGroups("lws", "kai"), plantest.WithKAIQueue(),
				plantest.WithInput(inputv1alpha1.Policy{Topology: plantest.Profile("my-topology", "zone=p/z", "rack=p/r")})),
			want: want(asksForGroups(), asksForQueue("dynamo"), accepted(), chosen("Grove is not installed"), queueFound(),
				document("", byKAITopology("my-topology"), placing(graphplan.Placement{Domain: "rack", RequiredLabel: "p/r"}))),
		},
		"LiveAndNotPacked": {
			reason: "What runs is not moved when Grove comes later.",
			req:    plantest.Request(plantest.Graph(placed("", "rack", "")), with(known, plantest.WithTopology(), live())...),
			want:   want(of(asked, warned(unmoved), keptOn("LeaderWorkerSet"), queueFound(), looked())...),
		},
		"LiveAndMarked": {
			reason: "What is marked stays marked.",
			req:    plantest.Request(plantest.Graph(placed("", "rack", "")), with(known, plantest.WithTopology(), live(onMarkedRack))...),
			want:   want(of(asked, accepted(), keptOn("LeaderWorkerSet"), queueFound(), looked(byKAITopology("my-topology"), placing(graphplan.Placement{Domain: "rack", RequiredLabel: "r"})))...),
		},
		"LiveAndPacked": {
			reason: "What runs is not moved when the levels get other labels.",
			req:    plantest.Request(plantest.Graph(placed("", "rack", "")), with(known, plantest.WithLevels("rack=new"), live(onRack))...),
			want:   want(of(asked, accepted(), keptOn("LeaderWorkerSet"), queueFound(), looked(keptOnRack))...),
		},
		"LiveAndGroveGone": {
			reason: "What runs stays packed when Grove's API goes away.",
			req:    plantest.Request(plantest.Graph(placed("", "rack", "")), plantest.WithGroups("lws", "kai"), plantest.WithKAIQueue(), live(onRack)),
			want: want(asksForGroups(), asksForQueue("dynamo"), accepted(), onLWS(), queueFound(),
				document("", undefined, keptOnRack)),
		},
		"LiveAndTopologyGone": {
			reason: "What runs stays packed when the topology object goes away.",
			req:    plantest.Request(plantest.Graph(placed("", "rack", "")), with(known, plantest.WithoutObject("topology"), live(onRack))...),
			want: want(of(asked, accepted(), keptOn("LeaderWorkerSet"), queueFound(),
				looked(notFound, keptOnRack))...),
		},
		"LiveAndLevelGone": {
			reason: "What runs stays packed when the level goes away.",
			req:    plantest.Request(plantest.Graph(placed("", "rack", "")), with(known, plantest.WithLevels("zone=z"), live(onRack))...),
			want: want(of(asked, accepted(), keptOn("LeaderWorkerSet"), queueFound(),
				looked(missing("rack"), keptOnRack))...),
		},
	})
}
