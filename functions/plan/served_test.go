package plan_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step/steptest"
)

// picker is an Endpoint Picker with a configuration of the user's own.
func picker(xr *v1alpha1.DynamoGraphDeployment) {
	plantest.Service("Picker", plantest.ServiceOf("epp"), func(s *v1alpha1.Service) {
		s.EPPConfig = &v1alpha1.EPPConfig{ConfigMapRef: &corev1.ConfigMapKeySelector{LocalObjectReference: corev1.LocalObjectReference{Name: "mine"}, Key: "k"}}
	})(xr)
}

// exposed is a Frontend that is reachable from outside of the cluster.
func exposed(in v1alpha1.Ingress) plantest.GraphChange {
	return plantest.Service("Frontend", plantest.ServiceOf("frontend"), exposedBy(in))
}

func exposedBy(in v1alpha1.Ingress) plantest.ServiceChange {
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

// servedPlan is the plan of a graph of one service on Grove.
func servedPlan(service string, changes ...steptest.Change) responseOption {
	return planOf(steptest.PlanOnGrove(plainServices(service), changes...))
}

// serving kinds that only some clusters have.
func serving(kinds ...string) steptest.Change {
	return func(p *graphplan.Plan) { p.Serves = kinds }
}

func asksForAPI(requirement, apiService string) responseOption {
	return asksFor(requirement, "apiregistration.k8s.io/v1", "APIService", apiService)
}

func acceptedWith(warning string) responseOption {
	return conditioned("Accepted", isTrue, "ValidWithWarnings", warning)
}

// TestServed shows what becomes of kinds that only some graphs ask for, and only some clusters serve.
func TestServed(t *testing.T) {
	const (
		noPool = "spec.services[Picker].componentType: no InferencePool is created, because the cluster does not serve API group inference.networking.k8s.io; " +
			"install the Gateway API Inference Extension, v1.0.0 or later, or create a replacement; inferenceExtension.mode in the input of step plan overrides the detection"
		noVirtualService = "spec.services[Frontend].ingress.useVirtualService: no VirtualService is created, because the cluster does not serve API group networking.istio.io; " +
			"install Istio 1.22 or later, or create a replacement; istio.mode in the input of step plan overrides the detection"
		noRule = "spec.services[Picker].componentType: no DestinationRule is created, because the cluster does not serve API group networking.istio.io; " +
			"install Istio 1.22 or later, or create a replacement; istio.mode in the input of step plan overrides the detection"
		noRoute = "spec.services[Frontend].ingress: no HTTPRoute is created, because the cluster does not serve API group gateway.networking.k8s.io; " +
			"install the Gateway API, v1.0.0 or later, or create a replacement; gatewayAPI.mode in the input of step plan overrides the detection"
		noTLS = "spec.services[Frontend].ingress.tls: has no effect on an HTTPRoute; the certificate belongs to its Gateway"
	)
	defaults := func(p *graphplan.Plan) {
		p.IngressDefaults.Gateway = graphplan.Gateway{Name: "public", Namespace: "gateways"}
	}
	encryptedCalls := func(p *graphplan.Plan) {
		p.EndpointPickerTLS = &graphplan.MeshTLS{Mode: "SIMPLE", InsecureSkipVerify: true}
	}
	virtual := exposed(v1alpha1.Ingress{Enabled: true, Host: "h", UseVirtualService: true, VirtualServiceGateway: new("public")})
	encrypted := exposed(v1alpha1.Ingress{Enabled: true, Host: "h", TLS: &v1alpha1.IngressTLS{SecretName: "mine"}})
	inference := asksForAPI("apiservice-inference", "v1.inference.networking.k8s.io")
	istio := asksForAPI("apiservice-istio", "v1.networking.istio.io")
	gateway := asksForAPI("apiservice-gateway-api", "v1.gateway.networking.k8s.io")
	compare(t, map[string]responseCase{
		"Unknown": {
			reason: "An API group that has not been looked up yet is asked for, and not taken to be absent.",
			req:    plantest.Request(plantest.Graph(picker), plantest.WithGroups("grove")),
			want:   want(asksForGroups(), inference),
		},
		"Pool": {
			reason: "What is served is composed.",
			req:    plantest.Request(plantest.Graph(picker), plantest.WithGroups("grove"), plantest.WithServed("inference")),
			want:   want(asksForGroups(), inference, accepted(), onGrove(), noQueue(), servedPlan("Picker", serving("InferencePool"))),
		},
		"NoPool": {
			reason: "What is not served is left out, with the remedy, and looked for again soon.",
			req:    plantest.Request(plantest.Graph(picker), plantest.WithGroups("grove"), plantest.WithoutObject("apiservice-inference")),
			want: want(asksForGroups(), inference, acceptedWith(noPool), onGrove(), noQueue(), servedPlan("Picker"),
				warningResult(noPool), soon()),
		},
		"Disabled": {
			reason: "The platform can turn the inference extension off.",
			req:    plantest.Request(plantest.Graph(picker), plantest.WithGroups("grove"), plantest.WithInput(inputv1alpha1.Policy{InferenceExtension: inputv1alpha1.InferenceExtension{Mode: inputv1alpha1.ModeDisabled}})),
			want:   want(asksForGroups(), acceptedWith(noPool), onGrove(), noQueue(), servedPlan("Picker"), warningResult(noPool), soon()),
		},
		"Enabled": {
			reason: "The platform can say that the inference extension is installed.",
			req:    plantest.Request(plantest.Graph(picker), plantest.WithGroups("grove"), plantest.WithInput(inputv1alpha1.Policy{InferenceExtension: inputv1alpha1.InferenceExtension{Mode: inputv1alpha1.ModeEnabled}})),
			want:   want(asksForGroups(), accepted(), onGrove(), noQueue(), servedPlan("Picker", serving("InferencePool"))),
		},
		"VirtualService": {
			reason: "A VirtualService is composed where Istio is served.",
			req:    plantest.Request(plantest.Graph(virtual), plantest.WithGroups("grove"), plantest.WithServed("istio")),
			want:   want(asksForGroups(), istio, accepted(), onGrove(), noQueue(), servedPlan("Frontend", serving("VirtualService"))),
		},
		"NoVirtualService": {
			reason: "Without Istio, there is no VirtualService.",
			req:    plantest.Request(plantest.Graph(virtual), plantest.WithGroups("grove"), plantest.WithoutObject("apiservice-istio")),
			want: want(asksForGroups(), istio, acceptedWith(noVirtualService), onGrove(), noQueue(), servedPlan("Frontend"),
				warningResult(noVirtualService), soon()),
		},
		"HTTPRoute": {
			reason: "Where the platform names a Gateway and the Gateway API is served, an HTTPRoute is composed.",
			req:    plantest.Request(plantest.Graph(plantest.Frontend), plantest.WithGroups("grove"), withGateway(), plantest.WithServed("gateway-api")),
			want:   want(asksForGroups(), gateway, accepted(), onGrove(), noQueue(), servedPlan("Frontend", defaults, serving("HTTPRoute"))),
		},
		"NoHTTPRoute": {
			reason: "Without the Gateway API, the frontend stays within the cluster.",
			req:    plantest.Request(plantest.Graph(encrypted), plantest.WithGroups("grove"), withGateway(), plantest.WithoutObject("apiservice-gateway-api")),
			want: want(asksForGroups(), gateway, acceptedWith(noTLS+"\n"+noRoute), onGrove(), noQueue(), servedPlan("Frontend", defaults),
				warningResult(noTLS+"\n"+noRoute), soon()),
		},
		"DestinationRule": {
			reason: "An Endpoint Picker has a rule where the platform has a mesh.",
			req: plantest.Request(plantest.Graph(picker), plantest.WithGroups("grove"), withMesh(),
				plantest.WithServed("inference"), plantest.WithServed("istio")),
			want: want(asksForGroups(), inference, istio, accepted(), onGrove(), noQueue(),
				servedPlan("Picker", serving("DestinationRule", "InferencePool"), encryptedCalls)),
		},
		"NoDestinationRule": {
			reason: "Without Istio, there is no rule.",
			req: plantest.Request(plantest.Graph(picker), plantest.WithGroups("grove"), withMesh(),
				plantest.WithServed("inference"), plantest.WithoutObject("apiservice-istio")),
			want: want(asksForGroups(), inference, istio, acceptedWith(noRule), onGrove(), noQueue(),
				servedPlan("Picker", serving("InferencePool"), encryptedCalls), warningResult(noRule), soon()),
		},
		"NotAskedFor": {
			reason: "What a graph does not ask for is not looked up.",
			req:    plantest.Request(plantest.Graph(plantest.Frontend), plantest.WithGroups("grove")),
			want:   want(asksForGroups(), accepted(), onGrove(), noQueue(), servedPlan("Frontend")),
		},
	})
}

// TestServedNoMore shows that an object is never lost because its API went away.
func TestServedNoMore(t *testing.T) {
	const (
		gone = "the graph has a composed InferencePool, but API group inference.networking.k8s.io is no longer served by the cluster; " +
			"nothing is changed until it is served again; to delete the object, remove the field that requests it (spec.services[Picker].componentType)"
		disabled = "the graph has a composed InferencePool, but inferenceExtension.mode is Disabled in the input of step plan; " +
			"nothing is changed until it is Auto or Enabled; to delete the object, remove the field that requests it (spec.services[Picker].componentType)"
		instead = "spec.services[Frontend].ingress: the graph has a composed Ingress, but the cluster does not serve API group gateway.networking.k8s.io of the HTTPRoute that would replace it; " +
			"nothing is changed until it does: install the Gateway API, v1.0.0 or later, or restore the settings that requested the Ingress; gatewayAPI.mode in the input of step plan overrides the detection"
	)
	ingress := plantest.Named("networking.k8s.io/v1", "Ingress", "llama-frontend")
	pool := plantest.Named("inference.networking.k8s.io/v1", "InferencePool", "llama-pool")
	withRef := plantest.WithReferences(plantest.ReferenceToSet(), plantest.ReferenceTo(pool.APIVersion, pool.Kind, pool.Name))
	xr := plantest.Graph(picker)
	inference := asksForAPI("apiservice-inference", "v1.inference.networking.k8s.io")
	refused := want(asksForGroups(), inference, refusal("NotSupportedHere", gone), onGrove(), noQueue())
	compare(t, map[string]responseCase{
		"Observed": {
			reason: "An InferencePool that is still observed is not lost.",
			req:    plantest.Request(xr, plantest.WithGroups("grove"), plantest.WithoutObject("apiservice-inference"), plantest.WithObserved("epp-inferencepool", pool)),
			want:   refused,
		},
		"Reference": {
			reason: "An InferencePool of which only the reference is left is not lost, if the status says that the graph was deployed.",
			req:    plantest.Request(plantest.Graph(picker, plantest.RunningOn("Grove")), withRef, plantest.WithGroups("grove"), plantest.WithoutObject("apiservice-inference")),
			want: want(asksForGroups(), inference, refusal("NotSupportedHere", gone), onGrove(), noQueue(), conditioned("ServicesReady", isFalse, "some_resources_are_not_ready",
				"Resources not ready: InferencePool llama-pool: does not exist; PodCliqueSet llama: does not exist")),
		},
		"Disabled": {
			reason: "An InferencePool is not lost when the platform turns the inference extension off, and the message says so.",
			req:    plantest.Request(xr, plantest.WithGroups("grove"), plantest.WithInput(inputv1alpha1.Policy{InferenceExtension: inputv1alpha1.InferenceExtension{Mode: inputv1alpha1.ModeDisabled}}), plantest.WithObserved("epp-inferencepool", pool)),
			want:   want(asksForGroups(), refusal("NotSupportedHere", disabled), onGrove(), noQueue()),
		},
		"Replaced": {
			reason: "An Ingress is not lost when the HTTPRoute that would take its place is not served.",
			req:    plantest.Request(plantest.Graph(plantest.Frontend), plantest.WithGroups("grove"), withGateway(), plantest.WithoutObject("apiservice-gateway-api"), plantest.WithObserved("ingress-frontend", ingress)),
			want: want(asksForGroups(), asksForAPI("apiservice-gateway-api", "v1.gateway.networking.k8s.io"),
				refusal("NotSupportedHere", instead), onGrove(), noQueue()),
		},
		"GivenUp": {
			reason: "An InferencePool that the graph no longer asks for is given up.",
			req:    plantest.Request(plantest.Graph(plantest.Frontend), withRef, plantest.WithGroups("grove")),
			want:   want(asksForGroups(), accepted(), onGrove(), noQueue(), servedPlan("Frontend")),
		},
	})
}
