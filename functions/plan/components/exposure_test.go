package components_test

import (
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest/whole"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
)

type exposureCase struct {
	reason string
	req    *fnv1.RunFunctionRequest
	want   []plantest.Said
}

func exposedBy(in v1alpha1.Ingress) plantest.ComponentChange {
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
	whole.Table(t, map[string]exposureCase{
		"NoneAllowed": {
			reason: "Without a list no annotation is set, and each is named.",
			req:    plantest.Request(all, plantest.WithGroups("grove")),
			want:   plantest.Warned(rule.Exposure, "spec.components[Frontend].ingress.annotations["+snippet+"]", "spec.components[Frontend].ingress.annotations["+size+"]"),
		},
		"OneAllowed": {
			reason: "What the platform allows is set.",
			req:    plantest.Request(all, plantest.WithGroups("grove"), plantest.WithInput(inputv1alpha1.Policy{Ingress: inputv1alpha1.Ingress{AllowedAnnotations: []string{size}}})),
			want:   plantest.Warned(rule.Exposure, "spec.components[Frontend].ingress.annotations["+snippet+"]"),
		},
		"OnRoute": {
			reason: "An annotation that is not allowed is not set on an HTTPRoute, because controllers of the Gateway API read annotations.",
			req: plantest.Request(annotatedBy(map[string]string{snippet: "return 200;"}), plantest.WithGroups("grove"),
				plantest.WithInput(inputv1alpha1.Policy{
					Ingress: inputv1alpha1.Ingress{Gateway: &inputv1alpha1.Gateway{Name: "public"}}, GatewayAPI: inputv1alpha1.GatewayAPI{Mode: inputv1alpha1.ModeEnabled},
				})),
			want: plantest.Warned(rule.Exposure, "spec.components[Frontend].ingress.annotations["+snippet+"]"),
		},
		"TLSOnRoute": {
			reason: "The certificate of an HTTPRoute is that of its Gateway.",
			req: plantest.Request(plantest.Graph(plantest.Frontend, plantest.Changed("Frontend", exposedBy(v1alpha1.Ingress{Enabled: true, Host: "h", TLS: &v1alpha1.IngressTLS{SecretName: "mine"}}))),
				plantest.WithGroups("grove"), plantest.WithInput(inputv1alpha1.Policy{
					Ingress: inputv1alpha1.Ingress{Gateway: &inputv1alpha1.Gateway{Name: "public"}}, GatewayAPI: inputv1alpha1.GatewayAPI{Mode: inputv1alpha1.ModeEnabled},
				})),
			want: plantest.Warned(rule.Exposure, "spec.components[Frontend].ingress.tls"),
		},
	}, func(tc exposureCase) whole.Row[[]plantest.Said] {
		return whole.Row[[]plantest.Said]{Reason: tc.reason, Request: tc.req, Want: tc.want}
	}, func(of *whole.Outcome) []plantest.Said { return of.Said })
}
