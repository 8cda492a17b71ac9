package hold

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/health/readiness"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// composite of a graph that runs one Deployment, as the API server has it.
const composite = `{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment",
		"metadata":{"name":"llama","namespace":"inference","managedFields":[
			{"manager":"kubectl","operation":"Update","apiVersion":"nvidia.com/v1alpha1","fieldsV1":{"f:spec":{"f:services":{}}}},
			{"manager":"apiextensions.crossplane.io/composite","operation":"Apply","apiVersion":"nvidia.com/v1alpha1","fieldsV1":{"f:spec":{"f:crossplane":{"f:resourceRefs":{}}}}},
			{"manager":"apiextensions.crossplane.io/composite","operation":"Apply","apiVersion":"nvidia.com/v1alpha1","subresource":"status",
				"fieldsV1":{"f:status":{"f:state":{},"f:orchestrator":{},"f:services":{},"f:conditions":{}}}}]},
		"spec":{"crossplane":{"resourceRefs":[{"apiVersion":"apps/v1","kind":"Deployment","name":"llama-frontend"}]}},
		"status":{"state":"successful","orchestrator":"Deployment","lastHandledReconcileAt":"now",
			"services":{"Frontend":{"componentKind":"Deployment","componentName":"llama-frontend","componentNames":["llama-frontend"],
				"replicas":1,"updatedReplicas":1,"readyReplicas":1,"availableReplicas":1}},
			"conditions":[]}}`

// conditionOf makes a condition of the graph.
func conditionOf(conditionType, status, reason, message string) metav1.Condition {
	return metav1.Condition{Type: conditionType, Status: metav1.ConditionStatus(status), Reason: reason, Message: message}
}

// Conditions of the graph.
func ready() metav1.Condition    { return conditionOf("Ready", "True", "Available", "") }
func notReady() metav1.Condition { return conditionOf("Ready", "False", "Creating", "") }

func allReady() metav1.Condition {
	return conditionOf("ServicesReady", "True", "all_resources_are_ready", "All resources are ready")
}

// oneDown is the judgement about the graph whose Deployment is down, and other is another one.
func oneDown() metav1.Condition {
	return conditionOf("ServicesReady", "False", "some_resources_are_not_ready", "Resources not ready: Frontend: Deployment llama-frontend: 0 of 1 replicas are available")
}

func other() metav1.Condition {
	return conditionOf("ServicesReady", "False", "some_resources_are_not_ready", "Resources not ready: Frontend: Deployment llama-frontend: 0 of 1 replicas are updated")
}

func failed() metav1.Condition {
	return conditionOf("ServicesReady", "Unknown", "FatalError", "A fatal error occurred before the status of this condition could be determined.")
}

// up is the Deployment with its pod, as the API server has it, with changes.
func up(changes ...func(*appsv1.Deployment)) *appsv1.Deployment {
	deployment := &appsv1.Deployment{
		TypeMeta: metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
		ObjectMeta: metav1.ObjectMeta{
			Name: "llama-frontend", Namespace: "inference", UID: "u", Labels: map[string]string{"a": "b", "crossplane.io/composite": "llama"},
			ManagedFields: []metav1.ManagedFieldsEntry{{
				Manager: "apiextensions.crossplane.io/composed/abc", Operation: metav1.ManagedFieldsOperationApply, APIVersion: "apps/v1",
				FieldsV1: metav1.NewFieldsV1(`{"f:metadata":{"f:labels":{"f:a":{},"f:crossplane.io/composite":{}}},"f:spec":{"f:replicas":{}}}`),
			}},
		},
		Spec: appsv1.DeploymentSpec{Replicas: new(int32(1)), RevisionHistoryLimit: new(int32(10))},
		Status: appsv1.DeploymentStatus{
			Replicas: 1, UpdatedReplicas: 1, ReadyReplicas: 1, AvailableReplicas: 1,
			Conditions: []appsv1.DeploymentCondition{{Type: appsv1.DeploymentAvailable, Status: "True"}},
		},
	}
	for _, change := range changes {
		change(deployment)
	}
	return deployment
}

// down is the Deployment without its pod, with changes.
func down(changes ...func(*appsv1.Deployment)) *appsv1.Deployment {
	deployment := up()
	deployment.Status = appsv1.DeploymentStatus{Replicas: 1, UpdatedReplicas: 1}
	for _, change := range changes {
		change(deployment)
	}
	return deployment
}

