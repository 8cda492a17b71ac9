package plan

import (
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
)

// packed is a graph of a frontend and a worker, packed into these domains.
func packed(own, ofWorker string) string {
	graph, service := "", ""
	if own != "" {
		graph = `,"packDomain":"` + own + `"`
	}
	if ofWorker != "" {
		service = `,"topologyConstraint":{"packDomain":"` + ofWorker + `"}`
	}
	return `{"topologyConstraint":{"topologyProfile":"my-topology"` + graph + `},"services":{` + plantest.Frontend + `,
		"Worker":{"componentType":"worker","extraPodSpec":{"mainContainer":{"image":"registry.example.org/runtime:1.5.0","command":["engine"]}}` + service + `}}}`
}

func packedPlan(topology string) responseOption {
	return packedPlanOn(`{"terminationDelay":"15m0s","schedulerName":"kai-scheduler","queue":"dynamo"}`, topology)
}

func packedPlanOn(grove, topology string) responseOption {
	return planOf(`{"version":2,"release":"development","orchestrator":"Grove","grove":` + grove + `,"totalGPUs":0,"topology":` + topology + `,
		"services":{"Frontend":{"discovery":"kubernetes","dynamoNamespace":"inference-llama"},"Worker":{"discovery":"kubernetes","dynamoNamespace":"inference-llama"}}}`)
}

// observedPacked is the PodCliqueSet of packed("zone", "rack").
const observedPacked = `{"apiVersion":"grove.io/v1alpha1","kind":"PodCliqueSet","metadata":{"name":"llama"},"spec":{"replicas":1,"template":{
	"topologyConstraint":{"topologyName":"my-topology","pack":{"required":"zone"}},"cliques":[
	{"name":"frontend","labels":{"kai.scheduler/queue":"dynamo"},"spec":{"replicas":1,"minAvailable":1,"podSpec":{"schedulerName":"kai-scheduler"}}},
	{"name":"worker","labels":{"kai.scheduler/queue":"dynamo"},"topologyConstraint":{"topologyName":"my-topology","pack":{"required":"rack"}},
		"spec":{"replicas":1,"minAvailable":1,"podSpec":{"schedulerName":"kai-scheduler"}}}]}}}`

