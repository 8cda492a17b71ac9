package plan_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step/steptest"
)

// packed is a graph of a frontend and a worker, packed into these domains.
func packed(own, ofWorker string) plantest.GraphChange {
	return func(xr *v1alpha1.DynamoGraphDeployment) {
		plantest.InTopology("my-topology", own)(xr)
		plantest.Frontend(xr)
		plantest.Service("Worker", plantest.ServiceOf("worker", "engine"), plantest.InDomain(ofWorker))(xr)
	}
}

// packedPlan is the plan of a packed graph on Grove and KAI.
func packedPlan(topology *graphplan.Topology) responseOption {
	return planOf(steptest.PlanOnGrove(plainServices("Frontend", "Worker"), inQueue("dynamo"), constrainedTo(topology)))
}

// constrainedTo a topology.
func constrainedTo(topology *graphplan.Topology) steptest.Change {
	return func(p *graphplan.Plan) { p.Topology = topology }
}

// packedSet is the PodCliqueSet of packed, with these constraints.
func packedSet(ofGraph, ofWorker *grovev1alpha1.TopologyConstraint) *grovev1alpha1.PodCliqueSet {
	set := plantest.PodCliqueSet(plantest.Clique("frontend", plantest.OnKAI), plantest.Clique("worker", plantest.OnKAI))
	set.Spec.Template.TopologyConstraint = ofGraph
	set.Spec.Template.Cliques[1].TopologyConstraint = ofWorker
	return set
}

// observedPacked is the PodCliqueSet of packed("zone", "rack").
func observedPacked() *grovev1alpha1.PodCliqueSet {
	return packedSet(plantest.Constraint("zone", ""), plantest.Constraint("rack", ""))
}

