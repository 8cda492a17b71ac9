package services_test

import (
	"testing"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest/whole"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/apis/networking"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
)

// reached is a host that a live frontend keeps, and what its user is told.
type reached struct {
	Said []plantest.Said
	Host string
}

type exposureCase struct {
	reason string
	req    *fnv1.RunFunctionRequest
	want   reached
}

func compareExposure(t *testing.T, cases map[string]exposureCase) {
	t.Helper()
	whole.Table(t, cases, func(tc exposureCase) whole.Row[reached] {
		return whole.Row[reached]{Reason: tc.reason, Request: tc.req, Want: tc.want}
	}, func(of *whole.Outcome) reached {
		return reached{Said: of.Said, Host: of.Plan.Services["Frontend"].Host}
	})
}

func exposedBy(in v1alpha1.Ingress) plantest.ServiceChange {
	return func(s *v1alpha1.Service) { s.Ingress = &in }
}

// TestAnnotationsOfIngresses shows that a graph cannot configure an ingress controller beyond what the platform allows, or can support.
func TestAnnotationsOfIngresses(t *testing.T) {
	const (
		snippet = "nginx.ingress.kubernetes.io/configuration-snippet"
		size    = "nginx.ingress.kubernetes.io/proxy-body-size"
	)
	annotatedBy := func(annotations map[string]string) *v1alpha1.DynamoGraphDeployment {
		return plantest.Graph(plantest.Frontend, plantest.Changed("Frontend", exposedBy(v1alpha1.Ingress{Enabled: true, Host: "h", Annotations: annotations})))
	}
	all := annotatedBy(map[string]string{size: "8m", snippet: "return 200;"})
	compareExposure(t, map[string]exposureCase{
		"NoneAllowed": {
			reason: "Without a list no annotation is set, and each is named.",
			req:    plantest.Request(all, plantest.WithGroups("grove")),
			want:   reached{Said: plantest.Warned(rule.Exposure, "spec.components[Frontend].ingress.annotations["+snippet+"]", "spec.components[Frontend].ingress.annotations["+size+"]")},
		},
		"OneAllowed": {
			reason: "What the platform allows is set.",
			req:    plantest.Request(all, plantest.WithGroups("grove"), plantest.WithInput(inputv1alpha1.Policy{Ingress: inputv1alpha1.Ingress{AllowedAnnotations: []string{size}}})),
			want:   reached{Said: plantest.Warned(rule.Exposure, "spec.components[Frontend].ingress.annotations["+snippet+"]")},
		},
		"OnRoute": {
			reason: "An annotation that is not allowed is not set on an HTTPRoute, because controllers of the Gateway API read annotations.",
			req: plantest.Request(annotatedBy(map[string]string{snippet: "return 200;"}), plantest.WithGroups("grove"),
				plantest.WithInput(inputv1alpha1.Policy{
					Ingress: inputv1alpha1.Ingress{Gateway: &inputv1alpha1.Gateway{Name: "public"}}, GatewayAPI: inputv1alpha1.GatewayAPI{Mode: inputv1alpha1.ModeEnabled},
				})),
			want: reached{Said: plantest.Warned(rule.Exposure, "spec.components[Frontend].ingress.annotations["+snippet+"]")},
		},
		"TLSOnRoute": {
			reason: "The certificate of an HTTPRoute is that of its Gateway.",
			req: plantest.Request(plantest.Graph(plantest.Frontend, plantest.Changed("Frontend", exposedBy(v1alpha1.Ingress{Enabled: true, Host: "h", TLS: &v1alpha1.IngressTLS{SecretName: "mine"}}))),
				plantest.WithGroups("grove"), plantest.WithInput(inputv1alpha1.Policy{
					Ingress: inputv1alpha1.Ingress{Gateway: &inputv1alpha1.Gateway{Name: "public"}}, GatewayAPI: inputv1alpha1.GatewayAPI{Mode: inputv1alpha1.ModeEnabled},
				})),
			want: reached{Said: plantest.Warned(rule.Exposure, "spec.components[Frontend].ingress.tls")},
		},
	})
}

// TestHostsOfLiveGraphs shows that a frontend stays reachable by the host that its clients know.
func TestHostsOfLiveGraphs(t *testing.T) {
	graph := func(suffix *string) *v1alpha1.DynamoGraphDeployment {
		return plantest.Graph(plantest.Frontend, plantest.Changed("Frontend", exposedBy(v1alpha1.Ingress{Enabled: true, Host: "llm.team", HostSuffix: suffix})))
	}
	live := func(xr *v1alpha1.DynamoGraphDeployment, key string, object any) *fnv1.RunFunctionRequest {
		in := inputv1alpha1.Policy{Ingress: inputv1alpha1.Ingress{HostSuffix: "example.org"}}
		return plantest.Request(xr, plantest.WithGroups("grove"), plantest.WithInput(in), plantest.WithObserved(key, object))
	}
	route := &networking.HTTPRoute{
		TypeMeta:   metav1.TypeMeta{APIVersion: networking.GatewayAPIVersion, Kind: "HTTPRoute"},
		ObjectMeta: metav1.ObjectMeta{Name: "llama-frontend"},
		Spec:       networking.HTTPRouteSpec{Hostnames: []string{"llm.team.example.org"}},
	}
	ingress := func(host string) *networkingv1.Ingress {
		return &networkingv1.Ingress{
			TypeMeta:   metav1.TypeMeta{APIVersion: "networking.k8s.io/v1", Kind: "Ingress"},
			ObjectMeta: metav1.ObjectMeta{Name: "llama-frontend"},
			Spec:       networkingv1.IngressSpec{Rules: []networkingv1.IngressRule{{Host: host}}},
		}
	}
	compareExposure(t, map[string]exposureCase{
		"Suffixed": {
			reason: "A live Ingress keeps its host suffix, and the user is told how to drop it.",
			req:    live(graph(nil), "ingress-frontend", ingress("llm.team.example.org")),
			want:   reached{Said: plantest.Warned(rule.Hosts, "spec.components[Frontend].ingress.host"), Host: "llm.team.example.org"},
		},
		"Route": {
			reason: "A live HTTPRoute keeps its host suffix, and the user is told how to drop it.",
			req: live(graph(nil), "httproute-frontend",
				route),
			want: reached{Said: plantest.Warned(rule.Hosts, "spec.components[Frontend].ingress.host"), Host: "llm.team.example.org"},
		},
		"Whole": {
			reason: "A live Ingress that never had a host suffix gets none.",
			req:    live(graph(nil), "ingress-frontend", ingress("llm.team")),
			want:   reached{},
		},
		"Dropped": {
			reason: "A live Ingress drops its host suffix when the graph sets hostSuffix to an empty string.",
			req:    live(graph(new("")), "ingress-frontend", ingress("llm.team.example.org")),
			want:   reached{},
		},
		"Kept": {
			reason: "A live Ingress keeps its host suffix without a warning when the graph sets hostSuffix to it.",
			req:    live(graph(new("example.org")), "ingress-frontend", ingress("llm.team.example.org")),
			want:   reached{},
		},
	})
}
