package topology_test

import (
	"cmp"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest/whole"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
)

// packed is a graph of a frontend and a worker, packed into these domains.
func packed(own, ofWorker string) plantest.GraphChange {
	return func(xr *v1alpha1.DynamoGraphDeployment) {
		plantest.InTopology("my-topology", own)(xr)
		plantest.Frontend(xr)
		plantest.Component("Worker", plantest.ComponentOf("worker", "engine"), plantest.InDomain(ofWorker))(xr)
	}
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
	asked := []string{"ClusterTopologyBinding"}
	known := func(more ...plantest.RequestOption) []plantest.RequestOption {
		return append([]plantest.RequestOption{plantest.WithGroups("grove", "kai"), plantest.WithKAIQueue(), plantest.WithTopologyBindings(true)}, more...)
	}
	compare(t, map[string]whole.Row[decision]{
		"Good": {
			Reason:  "A service may be packed more narrowly than its graph.",
			Request: plantest.Request(plantest.Graph(packed("zone", "rack")), known(plantest.WithTopology())...),
			Want:    decision{Topology: myTopology(graphplan.DialectPack), Asked: asked},
		},
		"Equal": {
			Reason:  "A service may be packed as narrowly as its graph.",
			Request: plantest.Request(plantest.Graph(packed("rack", "rack")), known(plantest.WithTopology())...),
			Want:    decision{Topology: myTopology(graphplan.DialectPack), Asked: asked},
		},
		"ServicesOnly": {
			Reason:  "A service may be packed even if its graph is not.",
			Request: plantest.Request(plantest.Graph(packed("", "zone")), known(plantest.WithTopology())...),
			Want:    decision{Topology: myTopology(graphplan.DialectPack), Asked: asked},
		},
		"NotFound": {
			Reason:  "The topology must exist.",
			Request: plantest.Request(plantest.Graph(packed("zone", "")), known(plantest.WithoutObject("topology"))...),
			Want:    decision{Said: invalid(profileOfGraph), Asked: asked},
		},
		"UnknownDomains": {
			Reason:  "Every domain must exist, and those that do not are named with those that do.",
			Request: plantest.Request(plantest.Graph(packed("planet", "shelf")), known(plantest.WithTopology())...),
			Want:    decision{Said: invalid(domainOfWorker, domainOfGraph), Asked: asked},
		},
		"BroaderService": {
			Reason:  "A service cannot be packed more broadly than its graph, because the scheduler could not meet both constraints.",
			Request: plantest.Request(plantest.Graph(packed("rack", "zone")), known(plantest.WithTopology())...),
			Want:    decision{Said: invalid(domainOfWorker), Asked: asked},
		},
		"Unreadable": {
			Reason:  "A topology that cannot be read is an error, not a topology without levels.",
			Request: plantest.Request(plantest.Graph(packed("rack", "")), known(plantest.WithObject("topology", `{"spec":{"levels":"none"}}`))...),
			Want:    decision{Said: invalid(profileOfGraph), Asked: asked},
		},
		"WithoutKAI": {
			Reason:  "Without a scheduler that knows topology a constraint has no effect, or keeps pods from being scheduled.",
			Request: plantest.Request(plantest.Graph(packed("rack", "")), plantest.WithGroups("grove"), plantest.WithTopologyBindings(true), plantest.WithTopology()),
			Want:    decision{Said: invalid(onGraph), Asked: asked},
		},
		"WithoutKAIAndDomain": {
			Reason:  "That the scheduler is missing hides no other mistake.",
			Request: plantest.Request(plantest.Graph(packed("region", "")), plantest.WithGroups("grove"), plantest.WithTopologyBindings(true), plantest.WithTopology()),
			Want:    decision{Said: invalid(onGraph, domainOfGraph), Asked: asked},
		},
		"WithoutKAIAllowed": {
			Reason:  "The platform can allow constraints without KAI.",
			Request: plantest.Request(plantest.Graph(packed("rack", "")), plantest.WithGroups("grove"), plantest.WithInput(inputv1alpha1.Policy{Topology: inputv1alpha1.Topology{AllowWithoutKAI: true}}), plantest.WithTopologyBindings(true), plantest.WithTopology()),
			Want:    decision{Topology: myTopology(graphplan.DialectPack), Asked: asked},
		},
		"NoProfile": {
			Otherwise: true, Reason: "A missing profile is reported once.",
			Request: plantest.Request(plantest.GraphOf(`{"topologyConstraint":{"packDomain":"zone"},"services":{"Worker":{"componentType":"worker","extraPodSpec":{"mainContainer":{"image":"i","command":["engine"]}}}}}`),
				plantest.WithGroups("grove", "kai"), plantest.WithKAIQueue()),
			Want: decision{Said: plantest.Refused(subject.Mistake, rule.MissingField, "spec.topologyConstraint.topologyProfile")},
		},
		"NoDomain": {
			Otherwise: true, Reason: "A missing domain is reported once.",
			Request: plantest.Request(plantest.GraphOf(`{"topologyConstraint":{"topologyProfile":"my-topology"},"services":{"Worker":{"componentType":"worker","topologyConstraint":{},"extraPodSpec":{"mainContainer":{"image":"i","command":["engine"]}}}}}`),
				plantest.WithGroups("grove", "kai"), plantest.WithKAIQueue()),
			Want: decision{Said: plantest.Refused(subject.Mistake, rule.MissingField, "spec.services[Worker].topologyConstraint.packDomain")},
		},
		"NotAName": {
			Reason: "What cannot be a name is not looked up.",
			Request: plantest.Request(plantest.Graph(plantest.Frontend, plantest.InTopology("My_Topology", "zone")),
				plantest.WithGroups("grove", "kai"), plantest.WithKAIQueue()),
			Want: decision{Said: invalid(profileOfGraph)},
		},
	})
}

