package topology_test

import (
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest/whole"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
)

// decision is what is decided about the topology of a graph, and what its user is told.
type decision struct {
	Topology *graphplan.Topology
	Said     []plantest.Said
	// Asked are the schemas that were asked for.
	Asked []string
}

func decided(of *whole.Outcome) decision {
	out := decision{Said: of.Said}
	for _, selector := range of.Response.GetRequirements().GetSchemas() {
		out.Asked = append(out.Asked, selector.GetKind())
	}
	if of.Plan != nil {
		out.Topology = of.Plan.Topology
	}
	return out
}

func compare(t *testing.T, cases map[string]whole.Row[decision]) {
	t.Helper()
	whole.Table(t, cases, decided)
}

// Fields that are told of.
const (
	onGraph           = "spec.topologyConstraint"
	profileOfGraph    = "spec.topologyConstraint.clusterTopologyName"
	domainOfGraph     = "spec.topologyConstraint.packDomain"
	domainOfWorker    = "spec.components[Worker].topologyConstraint.packDomain"
	preferredOfGraph  = "metadata.annotations[nvidia.com/topology-preferred-domain]"
	preferredOfWorker = "spec.components[Worker].annotations[nvidia.com/topology-preferred-domain]"
)

// warned of fields.
func warned(fields ...string) []plantest.Said { return plantest.Warned(rule.Topology, fields...) }

// invalid fields.
func invalid(fields ...string) []plantest.Said {
	return plantest.Refused(subject.Mistake, rule.Topology, fields...)
}

// changed fields that cannot change.
func changed(fields ...string) []plantest.Said {
	return plantest.Refused(subject.ImmutableChange, rule.Immutable, fields...)
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

// placing component Worker.
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

// prefer domains for the graph and for component Worker, unless they are empty.
func prefer(ofGraph, ofWorker string) topologyChange {
	return func(t *graphplan.Topology) {
		t.Preferred = ofGraph
		if ofWorker != "" {
			t.PreferredDomains = map[string]string{"Worker": ofWorker}
		}
	}
}

// placedBy is the placement of component Worker in the plan's topology.
func placedBy(placement graphplan.Placement) *graphplan.Topology {
	return myTopology("", placing(placement))
}

const annotationPreferred = "nvidia.com/topology-preferred-domain"

// preferring is a graph with preferred domains of the graph and of component Worker.
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

// packedByKAI are the annotations by which KAI packs pods into the domains of a node label.
func packedByKAI(label string) map[string]string {
	return map[string]string{"kai.scheduler/topology": "my-topology", "kai.scheduler/topology-required-placement": label}
}
