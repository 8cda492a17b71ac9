package hold

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/readiness"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/tree"
)

const (
	// composite of a graph that runs one Deployment, as the API server has it.
	composite = `{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment",
		"metadata":{"name":"llama","namespace":"inference","managedFields":[
			{"manager":"kubectl","operation":"Update","apiVersion":"nvidia.com/v1alpha1","fieldsV1":{"f:spec":{"f:services":{}}}},
			{"manager":"apiextensions.crossplane.io/composite","operation":"Apply","apiVersion":"nvidia.com/v1alpha1","fieldsV1":{"f:spec":{"f:crossplane":{"f:resourceRefs":{}}}}},
			{"manager":"apiextensions.crossplane.io/composite","operation":"Apply","apiVersion":"nvidia.com/v1alpha1","subresource":"status",
				"fieldsV1":{"f:status":{"f:state":{},"f:orchestrator":{},"f:services":{},"f:conditions":{}}}}]},
		"spec":{"crossplane":{"resourceRefs":[{"apiVersion":"apps/v1","kind":"Deployment","name":"llama-frontend"}]}},
		"status":{"state":"successful","orchestrator":"Deployment","lastHandledReconcileAt":"now",
			"services":{"Frontend":{"componentKind":"Deployment","componentName":"llama-frontend","componentNames":["llama-frontend"],
				"replicas":1,"updatedReplicas":1,"readyReplicas":1,"availableReplicas":1}},
			"conditions":[CONDITIONS]}}`

	ready    = `{"type":"Ready","status":"True","reason":"Available"}`
	notReady = `{"type":"Ready","status":"False","reason":"Creating"}`
	allReady = `{"type":"ServicesReady","status":"True","reason":"all_resources_are_ready","message":"All resources are ready"}`
	oneDown  = `{"type":"ServicesReady","status":"False","reason":"some_resources_are_not_ready","message":"Resources not ready: Frontend: Deployment llama-frontend: 0 of 1 replicas are available"}`
	other    = `{"type":"ServicesReady","status":"False","reason":"some_resources_are_not_ready","message":"Resources not ready: Frontend: Deployment llama-frontend: 0 of 1 replicas are updated"}`
	failed   = `{"type":"ServicesReady","status":"Unknown","reason":"FatalError","message":"A fatal error occurred before the status of this condition could be determined."}`

	up = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"llama-frontend","namespace":"inference","uid":"u","labels":{"a":"b","crossplane.io/composite":"llama"},
			"managedFields":[{"manager":"apiextensions.crossplane.io/composed/abc","operation":"Apply","apiVersion":"apps/v1",
				"fieldsV1":{"f:metadata":{"f:labels":{"f:a":{},"f:crossplane.io/composite":{}}},"f:spec":{"f:replicas":{}}}}]},
		"spec":{"replicas":1,"revisionHistoryLimit":10},
		"status":{"replicas":1,"updatedReplicas":1,"readyReplicas":1,"availableReplicas":1,"conditions":[{"type":"Available","status":"True"}]}}`
)

// down is the Deployment without its pod.
func down() string {
	return strings.Replace(up, `"readyReplicas":1,"availableReplicas":1,"conditions":[{"type":"Available","status":"True"}]`, `"readyReplicas":0`, 1)
}

func request(conditions, deployment string) *fnv1.RunFunctionRequest {
	req := &fnv1.RunFunctionRequest{Observed: &fnv1.State{
		Composite: &fnv1.Resource{Resource: resource.MustStructJSON(strings.Replace(composite, "CONDITIONS", conditions, 1))},
		Resources: map[string]*fnv1.Resource{},
	}}
	if deployment != "" {
		req.Observed.Resources["deployment-frontend"] = &fnv1.Resource{Resource: resource.MustStructJSON(deployment)}
	}
	return req
}

func TestNeeded(t *testing.T) {
	cases := map[string]struct {
		reason     string
		conditions string
		deployment string
		want       bool
	}{
		"NothingChanged":  {reason: "A graph that is ready and says so needs nothing.", conditions: ready + "," + allReady, deployment: up},
		"PodsDied":        {reason: "A graph that says that it is ready and is not has to say otherwise.", conditions: ready + "," + allReady, deployment: down(), want: true},
		"StillDown":       {reason: "A graph that says already that it is not ready needs nothing.", conditions: notReady + "," + oneDown, deployment: down()},
		"PodsCameBack":    {reason: "A graph that is ready again has to say so.", conditions: notReady + "," + oneDown, deployment: up, want: true},
		"NeverReady":      {reason: "A graph that never was ready is treated as one that is not ready any more.", conditions: oneDown, deployment: down()},
		"NoServicesReady": {reason: "Without a judgement nothing was tried.", conditions: ready, deployment: down(), want: true},
		"Failed":          {reason: "A try that ended with an error of Crossplane is not repeated: its conditions are Unknown, and have to be told first.", conditions: ready + "," + failed, deployment: down()},
		"ToldAfterFailed": {reason: "A try that ended with an error of Crossplane is not repeated once the conditions are told.", conditions: ready + "," + oneDown, deployment: down()},
		"Another":         {reason: "Another judgement is tried again.", conditions: ready + "," + other, deployment: down(), want: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := request(tc.conditions, tc.deployment)
			if got := Needed(req, readiness.Observe(req, nil)); got != tc.want {
				t.Errorf("%s\nNeeded(...): want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
	if Needed(request(ready, up), nil) {
		t.Error("Where readiness cannot be told nothing is to be said.")
	}
}

// TestGraph compares the whole response of a graph that is held.
func TestGraph(t *testing.T) {
	req := request(ready+","+allReady, down())
	req.Desired = &fnv1.State{
		Composite: &fnv1.Resource{ConnectionDetails: map[string][]byte{"k": []byte("v")}},
		Resources: map[string]*fnv1.Resource{"bucket": {Resource: resource.MustStructJSON(`{"kind":"Bucket"}`)}},
	}
	rsp := &fnv1.RunFunctionResponse{Desired: req.GetDesired()}
	if !Graph(rsp, req, readiness.Observe(req, nil), errors.New("spec.x: unknown field")) {
		t.Fatal("Graph(...): want the graph held")
	}
	want := &fnv1.RunFunctionResponse{
		Context: resource.MustStructJSON(`{"plan.dynamo.nvidia.com":{"version":2,"release":"development","orchestrator":"","services":{},"totalGPUs":0,"held":"spec.x: unknown field"}}`),
		Desired: &fnv1.State{
			Composite: &fnv1.Resource{
				Resource: resource.MustStructJSON(`{"status":{"state":"pending","orchestrator":"Deployment",
					"services":{"Frontend":{"componentKind":"Deployment","componentName":"llama-frontend","componentNames":["llama-frontend"],
						"replicas":1,"updatedReplicas":1,"readyReplicas":0,"availableReplicas":0}}}}`),
				ConnectionDetails: map[string][]byte{"k": []byte("v")},
				Ready:             fnv1.Ready_READY_FALSE,
			},
			Resources: map[string]*fnv1.Resource{"deployment-frontend": {
				Resource: resource.MustStructJSON(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"llama-frontend","namespace":"inference","labels":{"a":"b"}},"spec":{"replicas":1}}`),
				Ready:    fnv1.Ready_READY_FALSE,
			}},
		},
		Results: []*fnv1.Result{{
			Severity: fnv1.Severity_SEVERITY_WARNING, Message: "spec.x: unknown field", Reason: new("Held"), Target: fnv1.Target_TARGET_COMPOSITE_AND_CLAIM.Enum(),
		}},
	}
	if diff := cmp.Diff(want, rsp, protocmp.Transform()); diff != "" {
		t.Errorf("What is observed is desired as it was applied, what another step desires as well is not new now, and the status is as it was but for what is observed."+
			"\nGraph(...): -want, +got:\n%s", diff)
	}
}

