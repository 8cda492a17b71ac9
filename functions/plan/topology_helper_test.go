package plan

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// topologyDecision is what is decided about the topology of a graph, and what its user is told.
type topologyDecision struct {
	Topology *graphplan.Topology
	// Accepted is the message of condition Accepted, a line each: warnings, or why the graph is refused.
	Accepted []string
	// Asked are the schemas that were asked for.
	Asked []string
}

func decidedTopology(t *testing.T, req *fnv1.RunFunctionRequest) topologyDecision {
	t.Helper()
	rsp := run(t, req)
	var out topologyDecision
	for _, c := range rsp.GetConditions() {
		if c.GetType() == "Accepted" && c.GetMessage() != "" {
			out.Accepted = strings.Split(c.GetMessage(), "\n")
		}
	}
	for _, selector := range rsp.GetRequirements().GetSchemas() {
		out.Asked = append(out.Asked, selector.GetKind())
	}
	if rsp.GetContext() != nil {
		out.Topology = planIn(t, rsp).Topology
	}
	return out
}

// topologyCase is one request and what comes of it.
type topologyCase struct {
	reason string
	req    *fnv1.RunFunctionRequest
	want   topologyDecision
}

func compareTopologies(t *testing.T, cases map[string]topologyCase) {
	t.Helper()
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, decidedTopology(t, tc.req)); diff != "" {
				t.Errorf("%s\nRunFunction(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// A topologyChange of what is decided about a topology.
type topologyChange func(*graphplan.Topology)

// myTopology is what is decided about topology my-topology.
func myTopology(dialect graphplan.TopologyDialect, changes ...topologyChange) *graphplan.Topology {
	topology := &graphplan.Topology{Name: "my-topology", Dialect: dialect}
	for _, change := range changes {
		change(topology)
	}
	return topology
}

// placing service Worker.
func placing(placement graphplan.Placement) topologyChange {
	return func(t *graphplan.Topology) { t.Placements = map[string]graphplan.Placement{"Worker": placement} }
}

func notFound(t *graphplan.Topology) { t.NotFound = true }

func undefined(t *graphplan.Topology) { t.NotFound, t.Undefined = true, true }

// missing levels.
func missing(domains ...string) topologyChange {
	return func(t *graphplan.Topology) { t.Missing = domains }
}

// recordingName on the PodCliqueSet.
func recordingName(t *graphplan.Topology) { t.RecordName = true }

// unwritten is a topology of which no constraint is written, because the dialect has no preferred domains.
func unwritten(t *graphplan.Topology) { t.Unwritten = true }

// byKAITopology is the name of a topology of KAI.
func byKAITopology(name string) topologyChange {
	return func(t *graphplan.Topology) { t.KAITopology = name }
}

// prefer domains for the graph and for service Worker, unless they are empty.
func prefer(ofGraph, ofWorker string) topologyChange {
	return func(t *graphplan.Topology) {
		t.Preferred = ofGraph
		if ofWorker != "" {
			t.PreferredDomains = map[string]string{"Worker": ofWorker}
		}
	}
}

// placedBy is the placement of service Worker in the plan's topology.
func placedBy(placement graphplan.Placement) *graphplan.Topology {
	return myTopology("", placing(placement))
}

// inTopology adds a topology constraint of the graph, with a domain unless it is empty.
func inTopology(profile, domain string) plantest.GraphChange {
	return func(xr *v1alpha1.DynamoGraphDeployment) {
		xr.Spec.TopologyConstraint = &v1alpha1.SpecTopologyConstraint{TopologyProfile: profile, PackDomain: domain}
	}
}

// inDomain packs a service into a domain unless it is empty.
func inDomain(domain string) plantest.ServiceChange {
	return func(s *v1alpha1.Service) {
		if domain != "" {
			s.TopologyConstraint = &v1alpha1.TopologyConstraint{PackDomain: domain}
		}
	}
}

const annotationPreferred = "nvidia.com/topology-preferred-domain"

// preferring is a graph with preferred domains of the graph and of service Worker.
func preferring(graph plantest.GraphChange, ofGraph, ofWorker string) *v1alpha1.DynamoGraphDeployment {
	xr := plantest.Graph(graph)
	if ofWorker != "" {
		plantest.Changed("Worker", plantest.WithAnnotation(annotationPreferred, ofWorker))(xr)
	}
	if ofGraph != "" {
		plantest.Annotated(annotationPreferred, ofGraph)(xr)
	}
	return xr
}

// annotatedSet has these annotations on the LeaderWorkerSet itself.
func annotatedSet(annotations map[string]string) setChange {
	return func(set *lwsv1.LeaderWorkerSet) { set.Annotations = annotations }
}

// markedWith a domain of my-topology.
func markedWith(domain string) setChange {
	return annotatedSet(map[string]string{"nvidia.com/topology-profile": "my-topology", "nvidia.com/topology-pack-domain": domain})
}

// packedByKAI are the annotations by which KAI packs pods into the domains of a node label.
func packedByKAI(label string) map[string]string {
	return map[string]string{"kai.scheduler/topology": "my-topology", "kai.scheduler/topology-required-placement": label}
}

// withLevels delivers a topology with levels, each a domain and its node label: zone=example.org/zone.
func withLevels(levels ...string) plantest.RequestOption {
	return withObject("topology", topologyOf(levels...))
}

func topologyOf(levels ...string) *grovev1alpha1.Topology {
	topology := &grovev1alpha1.Topology{Spec: grovev1alpha1.TopologySpec{Levels: []grovev1alpha1.TopologyLevel{}}}
	for _, level := range levels {
		domain, label, _ := strings.Cut(level, "=")
		topology.Spec.Levels = append(topology.Spec.Levels, grovev1alpha1.TopologyLevel{Domain: domain, Key: label})
	}
	return topology
}

// profile of the platform with levels, as those of withLevels.
func profile(name string, levels ...string) inputv1alpha1.Topology {
	p := inputv1alpha1.TopologyProfile{Name: name}
	for _, level := range levels {
		domain, label, _ := strings.Cut(level, "=")
		p.Levels = append(p.Levels, inputv1alpha1.TopologyLevel{Domain: domain, Key: label})
	}
	return inputv1alpha1.Topology{Profiles: []inputv1alpha1.TopologyProfile{p}}
}

// kaiClique is a clique whose pods are in a queue of KAI.
func kaiClique(c *grovev1alpha1.Clique) {
	c.Labels = map[string]string{"kai.scheduler/queue": "dynamo"}
	c.Spec.PodSpec = corev1.PodSpec{SchedulerName: graphplan.KAIScheduler}
}

// constraint in the newest dialect.
func constraint(required, preferred string) *grovev1alpha1.TopologyConstraint {
	return &grovev1alpha1.TopologyConstraint{TopologyName: "my-topology", Pack: &grovev1alpha1.TopologyPack{Required: required, Preferred: preferred}}
}

// olderConstraint in a dialect before the newest, which names the topology or does not.
func olderConstraint(topology, domain string) *grovev1alpha1.TopologyConstraint {
	return &grovev1alpha1.TopologyConstraint{TopologyName: topology, PackDomain: domain}
}
