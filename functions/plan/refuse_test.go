package plan_test

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/compatibility"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// TestRefusedLive shows what becomes of condition Ready of a graph that runs and whose edit is refused. Beside a Fatal result
// Crossplane leaves it as it was.
func TestRefusedLive(t *testing.T) {
	const (
		message = `spec.services[Frontend].replicaz: Invalid value: 1: unknown field; did you mean "replicas"?`
		gone    = "the graph runs on LeaderWorkerSet, but API group leaderworkerset.x-k8s.io is no longer served by the cluster; " +
			"nothing is changed until it is served again; to move the graph to another orchestrator, delete and recreate it"
		lacking = "Frontend: Deployment llama-frontend: 0 of 1 replicas are available"
	)
	services := map[string]v1alpha1.ServiceStatus{"Frontend": {
		ComponentKind: v1alpha1.ComponentKindDeployment, ComponentName: "llama-frontend", ComponentNames: []string{"llama-frontend"},
		Replicas: 1, UpdatedReplicas: 1, ReadyReplicas: new(int32(0)), AvailableReplicas: new(int32(0)),
	}}
	graph := func(orchestrator graphplan.Orchestrator, ready metav1.ConditionStatus) *v1alpha1.DynamoGraphDeployment {
		xr := plantest.Graph(plantest.Frontend, plantest.Status(v1alpha1.DynamoGraphDeploymentStatus{
			Orchestrator: string(orchestrator), State: v1alpha1.StateSuccessful, Services: services,
			Conditions: []metav1.Condition{
				{Type: "Ready", Status: ready, Reason: "Available"},
				{Type: "Accepted", Status: metav1.ConditionTrue, Reason: "Valid"},
				{Type: "ServicesReady", Status: metav1.ConditionTrue, Reason: "all_resources_are_ready"},
			},
		}))
		xr.ManagedFields = []metav1.ManagedFieldsEntry{{
			Manager: "apiextensions.crossplane.io/composite", Operation: metav1.ManagedFieldsOperationApply, APIVersion: "nvidia.com/v1alpha1", Subresource: "status",
			FieldsV1: metav1.NewFieldsV1(`{"f:status":{"f:orchestrator":{},"f:state":{}}}`),
		}}
		return xr
	}
	deployment := plantest.FrontendDeployment()
	deployment.ManagedFields = []metav1.ManagedFieldsEntry{{
		Manager: "apiextensions.crossplane.io/composed/abc", Operation: metav1.ManagedFieldsOperationApply, APIVersion: "apps/v1",
		FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:replicas":{}}}`),
	}}
	deployment.Spec.Replicas = new(int32(1))
	deployment.Status = appsv1.DeploymentStatus{Replicas: 1, UpdatedReplicas: 1}
	misspelt := plantest.WithMistake("Frontend", "replicaz", 1)
	observed := plantest.WithObserved("deployment-frontend", deployment)
	type fields = map[string]any
	applied := fields{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": fields{"name": "llama-frontend"}, "spec": fields{"replicas": 1}}
	held := func(rsp *fnv1.RunFunctionResponse) {
		rsp.Results = []*fnv1.Result{{Severity: fnv1.Severity_SEVERITY_WARNING, Message: message, Reason: new("Held"), Target: fnv1.Target_TARGET_COMPOSITE_AND_CLAIM.Enum()}}
		planOf(graphplan.Plan{Version: graphplan.Version, Release: compatibility.Development, Components: map[string]graphplan.Component{}, Held: message})(rsp)
		rsp.Desired = &fnv1.State{
			Composite: &fnv1.Resource{
				Resource: plantest.Struct(fields{"status": fields{"orchestrator": graphplan.Deployment, "state": v1alpha1.StatePending, "readyComponents": "0/1", "services": services}}),
				Ready:    fnv1.Ready_READY_FALSE,
			},
			Resources: map[string]*fnv1.Resource{"deployment-frontend": {Resource: plantest.Struct(applied), Ready: fnv1.Ready_READY_FALSE}},
		}
	}
	compare(t, map[string]responseCase{
		"PodsDied": {
			reason: "A run that ends well is the only one that makes Ready False: the graph is held for it as it is, and told what is wrong.",
			req:    plantest.Request(graph(graphplan.Deployment, metav1.ConditionTrue), misspelt, plantest.WithGroups(), observed),
			want:   want(soon(), asksForGroups(), conditioned("Accepted", isFalse, "Invalid", message), unready(lacking), held),
		},
		"StillDown": {
			reason: "Once Ready is False the graph is refused as ever.",
			req:    plantest.Request(graph(graphplan.Deployment, metav1.ConditionFalse), misspelt, plantest.WithGroups(), observed),
			want:   want(asksForGroups(), refusal("Invalid", message), unready(lacking)),
		},
		"OrchestratorGone": {
			reason: "What the cluster does not serve cannot be applied: the graph is not held where its orchestrator is gone.",
			req:    plantest.Request(graph(graphplan.LeaderWorkerSet, metav1.ConditionTrue), misspelt, plantest.WithGroups(), observed),
			want: want(asksForGroups(), refusal("Invalid", message+"\n"+gone), conditioned("OrchestratorSelected", isFalse, "OrchestratorGone", gone),
				unserved(lacking+"; API group leaderworkerset.x-k8s.io: is not served by the cluster")),
		},
	})
}

// TestImmutable shows the response to a change that cannot be made.
func TestImmutable(t *testing.T) {
	const added = "spec.services[Worker]: Forbidden: services cannot be added after creation; remove the service, or delete and recreate the graph"
	compare(t, map[string]responseCase{
		"Alone": {
			reason: "A change that is not allowed after creation has a reason of its own when nothing else is wrong.",
			req:    plantest.Request(plantest.Graph(plantest.Frontend, plantest.Worker), plantest.WithGroups("grove"), plantest.WithObserved("podcliqueset", plantest.FrontendSet())),
			want:   want(asksForGroups(), asksForChildren("frontend"), refusal("ImmutableFieldChanged", added), unready("PodCliqueSet llama: Grove has not observed it yet")),
		},
		"WithOthers": {
			reason: "A change that is not allowed after creation is reported together with other mistakes.",
			req: plantest.Request(plantest.Graph(plantest.Frontend, plantest.Worker), plantest.WithMistake("Worker", "replica", 1), plantest.WithGroups("grove"),
				plantest.WithObserved("podcliqueset", plantest.FrontendSet())),
			want: want(asksForGroups(), asksForChildren("frontend"), refusal("Invalid", `spec.services[Worker].replica: Invalid value: 1: unknown field; did you mean "replicas"?`+"\n"+added),
				unready("PodCliqueSet llama: Grove has not observed it yet")),
		},
	})
}