// TestTopologyOfNewGraphs shows what is checked before a graph is created.
func TestTopologyOfNewGraphs(t *testing.T) {
	const noKAI = "spec.topologyConstraint: Forbidden: topology constraints on Grove require the KAI scheduler (API group scheduling.run.ai), " +
		"which is not installed; install it, remove the constraints, or let the platform set topology.allowWithoutKAI in the input of step plan"
	binding := []responseOption{asksForGroups(), asksForQueue("dynamo"), asksForSchema(), asksForTopology("ClusterTopologyBinding")}
	known := func(more ...plantest.RequestOption) []plantest.RequestOption {
		return append([]plantest.RequestOption{plantest.WithGroups("grove", "kai"), plantest.WithKAIQueue(), plantest.WithTopologyBindings(true)}, more...)
	}
	compare(t, map[string]responseCase{
		"Good": {
			reason: "A service may be packed more narrowly than its graph.",
			req:    plantest.Request(plantest.Graph(packed("zone", "rack")), known(plantest.WithTopology())...),
			want:   want(append(binding, accepted(), onGrove(), queueFound(), packedPlan(myTopology(graphplan.DialectPack)))...),
		},
		"Equal": {
			reason: "A service may be packed as narrowly as its graph.",
			req:    plantest.Request(plantest.Graph(packed("rack", "rack")), known(plantest.WithTopology())...),
			want:   want(append(binding, accepted(), onGrove(), queueFound(), packedPlan(myTopology(graphplan.DialectPack)))...),
		},
		"ServicesOnly": {
			reason: "A service may be packed even if its graph is not.",
			req:    plantest.Request(plantest.Graph(packed("", "zone")), known(plantest.WithTopology())...),
			want:   want(append(binding, accepted(), onGrove(), queueFound(), packedPlan(myTopology(graphplan.DialectPack)))...),
		},
		"NotFound": {
			reason: "The topology must exist.",
			req:    plantest.Request(plantest.Graph(packed("zone", "")), known(plantest.WithoutObject("topology"))...),
			want: want(append(binding, refusal("Invalid",
				`spec.topologyConstraint.topologyProfile: Invalid value: "my-topology": there is no ClusterTopologyBinding of this name; create it, or specify one that exists`))...),
		},
		"UnknownDomains": {
			reason: "Every domain must exist, and those that do not are named with those that do.",
			req:    plantest.Request(plantest.Graph(packed("planet", "shelf")), known(plantest.WithTopology())...),
			want: want(append(binding, refusal("Invalid",
				`spec.services[Worker].topologyConstraint.packDomain: Invalid value: "shelf": is not a domain of ClusterTopologyBinding my-topology; available domains: block, host, rack, zone`+"\n"+
					`spec.topologyConstraint.packDomain: Invalid value: "planet": is not a domain of ClusterTopologyBinding my-topology; available domains: block, host, rack, zone`))...),
		},
		"BroaderService": {
			reason: "A service cannot be packed more broadly than its graph, because the scheduler could not meet both constraints.",
			req:    plantest.Request(plantest.Graph(packed("rack", "zone")), known(plantest.WithTopology())...),
			want: want(append(binding, refusal("Invalid",
				`spec.services[Worker].topologyConstraint.packDomain: Invalid value: "zone": is broader than rack of spec.topologyConstraint; `+
					`the levels of ClusterTopologyBinding my-topology are, broadest first: zone, block, rack, host`))...),
		},
		"Unreadable": {
			reason: "A topology that cannot be read is an error, not a topology without levels.",
			req:    plantest.Request(plantest.Graph(packed("rack", "")), known(plantest.WithObject("topology", `{"spec":{"levels":"none"}}`))...),
			want: want(append(binding, refusal("Invalid", "spec.topologyConstraint.topologyProfile: Internal error: cannot read an object: "+
				"spec.levels: Invalid value: must be a list, not a string"))...),
		},
		"WithoutKAI": {
			reason: "Without a scheduler that knows topology a constraint has no effect, or keeps pods from being scheduled.",
			req:    plantest.Request(plantest.Graph(packed("rack", "")), plantest.WithGroups("grove"), plantest.WithTopologyBindings(true), plantest.WithTopology()),
			want:   want(asksForGroups(), asksForSchema(), asksForTopology("ClusterTopologyBinding"), refusal("Invalid", noKAI)),
		},
		"WithoutKAIAndDomain": {
			reason: "That the scheduler is missing hides no other mistake.",
			req:    plantest.Request(plantest.Graph(packed("region", "")), plantest.WithGroups("grove"), plantest.WithTopologyBindings(true), plantest.WithTopology()),
			want: want(asksForGroups(), asksForSchema(), asksForTopology("ClusterTopologyBinding"), refusal("Invalid",
				`spec.topologyConstraint.packDomain: Invalid value: "region": is not a domain of ClusterTopologyBinding my-topology; available domains: block, host, rack, zone`+"\n"+noKAI)),
		},
		"WithoutKAIAllowed": {
			reason: "The platform can allow constraints without KAI.",
			req:    plantest.Request(plantest.Graph(packed("rack", "")), plantest.WithGroups("grove"), plantest.WithInput(inputv1alpha1.Policy{Topology: inputv1alpha1.Topology{AllowWithoutKAI: true}}), plantest.WithTopologyBindings(true), plantest.WithTopology()),
			want: want(asksForGroups(), asksForSchema(), asksForTopology("ClusterTopologyBinding"), accepted(), onGrove(), noQueue(),
				planOf(steptest.PlanOnGrove(plainServices("Frontend", "Worker"), constrainedTo(myTopology(graphplan.DialectPack))))),
		},
		"NoProfile": {
			reason: "A missing profile is reported once.",
			req: plantest.Request(plantest.GraphOf(`{"topologyConstraint":{"packDomain":"zone"},"services":{"Worker":{"componentType":"worker","extraPodSpec":{"mainContainer":{"image":"i","command":["engine"]}}}}}`),
				plantest.WithGroups("grove", "kai"), plantest.WithKAIQueue()),
			want: want(asksForGroups(), asksForQueue("dynamo"), refusal("Invalid", "spec.topologyConstraint.topologyProfile: Required value: must be specified")),
		},
		"NoDomain": {
			reason: "A missing domain is reported once.",
			req: plantest.Request(plantest.GraphOf(`{"topologyConstraint":{"topologyProfile":"my-topology"},"services":{"Worker":{"componentType":"worker","topologyConstraint":{},"extraPodSpec":{"mainContainer":{"image":"i","command":["engine"]}}}}}`),
				plantest.WithGroups("grove", "kai"), plantest.WithKAIQueue()),
			want: want(asksForGroups(), asksForQueue("dynamo"), refusal("Invalid", "spec.services[Worker].topologyConstraint.packDomain: Required value: must be specified")),
		},
		"NotAName": {
			reason: "What cannot be a name is not looked up.",
			req: plantest.Request(plantest.Graph(plantest.Frontend, plantest.InTopology("My_Topology", "zone")),
				plantest.WithGroups("grove", "kai"), plantest.WithKAIQueue()),
			want: want(asksForGroups(), asksForQueue("dynamo"), refusal("Invalid", `spec.topologyConstraint.topologyProfile: Invalid value: "My_Topology": a lowercase RFC 1123 subdomain `+
				`must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character `+
				`(e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`)),
		},
	})
}

