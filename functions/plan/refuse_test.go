package plan

import (
	"strconv"
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
)

// TestRefusedLive shows what becomes of condition Ready of a graph that runs and whose edit is refused. Beside a Fatal result
// Crossplane leaves it as it was.
func TestRefusedLive(t *testing.T) {
	const (
		// live is what Crossplane has applied of the composite resource.
		live = `,"managedFields":[{"manager":"apiextensions.crossplane.io/composite","operation":"Apply","apiVersion":"nvidia.com/v1alpha1","subresource":"status",
			"fieldsV1":{"f:status":{"f:orchestrator":{},"f:state":{}}}}]},"spec":`
		deployment = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"llama-frontend","managedFields":[
			{"manager":"apiextensions.crossplane.io/composed/abc","operation":"Apply","apiVersion":"apps/v1","fieldsV1":{"f:spec":{"f:replicas":{}}}}]},
			"spec":{"replicas":1,"paused":false},"status":{"replicas":1,"updatedReplicas":1}}`
		applied = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"llama-frontend"},"spec":{"replicas":1}}`
		message = `spec.services[Frontend].replicaz: Invalid value: 1: unknown field; did you mean "replicas"?`
		gone    = "the graph runs on LeaderWorkerSet, but API group leaderworkerset.x-k8s.io is no longer served by the cluster; " +
			"nothing is changed until it is served again; to move the graph to another orchestrator, delete and recreate it"
		lacking  = "Frontend: Deployment llama-frontend: 0 of 1 replicas are available"
		services = `"services":{"Frontend":{"componentKind":"Deployment","componentName":"llama-frontend","componentNames":["llama-frontend"],
			"replicas":1,"updatedReplicas":1,"readyReplicas":0,"availableReplicas":0}}`
	)
	graph := func(ready string) string {
		xr := plantest.WithStatus(plantest.GraphOf(`{"services":{`+strings.Replace(plantest.Frontend, `"componentType"`, `"replicaz":1,"componentType"`, 1)+`}}`),
			`{"orchestrator":"Deployment","state":"successful",`+services+`,"conditions":[{"type":"Ready","status":"`+ready+`","reason":"Available"},
			{"type":"Accepted","status":"True","reason":"Valid"},{"type":"ServicesReady","status":"True","reason":"all_resources_are_ready"}]}`)
		return strings.Replace(xr, `},"spec":`, live, 1)
	}
	observed := plantest.WithObserved("deployment-frontend", deployment)
	held := func(rsp *fnv1.RunFunctionResponse) {
		rsp.Results = []*fnv1.Result{{Severity: fnv1.Severity_SEVERITY_WARNING, Message: message, Reason: new("Held"), Target: fnv1.Target_TARGET_COMPOSITE_AND_CLAIM.Enum()}}
		rsp.Context = resource.MustStructJSON(`{"plan.dynamo.nvidia.com":{"version":2,"release":"development","orchestrator":"","services":{},"totalGPUs":0,"held":` + strconv.Quote(message) + `}}`)
		rsp.Desired = &fnv1.State{
			Composite: &fnv1.Resource{
				Resource: resource.MustStructJSON(`{"status":{"orchestrator":"Deployment","state":"pending",` + services + `}}`),
				Ready:    fnv1.Ready_READY_FALSE,
			},
			Resources: map[string]*fnv1.Resource{"deployment-frontend": {Resource: resource.MustStructJSON(applied), Ready: fnv1.Ready_READY_FALSE}},
		}
	}
	compare(t, map[string]responseCase{
		"PodsDied": {
			reason: "A run that ends well is the only one that makes Ready False: the graph is held for it as it is, and told what is wrong.",
			req:    plantest.Request(graph("True"), plantest.WithGroups(), observed),
			want:   want(soon(), asksForGroups(), conditioned("Accepted", isFalse, "Invalid", message), unready(lacking), held),
		},
		"StillDown": {
			reason: "Once Ready is False the graph is refused as ever.",
			req:    plantest.Request(graph("False"), plantest.WithGroups(), observed),
			want:   want(asksForGroups(), refusal("Invalid", message), unready(lacking)),
		},
		"OrchestratorGone": {
			reason: "What the cluster does not serve cannot be applied: the graph is not held where its orchestrator is gone.",
			req:    plantest.Request(strings.Replace(graph("True"), `"orchestrator":"Deployment"`, `"orchestrator":"LeaderWorkerSet"`, 1), plantest.WithGroups(), observed),
			want: want(asksForGroups(), refusal("Invalid", message+"; "+gone), conditioned("OrchestratorSelected", isFalse, "OrchestratorGone", gone),
				unserved(lacking+"; API group leaderworkerset.x-k8s.io: is not served by the cluster")),
		},
	})
}