// request with the graph and its Deployment; nil: there is none.
func request(conditions []metav1.Condition, deployment *appsv1.Deployment) *fnv1.RunFunctionRequest {
	status := steptest.Struct(map[string]any{"conditions": conditions}).GetFields()["conditions"]
	req := &fnv1.RunFunctionRequest{Observed: &fnv1.State{
		Composite: &fnv1.Resource{Resource: tree.With(steptest.Struct(composite), status, "conditions", "status")},
		Resources: map[string]*fnv1.Resource{},
	}}
	if deployment != nil {
		req.Observed.Resources["deployment-frontend"] = &fnv1.Resource{Resource: steptest.Struct(deployment)}
	}
	return req
}

// told are conditions in their order.
func told(conditions ...metav1.Condition) []metav1.Condition { return conditions }

func TestNeeded(t *testing.T) {
	cases := map[string]struct {
		reason     string
		conditions []metav1.Condition
		deployment *appsv1.Deployment
		want       bool
	}{
		"NothingChanged":  {reason: "A graph that is ready and says so needs nothing.", conditions: told(ready(), allReady()), deployment: up()},
		"PodsDied":        {reason: "A graph that says that it is ready and is not has to say otherwise.", conditions: told(ready(), allReady()), deployment: down(), want: true},
		"StillDown":       {reason: "A graph that says already that it is not ready needs nothing.", conditions: told(notReady(), oneDown()), deployment: down()},
		"PodsCameBack":    {reason: "A graph that is ready again has to say so.", conditions: told(notReady(), oneDown()), deployment: up(), want: true},
		"NeverReady":      {reason: "A graph that never was ready is treated as one that is not ready any more.", conditions: told(oneDown()), deployment: down()},
		"NoServicesReady": {reason: "Without a judgement nothing was tried.", conditions: told(ready()), deployment: down(), want: true},
		"Failed":          {reason: "A try that ended with an error of Crossplane is not repeated: its conditions are Unknown, and have to be told first.", conditions: told(ready(), failed()), deployment: down()},
		"ToldAfterFailed": {reason: "A try that ended with an error of Crossplane is not repeated once the conditions are told.", conditions: told(ready(), oneDown()), deployment: down()},
		"Another":         {reason: "Another judgement is tried again.", conditions: told(ready(), other()), deployment: down(), want: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := request(tc.conditions, tc.deployment)
			if got := Needed(req, readiness.Observe(req, nil)); got != tc.want {
				t.Errorf("%s\nNeeded(...): want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
	if Needed(request(told(ready()), up()), nil) {
		t.Error("Where readiness cannot be told nothing is to be said.")
	}
}

// TestGraph compares the whole response of a graph that is held.
func TestGraph(t *testing.T) {
	req := request(told(ready(), allReady()), down())
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
				Resource: resource.MustStructJSON(`{"status":{"state":"pending","orchestrator":"Deployment","readyComponents":"0/1",
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

// TestCountsOfMissingChild shows that a component does not keep counts that are no longer updated.
func TestCountsOfMissingChild(t *testing.T) {
	component := steptest.Struct(`{"Frontend":{"componentKind":"PodClique","componentName":"llama-0-frontend","componentNames":["llama-0-frontend"],
		"replicas":1,"updatedReplicas":1,"readyReplicas":1,"scheduledReplicas":1}}`)
	req := request(told(ready()), nil)
	xr := tree.With(req.GetObserved().GetComposite().GetResource(), structpb.NewStructValue(component), "services", "status")
	refs := steptest.Struct(`{"resourceRefs":[{"apiVersion":"apps/v1","kind":"PodCliqueSet","name":"llama"}]}`).GetFields()["resourceRefs"]
	req.Observed.Composite.Resource = tree.With(xr, refs, "resourceRefs", "spec", "crossplane")
	set := up()
	set.Kind, set.Name = "PodCliqueSet", "llama"
	req.Observed.Resources["podcliqueset"] = &fnv1.Resource{Resource: steptest.Struct(set)}
	none := func(string, string) (graphplan.Child, bool) { return graphplan.Child{}, false }

	rsp := &fnv1.RunFunctionResponse{}
	if !Graph(rsp, req, readiness.Observe(req, none), errors.New("spec.x: unknown field")) {
		t.Fatal("Graph(...): want the graph held")
	}
	want := resource.MustStructJSON(`{"state":"pending","orchestrator":"Deployment","readyComponents":"0/1",
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
	deployment, xr := request(told(ready()), down()), request(told(ready()), down())
	cases := map[string]struct {
		reason string
		req    *fnv1.RunFunctionRequest
	}{
		"SomethingIsGone": {reason: "Crossplane forgets what is not desired, and what is not observed cannot be desired.", req: request(told(ready()), nil)},
		"BeingDeleted": {
			reason: "What is being deleted could be created again.",
			req: request(told(ready()), down(func(d *appsv1.Deployment) {
				d.DeletionTimestamp = &metav1.Time{Time: time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)}
			})),
		},
		"NotApplied": {
			reason: "Nobody knows what is to be desired of an object that Crossplane did not apply.",
			req:    request(told(ready()), down(func(d *appsv1.Deployment) { d.ManagedFields[0].Manager = "kubectl" })),
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

// TestObserved shows what is desired of observed objects in a response that should never be applied.
func TestObserved(t *testing.T) {
	const deployment = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"llama-frontend","namespace":"inference","labels":{"a":"b"}},"spec":{"replicas":1}}`
	deleted := func(d *appsv1.Deployment) {
		d.DeletionTimestamp = &metav1.Time{Time: time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)}
	}
	cases := map[string]struct {
		reason     string
		conditions []metav1.Condition
		deployment *appsv1.Deployment
		desired    string
		ready      fnv1.Ready
		want       string
	}{
		"AsApplied": {
			reason:     "What Crossplane applied is desired again, and the graph is as ready as it was.",
			conditions: told(ready()), deployment: up(), ready: fnv1.Ready_READY_TRUE, want: deployment,
		},
		"NotReady": {
			reason:     "A graph that was not ready stays so.",
			conditions: told(notReady()), deployment: up(), ready: fnv1.Ready_READY_FALSE, want: deployment,
		},
		"ByAnother": {
			reason:     "An object that Crossplane has not applied is desired as it is, because it would be deleted otherwise.",
			conditions: told(ready()), deployment: up(func(d *appsv1.Deployment) { d.ManagedFields[0].Manager = "kubectl" }), ready: fnv1.Ready_READY_TRUE,
			want: `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"llama-frontend","namespace":"inference","labels":{"a":"b"}},
				"spec":{"replicas":1,"revisionHistoryLimit":10,"selector":null,"strategy":{},"template":{"metadata":{},"spec":{"containers":null}}}}`,
		},
		"Desired": {
			reason:     "What a step desires already is newer.",
			conditions: told(ready()), deployment: up(), desired: `{"kind":"Deployment"}`, ready: fnv1.Ready_READY_TRUE, want: `{"kind":"Deployment"}`,
		},
		"BeingDeleted": {
			reason:     "What is being deleted could be created again.",
			conditions: told(ready()), deployment: up(deleted), ready: fnv1.Ready_READY_TRUE,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := request(tc.conditions, tc.deployment)
			rsp := &fnv1.RunFunctionResponse{Desired: &fnv1.State{Resources: map[string]*fnv1.Resource{}}}
			if tc.desired != "" {
				rsp.Desired.Resources["deployment-frontend"] = &fnv1.Resource{Resource: resource.MustStructJSON(tc.desired)}
			}
			Observed(rsp, req, "no answers")
			want := &fnv1.RunFunctionResponse{
				Desired: &fnv1.State{
					Composite: &fnv1.Resource{
						Resource: resource.MustStructJSON(`{"status":{"state":"successful","orchestrator":"Deployment",
							"services":{"Frontend":{"componentKind":"Deployment","componentName":"llama-frontend","componentNames":["llama-frontend"],
								"replicas":1,"updatedReplicas":1,"readyReplicas":1,"availableReplicas":1}}}}`),
						Ready: tc.ready,
					},
					Resources: map[string]*fnv1.Resource{},
				},
				Results: []*fnv1.Result{{
					Severity: fnv1.Severity_SEVERITY_WARNING, Message: "no answers", Reason: new("Held"), Target: fnv1.Target_TARGET_COMPOSITE_AND_CLAIM.Enum(),
				}},
			}
			if tc.want != "" {
				want.Desired.Resources["deployment-frontend"] = &fnv1.Resource{Resource: resource.MustStructJSON(tc.want)}
			}
			if diff := cmp.Diff(want, rsp, protocmp.Transform()); diff != "" {
				t.Errorf("%s\nObserved(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
