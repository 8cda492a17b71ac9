package plan

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
)

// topologyDecision is what is decided about the topology of a graph, and what its user is told.
type topologyDecision struct {
	// Topology of the plan, JSON.
	Topology string
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
			// Each message begins with the path of a field.
			lines := strings.NewReplacer("; spec.", "\nspec.", "; metadata.", "\nmetadata.").Replace(c.GetMessage())
			out.Accepted = strings.Split(lines, "\n")
		}
	}
	for _, selector := range rsp.GetRequirements().GetSchemas() {
		out.Asked = append(out.Asked, selector.GetKind())
	}
	topology := rsp.GetContext().GetFields()["plan.dynamo.nvidia.com"].GetStructValue().GetFields()["topology"]
	if topology != nil {
		encoded, err := json.Marshal(topology.AsInterface())
		if err != nil {
			t.Fatal(err)
		}
		out.Topology = string(encoded)
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

// placedBy is the placement, JSON, of service Worker in the plan's topology.
func placedBy(placement string) string {
	return `{"dialect":"","name":"my-topology","placements":{"Worker":` + placement + `}}`
}

// preferring is a graph with preferred domains of the graph and of service Worker.
func preferring(spec, ofGraph, ofWorker string) string {
	if ofWorker != "" {
		spec = strings.Replace(spec, `"Worker":{`, `"Worker":{"annotations":{"nvidia.com/topology-preferred-domain":"`+ofWorker+`"},`, 1)
	}
	if ofGraph == "" {
		return plantest.GraphOf(spec)
	}
	return plantest.Annotated(spec, `{"nvidia.com/topology-preferred-domain":"`+ofGraph+`"}`)
}

// markedSet is a LeaderWorkerSet, JSON, that is marked with a domain.
func markedSet(set, domain string) string {
	const own = `"metadata":{"name":"llama-worker-0"`
	return strings.Replace(set, own, own+`,"annotations":{"nvidia.com/topology-profile":"my-topology","nvidia.com/topology-pack-domain":"`+domain+`"}`, 1)
}
