package plan

import (
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
)

const (
	picker = `"Picker":{"componentType":"epp","eppConfig":{"configMapRef":{"name":"mine","key":"k"}},
		"extraPodSpec":{"mainContainer":{"image":"registry.example.org/picker:1.5.0"}}}`
	virtual = `"Frontend":{"componentType":"frontend","extraPodSpec":{"mainContainer":{"image":"registry.example.org/runtime:1.5.0"}},
		"ingress":{"enabled":true,"host":"h","useVirtualService":true,"virtualServiceGateway":"public"}}`
	encrypted = `"Frontend":{"componentType":"frontend","extraPodSpec":{"mainContainer":{"image":"registry.example.org/runtime:1.5.0"}},
		"ingress":{"enabled":true,"host":"h","tls":{"secretName":"mine"}}}`

	meshInput    = `"istio":{"endpointPickers":{}}`
	gatewayInput = `"ingress":{"gateway":{"name":"public","namespace":"gateways"}}`
)

func servedPlan(fields, service string) responseOption {
	return planOf(`{"version":2,"release":"development","orchestrator":"Grove","grove":{"terminationDelay":"15m0s"},"totalGPUs":0,` + fields + `
		"services":{"` + service + `":{"discovery":"kubernetes","dynamoNamespace":"inference-llama"}}}`)
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
		noTLS    = "spec.services[Frontend].ingress.tls: has no effect on an HTTPRoute; the certificate belongs to its Gateway"
		defaults = `"ingressDefaults":{"gateway":{"name":"public","namespace":"gateways"}},`
	)
	inference := asksForAPI("apiservice-inference", "v1.inference.networking.k8s.io")
	istio := asksForAPI("apiservice-istio", "v1.networking.istio.io")
	gateway := asksForAPI("apiservice-gateway-api", "v1.gateway.networking.k8s.io")
	compare(t, map[string]responseCase{
		"Unknown": {
			reason: "An API group that has not been looked up yet is asked for, and not taken to be absent.",
			req:    plantest.Request(plantest.GraphOf(plantest.SpecOf(picker)), plantest.WithGroups("grove")),
			want:   want(asksForGroups(), inference),
		},
		"Pool": {
			reason: "What is served is composed.",
			req:    plantest.Request(plantest.GraphOf(plantest.SpecOf(picker)), plantest.WithGroups("grove"), withObject("apiservice-inference", `{"kind":"APIService"}`)),
			want:   want(asksForGroups(), inference, accepted(), onGrove(), noQueue(), servedPlan(`"serves":["InferencePool"],`, "Picker")),
		},
		"NoPool": {
			reason: "What is not served is left out, with the remedy, and looked for again soon.",
			req:    plantest.Request(plantest.GraphOf(plantest.SpecOf(picker)), plantest.WithGroups("grove"), withoutObject("apiservice-inference")),
			want: want(asksForGroups(), inference, acceptedWith(noPool), onGrove(), noQueue(), servedPlan(``, "Picker"),
				warningResult(noPool), soon()),
		},
		"Disabled": {
			reason: "The platform can turn the inference extension off.",
			req:    plantest.Request(plantest.GraphOf(plantest.SpecOf(picker)), plantest.WithGroups("grove"), withInput(`"inferenceExtension":{"mode":"Disabled"}`)),
			want:   want(asksForGroups(), acceptedWith(noPool), onGrove(), noQueue(), servedPlan(``, "Picker"), warningResult(noPool), soon()),
		},
		"Enabled": {
			reason: "The platform can say that the inference extension is installed.",
			req:    plantest.Request(plantest.GraphOf(plantest.SpecOf(picker)), plantest.WithGroups("grove"), withInput(`"inferenceExtension":{"mode":"Enabled"}`)),
			want:   want(asksForGroups(), accepted(), onGrove(), noQueue(), servedPlan(`"serves":["InferencePool"],`, "Picker")),
		},
		"VirtualService": {
			reason: "A VirtualService is composed where Istio is served.",
			req:    plantest.Request(plantest.GraphOf(plantest.SpecOf(virtual)), plantest.WithGroups("grove"), withObject("apiservice-istio", `{"kind":"APIService"}`)),
			want:   want(asksForGroups(), istio, accepted(), onGrove(), noQueue(), servedPlan(`"serves":["VirtualService"],`, "Frontend")),
		},
		"NoVirtualService": {
			reason: "Without Istio, there is no VirtualService.",
			req:    plantest.Request(plantest.GraphOf(plantest.SpecOf(virtual)), plantest.WithGroups("grove"), withoutObject("apiservice-istio")),
			want: want(asksForGroups(), istio, acceptedWith(noVirtualService), onGrove(), noQueue(), servedPlan(``, "Frontend"),
				warningResult(noVirtualService), soon()),
		},
		"HTTPRoute": {
			reason: "Where the platform names a Gateway and the Gateway API is served, an HTTPRoute is composed.",
			req:    plantest.Request(plantest.GraphOf(plantest.SpecOf(plantest.Frontend)), plantest.WithGroups("grove"), withInput(gatewayInput), withObject("apiservice-gateway-api", `{"kind":"APIService"}`)),
			want:   want(asksForGroups(), gateway, accepted(), onGrove(), noQueue(), servedPlan(defaults+`"serves":["HTTPRoute"],`, "Frontend")),
		},
		"NoHTTPRoute": {
			reason: "Without the Gateway API, the frontend stays within the cluster.",
			req:    plantest.Request(plantest.GraphOf(plantest.SpecOf(encrypted)), plantest.WithGroups("grove"), withInput(gatewayInput), withoutObject("apiservice-gateway-api")),
			want: want(asksForGroups(), gateway, acceptedWith(noTLS+"; "+noRoute), onGrove(), noQueue(), servedPlan(defaults, "Frontend"),
				warningResult(noTLS+"; "+noRoute), soon()),
		},
		"DestinationRule": {
			reason: "An Endpoint Picker has a rule where the platform has a mesh.",
			req: plantest.Request(plantest.GraphOf(plantest.SpecOf(picker)), plantest.WithGroups("grove"), withInput(meshInput),
				withObject("apiservice-inference", `{"kind":"APIService"}`), withObject("apiservice-istio", `{"kind":"APIService"}`)),
			want: want(asksForGroups(), inference, istio, accepted(), onGrove(), noQueue(),
				servedPlan(`"serves":["DestinationRule","InferencePool"],"endpointPickerTLS":{"mode":"SIMPLE","insecureSkipVerify":true},`, "Picker")),
		},
		"NoDestinationRule": {
			reason: "Without Istio, there is no rule.",
			req: plantest.Request(plantest.GraphOf(plantest.SpecOf(picker)), plantest.WithGroups("grove"), withInput(meshInput),
				withObject("apiservice-inference", `{"kind":"APIService"}`), withoutObject("apiservice-istio")),
			want: want(asksForGroups(), inference, istio, acceptedWith(noRule), onGrove(), noQueue(),
				servedPlan(`"serves":["InferencePool"],"endpointPickerTLS":{"mode":"SIMPLE","insecureSkipVerify":true},`, "Picker"), warningResult(noRule), soon()),
		},
		"NotAskedFor": {
			reason: "What a graph does not ask for is not looked up.",
			req:    plantest.Request(plantest.GraphOf(plantest.SpecOf(plantest.Frontend)), plantest.WithGroups("grove")),
			want:   want(asksForGroups(), accepted(), onGrove(), noQueue(), servedPlan(``, "Frontend")),
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
		ingress = `{"apiVersion":"networking.k8s.io/v1","kind":"Ingress","metadata":{"name":"llama-frontend"}}`
		pool    = `{"apiVersion":"inference.networking.k8s.io/v1","kind":"InferencePool","metadata":{"name":"llama-pool"}}`
		ref     = `[{"apiVersion":"inference.networking.k8s.io/v1","kind":"InferencePool","name":"llama-pool"}]`
	)
	xr := plantest.GraphOf(plantest.SpecOf(picker))
	inference := asksForAPI("apiservice-inference", "v1.inference.networking.k8s.io")
	refused := want(asksForGroups(), inference, refusal("NotSupportedHere", gone), onGrove(), noQueue())
	compare(t, map[string]responseCase{
		"Observed": {
			reason: "An InferencePool that is still observed is not lost.",
			req:    plantest.Request(xr, plantest.WithGroups("grove"), withoutObject("apiservice-inference"), plantest.WithObserved("epp-inferencepool", pool)),
			want:   refused,
		},
		"Reference": {
			reason: "An InferencePool of which only the reference is left is not lost.",
			req:    plantest.Request(plantest.WithRefs(xr, false, ref), plantest.WithGroups("grove"), withoutObject("apiservice-inference")),
			want:   refused,
		},
		"Disabled": {
			reason: "An InferencePool is not lost when the platform turns the inference extension off, and the message says so.",
			req:    plantest.Request(xr, plantest.WithGroups("grove"), withInput(`"inferenceExtension":{"mode":"Disabled"}`), plantest.WithObserved("epp-inferencepool", pool)),
			want:   want(asksForGroups(), refusal("NotSupportedHere", disabled), onGrove(), noQueue()),
		},
		"Replaced": {
			reason: "An Ingress is not lost when the HTTPRoute that would take its place is not served.",
			req:    plantest.Request(plantest.GraphOf(plantest.SpecOf(plantest.Frontend)), plantest.WithGroups("grove"), withInput(gatewayInput), withoutObject("apiservice-gateway-api"), plantest.WithObserved("ingress-frontend", ingress)),
			want: want(asksForGroups(), asksForAPI("apiservice-gateway-api", "v1.gateway.networking.k8s.io"),
				refusal("NotSupportedHere", instead), onGrove(), noQueue()),
		},
		"GivenUp": {
			reason: "An InferencePool that the graph no longer asks for is given up.",
			req:    plantest.Request(plantest.WithRefs(plantest.GraphOf(plantest.SpecOf(plantest.Frontend)), false, ref), plantest.WithGroups("grove")),
			want:   want(asksForGroups(), accepted(), onGrove(), noQueue(), servedPlan(``, "Frontend")),
		},
	})
}