// TestDialect shows how the plan learns the form in which the installed Grove takes constraints.
func TestDialect(t *testing.T) {
	xr := plantest.Graph(packed("zone", ""))
	groups, queue := plantest.WithGroups("grove", "kai"), plantest.WithKAIQueue()
	asked := []string{"ClusterTopologyBinding"}
	// dialect is the kind of the topology that is looked up, and what is decided.
	type dialect struct {
		Kind     string
		Topology *graphplan.Topology
		Asked    []string
	}
	whole.Table(t, map[string]whole.Row[dialect]{
		"NewKind": {
			Reason:  "A cluster that serves ClusterTopologyBinding has a Grove of today.",
			Request: plantest.Request(xr, groups, queue, plantest.WithTopologyBindings(true), plantest.WithTopology()),
			Want:    dialect{Kind: "ClusterTopologyBinding", Topology: myTopology(graphplan.DialectPack), Asked: asked},
		},
		"OldKind": {
			Reason:  "A cluster that does not serve ClusterTopologyBinding has a ClusterTopology.",
			Request: plantest.Request(xr, groups, queue, plantest.WithTopologyBindings(false), plantest.WithTopology()),
			Want:    dialect{Kind: "ClusterTopology", Topology: myTopology(graphplan.DialectPackDomain, recordingName), Asked: asked},
		},
		"CallerCannotTell": {
			Reason:  "If its version cannot be detected, Grove is assumed to be new.",
			Request: plantest.Request(xr, groups, queue, plantest.WithTopology(), plantest.WithoutCapabilities()),
			Want:    dialect{Kind: "ClusterTopologyBinding", Topology: myTopology(graphplan.DialectPack)},
		},
		"Input": {
			Reason:  "The platform can name the dialect of Grove, and then no schema is looked up.",
			Request: plantest.Request(xr, groups, queue, plantest.WithInput(inputv1alpha1.Policy{Grove: inputv1alpha1.Grove{TopologyDialect: inputv1alpha1.DialectPackDomainWithTopologyName}}), plantest.WithTopology()),
			Want:    dialect{Kind: "ClusterTopologyBinding", Topology: myTopology(graphplan.DialectPackDomainWithTopologyName)},
		},
		"InputOldest": {
			Reason:  "The oldest dialect goes with the older kind.",
			Request: plantest.Request(xr, groups, queue, plantest.WithInput(inputv1alpha1.Policy{Grove: inputv1alpha1.Grove{TopologyDialect: inputv1alpha1.DialectPackDomain}}), plantest.WithTopology()),
			Want:    dialect{Kind: "ClusterTopology", Topology: myTopology(graphplan.DialectPackDomain, recordingName)},
		},
	}, func(of *whole.Outcome) dialect {
		d := decided(of)
		required := of.Response.GetRequirements()
		looked := cmp.Or(required.GetResources()["topology"], required.GetExtraResources()["topology"]) //nolint:staticcheck // All that some callers know.
		return dialect{Kind: looked.GetKind(), Topology: d.Topology, Asked: d.Asked}
	})
}

