package components_test

import (
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest/whole"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
)

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
	whole.Table(t, map[string]whole.Row[[]plantest.Said]{
		"NoneAllowed": {
			Reason:  "Without a list no annotation is set, and each is named.",
			Request: plantest.Request(all, plantest.WithGroups("grove")),
			Want:    plantest.Warned(rule.Exposure, "spec.components[Frontend].ingress.annotations["+snippet+"]", "spec.components[Frontend].ingress.annotations["+size+"]"),
		},
		"OneAllowed": {
			Reason:  "What the platform allows is set.",
			Request: plantest.Request(all, plantest.WithGroups("grove"), plantest.WithInput(inputv1alpha1.Policy{Ingress: inputv1alpha1.Ingress{AllowedAnnotations: []string{size}}})),
			Want:    plantest.Warned(rule.Exposure, "spec.components[Frontend].ingress.annotations["+snippet+"]"),
		},
		"OnRoute": {
			Reason: "An annotation that is not allowed is not set on an HTTPRoute, because controllers of the Gateway API read annotations.",
			Request: plantest.Request(annotatedBy(map[string]string{snippet: "return 200;"}), plantest.WithGroups("grove"),
				plantest.WithInput(inputv1alpha1.Policy{
					Ingress: inputv1alpha1.Ingress{Gateway: &inputv1alpha1.Gateway{Name: "public"}}, GatewayAPI: inputv1alpha1.GatewayAPI{Mode: inputv1alpha1.ModeEnabled},
				})),
			Want: plantest.Warned(rule.Exposure, "spec.components[Frontend].ingress.annotations["+snippet+"]"),
		},
		"TLSOnRoute": {
			Reason: "The certificate of an HTTPRoute is that of its Gateway.",
			Request: plantest.Request(plantest.Graph(plantest.Frontend, plantest.Changed("Frontend", exposedBy(v1alpha1.Ingress{Enabled: true, Host: "h", TLS: &v1alpha1.IngressTLS{SecretName: "mine"}}))),
				plantest.WithGroups("grove"), plantest.WithInput(inputv1alpha1.Policy{
					Ingress: inputv1alpha1.Ingress{Gateway: &inputv1alpha1.Gateway{Name: "public"}}, GatewayAPI: inputv1alpha1.GatewayAPI{Mode: inputv1alpha1.ModeEnabled},
				})),
			Want: plantest.Warned(rule.Exposure, "spec.components[Frontend].ingress.tls"),
		},
	}, func(of *whole.Outcome) []plantest.Said { return of.Said })
}
