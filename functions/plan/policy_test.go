package plan_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// TestPolicy shows what the EnvironmentConfig of the platform does.
func TestPolicy(t *testing.T) {
	const (
		invalid = `EnvironmentConfig[dynamo].data.grove.mod: Invalid value: unknown field; did you mean "mode"?`
		refused = `spec.services: Invalid value: 1: the graph may need 1 replicas, and the platform allows at most 0; reduce replicas, or what each of them requests`
		warned  = `spec.services: the graph may need 1 replicas, and the platform allows at most 0; it stays as it is, and can become smaller, but not larger`
	)
	xr := plantest.Graph(plantest.Frontend)
	accept := plantest.RunningOn("Grove",
		metav1.Condition{Type: "Accepted", Status: metav1.ConditionTrue, Reason: "Valid"},
		metav1.Condition{Type: "OrchestratorSelected", Status: metav1.ConditionTrue, Reason: "Selected", Message: "Grove runs the graph: Grove is installed"},
	)
	onDeployment := conditioned("OrchestratorSelected", isTrue, "Selected", "Deployment runs the graph: Grove is not installed, and no service spans several nodes")
	settings := func(p *graphplan.Plan) {
		p.Grove.TerminationDelay = "1h0m0s"
		p.Infrastructure.NATSAddress, p.Infrastructure.EtcdAddress, p.IngressDefaults.ClassName = "nats://n", "etcd:2379", "nginx"
	}
	compare(t, map[string]responseCase{
		"Waits": {
			reason: "Without the policy of the platform nothing is decided.",
			req: plantest.Request(xr, plantest.WithGroups("grove"), func(req *fnv1.RunFunctionRequest) {
				delete(req.GetRequiredResources(), "environmentconfig-dynamo")
			}),
			want: want(asksForGroups()),
		},
		"Empty": {
			reason: "An EnvironmentConfig without data changes nothing.",
			req:    plantest.Request(xr, plantest.WithGroups("grove"), plantest.WithPolicy(`null`)),
			want:   want(asksForGroups(), accepted(), onGrove(), noQueue(), planOf(steptest.PlanOnGrove(plainComponents("Frontend")))),
		},
		"Overlay": {
			reason: "The EnvironmentConfig takes precedence over the input.",
			req: plantest.Request(xr, plantest.WithGroups("grove"), plantest.WithInputText(`{"apiVersion":"plan.dynamo.nvidia.com/v1alpha1","kind":"Input","grove":{"mode":"Enabled"}}`),
				plantest.WithPolicy(`{"namespaces":[{"selector":{"matchNames":["infer*"]},"grove":{"mode":"Disabled"}}]}`)),
			want: want(asksForGroups(), notAskedFor("grove"), accepted(), onDeployment, noQueue(), planOf(steptest.PlanOnDeployments(plainComponents("Frontend")))),
		},
		"AnotherName": {
			reason: "The platform may give the EnvironmentConfig another name.",
			req: plantest.Request(xr, plantest.WithGroups("grove"), plantest.WithInputText(`{"apiVersion":"plan.dynamo.nvidia.com/v1alpha1","kind":"Input","environmentConfig":{"name":"other"}}`),
				plantest.WithPolicy(`{"grove":{"mode":"Disabled"}}`), plantest.WithoutObject("environmentconfig-other")),
			want: want(asksForGroups(), notAskedForPolicy, asksForPolicy("other"), accepted(), onGrove(), noQueue(), planOf(steptest.PlanOnGrove(plainComponents("Frontend")))),
		},
		"Disabled": {
			reason: "The platform may turn the EnvironmentConfig off.",
			req: plantest.Request(xr, plantest.WithGroups("grove"), plantest.WithInputText(`{"apiVersion":"plan.dynamo.nvidia.com/v1alpha1","kind":"Input","environmentConfig":{"mode":"Disabled"}}`),
				plantest.WithPolicy(`{"grove":{"mode":"Disabled"}}`)),
			want: want(asksForGroups(), notAskedForPolicy, accepted(), onGrove(), noQueue(), planOf(steptest.PlanOnGrove(plainComponents("Frontend")))),
		},
		"InvalidForNewGraphs": {
			reason: "A policy that cannot be read is no policy that does not hold: new graphs are refused.",
			req:    plantest.Request(xr, plantest.WithGroups("grove"), plantest.WithPolicy(`{"grove":{"mod":"Enabled"}}`)),
			want:   want(asksForGroups(), refusal("PolicyInvalid", invalid)),
		},
		"InvalidForLiveGraphs": {
			reason: "A live graph stays as it is, and its readiness is reported.",
			req: plantest.Request(plantest.Graph(plantest.Frontend, accept), plantest.WithGroups("grove"), plantest.WithObserved("podcliqueset", plantest.FrontendSet()),
				plantest.WithPolicy(`{"grove":{"mod":"Enabled"}}`)),
			want: want(asksForGroups(), asksForChildren("frontend"), refusal("PolicyInvalid", invalid),
				unready("PodCliqueSet llama: Grove has not observed it yet"),
				conditioned("OrchestratorSelected", isTrue, "Selected", "Grove runs the graph: Grove is installed")),
		},
		"Settings": {
			reason: "What the platform says of its servers reaches the later steps.",
			req: plantest.Request(xr, plantest.WithGroups("grove"), plantest.WithInput(inputv1alpha1.Policy{
				Grove:          inputv1alpha1.Grove{TerminationDelay: &metav1.Duration{Duration: time.Hour}},
				Infrastructure: inputv1alpha1.Infrastructure{NATSAddress: "nats://n", EtcdAddress: "etcd:2379"},
				Ingress:        inputv1alpha1.Ingress{ClassName: "nginx"},
				Discovery:      inputv1alpha1.Discovery{Backend: inputv1alpha1.DiscoveryEtcd},
			})),
			want: want(asksForGroups(), accepted(), onGrove(), noQueue(), planOf(steptest.PlanOnGrove(steptest.Components("etcd", "Frontend"), settings))),
		},
		"GuardRail": {
			reason: "A new graph that breaks a guard rail is refused.",
			req:    plantest.Request(xr, plantest.WithGroups("grove"), plantest.WithPolicy(`{"guardRails":{"maxReplicas":0}}`)),
			want:   want(asksForGroups(), refusal("Invalid", refused)),
		},
		"GuardRailTightened": {
			reason: "A live graph that breaks it is not touched.",
			req: plantest.Request(xr, plantest.WithGroups("grove"), plantest.WithObserved("podcliqueset", plantest.FrontendSet()),
				plantest.WithPolicy(`{"guardRails":{"maxReplicas":0}}`)),
			want: want(asksForGroups(), asksForChildren("frontend"), acceptedWith(warned), onGrove(), noQueue(), planOf(steptest.PlanOnGrove(plainComponents("Frontend"))), warningResult(warned)),
		},
	})
}

// notAskedFor says that an API group is not looked up.
func notAskedFor(group string) responseOption {
	return func(rsp *fnv1.RunFunctionResponse) { delete(requirements(rsp), "apiservice-"+group) }
}

// notAskedForPolicy says that the EnvironmentConfig with the default name is not looked up.
func notAskedForPolicy(rsp *fnv1.RunFunctionResponse) {
	delete(requirements(rsp), "environmentconfig-dynamo")
}
