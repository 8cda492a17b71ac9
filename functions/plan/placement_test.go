package plan

import (
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
)

// placed is a graph of a frontend and a multinode worker, packed into these domains.
func placed(own, ofWorker, ofFrontend string) string {
	constrained := func(service, domain string) string {
		if domain == "" {
			return service
		}
		return strings.TrimSuffix(service, "}") + `,"topologyConstraint":{"packDomain":"` + domain + `"}}`
	}
	graph := ""
	if own != "" {
		graph = `,"packDomain":"` + own + `"`
	}
	return `{"topologyConstraint":{"topologyProfile":"my-topology"` + graph + `},"services":{` + constrained(plantest.Frontend, ofFrontend) + `,` + constrained(plantest.Multinode, ofWorker) + `}}`
}

// TestPlacements shows how the replicas of a graph on LeaderWorkerSets are packed by KAI.
func TestPlacements(t *testing.T) {
	const (
		notGrove  = `{"nvidia.com/enable-grove":"false"}`
		whole     = "spec.topologyConstraint.packDomain: on LeaderWorkerSet each replica of a service that spans nodes is packed separately, not the graph as a whole"
		noEffect  = "spec.topologyConstraint: topology constraints have no effect on LeaderWorkerSet: "
		byOthers  = noEffect + "run the graph on Grove, or place its pods with affinity in extraPodSpec"
		unmoved   = noEffect + "its replicas already exist and were not packed; delete and recreate the graph"
		nowhere   = noEffect + "topology my-topology is not defined; let the platform add profile my-topology to topology.profiles in the input of step plan, or install Grove and create the topology"
		single    = "spec.services[Frontend].topologyConstraint.packDomain: has no effect on a service of one node on LeaderWorkerSet: place its pods with affinity in extraPodSpec"
		mine      = noEffect + "its pods use scheduler mine; remove schedulerName, or place its pods with affinity in extraPodSpec"
		undefined = `,"topology":{"name":"my-topology","dialect":"","notFound":true,"undefined":true}`
	)
	chosen := func(why string) responseOption {
		return conditioned("OrchestratorSelected", isTrue, "Selected", "LeaderWorkerSet runs the graph: "+why+", and LeaderWorkerSet and a gang scheduler are installed")
	}
	aside := chosen("annotation nvidia.com/enable-grove is false")
	warned := func(messages ...string) responseOption {
		message := strings.Join(messages, "; ")
		return func(rsp *fnv1.RunFunctionResponse) {
			conditioned("Accepted", isTrue, "ValidWithWarnings", message)(rsp)
			warningResult(message)(rsp)
		}
	}
	document := func(topology string) responseOption {
		return planOf(`{"version":2,"release":"development","orchestrator":"LeaderWorkerSet","lws":{"gang":` + byKAI + `},"totalGPUs":32` + topology + `,
			"services":{"Frontend":{"discovery":"kubernetes","dynamoNamespace":"inference-llama"},
			"Worker":{"framework":"vllm","executor":"ray","discovery":"kubernetes","dynamoNamespace":"inference-llama"}}}`)
	}
	packedBy := func(kai, domain, key string) responseOption {
		return document(`,"topology":{"name":"my-topology","dialect":"Pack","kaiTopology":"` + kai + `","placements":{"Worker":{"domain":"` + domain + `","requiredLabel":"` + key + `"}}}`)
	}
	looked := func(more string) responseOption {
		return document(`,"topology":{"name":"my-topology","dialect":"Pack"` + more + `}`)
	}
	const keptOnRack = `,"kaiTopology":"my-topology","placements":{"Worker":{"requiredLabel":"r"}}`
	const keptMarked = `,"kaiTopology":"my-topology","placements":{"Worker":{"domain":"rack","requiredLabel":"r"}}`
	asked := []responseOption{asksForGroups(), asksForQueue("dynamo"), asksForSchema(), asksForTopology("ClusterTopologyBinding")}
	known := []plantest.RequestOption{plantest.WithGroups("grove", "lws", "kai"), withQueue(), withSchema(true)}
	live := func(annotations string) plantest.RequestOption {
		return plantest.WithObserved("leaderworkerset-worker-0", strings.Replace(setOfKAI, `"name":"llama-worker-0"`, `"name":"llama-worker-0","annotations":`+annotations, 1))
	}
	const onRack = `{"kai.scheduler/topology":"my-topology","kai.scheduler/topology-required-placement":"r"}`
	const onMarkedRack = `{"kai.scheduler/topology":"my-topology","kai.scheduler/topology-required-placement":"r",
		"nvidia.com/topology-profile":"my-topology","nvidia.com/topology-pack-domain":"rack"}`
	of := func(base []responseOption, more ...responseOption) []responseOption {
		return append(base[:len(base):len(base)], more...)
	}
	with := func(base []plantest.RequestOption, more ...plantest.RequestOption) []plantest.RequestOption {
		return append(base[:len(base):len(base)], more...)
	}

	compare(t, map[string]responseCase{
		"ServicesOwnDomain": {
			reason: "The domain of the service is that of its replicas.",
			req:    plantest.Request(plantest.Annotated(placed("zone", "rack", ""), notGrove), with(known, withTopology())...),
			want:   want(of(asked, warned(whole), aside, queueFound(), packedBy("my-topology", "rack", "r"))...),
		},
		"GraphsDomain": {
			reason: "Replicas of a service without a domain are packed by the domain of the graph.",
			req:    plantest.Request(plantest.Annotated(placed("zone", "", ""), notGrove), with(known, withTopology())...),
			want:   want(of(asked, warned(whole), aside, queueFound(), packedBy("my-topology", "zone", "z"))...),
		},
		"OfOneNode": {
			reason: "KAI does not schedule the pods of Deployments.",
			req:    plantest.Request(plantest.Annotated(placed("", "rack", "rack"), notGrove), with(known, withTopology())...),
			want:   want(of(asked, warned(single), aside, queueFound(), packedBy("my-topology", "rack", "r"))...),
		},
		"OfOneNodeOnly": {
			reason: "Where only services of one node are constrained, nothing is packed, but the levels are looked up all the same.",
			req:    plantest.Request(plantest.Annotated(placed("", "", "rack"), notGrove), with(known, withTopology())...),
			want:   want(of(asked, warned(byOthers), aside, queueFound(), looked(""))...),
		},
		"TopologyOfTheSchedulersOwn": {
			reason: "The topology object may name another topology of KAI's.",
			req: plantest.Request(plantest.Annotated(placed("", "rack", ""), notGrove), with(known, withObject("topology", `{"spec":{"levels":[{"domain":"rack","key":"r"}],
				"schedulerTopologyBindings":[{"schedulerName":"other","topologyReference":"no"},{"schedulerName":"kai-scheduler","topologyReference":"gb200"}]}}`))...),
			want: want(of(asked, accepted(), aside, queueFound(), packedBy("gb200", "rack", "r"))...),
		},
		"UnknownDomain": {
			reason: "A domain that does not exist is refused.",
			req:    plantest.Request(plantest.Annotated(placed("", "shelf", ""), notGrove), with(known, withTopology())...),
			want: want(of(asked, refusal("Invalid",
				`spec.services[Worker].topologyConstraint.packDomain: Invalid value: "shelf": is not a domain of ClusterTopologyBinding my-topology; available domains: block, host, rack, zone`))...),
		},
		"NotFound": {
			reason: "A topology that does not exist is refused.",
			req:    plantest.Request(plantest.Annotated(placed("", "rack", ""), notGrove), with(known, withoutObject("topology"))...),
			want: want(of(asked, refusal("Invalid",
				`spec.topologyConstraint.topologyProfile: Invalid value: "my-topology": there is no ClusterTopologyBinding of this name; create it, or specify one that exists`))...),
		},
		"NotDelivered": {
			reason: "A topology that has not been looked up yet is not taken to be missing.",
			req:    plantest.Request(plantest.Annotated(placed("", "rack", ""), notGrove), known...),
			want:   want(asked...),
		},
		"WithoutGrove": {
			reason: "Without Grove's API there is no topology object, and it must not be asked for.",
			req:    plantest.Request(plantest.GraphOf(placed("", "rack", "")), plantest.WithGroups("lws", "kai"), withQueue()),
			want:   want(asksForGroups(), asksForQueue("dynamo"), warned(nowhere), chosen("Grove is not installed"), queueFound(), document(undefined)),
		},
		"UsersOwnScheduler": {
			reason: "Pods that the user leaves to another scheduler are not packed.",
			req: plantest.Request(plantest.Annotated(strings.Replace(placed("", "rack", ""), `"multinode":{"nodeCount":2},"resources":{"limits":{"gpu":"8"}},
		"extraPodSpec":{`, `"multinode":{"nodeCount":2},"resources":{"limits":{"gpu":"8"}},"extraPodSpec":{"schedulerName":"mine",`, 1), notGrove), with(known, withTopology())...),
			want: want(of(asked, warned(mine), aside, queueFound(), looked(""))...),
		},
		"Profile": {
			reason: "A profile of the platform takes the place of the topology object.",
			req: plantest.Request(plantest.GraphOf(placed("", "rack", "")), plantest.WithGroups("lws", "kai"), withQueue(),
				withInput(`"topology":{"profiles":[{"name":"my-topology","levels":[{"domain":"zone","key":"p/z"},{"domain":"rack","key":"p/r"}]}]}`)),
			want: want(asksForGroups(), asksForQueue("dynamo"), accepted(), chosen("Grove is not installed"), queueFound(),
				document(`,"topology":{"name":"my-topology","dialect":"","kaiTopology":"my-topology","placements":{"Worker":{"domain":"rack","requiredLabel":"p/r"}}}`)),
		},
		"LiveAndNotPacked": {
			reason: "What runs is not moved when Grove comes later.",
			req:    plantest.Request(plantest.GraphOf(placed("", "rack", "")), with(known, withTopology(), live(`{}`))...),
			want:   want(of(asked, warned(unmoved), keptOn("LeaderWorkerSet"), queueFound(), looked(""))...),
		},
		"LiveAndMarked": {
			reason: "What is marked stays marked.",
			req:    plantest.Request(plantest.GraphOf(placed("", "rack", "")), with(known, withTopology(), live(onMarkedRack))...),
			want:   want(of(asked, accepted(), keptOn("LeaderWorkerSet"), queueFound(), looked(keptMarked))...),
		},
		"LiveAndPacked": {
			reason: "What runs is not moved when the levels get other labels.",
			req:    plantest.Request(plantest.GraphOf(placed("", "rack", "")), with(known, withObject("topology", `{"spec":{"levels":[{"domain":"rack","key":"new"}]}}`), live(onRack))...),
			want:   want(of(asked, accepted(), keptOn("LeaderWorkerSet"), queueFound(), looked(keptOnRack))...),
		},
		"LiveAndGroveGone": {
			reason: "What runs stays packed when Grove's API goes away.",
			req:    plantest.Request(plantest.GraphOf(placed("", "rack", "")), plantest.WithGroups("lws", "kai"), withQueue(), live(onRack)),
			want: want(asksForGroups(), asksForQueue("dynamo"), accepted(), onLWS(), queueFound(),
				document(`,"topology":{"name":"my-topology","dialect":"","notFound":true,"undefined":true`+keptOnRack+`}`)),
		},
		"LiveAndTopologyGone": {
			reason: "What runs stays packed when the topology object goes away.",
			req:    plantest.Request(plantest.GraphOf(placed("", "rack", "")), with(known, withoutObject("topology"), live(onRack))...),
			want: want(of(asked, accepted(), keptOn("LeaderWorkerSet"), queueFound(),
				looked(`,"notFound":true`+keptOnRack))...),
		},
		"LiveAndLevelGone": {
			reason: "What runs stays packed when the level goes away.",
			req:    plantest.Request(plantest.GraphOf(placed("", "rack", "")), with(known, withObject("topology", `{"spec":{"levels":[{"domain":"zone","key":"z"}]}}`), live(onRack))...),
			want: want(of(asked, accepted(), keptOn("LeaderWorkerSet"), queueFound(),
				looked(`,"missing":["rack"]`+keptOnRack))...),
		},
	})
}