// TestTopologyOfNewGraphs shows what is checked before a graph is created.
func TestTopologyOfNewGraphs(t *testing.T) {
	const noKAI = "spec.topologyConstraint: Forbidden: topology constraints on Grove require the KAI scheduler (API group scheduling.run.ai), " +
		"which is not installed; install it, remove the constraints, or let the platform set topology.allowWithoutKAI in the input of step plan"
	binding := []responseOption{asksForGroups(), asksForQueue("dynamo"), asksForSchema(), asksForTopology("ClusterTopologyBinding")}
	known := func(more ...plantest.RequestOption) []plantest.RequestOption {
		return append([]plantest.RequestOption{plantest.WithGroups("grove", "kai"), withQueue(), withSchema(true)}, more...)
	}
	compare(t, map[string]responseCase{
		"Good": {
			reason: "A service may be packed more narrowly than its graph.",
			req:    plantest.Request(plantest.GraphOf(packed("zone", "rack")), known(withTopology())...),
			want:   want(append(binding, accepted(), onGrove(), queueFound(), packedPlan(`{"name":"my-topology","dialect":"Pack"}`))...),
		},
		"Equal": {
			reason: "A service may be packed as narrowly as its graph.",
			req:    plantest.Request(plantest.GraphOf(packed("rack", "rack")), known(withTopology())...),
			want:   want(append(binding, accepted(), onGrove(), queueFound(), packedPlan(`{"name":"my-topology","dialect":"Pack"}`))...),
		},
		"ServicesOnly": {
			reason: "A service may be packed even if its graph is not.",
			req:    plantest.Request(plantest.GraphOf(packed("", "zone")), known(withTopology())...),
			want:   want(append(binding, accepted(), onGrove(), queueFound(), packedPlan(`{"name":"my-topology","dialect":"Pack"}`))...),
		},
		"NotFound": {
			reason: "The topology must exist.",
			req:    plantest.Request(plantest.GraphOf(packed("zone", "")), known(withoutObject("topology"))...),
			want: want(append(binding, refusal("Invalid",
				`spec.topologyConstraint.topologyProfile: Invalid value: "my-topology": there is no ClusterTopologyBinding of this name; create it, or specify one that exists`))...),
		},
		"UnknownDomains": {
			reason: "Every domain must exist, and those that do not are named with those that do.",
			req:    plantest.Request(plantest.GraphOf(packed("planet", "shelf")), known(withTopology())...),
			want: want(append(binding, refusal("Invalid",
				`spec.services[Worker].topologyConstraint.packDomain: Invalid value: "shelf": is not a domain of ClusterTopologyBinding my-topology; available domains: block, host, rack, zone; `+
					`spec.topologyConstraint.packDomain: Invalid value: "planet": is not a domain of ClusterTopologyBinding my-topology; available domains: block, host, rack, zone`))...),
		},
		"BroaderService": {
			reason: "A service cannot be packed more broadly than its graph, because the scheduler could not meet both constraints.",
			req:    plantest.Request(plantest.GraphOf(packed("rack", "zone")), known(withTopology())...),
			want: want(append(binding, refusal("Invalid",
				`spec.services[Worker].topologyConstraint.packDomain: Invalid value: "zone": is broader than rack of spec.topologyConstraint; `+
					`the levels of ClusterTopologyBinding my-topology are, broadest first: zone, block, rack, host`))...),
		},
		"Unreadable": {
			reason: "A topology that cannot be read is an error, not a topology without levels.",
			req:    plantest.Request(plantest.GraphOf(packed("rack", "")), known(withObject("topology", `{"spec":{"levels":"none"}}`))...),
			want: want(append(binding, refusal("Invalid", "spec.topologyConstraint.topologyProfile: Internal error: cannot read an object: "+
				"spec.levels: Invalid value: must be a list, not a string"))...),
		},
		"WithoutKAI": {
			reason: "Without a scheduler that knows topology a constraint has no effect, or keeps pods from being scheduled.",
			req:    plantest.Request(plantest.GraphOf(packed("rack", "")), plantest.WithGroups("grove"), withSchema(true), withTopology()),
			want:   want(asksForGroups(), asksForSchema(), asksForTopology("ClusterTopologyBinding"), refusal("Invalid", noKAI)),
		},
		"WithoutKAIAndDomain": {
			reason: "That the scheduler is missing hides no other mistake.",
			req:    plantest.Request(plantest.GraphOf(packed("region", "")), plantest.WithGroups("grove"), withSchema(true), withTopology()),
			want: want(asksForGroups(), asksForSchema(), asksForTopology("ClusterTopologyBinding"), refusal("Invalid",
				`spec.topologyConstraint.packDomain: Invalid value: "region": is not a domain of ClusterTopologyBinding my-topology; available domains: block, host, rack, zone; `+noKAI)),
		},
		"WithoutKAIAllowed": {
			reason: "The platform can allow constraints without KAI.",
			req:    plantest.Request(plantest.GraphOf(packed("rack", "")), plantest.WithGroups("grove"), withInput(`"topology":{"allowWithoutKAI":true}`), withSchema(true), withTopology()),
			want: want(asksForGroups(), asksForSchema(), asksForTopology("ClusterTopologyBinding"), accepted(), onGrove(), noQueue(),
				packedPlanOn(`{"terminationDelay":"15m0s"}`, `{"name":"my-topology","dialect":"Pack"}`)),
		},
		"NoProfile": {
			reason: "A missing profile is reported once.",
			req: plantest.Request(plantest.GraphOf(`{"topologyConstraint":{"packDomain":"zone"},"services":{`+plantest.Frontend+`}}`),
				plantest.WithGroups("grove", "kai"), withQueue()),
			want: want(asksForGroups(), asksForQueue("dynamo"), refusal("Invalid", "spec.topologyConstraint.topologyProfile: Required value: must be specified")),
		},
		"NoDomain": {
			reason: "A missing domain is reported once.",
			req: plantest.Request(plantest.GraphOf(`{"topologyConstraint":{"topologyProfile":"my-topology"},"services":{"Worker":{"componentType":"worker","topologyConstraint":{},"extraPodSpec":{"mainContainer":{"image":"i","command":["engine"]}}}}}`),
				plantest.WithGroups("grove", "kai"), withQueue()),
			want: want(asksForGroups(), asksForQueue("dynamo"), refusal("Invalid", "spec.services[Worker].topologyConstraint.packDomain: Required value: must be specified")),
		},
		"NotAName": {
			reason: "What cannot be a name is not looked up.",
			req: plantest.Request(plantest.GraphOf(`{"topologyConstraint":{"topologyProfile":"My_Topology","packDomain":"zone"},"services":{`+plantest.Frontend+`}}`),
				plantest.WithGroups("grove", "kai"), withQueue()),
			want: want(asksForGroups(), asksForQueue("dynamo"), refusal("Invalid", `spec.topologyConstraint.topologyProfile: Invalid value: "My_Topology": a lowercase RFC 1123 subdomain `+
				`must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character `+
				`(e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`)),
		},
	})
}

