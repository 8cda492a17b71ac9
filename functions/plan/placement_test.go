package plan

import (
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
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
	return `{"topologyConstraint":{"topologyProfile":"my-topology"` + graph + `},"services":{` + constrained(frontend, ofFrontend) + `,` + constrained(multinode, ofWorker) + `}}`
}

// TestPlacements shows how the replicas of a graph on LeaderWorkerSets are packed by KAI.
func TestPlacements(t *testing.T) {
	const (
		notGrove = `{"nvidia.com/enable-grove":"false"}`
		whole    = "spec.topologyConstraint.packDomain: on LeaderWorkerSet each replica of a service that spans nodes is packed by itself, not the graph as a whole"
		noEffect = "spec.topologyConstraint: topology constraints have no effect on LeaderWorkerSet: run the graph on Grove, or place its pods by affinity in extraPodSpec"
		single   = "spec.services[Frontend].topologyConstraint: has no effect on a service of one node on LeaderWorkerSet: place its pods by affinity in extraPodSpec"
	)
	chosen := func(why string) responseOption {
		return conditioned("OrchestratorSelected", isTrue, "Selected", "LeaderWorkerSet runs the graph: "+why+"; LeaderWorkerSet and a gang scheduler are installed")
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
		return planOf(`{"version":1,"orchestrator":"LeaderWorkerSet","lws":{"gang":` + byKAI + `},"totalGPUs":32` + topology + `,
			"services":{"Frontend":{"discovery":"kubernetes","dynamoNamespace":"inference-llama"},
			"Worker":{"framework":"vllm","executor":"ray","discovery":"kubernetes","dynamoNamespace":"inference-llama"}}}`)
	}
	packedBy := func(name, key string) responseOption {
		return document(`,"topology":{"name":"` + name + `","dialect":"Pack","placements":{"Worker":"` + key + `"}}`)
	}
	asked := []responseOption{asksForGroups(), asksForQueue("dynamo"), asksForSchema(), asksForTopology("ClusterTopologyBinding")}
	known := []requestOption{withGroups("grove", "lws", "kai"), withQueue(), withSchema(true)}
	live := func(annotations string) requestOption {
		return withObserved("leaderworkerset-worker-0", strings.Replace(setOfKAI, `"name":"llama-worker-0"`, `"name":"llama-worker-0","annotations":`+annotations, 1))
	}
	const onRack = `{"kai.scheduler/topology":"my-topology","kai.scheduler/topology-required-placement":"r"}`
	of := func(base []responseOption, more ...responseOption) []responseOption {
		return append(base[:len(base):len(base)], more...)
	}
	with := func(base []requestOption, more ...requestOption) []requestOption {
		return append(base[:len(base):len(base)], more...)
	}

	compare(t, map[string]responseCase{
		"ServicesOwnDomain": {
			reason: "The domain of the service is that of its replicas.",
			req:    request(annotated(placed("zone", "rack", ""), notGrove), with(known, withTopology())...),
			want:   want(of(asked, warned(whole), aside, queueFound(), packedBy("my-topology", "r"))...),
		},
		"GraphsDomain": {
			reason: "Else the graph's.",
			req:    request(annotated(placed("zone", "", ""), notGrove), with(known, withTopology())...),
			want:   want(of(asked, warned(whole), aside, queueFound(), packedBy("my-topology", "z"))...),
		},
		"OfOneNode": {
			reason: "KAI does not schedule the pods of Deployments.",
			req:    request(annotated(placed("", "rack", "rack"), notGrove), with(known, withTopology())...),
			want:   want(of(asked, warned(single), aside, queueFound(), packedBy("my-topology", "r"))...),
		},
		"OfOneNodeOnly": {
			reason: "So there is nothing to look up where only they are constrained.",
			req:    request(annotated(placed("", "", "rack"), notGrove), with(known, withTopology())...),
			want:   want(asksForGroups(), asksForQueue("dynamo"), warned(noEffect), aside, queueFound(), document("")),
		},
		"TopologyOfTheSchedulersOwn": {
			reason: "The topology object may name another one of KAI's.",
			req: request(annotated(placed("", "rack", ""), notGrove), with(known, withObject("topology", `{"spec":{"levels":[{"domain":"rack","key":"r"}],
				"schedulerTopologyBindings":[{"schedulerName":"other","topologyReference":"no"},{"schedulerName":"kai-scheduler","topologyReference":"gb200"}]}}`))...),
			want: want(of(asked, accepted(), aside, queueFound(), packedBy("gb200", "r"))...),
		},
		"UnknownDomain": {
			reason: "A domain that does not exist is refused.",
			req:    request(annotated(placed("", "shelf", ""), notGrove), with(known, withTopology())...),
			want: want(of(asked, refusal("Invalid",
				`spec.services[Worker].topologyConstraint.packDomain: Invalid value: "shelf": is not a domain of ClusterTopologyBinding my-topology; available domains: block, host, rack, zone`))...),
		},
		"NotFound": {
			reason: "So is a topology that does not exist.",
			req:    request(annotated(placed("", "rack", ""), notGrove), with(known, withoutObject("topology"))...),
			want: want(of(asked, refusal("Invalid",
				`spec.topologyConstraint.topologyProfile: Invalid value: "my-topology": there is no ClusterTopologyBinding of this name; create it, or name one that exists`))...),
		},
		"NotDelivered": {
			reason: "Not looked up yet is not missing.",
			req:    request(annotated(placed("", "rack", ""), notGrove), known...),
			want:   want(asked...),
		},
		"WithoutGrove": {
			reason: "Without Grove's API there is no topology object, and it must not be asked for.",
			req:    request(graphOf(placed("", "rack", "")), withGroups("lws", "kai"), withQueue()),
			want:   want(asksForGroups(), asksForQueue("dynamo"), warned(noEffect), chosen("Grove is not installed"), queueFound(), document("")),
		},
		"LiveAndNotPacked": {
			reason: "Grove came later: what runs is not moved.",
			req:    request(graphOf(placed("", "rack", "")), with(known, withTopology(), live(`{}`))...),
			want:   want(asksForGroups(), asksForQueue("dynamo"), warned(noEffect), keptOn("LeaderWorkerSet"), queueFound(), document("")),
		},
		"LiveAndPacked": {
			reason: "The levels got other labels: what runs is not moved.",
			req:    request(graphOf(placed("", "rack", "")), with(known, withObject("topology", `{"spec":{"levels":[{"domain":"rack","key":"new"}]}}`), live(onRack))...),
			want:   want(of(asked, accepted(), keptOn("LeaderWorkerSet"), queueFound(), packedBy("my-topology", "r"))...),
		},
		"LiveAndGroveGone": {
			reason: "Grove's API went away: what runs stays packed.",
			req:    request(graphOf(placed("", "rack", "")), withGroups("lws", "kai"), withQueue(), live(onRack)),
			want: want(asksForGroups(), asksForQueue("dynamo"), accepted(), keptOn("LeaderWorkerSet"), queueFound(),
				document(`,"topology":{"name":"my-topology","dialect":"","notFound":true,"placements":{"Worker":"r"}}`)),
		},
		"LiveAndTopologyGone": {
			reason: "So it does when the topology object does.",
			req:    request(graphOf(placed("", "rack", "")), with(known, withoutObject("topology"), live(onRack))...),
			want: want(of(asked, accepted(), keptOn("LeaderWorkerSet"), queueFound(),
				document(`,"topology":{"name":"my-topology","dialect":"Pack","notFound":true,"placements":{"Worker":"r"}}`))...),
		},
		"LiveAndLevelGone": {
			reason: "And when the level does.",
			req:    request(graphOf(placed("", "rack", "")), with(known, withObject("topology", `{"spec":{"levels":[{"domain":"zone","key":"z"}]}}`), live(onRack))...),
			want: want(of(asked, accepted(), keptOn("LeaderWorkerSet"), queueFound(),
				document(`,"topology":{"name":"my-topology","dialect":"Pack","missing":["rack"],"placements":{"Worker":"r"}}`))...),
		},
		"OnVolcano": {
			reason: "Volcano is told nothing.",
			req:    request(graphOf(placed("", "rack", "")), withGroups("lws", "volcano"), withVolcanoQueue("Open")),
			want: want(asksForGroups(), asksForVolcanoQueue("default"), warned(noEffect), chosen("Grove is not installed"), volcanoQueueFound("default"),
				planOf(`{"version":1,"orchestrator":"LeaderWorkerSet","lws":{"gang":`+byPodGroup+`},"totalGPUs":32,
					"services":{"Frontend":{"discovery":"kubernetes","dynamoNamespace":"inference-llama"},
					"Worker":{"framework":"vllm","executor":"ray","discovery":"kubernetes","dynamoNamespace":"inference-llama"}}}`)),
		},
	})
}
