package served_test

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest/whole"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
)

// picker is an Endpoint Picker with a configuration of the user's own.
func picker(xr *v1alpha1.DynamoGraphDeployment) {
	plantest.Component("Picker", plantest.ComponentOf("epp"), func(s *v1alpha1.Service) {
		s.EPPConfig = &v1alpha1.EPPConfig{ConfigMapRef: &corev1.ConfigMapKeySelector{LocalObjectReference: corev1.LocalObjectReference{Name: "mine"}, Key: "k"}}
	})(xr)
}

// exposed is a Frontend that is reachable from outside of the cluster.
func exposed(in v1alpha1.Ingress) plantest.GraphChange {
	return plantest.Component("Frontend", plantest.ComponentOf("frontend"), exposedBy(in))
}

func exposedBy(in v1alpha1.Ingress) plantest.ComponentChange {
	return func(s *v1alpha1.Service) { s.Ingress = &in }
}

// withMesh is a platform whose Endpoint Pickers are called through a service mesh.
func withMesh() plantest.RequestOption {
	return plantest.WithInput(inputv1alpha1.Policy{Istio: inputv1alpha1.Istio{EndpointPickers: &inputv1alpha1.IstioTLS{}}})
}

// withGateway is a platform with a Gateway for the frontends.
func withGateway() plantest.RequestOption {
	return plantest.WithInput(inputv1alpha1.Policy{Ingress: inputv1alpha1.Ingress{Gateway: &inputv1alpha1.Gateway{Name: "public", Namespace: "gateways"}}})
}

// TestServed shows what becomes of kinds that only some graphs ask for, and only some clusters serve.
func TestServed(t *testing.T) {
	virtual := exposed(v1alpha1.Ingress{Enabled: true, Host: "h", UseVirtualService: true, VirtualServiceGateway: new("public")})
	encrypted := exposed(v1alpha1.Ingress{Enabled: true, Host: "h", TLS: &v1alpha1.IngressTLS{SecretName: "mine"}})
	compare(t, map[string]whole.Row[decision]{
		"Unknown": {
			Reason:  "An API group that has not been looked up yet is asked for, and not taken to be absent.",
			Request: plantest.Request(plantest.Graph(picker), plantest.WithGroups("grove")),
			Want:    decision{Asked: []string{"apiservice-inference"}},
		},
		"Pool": {
			Reason:  "What is served is composed.",
			Request: plantest.Request(plantest.Graph(picker), plantest.WithGroups("grove"), plantest.WithServed("inference")),
			Want:    decision{Asked: []string{"apiservice-inference"}, Serves: []string{"InferencePool"}},
		},
		"NoPool": {
			Reason:  "What is not served is left out, with the remedy, and looked for again soon.",
			Request: plantest.Request(plantest.Graph(picker), plantest.WithGroups("grove"), plantest.WithoutObject("apiservice-inference")),
			Want:    decision{Asked: []string{"apiservice-inference"}, Said: plantest.Warned(rule.NotServed, "spec.components[Picker].type"), Soon: true},
		},
		"Disabled": {
			Reason:  "The platform can turn the inference extension off.",
			Request: plantest.Request(plantest.Graph(picker), plantest.WithGroups("grove"), plantest.WithInput(inputv1alpha1.Policy{InferenceExtension: inputv1alpha1.InferenceExtension{Mode: inputv1alpha1.ModeDisabled}})),
			Want:    decision{Said: plantest.Warned(rule.NotServed, "spec.components[Picker].type"), Soon: true},
		},
		"Enabled": {
			Reason:  "The platform can say that the inference extension is installed.",
			Request: plantest.Request(plantest.Graph(picker), plantest.WithGroups("grove"), plantest.WithInput(inputv1alpha1.Policy{InferenceExtension: inputv1alpha1.InferenceExtension{Mode: inputv1alpha1.ModeEnabled}})),
			Want:    decision{Serves: []string{"InferencePool"}},
		},
		"VirtualService": {
			Reason:  "A VirtualService is composed where Istio is served.",
			Request: plantest.Request(plantest.Graph(virtual), plantest.WithGroups("grove"), plantest.WithServed("istio")),
			Want:    decision{Asked: []string{"apiservice-istio"}, Serves: []string{"VirtualService"}},
		},
		"NoVirtualService": {
			Reason:  "Without Istio, there is no VirtualService.",
			Request: plantest.Request(plantest.Graph(virtual), plantest.WithGroups("grove"), plantest.WithoutObject("apiservice-istio")),
			Want:    decision{Asked: []string{"apiservice-istio"}, Said: plantest.Warned(rule.NotServed, "spec.components[Frontend].ingress.useVirtualService"), Soon: true},
		},
		"HTTPRoute": {
			Reason:  "Where the platform names a Gateway and the Gateway API is served, an HTTPRoute is composed.",
			Request: plantest.Request(plantest.Graph(plantest.Frontend), plantest.WithGroups("grove"), withGateway(), plantest.WithServed("gateway-api")),
			Want:    decision{Asked: []string{"apiservice-gateway-api"}, Serves: []string{"HTTPRoute"}},
		},
		"NoHTTPRoute": {
			Reason:  "Without the Gateway API, the frontend stays within the cluster.",
			Request: plantest.Request(plantest.Graph(encrypted), plantest.WithGroups("grove"), withGateway(), plantest.WithoutObject("apiservice-gateway-api")),
			Want:    decision{Asked: []string{"apiservice-gateway-api"}, Said: slices.Concat(plantest.Warned(rule.NotServed, "spec.components[Frontend].ingress"), plantest.Warned(rule.Exposure, "spec.components[Frontend].ingress.tls")), Soon: true},
		},
		"DestinationRule": {
			Reason: "An Endpoint Picker has a rule where the platform has a mesh.",
			Request: plantest.Request(plantest.Graph(picker), plantest.WithGroups("grove"), withMesh(),
				plantest.WithServed("inference"), plantest.WithServed("istio")),
			Want: decision{Asked: []string{"apiservice-inference", "apiservice-istio"}, Serves: []string{"DestinationRule", "InferencePool"}, TLS: &graphplan.MeshTLS{Mode: "SIMPLE", InsecureSkipVerify: true}},
		},
		"NoDestinationRule": {
			Reason: "Without Istio, there is no rule.",
			Request: plantest.Request(plantest.Graph(picker), plantest.WithGroups("grove"), withMesh(),
				plantest.WithServed("inference"), plantest.WithoutObject("apiservice-istio")),
			Want: decision{Asked: []string{"apiservice-inference", "apiservice-istio"}, Said: plantest.Warned(rule.NotServed, "spec.components[Picker].type"), Serves: []string{"InferencePool"}, TLS: &graphplan.MeshTLS{Mode: "SIMPLE", InsecureSkipVerify: true}, Soon: true},
		},
		"NotAskedFor": {
			Reason:  "What a graph does not ask for is not looked up.",
			Request: plantest.Request(plantest.Graph(plantest.Frontend), plantest.WithGroups("grove")),
			Want:    decision{},
		},
	})
}