// TestDialect shows how the plan learns the form in which the installed Grove takes constraints.
func TestDialect(t *testing.T) {
	xr := plantest.GraphOf(packed("zone", ""))
	groups, queue := plantest.WithGroups("grove", "kai"), withQueue()
	compare(t, map[string]responseCase{
		"NewKind": {
			reason: "A cluster that serves ClusterTopologyBinding has a Grove of today.",
			req:    plantest.Request(xr, groups, queue, withSchema(true), withTopology()),
			want: want(asksForGroups(), asksForQueue("dynamo"), asksForSchema(), asksForTopology("ClusterTopologyBinding"), accepted(), onGrove(), queueFound(),
				packedPlan(`{"name":"my-topology","dialect":"Pack"}`)),
		},
		"OldKind": {
			reason: "A cluster that does not serve ClusterTopologyBinding has a ClusterTopology.",
			req:    plantest.Request(xr, groups, queue, withSchema(false), withTopology()),
			want: want(asksForGroups(), asksForQueue("dynamo"), asksForSchema(), asksForTopology("ClusterTopology"), accepted(), onGrove(), queueFound(),
				packedPlan(`{"name":"my-topology","dialect":"PackDomain","recordName":true}`)),
		},
		"CallerCannotTell": {
			reason: "Where nobody can tell, Grove is taken to be new.",
			req:    plantest.Request(xr, groups, queue, withTopology(), withoutCapabilities()),
			want: want(asksForGroups(), asksForQueue("dynamo"), asksForTopology("ClusterTopologyBinding"), inOlderField(), accepted(), onGrove(), queueFound(),
				packedPlan(`{"name":"my-topology","dialect":"Pack"}`)),
		},
		"Input": {
			reason: "The platform can name the dialect of Grove, and then no schema is looked up.",
			req:    plantest.Request(xr, groups, queue, withInput(`"grove":{"topologyDialect":"PackDomainWithTopologyName"}`), withTopology()),
			want: want(asksForGroups(), asksForQueue("dynamo"), asksForTopology("ClusterTopologyBinding"), accepted(), onGrove(), queueFound(),
				packedPlan(`{"name":"my-topology","dialect":"PackDomainWithTopologyName"}`)),
		},
		"InputOldest": {
			reason: "The oldest dialect goes with the older kind.",
			req:    plantest.Request(xr, groups, queue, withInput(`"grove":{"topologyDialect":"PackDomain"}`), withTopology()),
			want: want(asksForGroups(), asksForQueue("dynamo"), asksForTopology("ClusterTopology"), accepted(), onGrove(), queueFound(),
				packedPlan(`{"name":"my-topology","dialect":"PackDomain","recordName":true}`)),
		},
	})
}