// TestTopologyOfLiveGraphs shows that a graph that runs survives the loss of its topology.
func TestTopologyOfLiveGraphs(t *testing.T) {
	xr := plantest.Graph(packed("zone", "rack"))
	live := plantest.WithObserved("podcliqueset", observedPacked())
	asked := []string{"ClusterTopologyBinding"}
	known := func(more ...plantest.RequestOption) []plantest.RequestOption {
		return append([]plantest.RequestOption{plantest.WithGroups("grove", "kai"), plantest.WithTopologyBindings(true), live}, more...)
	}
	compare(t, map[string]whole.Row[decision]{
		"NotFound": {
			Reason:  "The plan says that the topology went away, and is written all the same.",
			Request: plantest.Request(xr, known(plantest.WithoutObject("topology"))...),
			Want:    decision{Topology: myTopology(graphplan.DialectPack, notFound), Asked: asked},
		},
		"LevelsGone": {
			Reason:  "The plan says which levels went away, each once and sorted.",
			Request: plantest.Request(xr, known(plantest.WithLevels("host=h"))...),
			Want:    decision{Topology: myTopology(graphplan.DialectPack, missing("rack", "zone")), Asked: asked},
		},
		"OrderChanged": {
			Reason:  "A live graph stays accepted when its topology changes and a domain becomes too broad.",
			Request: plantest.Request(xr, known(plantest.WithLevels("rack=r", "zone=z"))...),
			Want:    decision{Topology: myTopology(graphplan.DialectPack), Asked: asked},
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
			if diff := gocmp.Diff(myTopology(tc.want), whole.Run(t, req).Plan.Topology); diff != "" {
				t.Errorf("%s\nRunFunction(...): -want topology, +got topology:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestTopologyElsewhere shows that constraints which have no effect are not passed over in silence.
func TestTopologyElsewhere(t *testing.T) {
	notGrove := plantest.Annotated("nvidia.com/enable-grove", "false")
	profiles := plantest.Profile("other", "x=x")
	profiles.Profiles = append(profiles.Profiles, plantest.Profile("my-topology", "zone=z", "rack=r").Profiles...)
	withProfiles := plantest.WithInput(inputv1alpha1.Policy{Topology: profiles})
	asked := []string{"ClusterTopologyBinding"}
	compare(t, map[string]whole.Row[decision]{
		"Undefined": {
			Reason:  "Without Grove and without a profile there is nothing to look up.",
			Request: plantest.Request(plantest.Graph(packed("zone", "")), plantest.WithGroups()),
			Want:    decision{Topology: myTopology("", undefined), Said: warned(onGraph)},
		},
		"Profile": {
			Reason:  "Without Grove, the levels come from a profile of the platform.",
			Request: plantest.Request(plantest.Graph(packed("zone", "")), plantest.WithGroups(), withProfiles),
			Want:    decision{Topology: myTopology(""), Said: warned(onGraph)},
		},
		"ProfileBeforeGrove": {
			Reason:  "A profile of the platform takes precedence over the topology object, which is then not looked up.",
			Request: plantest.Request(plantest.Graph(packed("zone", ""), notGrove), plantest.WithGroups("grove"), withProfiles),
			Want:    decision{Topology: myTopology(""), Said: warned(onGraph)},
		},
		"NotOfTheProfile": {
			Reason:  "A domain that the profile does not have is refused.",
			Request: plantest.Request(plantest.Graph(packed("block", "")), plantest.WithGroups(), withProfiles),
			Want:    decision{Said: invalid(domainOfGraph)},
		},
		"Object": {
			Reason:  "With Grove installed, the levels come from the topology object.",
			Request: plantest.Request(plantest.Graph(packed("zone", ""), notGrove), plantest.WithGroups("grove"), plantest.WithTopologyBindings(true), plantest.WithTopology()),
			Want:    decision{Topology: myTopology(graphplan.DialectPack), Said: warned(onGraph), Asked: asked},
		},
		"ObjectMissing": {
			Reason:  "With Grove installed, the topology object must exist.",
			Request: plantest.Request(plantest.Graph(packed("zone", ""), notGrove), plantest.WithGroups("grove"), plantest.WithTopologyBindings(true), plantest.WithoutObject("topology")),
			Want:    decision{Said: invalid(profileOfGraph), Asked: asked},
		},
	})
}