// TestCountsOfMissingChild shows that a service does not keep counts that are no longer updated.
func TestCountsOfMissingChild(t *testing.T) {
	onGrove := func(text string) string {
		text = strings.NewReplacer(`"kind":"Deployment"`, `"kind":"PodCliqueSet"`, "llama-frontend", "llama", `"updatedReplicas":1,"readyReplicas":1,"availableReplicas":1}`,
			`"updatedReplicas":1,"readyReplicas":1,"scheduledReplicas":1}`, `"componentKind":"Deployment"`, `"componentKind":"PodClique"`).Replace(text)
		return strings.Replace(text, `"componentName":"llama","componentNames":["llama"]`, `"componentName":"llama-0-frontend","componentNames":["llama-0-frontend"]`, 1)
	}
	req := request(ready, "")
	req.Observed.Composite.Resource = resource.MustStructJSON(onGrove(strings.Replace(composite, "CONDITIONS", ready, 1)))
	req.Observed.Resources["podcliqueset"] = &fnv1.Resource{Resource: resource.MustStructJSON(onGrove(up))}
	none := func(string, string) (graphplan.Child, bool) { return graphplan.Child{}, false }

	rsp := &fnv1.RunFunctionResponse{}
	if !Graph(rsp, req, readiness.Observe(req, none), errors.New("spec.x: unknown field")) {
		t.Fatal("Graph(...): want the graph held")
	}
	want := resource.MustStructJSON(`{"state":"pending","orchestrator":"Deployment",
		"services":{"Frontend":{"componentKind":"PodClique","componentName":"llama-0-frontend","componentNames":["llama-0-frontend"],"replicas":0,"updatedReplicas":0}}}`)
	if diff := cmp.Diff(want, tree.At(rsp.GetDesired().GetComposite().GetResource(), "status"), protocmp.Transform()); diff != "" {
		t.Errorf("Graph(...): status: -want, +got:\n%s", diff)
	}
}