// TestTopologyOfLiveGraphs shows that a graph that runs survives the loss of its topology.
func TestTopologyOfLiveGraphs(t *testing.T) {
	xr := plantest.GraphOf(packed("zone", "rack"))
	live := plantest.WithObserved("podcliqueset", observedPacked)
	asked := []responseOption{asksForGroups(), asksForSchema(), asksForTopology("ClusterTopologyBinding"), asksForChildren("frontend", "worker"), accepted(), onGrove(), queueFound()}
	known := func(more ...plantest.RequestOption) []plantest.RequestOption {
		return append([]plantest.RequestOption{plantest.WithGroups("grove", "kai"), withSchema(true), live}, more...)
	}
	compare(t, map[string]responseCase{
		"NotFound": {
			reason: "The plan says that the topology went away, and is written all the same.",
			req:    plantest.Request(xr, known(withoutObject("topology"))...),
			want:   want(append(asked, packedPlan(`{"name":"my-topology","dialect":"Pack","notFound":true}`))...),
		},
		"LevelsGone": {
			reason: "The plan says which levels went away, each once and sorted.",
			req:    plantest.Request(xr, known(withObject("topology", `{"spec":{"levels":[{"domain":"host","key":"h"}]}}`))...),
			want:   want(append(asked, packedPlan(`{"name":"my-topology","dialect":"Pack","missing":["rack","zone"]}`))...),
		},
		"OrderChanged": {
			reason: "A live graph stays accepted when its topology changes and a domain becomes too broad.",
			req:    plantest.Request(xr, known(withObject("topology", `{"spec":{"levels":[{"domain":"rack","key":"r"},{"domain":"zone","key":"z"}]}}`))...),
			want:   want(append(asked, packedPlan(`{"name":"my-topology","dialect":"Pack"}`))...),
		},
	})
}

// TestDialectOfLiveGraphs shows that the constraints of a live set move to a later dialect and never back, which Grove refuses.
func TestDialectOfLiveGraphs(t *testing.T) {
	of := func(constraint string) string {
		return strings.NewReplacer(`{"topologyName":"my-topology","pack":{"required":"zone"}}`, constraint+`"zone"}`,
			`{"topologyName":"my-topology","pack":{"required":"rack"}}`, constraint+`"rack"}`).Replace(observedPacked)
	}
	oldest, named := of(`{"packDomain":`), of(`{"topologyName":"my-topology","packDomain":`)
	const (
		pack      = `{"dialect":"Pack","name":"my-topology"}`
		withName  = `{"dialect":"PackDomainWithTopologyName","name":"my-topology"}`
		asOldest  = `"grove":{"topologyDialect":"PackDomain"}`
		asNamed   = `"grove":{"topologyDialect":"PackDomainWithTopologyName"}`
		oldestYet = `{"dialect":"PackDomain","name":"my-topology"}`
	)
	cases := map[string]struct{ reason, set, input, want string }{
		"Newest":         {reason: "Constraints of the newest dialect stay as they are.", set: observedPacked, want: pack},
		"NewestAsOldest": {reason: "Constraints of the newest dialect stay as they are when the input names the oldest one.", set: observedPacked, input: asOldest, want: pack},
		"NewestAsNamed":  {reason: "Constraints of the newest dialect stay as they are when the input names the one before it.", set: observedPacked, input: asNamed, want: pack},
		"NamedAsOldest":  {reason: "The name of the topology is not removed from constraints.", set: named, input: asOldest, want: withName},
		"NamedAsNamed":   {reason: "Constraints that name their topology stay as they are.", set: named, input: asNamed, want: withName},
		"NamedToNewest":  {reason: "Constraints that name their topology move to the newest dialect when Grove is updated.", set: named, want: pack},
		"OldestToNamed":  {reason: "The name of the topology may be added to constraints.", set: oldest, input: asNamed, want: withName},
		"OldestToNewest": {reason: "Constraints of the oldest dialect move to the newest one when Grove is updated.", set: oldest, want: pack},
		"OldestAsOldest": {reason: "Constraints of the oldest dialect stay as they are.", set: oldest, input: asOldest, want: oldestYet},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			options := []plantest.RequestOption{plantest.WithGroups("grove", "kai"), withQueue(), withSchema(true), plantest.WithObserved("podcliqueset", tc.set), withTopology()}
			if tc.input != "" {
				options = append(options, withInput(tc.input))
			}
			if got := decidedTopology(t, plantest.Request(plantest.GraphOf(packed("zone", "rack")), options...)).Topology; got != tc.want {
				t.Errorf("%s\nRunFunction(...): want topology %s, got %s", tc.reason, tc.want, got)
			}
		})
	}
}