// TestDialect shows how the plan learns the form in which the installed Grove takes constraints.
func TestDialect(t *testing.T) {
	xr := plantest.Graph(packed("zone", ""))
	groups, queue := plantest.WithGroups("grove", "kai"), plantest.WithKAIQueue()
	compare(t, map[string]responseCase{
		"NewKind": {
			reason: "A cluster that serves ClusterTopologyBinding has a Grove of today.",
			req:    plantest.Request(xr, groups, queue, plantest.WithTopologyBindings(true), plantest.WithTopology()),
			want: want(asksForGroups(), asksForQueue("dynamo"), asksForSchema(), asksForTopology("ClusterTopologyBinding"), accepted(), onGrove(), queueFound(),
				packedPlan(myTopology(graphplan.DialectPack))),
		},
		"OldKind": {
			reason: "A cluster that does not serve ClusterTopologyBinding has a ClusterTopology.",
			req:    plantest.Request(xr, groups, queue, plantest.WithTopologyBindings(false), plantest.WithTopology()),
			want: want(asksForGroups(), asksForQueue("dynamo"), asksForSchema(), asksForTopology("ClusterTopology"), accepted(), onGrove(), queueFound(),
				packedPlan(myTopology(graphplan.DialectPackDomain, recordingName))),
		},
		"CallerCannotTell": {
			reason: "If its version cannot be detected, Grove is assumed to be new.",
			req:    plantest.Request(xr, groups, queue, plantest.WithTopology(), plantest.WithoutCapabilities()),
			want: want(asksForGroups(), asksForQueue("dynamo"), asksForTopology("ClusterTopologyBinding"), inOlderField(), accepted(), onGrove(), queueFound(),
				packedPlan(myTopology(graphplan.DialectPack))),
		},
		"Input": {
			reason: "The platform can name the dialect of Grove, and then no schema is looked up.",
			req:    plantest.Request(xr, groups, queue, plantest.WithInput(inputv1alpha1.Policy{Grove: inputv1alpha1.Grove{TopologyDialect: inputv1alpha1.DialectPackDomainWithTopologyName}}), plantest.WithTopology()),
			want: want(asksForGroups(), asksForQueue("dynamo"), asksForTopology("ClusterTopologyBinding"), accepted(), onGrove(), queueFound(),
				packedPlan(myTopology(graphplan.DialectPackDomainWithTopologyName))),
		},
		"InputOldest": {
			reason: "The oldest dialect goes with the older kind.",
			req:    plantest.Request(xr, groups, queue, plantest.WithInput(inputv1alpha1.Policy{Grove: inputv1alpha1.Grove{TopologyDialect: inputv1alpha1.DialectPackDomain}}), plantest.WithTopology()),
			want: want(asksForGroups(), asksForQueue("dynamo"), asksForTopology("ClusterTopology"), accepted(), onGrove(), queueFound(),
				packedPlan(myTopology(graphplan.DialectPackDomain, recordingName))),
		},
	})
}