// TestCannotHold shows when a graph is not held, since something could change.
func TestCannotHold(t *testing.T) {
	preview := func(req *fnv1.RunFunctionRequest, r *fnv1.Resource) *fnv1.RunFunctionRequest {
		delete(r.GetResource().GetFields()["metadata"].GetStructValue().GetFields(), "managedFields")
		return req
	}
	deployment, xr := request(ready, down()), request(ready, down())
	cases := map[string]struct {
		reason string
		req    *fnv1.RunFunctionRequest
	}{
		"SomethingIsGone": {reason: "Crossplane forgets what is not desired, and what is not observed cannot be desired.", req: request(ready, "")},
		"BeingDeleted": {
			reason: "What is being deleted could be created again.",
			req:    request(ready, strings.Replace(down(), `"uid":"u"`, `"deletionTimestamp":"2026-01-01T00:00:00Z"`, 1)),
		},
		"NotApplied": {
			reason: "Nobody knows what is to be desired of an object that Crossplane did not apply.",
			req:    request(ready, strings.Replace(down(), "apiextensions.crossplane.io/composed/abc", "kubectl", 1)),
		},
		"Preview":            {reason: "A preview changes nothing anyway.", req: preview(deployment, deployment.GetObserved().GetResources()["deployment-frontend"])},
		"PreviewOfComposite": {reason: "A preview changes nothing where the composite resource does not say what was applied of its status, which would be lost.", req: preview(xr, xr.GetObserved().GetComposite())},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			rsp := &fnv1.RunFunctionResponse{}
			if Graph(rsp, tc.req, readiness.Observe(tc.req, nil), errors.New("unknown field")) {
				t.Errorf("%s\nGraph(...): want the graph not held", tc.reason)
			}
			if diff := cmp.Diff(&fnv1.RunFunctionResponse{}, rsp, protocmp.Transform()); diff != "" {
				t.Errorf("%s\nGraph(...): the response changed: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