// TestTopologyElsewhere shows that constraints which have no effect are not passed over in silence.
func TestTopologyElsewhere(t *testing.T) {
	const (
		text       = "spec.topologyConstraint: topology constraints have no effect on Deployment: run the graph on Grove, or place its pods with affinity in extraPodSpec"
		notGrove   = `{"nvidia.com/enable-grove":"false"}`
		undefined  = `{"name":"my-topology","dialect":"","notFound":true,"undefined":true}`
		profile    = `"topology":{"profiles":[{"name":"other","levels":[{"domain":"x","key":"x"}]},{"name":"my-topology","levels":[{"domain":"zone","key":"z"},{"domain":"rack","key":"r"}]}]}`
		aside      = "Deployment runs the graph: annotation nvidia.com/enable-grove is false, and no service spans several nodes"
		absent     = "Deployment runs the graph: Grove is not installed, and no service spans several nodes"
		ofProfile  = `spec.topologyConstraint.packDomain: Invalid value: "block": is not a domain of profile my-topology of the platform; available domains: rack, zone`
		notAllowed = `spec.topologyConstraint.topologyProfile: Invalid value: "my-topology": there is no ClusterTopologyBinding of this name; create it, or specify one that exists`
	)
	warned := func(why, topology string) responseOption {
		return func(rsp *fnv1.RunFunctionResponse) {
			conditioned("Accepted", isTrue, "ValidWithWarnings", text)(rsp)
			conditioned("OrchestratorSelected", isTrue, "Selected", why)(rsp)
			noQueue()(rsp)
			warningResult(text)(rsp)
			planOf(`{"version":2,"release":"development","orchestrator":"Deployment","totalGPUs":0,"topology":` + topology + `,"services":{"Frontend":{"discovery":"kubernetes","dynamoNamespace":"inference-llama"},
				"Worker":{"discovery":"kubernetes","dynamoNamespace":"inference-llama"}}}`)(rsp)
		}
	}
	asked := []responseOption{asksForGroups(), asksForSchema(), asksForTopology("ClusterTopologyBinding")}
	compare(t, map[string]responseCase{
		"Undefined": {
			reason: "Without Grove and without a profile there is nothing to look up.",
			req:    plantest.Request(plantest.GraphOf(packed("zone", "")), plantest.WithGroups()),
			want:   want(asksForGroups(), warned(absent, undefined)),
		},
		"Profile": {
			reason: "Without Grove, the levels come from a profile of the platform.",
			req:    plantest.Request(plantest.GraphOf(packed("zone", "")), plantest.WithGroups(), withInput(profile)),
			want:   want(asksForGroups(), warned(absent, `{"name":"my-topology","dialect":""}`)),
		},
		"ProfileBeforeGrove": {
			reason: "A profile of the platform takes precedence over the topology object, which is then not looked up.",
			req:    plantest.Request(plantest.Annotated(packed("zone", ""), notGrove), plantest.WithGroups("grove"), withInput(profile)),
			want:   want(asksForGroups(), warned(aside, `{"name":"my-topology","dialect":""}`)),
		},
		"NotOfTheProfile": {
			reason: "A domain that the profile does not have is refused.",
			req:    plantest.Request(plantest.GraphOf(packed("block", "")), plantest.WithGroups(), withInput(profile)),
			want:   want(asksForGroups(), refusal("Invalid", ofProfile)),
		},
		"Object": {
			reason: "With Grove installed, the levels come from the topology object.",
			req:    plantest.Request(plantest.Annotated(packed("zone", ""), notGrove), plantest.WithGroups("grove"), withSchema(true), withTopology()),
			want:   want(append(asked, warned(aside, `{"name":"my-topology","dialect":"Pack"}`))...),
		},
		"ObjectMissing": {
			reason: "With Grove installed, the topology object must exist.",
			req:    plantest.Request(plantest.Annotated(packed("zone", ""), notGrove), plantest.WithGroups("grove"), withSchema(true), withoutObject("topology")),
			want:   want(append(asked[:3:3], refusal("Invalid", notAllowed))...),
		},
	})
}
