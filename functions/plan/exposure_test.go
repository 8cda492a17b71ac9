package plan

import "testing"

// TestAnnotationsOfIngresses shows that a graph cannot configure an ingress controller beyond what the platform allows.
func TestAnnotationsOfIngresses(t *testing.T) {
	const (
		snippet = "nginx.ingress.kubernetes.io/configuration-snippet"
		size    = "nginx.ingress.kubernetes.io/proxy-body-size"
		remedy  = ", because the platform does not allow it: remove it, or let the platform add it to ingress.allowedAnnotations in the input of step plan"
		refused = "spec.services[Frontend].ingress.annotations[" + snippet + "]: is not set on the Ingress" + remedy
		both    = refused + "; spec.services[Frontend].ingress.annotations[" + size + "]: is not set on the Ingress" + remedy
		route   = "spec.services[Frontend].ingress.annotations[" + snippet + "]: is not set on the HTTPRoute" + remedy
	)
	annotatedBy := func(annotations string) string {
		return graphOf(services(`"Frontend":{"componentType":"frontend","extraPodSpec":{"mainContainer":{"image":"registry.example.org/runtime:1"}},
			"ingress":{"enabled":true,"host":"h","annotations":{` + annotations + `}}}`))
	}
	all := annotatedBy(`"` + size + `":"8m","` + snippet + `":"return 200;"`)
	compare(t, map[string]responseCase{
		"NoneAllowed": {
			reason: "Without a list no annotation is set, and each is named.",
			req:    request(all, withGroups("grove")),
			want:   want(asksForGroups(), acceptedWith(both), onGrove(), noQueue(), servedPlan(``, "Frontend"), warningResult(both)),
		},
		"OneAllowed": {
			reason: "What the platform allows is set.",
			req:    request(all, withGroups("grove"), withInput(`"ingress":{"allowedAnnotations":["`+size+`"]}`)),
			want: want(asksForGroups(), acceptedWith(refused), onGrove(), noQueue(),
				servedPlan(`"ingressDefaults":{"allowedAnnotations":["`+size+`"]},`, "Frontend"), warningResult(refused)),
		},
		"OnRoute": {
			reason: "The controllers of the Gateway API read annotations, too.",
			req: request(annotatedBy(`"`+snippet+`":"return 200;"`), withGroups("grove"),
				withInput(`"ingress":{"gateway":{"name":"public"}},"gatewayAPI":{"mode":"Enabled"}`)),
			want: want(asksForGroups(), acceptedWith(route), onGrove(), noQueue(),
				servedPlan(`"ingressDefaults":{"gateway":{"name":"public"}},"serves":["HTTPRoute"],`, "Frontend"), warningResult(route)),
		},
	})
}