// TestServedNoMore shows that an object is never lost because its API went away.
func TestServedNoMore(t *testing.T) {
	ingress := plantest.Named("networking.k8s.io/v1", "Ingress", "llama-frontend")
	pool := plantest.Named("inference.networking.k8s.io/v1", "InferencePool", "llama-pool")
	withRef := plantest.WithReferences(plantest.ReferenceToSet(), plantest.ReferenceTo(pool.APIVersion, pool.Kind, pool.Name))
	xr := plantest.Graph(picker)
	compare(t, map[string]whole.Row[decision]{
		"Observed": {
			Reason:  "An InferencePool that is still observed is not lost.",
			Request: plantest.Request(xr, plantest.WithGroups("grove"), plantest.WithoutObject("apiservice-inference"), plantest.WithObserved("epp-inferencepool", pool)),
			Want:    decision{Asked: []string{"apiservice-inference"}, Said: plantest.Refused(subject.APIGone, rule.NotSupportedHere, "")},
		},
		"Reference": {
			Reason:  "An InferencePool of which only the reference is left is not lost, if the status says that the graph was deployed.",
			Request: plantest.Request(plantest.Graph(picker, plantest.RunningOn("Grove")), withRef, plantest.WithGroups("grove"), plantest.WithoutObject("apiservice-inference")),
			Want:    decision{Asked: []string{"apiservice-inference"}, Said: plantest.Refused(subject.APIGone, rule.NotSupportedHere, "")},
		},
		"Disabled": {
			Reason:  "An InferencePool is not lost when the platform turns the inference extension off, and the message says so.",
			Request: plantest.Request(xr, plantest.WithGroups("grove"), plantest.WithInput(inputv1alpha1.Policy{InferenceExtension: inputv1alpha1.InferenceExtension{Mode: inputv1alpha1.ModeDisabled}}), plantest.WithObserved("epp-inferencepool", pool)),
			Want:    decision{Said: plantest.Refused(subject.APIGone, rule.NotSupportedHere, "")},
		},
		"Replaced": {
			Otherwise: true, Reason: "An Ingress is not lost when the HTTPRoute that would take its place is not served.",
			Request: plantest.Request(plantest.Graph(plantest.Frontend), plantest.WithGroups("grove"), withGateway(), plantest.WithoutObject("apiservice-gateway-api"), plantest.WithObserved("ingress-frontend", ingress)),
			Want:    decision{Asked: []string{"apiservice-gateway-api"}, Said: plantest.Refused(subject.APIGone, rule.NotSupportedHere, "spec.components[Frontend].ingress")},
		},
		"GivenUp": {
			Reason:  "An InferencePool that the graph no longer asks for is given up.",
			Request: plantest.Request(plantest.Graph(plantest.Frontend), withRef, plantest.WithGroups("grove")),
			Want:    decision{},
		},
	})
}