// TestTopologyOfLiveGraphs shows that a graph that runs survives the loss of its topology.
func TestTopologyOfLiveGraphs(t *testing.T) {
	xr := plantest.Graph(packed("zone", "rack"))
	live := plantest.WithObserved("podcliqueset", observedPacked())
	asked := []responseOption{asksForGroups(), asksForSchema(), asksForTopology("ClusterTopologyBinding"), asksForChildren("frontend", "worker"), accepted(), onGrove(), queueFound()}
	known := func(more ...plantest.RequestOption) []plantest.RequestOption {
		return append([]plantest.RequestOption{plantest.WithGroups("grove", "kai"), plantest.WithTopologyBindings(true), live}, more...)
	}
	compare(t, map[string]responseCase{
		"NotFound": {
			reason: "The plan says that the topology went away, and is written all the same.",
			req:    plantest.Request(xr, known(plantest.WithoutObject("topology"))...),
			want:   want(append(asked, packedPlan(myTopology(graphplan.DialectPack, notFound)))...),
		},
		"LevelsGone": {
			reason: "The plan says which levels went away, each once and sorted.",
			req:    plantest.Request(xr, known(plantest.WithLevels("host=h"))...),
			want:   want(append(asked, packedPlan(myTopology(graphplan.DialectPack, missing("rack", "zone"))))...),
		},
		"OrderChanged": {
			reason: "A live graph stays accepted when its topology changes and a domain becomes too broad.",
			req:    plantest.Request(xr, known(plantest.WithLevels("rack=r", "zone=z"))...),
			want:   want(append(asked, packedPlan(myTopology(graphplan.DialectPack)))...),
		},
	})
}

