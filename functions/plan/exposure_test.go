package plan

import (
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
)

// TestAnnotationsOfIngresses shows that a graph cannot configure an ingress controller beyond what the platform allows.
func TestAnnotationsOfIngresses(t *testing.T) {
	const (
		snippet = "nginx.ingress.kubernetes.io/configuration-snippet"
		size    = "nginx.ingress.kubernetes.io/proxy-body-size"
		remedy  = ", because the platform does not allow it; remove it, or let the platform add it to ingress.allowedAnnotations in the input of step plan"
		refused = "spec.services[Frontend].ingress.annotations[" + snippet + "]: is not set on the Ingress" + remedy
		both    = refused + "; spec.services[Frontend].ingress.annotations[" + size + "]: is not set on the Ingress" + remedy
		route   = "spec.services[Frontend].ingress.annotations[" + snippet + "]: is not set on the HTTPRoute" + remedy
	)
	annotatedBy := func(annotations string) string {
		return plantest.GraphOf(plantest.SpecOf(`"Frontend":{"componentType":"frontend","extraPodSpec":{"mainContainer":{"image":"registry.example.org/runtime:1.5.0"}},
			"ingress":{"enabled":true,"host":"h","annotations":{` + annotations + `}}}`))
	}
	all := annotatedBy(`"` + size + `":"8m","` + snippet + `":"return 200;"`)
	compare(t, map[string]responseCase{
		"NoneAllowed": {
			reason: "Without a list no annotation is set, and each is named.",
			req:    plantest.Request(all, plantest.WithGroups("grove")),
			want:   want(asksForGroups(), acceptedWith(both), onGrove(), noQueue(), servedPlan(``, "Frontend"), warningResult(both)),
		},
		"OneAllowed": {
			reason: "What the platform allows is set.",
			req:    plantest.Request(all, plantest.WithGroups("grove"), withInput(`"ingress":{"allowedAnnotations":["`+size+`"]}`)),
			want: want(asksForGroups(), acceptedWith(refused), onGrove(), noQueue(),
				servedPlan(`"ingressDefaults":{"allowedAnnotations":["`+size+`"]},`, "Frontend"), warningResult(refused)),
		},
		"OnRoute": {
			reason: "An annotation that is not allowed is not set on an HTTPRoute, because controllers of the Gateway API read annotations.",
			req: plantest.Request(annotatedBy(`"`+snippet+`":"return 200;"`), plantest.WithGroups("grove"),
				withInput(`"ingress":{"gateway":{"name":"public"}},"gatewayAPI":{"mode":"Enabled"}`)),
			want: want(asksForGroups(), acceptedWith(route), onGrove(), noQueue(),
				servedPlan(`"ingressDefaults":{"gateway":{"name":"public"}},"serves":["HTTPRoute"],`, "Frontend"), warningResult(route)),
		},
	})
}

// TestHostsOfLiveGraphs shows that a frontend stays reachable by the host that its clients know.
func TestHostsOfLiveGraphs(t *testing.T) {
	const keepsHost = `spec.services[Frontend].ingress.host: llm.team contains dots and is a complete host name, but the running graph keeps host llm.team.example.org; ` +
		`set ingress.hostSuffix to "" to change to llm.team, or to "example.org" to keep it`
	const ingress = `{"apiVersion":"networking.k8s.io/v1","kind":"Ingress","metadata":{"name":"llama-frontend"},"spec":{"rules":[{"host":"HOST"}]}}`
	suffix := `"ingress":{"hostSuffix":"example.org"}`
	defaults := `"ingressDefaults":{"hostSuffix":"example.org"},`
	graph := func(more string) string {
		return plantest.GraphOf(plantest.SpecOf(`"Frontend":{"componentType":"frontend","extraPodSpec":{"mainContainer":{"image":"registry.example.org/runtime:1.5.0"}},
			"ingress":{"enabled":true,"host":"llm.team"` + more + `}}`))
	}
	live := func(xr, key, object string) *fnv1.RunFunctionRequest {
		return plantest.Request(xr, plantest.WithGroups("grove"), withInput(suffix), plantest.WithObserved(key, object))
	}
	keeping := func(host string) responseOption {
		return planOf(`{"version":2,"release":"development","orchestrator":"Grove","grove":{"terminationDelay":"15m0s"},"totalGPUs":0,` + defaults + `
			"services":{"Frontend":{"discovery":"kubernetes","dynamoNamespace":"inference-llama","host":"` + host + `"}}}`)
	}
	at := func(object, host string) string { return strings.Replace(object, "HOST", host, 1) }
	compare(t, map[string]responseCase{
		"Suffixed": {
			reason: "A live Ingress keeps its host suffix, and the user is told how to drop it.",
			req:    live(graph(""), "ingress-frontend", at(ingress, "llm.team.example.org")),
			want:   want(asksForGroups(), acceptedWith(keepsHost), onGrove(), noQueue(), keeping("llm.team.example.org"), warningResult(keepsHost)),
		},
		"Route": {
			reason: "A live HTTPRoute keeps its host suffix, and the user is told how to drop it.",
			req: live(graph(""), "httproute-frontend",
				`{"apiVersion":"gateway.networking.k8s.io/v1","kind":"HTTPRoute","metadata":{"name":"llama-frontend"},"spec":{"hostnames":["llm.team.example.org"]}}`),
			want: want(asksForGroups(), acceptedWith(keepsHost), onGrove(), noQueue(), keeping("llm.team.example.org"), warningResult(keepsHost)),
		},
		"Whole": {
			reason: "A live Ingress that never had a host suffix gets none.",
			req:    live(graph(""), "ingress-frontend", at(ingress, "llm.team")),
			want:   want(asksForGroups(), accepted(), onGrove(), noQueue(), servedPlan(defaults, "Frontend")),
		},
		"Dropped": {
			reason: "A live Ingress drops its host suffix when the graph sets hostSuffix to an empty string.",
			req:    live(graph(`,"hostSuffix":""`), "ingress-frontend", at(ingress, "llm.team.example.org")),
			want:   want(asksForGroups(), accepted(), onGrove(), noQueue(), servedPlan(defaults, "Frontend")),
		},
		"Kept": {
			reason: "A live Ingress keeps its host suffix without a warning when the graph sets hostSuffix to it.",
			req:    live(graph(`,"hostSuffix":"example.org"`), "ingress-frontend", at(ingress, "llm.team.example.org")),
			want:   want(asksForGroups(), accepted(), onGrove(), noQueue(), servedPlan(defaults, "Frontend")),
		},
	})
}
