package plan_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
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

// markedWith a domain of my-topology.
func markedWith(domain string) plantest.SetChange {
	return plantest.AnnotatedSet(map[string]string{"nvidia.com/topology-profile": "my-topology", "nvidia.com/topology-pack-domain": domain})
}

// packedByKAI are the annotations by which KAI packs pods into the domains of a node label.
func packedByKAI(label string) map[string]string {
	return map[string]string{"kai.scheduler/topology": "my-topology", "kai.scheduler/topology-required-placement": label}
}