// TestDialectOfLiveGraphs shows that the constraints of a live set move to a later dialect and never back, which Grove refuses.
func TestDialectOfLiveGraphs(t *testing.T) {
	oldest := packedSet(plantest.OlderConstraint("", "zone"), plantest.OlderConstraint("", "rack"))
	named := packedSet(plantest.OlderConstraint("my-topology", "zone"), plantest.OlderConstraint("my-topology", "rack"))
	const (
		asOldest = inputv1alpha1.DialectPackDomain
		asNamed  = inputv1alpha1.DialectPackDomainWithTopologyName
	)
	newest := observedPacked()
	cases := map[string]struct {
		reason string
		set    *grovev1alpha1.PodCliqueSet
		// input is the dialect that the platform names.
		input inputv1alpha1.TopologyDialect
		want  graphplan.TopologyDialect
	}{
		"Newest":         {reason: "Constraints of the newest dialect stay as they are.", set: newest, want: graphplan.DialectPack},
		"NewestAsOldest": {reason: "Constraints of the newest dialect stay as they are when the input names the oldest one.", set: newest, input: asOldest, want: graphplan.DialectPack},
		"NewestAsNamed":  {reason: "Constraints of the newest dialect stay as they are when the input names the one before it.", set: newest, input: asNamed, want: graphplan.DialectPack},
		"NamedAsOldest":  {reason: "The name of the topology is not removed from constraints.", set: named, input: asOldest, want: graphplan.DialectPackDomainWithTopologyName},
		"NamedAsNamed":   {reason: "Constraints that name their topology stay as they are.", set: named, input: asNamed, want: graphplan.DialectPackDomainWithTopologyName},
		"NamedToNewest":  {reason: "Constraints that name their topology move to the newest dialect when Grove is updated.", set: named, want: graphplan.DialectPack},
		"OldestToNamed":  {reason: "The name of the topology may be added to constraints.", set: oldest, input: asNamed, want: graphplan.DialectPackDomainWithTopologyName},
		"OldestToNewest": {reason: "Constraints of the oldest dialect move to the newest one when Grove is updated.", set: oldest, want: graphplan.DialectPack},
		"OldestAsOldest": {reason: "Constraints of the oldest dialect stay as they are.", set: oldest, input: asOldest, want: graphplan.DialectPackDomain},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := plantest.Request(plantest.Graph(packed("zone", "rack")), plantest.WithGroups("grove", "kai"), plantest.WithKAIQueue(), plantest.WithTopologyBindings(true),
				plantest.WithObserved("podcliqueset", tc.set), plantest.WithTopology(), withDialect(tc.input))
			if diff := cmp.Diff(myTopology(tc.want), decidedTopology(t, req).Topology); diff != "" {
				t.Errorf("%s\nRunFunction(...): -want topology, +got topology:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestTopologyElsewhere shows that constraints which have no effect are not passed over in silence.
func TestTopologyElsewhere(t *testing.T) {
	const (
		text       = "spec.topologyConstraint: topology constraints have no effect on Deployment: run the graph on Grove, or place its pods with affinity in extraPodSpec"
		aside      = "Deployment runs the graph: annotation nvidia.com/enable-grove is false, and no service spans several nodes"
		absent     = "Deployment runs the graph: Grove is not installed, and no service spans several nodes"
		ofProfile  = `spec.topologyConstraint.packDomain: Invalid value: "block": is not a domain of profile my-topology of the platform; available domains: rack, zone`
		notAllowed = `spec.topologyConstraint.topologyProfile: Invalid value: "my-topology": there is no ClusterTopologyBinding of this name; create it, or specify one that exists`
	)
	notGrove := plantest.Annotated("nvidia.com/enable-grove", "false")
	profiles := plantest.Profile("other", "x=x")
	profiles.Profiles = append(profiles.Profiles, plantest.Profile("my-topology", "zone=z", "rack=r").Profiles...)
	withProfiles := plantest.WithInput(inputv1alpha1.Policy{Topology: profiles})
	warned := func(why string, topology *graphplan.Topology) responseOption {
		return func(rsp *fnv1.RunFunctionResponse) {
			conditioned("Accepted", isTrue, "ValidWithWarnings", text)(rsp)
			conditioned("OrchestratorSelected", isTrue, "Selected", why)(rsp)
			noQueue()(rsp)
			warningResult(text)(rsp)
			planOf(steptest.PlanOnDeployments(plainServices("Frontend", "Worker"), constrainedTo(topology)))(rsp)
		}
	}
	asked := []responseOption{asksForGroups(), asksForSchema(), asksForTopology("ClusterTopologyBinding")}
	compare(t, map[string]responseCase{
		"Undefined": {
			reason: "Without Grove and without a profile there is nothing to look up.",
			req:    plantest.Request(plantest.Graph(packed("zone", "")), plantest.WithGroups()),
			want:   want(asksForGroups(), warned(absent, myTopology("", undefined))),
		},
		"Profile": {
			reason: "Without Grove, the levels come from a profile of the platform.",
			req:    plantest.Request(plantest.Graph(packed("zone", "")), plantest.WithGroups(), withProfiles),
			want:   want(asksForGroups(), warned(absent, myTopology(""))),
		},
		"ProfileBeforeGrove": {
			reason: "A profile of the platform takes precedence over the topology object, which is then not looked up.",
			req:    plantest.Request(plantest.Graph(packed("zone", ""), notGrove), plantest.WithGroups("grove"), withProfiles),
			want:   want(asksForGroups(), warned(aside, myTopology(""))),
		},
		"NotOfTheProfile": {
			reason: "A domain that the profile does not have is refused.",
			req:    plantest.Request(plantest.Graph(packed("block", "")), plantest.WithGroups(), withProfiles),
			want:   want(asksForGroups(), refusal("Invalid", ofProfile)),
		},
		"Object": {
			reason: "With Grove installed, the levels come from the topology object.",
			req:    plantest.Request(plantest.Graph(packed("zone", ""), notGrove), plantest.WithGroups("grove"), plantest.WithTopologyBindings(true), plantest.WithTopology()),
			want:   want(append(asked, warned(aside, myTopology(graphplan.DialectPack)))...),
		},
		"ObjectMissing": {
			reason: "With Grove installed, the topology object must exist.",
			req:    plantest.Request(plantest.Graph(packed("zone", ""), notGrove), plantest.WithGroups("grove"), plantest.WithTopologyBindings(true), plantest.WithoutObject("topology")),
			want:   want(append(asked[:3:3], refusal("Invalid", notAllowed))...),
		},
	})
}
