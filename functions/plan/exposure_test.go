package plan_test

import (
	"testing"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
	gatewayv1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/gateway/v1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// TestAnnotationsOfIngresses shows that a graph cannot configure an ingress controller beyond what the platform allows.
func TestAnnotationsOfIngresses(t *testing.T) {
	const (
		snippet = "nginx.ingress.kubernetes.io/configuration-snippet"
		size    = "nginx.ingress.kubernetes.io/proxy-body-size"
		remedy  = ", because the platform does not allow it; remove it, or let the platform add it to ingress.allowedAnnotations in the input of step plan"
		refused = "spec.services[Frontend].ingress.annotations[" + snippet + "]: is not set on the Ingress" + remedy
		both    = refused + "\nspec.services[Frontend].ingress.annotations[" + size + "]: is not set on the Ingress" + remedy
		route   = "spec.services[Frontend].ingress.annotations[" + snippet + "]: is not set on the HTTPRoute" + remedy
	)
	annotatedBy := func(annotations map[string]string) *v1alpha1.DynamoGraphDeployment {
		return plantest.Graph(plantest.Frontend, plantest.Changed("Frontend", exposedBy(v1alpha1.Ingress{Enabled: true, Host: "h", Annotations: annotations})))
	}
	all := annotatedBy(map[string]string{size: "8m", snippet: "return 200;"})
	allowing := func(p *graphplan.Plan) { p.IngressDefaults.AllowedAnnotations = []string{size} }
	routing := func(p *graphplan.Plan) { p.IngressDefaults.Gateway.Name = "public" }
	compare(t, map[string]responseCase{
		"NoneAllowed": {
			reason: "Without a list no annotation is set, and each is named.",
			req:    plantest.Request(all, plantest.WithGroups("grove")),
			want:   want(asksForGroups(), acceptedWith(both), onGrove(), noQueue(), servedPlan("Frontend"), warningResult(both)),
		},
		"OneAllowed": {
			reason: "What the platform allows is set.",
			req:    plantest.Request(all, plantest.WithGroups("grove"), plantest.WithInput(inputv1alpha1.Policy{Ingress: inputv1alpha1.Ingress{AllowedAnnotations: []string{size}}})),
			want: want(asksForGroups(), acceptedWith(refused), onGrove(), noQueue(),
				servedPlan("Frontend", allowing), warningResult(refused)),
		},
		"OnRoute": {
			reason: "An annotation that is not allowed is not set on an HTTPRoute, because controllers of the Gateway API read annotations.",
			req: plantest.Request(annotatedBy(map[string]string{snippet: "return 200;"}), plantest.WithGroups("grove"),
				plantest.WithInput(inputv1alpha1.Policy{
					Ingress: inputv1alpha1.Ingress{Gateway: &inputv1alpha1.Gateway{Name: "public"}}, GatewayAPI: inputv1alpha1.GatewayAPI{Mode: inputv1alpha1.ModeEnabled},
				})),
			want: want(asksForGroups(), acceptedWith(route), onGrove(), noQueue(),
				servedPlan("Frontend", routing, serving("HTTPRoute")), warningResult(route)),
		},
	})
}

// TestHostsOfLiveGraphs shows that a frontend stays reachable by the host that its clients know.
func TestHostsOfLiveGraphs(t *testing.T) {
	const keepsHost = `spec.services[Frontend].ingress.host: llm.team contains dots and is a complete host name, but the running graph keeps host llm.team.example.org; ` +
		`set ingress.hostSuffix to "" to change to llm.team, or to "example.org" to keep it`
	defaults := func(p *graphplan.Plan) { p.IngressDefaults.HostSuffix = "example.org" }
	graph := func(suffix *string) *v1alpha1.DynamoGraphDeployment {
		return plantest.Graph(plantest.Frontend, plantest.Changed("Frontend", exposedBy(v1alpha1.Ingress{Enabled: true, Host: "llm.team", HostSuffix: suffix})))
	}
	live := func(xr *v1alpha1.DynamoGraphDeployment, key string, object any) *fnv1.RunFunctionRequest {
		in := inputv1alpha1.Policy{Ingress: inputv1alpha1.Ingress{HostSuffix: "example.org"}}
		return plantest.Request(xr, plantest.WithGroups("grove"), plantest.WithInput(in), plantest.WithObserved(key, object))
	}
	keeping := func(host string) responseOption {
		return servedPlan("Frontend", defaults, func(p *graphplan.Plan) {
			frontend := p.Services["Frontend"]
			frontend.Host = host
			p.Services["Frontend"] = frontend
		})
	}
	route := &gatewayv1.HTTPRoute{
		TypeMeta:   metav1.TypeMeta{APIVersion: gatewayv1.APIVersion, Kind: "HTTPRoute"},
		ObjectMeta: metav1.ObjectMeta{Name: "llama-frontend"},
		Spec:       gatewayv1.HTTPRouteSpec{Hostnames: []string{"llm.team.example.org"}},
	}
	ingress := func(host string) *networkingv1.Ingress {
		return &networkingv1.Ingress{
			TypeMeta:   metav1.TypeMeta{APIVersion: "networking.k8s.io/v1", Kind: "Ingress"},
			ObjectMeta: metav1.ObjectMeta{Name: "llama-frontend"},
			Spec:       networkingv1.IngressSpec{Rules: []networkingv1.IngressRule{{Host: host}}},
		}
	}
	compare(t, map[string]responseCase{
		"Suffixed": {
			reason: "A live Ingress keeps its host suffix, and the user is told how to drop it.",
			req:    live(graph(nil), "ingress-frontend", ingress("llm.team.example.org")),
			want:   want(asksForGroups(), acceptedWith(keepsHost), onGrove(), noQueue(), keeping("llm.team.example.org"), warningResult(keepsHost)),
		},
		"Route": {
			reason: "A live HTTPRoute keeps its host suffix, and the user is told how to drop it.",
			req: live(graph(nil), "httproute-frontend",
				route),
			want: want(asksForGroups(), acceptedWith(keepsHost), onGrove(), noQueue(), keeping("llm.team.example.org"), warningResult(keepsHost)),
		},
		"Whole": {
			reason: "A live Ingress that never had a host suffix gets none.",
			req:    live(graph(nil), "ingress-frontend", ingress("llm.team")),
			want:   want(asksForGroups(), accepted(), onGrove(), noQueue(), servedPlan("Frontend", defaults)),
		},
		"Dropped": {
			reason: "A live Ingress drops its host suffix when the graph sets hostSuffix to an empty string.",
			req:    live(graph(new("")), "ingress-frontend", ingress("llm.team.example.org")),
			want:   want(asksForGroups(), accepted(), onGrove(), noQueue(), servedPlan("Frontend", defaults)),
		},
		"Kept": {
			reason: "A live Ingress keeps its host suffix without a warning when the graph sets hostSuffix to it.",
			req:    live(graph(new("example.org")), "ingress-frontend", ingress("llm.team.example.org")),
			want:   want(asksForGroups(), accepted(), onGrove(), noQueue(), servedPlan("Frontend", defaults)),
		},
	})
}
