package plan

import (
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
)

// legacyOf is a graph as the composite resource of a claim.
func legacyOf(xr string) string {
	return strings.Replace(strings.Replace(xr, `"kind":"DynamoGraphDeployment"`, `"kind":"XDynamoGraphDeployment"`, 1),
		`"spec":{`, `"spec":{"claimRef":{"name":"llama","namespace":"inference"},`, 1)
}

// TestGroveGone shows that a graph on Grove is never started a second time while Grove's API is gone.
func TestGroveGone(t *testing.T) {
	const message = "the graph runs on Grove, but API group grove.io is no longer served by the cluster; nothing is changed until it is served again; " +
		"to move the graph to another orchestrator, delete and recreate it"
	const ref = `[{"apiVersion":"grove.io/v1alpha1","kind":"PodCliqueSet","name":"llama"}]`
	xr := plantest.GraphOf(plantest.SpecOf(plantest.Frontend))
	const notServed = "API group grove.io: is not served by the cluster"
	gone := func(unreadyToo string) *fnv1.RunFunctionResponse {
		return want(asksForGroups(), refusal("NotSupportedHere", message), conditioned("OrchestratorSelected", isFalse, "OrchestratorGone", message),
			unserved(notServed+"; "+unreadyToo))
	}
	legacy := legacyOf(plantest.WithRefs(xr, true, ref))

	compare(t, map[string]responseCase{
		"Observed": {
			reason: "The PodCliqueSet is still observed.",
			req:    plantest.Request(xr, plantest.WithGroups("lws", "volcano"), plantest.WithObserved("podcliqueset", plantest.PodCliqueSet)),
			want:   gone("PodCliqueSet llama: Grove has not observed it yet"),
		},
		"References": {
			reason: "Only the reference to the PodCliqueSet is left.",
			req:    plantest.Request(plantest.WithRefs(xr, false, ref), plantest.WithGroups("lws", "volcano")),
			want:   gone("PodCliqueSet llama: does not exist"),
		},
		"LegacyReferences": {
			reason: "Only the reference of a legacy composite resource is left.",
			req:    plantest.Request(legacy, plantest.WithGroups("lws", "volcano")),
			want:   gone("PodCliqueSet llama: does not exist"),
		},
		"Status": {
			reason: "Crossplane has dropped the reference, and the status remembers; the other conditions are repeated.",
			req: plantest.Request(plantest.WithStatus(xr, `{"orchestrator":"Grove","conditions":[
				{"type":"Accepted","status":"True","reason":"Valid"},
				{"type":"QueueAvailable","status":"True","reason":"QueueFound","message":"m"}]}`), plantest.WithGroups("lws", "volcano"), withLost(nil)),
			want: want(asksForGroups(), asksForLost("LeaderWorkerSet", "PodGroup"), refusal("NotSupportedHere", message),
				conditioned("OrchestratorSelected", isFalse, "OrchestratorGone", message),
				unserved(notServed), conditioned("QueueAvailable", isTrue, "QueueFound", "m")),
		},
		"Unknown": {
			reason: "An API group that has not been looked up yet is not taken to be gone.",
			req:    plantest.Request(xr, plantest.WithObserved("podcliqueset", plantest.PodCliqueSet)),
			want:   want(asksForGroups()),
		},
	})
}

// TestEnableGroveFlipped shows that a graph is not moved by its annotation.
func TestEnableGroveFlipped(t *testing.T) {
	const message = `annotation nvidia.com/enable-grove: "false" requests an orchestrator other than Grove, which runs the graph; ` +
		"undo the change or remove the annotation, or delete and recreate the graph"
	const annotations = `{"nvidia.com/enable-grove":"false"}`
	compare(t, map[string]responseCase{
		"Live": {
			reason: "A user's change of an immutable choice is refused with the remedy.",
			req:    plantest.Request(plantest.Annotated(plantest.SpecOf(plantest.Frontend), annotations), plantest.WithGroups("grove"), plantest.WithObserved("podcliqueset", plantest.PodCliqueSet)),
			want: want(asksForGroups(), asksForChildren("frontend"), refusal("NotSupportedHere", message),
				conditioned("OrchestratorSelected", isFalse, "OrchestratorCannotChange", message),
				unready("PodCliqueSet llama: Grove has not observed it yet")),
		},
		"New": {
			reason: "On a new graph, annotation nvidia.com/enable-grove chooses the orchestrator.",
			req:    plantest.Request(plantest.Annotated(plantest.SpecOf(plantest.Frontend), annotations), plantest.WithGroups("grove", "kai")),
			want: want(asksForGroups(), accepted(),
				conditioned("OrchestratorSelected", isTrue, "Selected", "Deployment runs the graph: annotation nvidia.com/enable-grove is false, and no service spans several nodes"),
				noQueue(),
				planOf(`{"version":2,"release":"development","orchestrator":"Deployment","totalGPUs":0,"services":{"Frontend":{"discovery":"kubernetes","dynamoNamespace":"inference-llama"}}}`)),
		},
	})
}
