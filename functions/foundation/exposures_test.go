package foundation

import (
	"testing"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/steptest"
)

func TestIngresses(t *testing.T) {
	object := func(host, more, meta string) string {
		return `{"apiVersion":"networking.k8s.io/v1","kind":"Ingress","metadata":{"name":"llama-s","namespace":"inference"` + meta + `},
			"spec":{` + more + `"rules":[{"host":"` + host + `","http":{"paths":[{"path":"/","pathType":"Prefix",
				"backend":{"service":{"name":"llama-s","port":{"number":8000}}}}]}}]}}`
	}
	plain := steptest.OnGrove(t, steptest.Services("etcd", "S"))
	platform := steptest.OnGrove(t, steptest.Services("etcd", "S"), func(p *graphplan.Plan) {
		p.IngressDefaults = graphplan.IngressDefaults{ClassName: "nginx", HostSuffix: "example.org", TLSSecretName: "wildcard", AllowedAnnotations: []string{"a"}}
	})
	const class = `"ingressClassName":"nginx",`
	compareParts(t, "ingress-", map[string]partCase{
		"Nothing": {
			reason: "A frontend that says nothing is not exposed.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"frontend"}}}`, plain),
			want:   map[string]string{},
		},
		"PlatformsDefault": {
			reason: "A platform that names a class exposes a frontend that says nothing, under the name of the graph.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"frontend"}}}`, platform),
			want: map[string]string{"ingress-s": object("llama.example.org",
				class+`"tls":[{"hosts":["llama.example.org"],"secretName":"wildcard"}],`, "")},
		},
		"Disabled": {
			reason: "A block that is not enabled keeps a frontend from being exposed.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"frontend","ingress":{"host":"h"}}}}`, platform),
			want:   map[string]string{},
		},
		"Enabled": {
			reason: "Without a class an Ingress is one of the cluster's default class.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"frontend","ingress":{"enabled":true,"host":"h"}}}}`, plain),
			want:   map[string]string{"ingress-s": object("h.local", "", "")},
		},
		"PlatformBelowUser": {
			reason: "What the user leaves open is the platform's.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"frontend","ingress":{"enabled":true,"host":"h"}}}}`, platform),
			want: map[string]string{"ingress-s": object("h.example.org",
				class+`"tls":[{"hosts":["h.example.org"],"secretName":"wildcard"}],`, "")},
		},
		"UserOverPlatform": {
			reason: "What the user says is the user's, labels and allowed annotations included.",
			req: steptest.Request(`{"services":{"S":{"componentType":"frontend","ingress":{"enabled":true,"hostPrefix":"p-","host":"h","hostSuffix":"corp",
				"ingressControllerClassName":"traefik","tls":{"secretName":"mine"},"labels":{"l":"m"},"annotations":{"a":"b","nginx.ingress.kubernetes.io/configuration-snippet":"x"}}}}}`, platform),
			want: map[string]string{"ingress-s": object("p-h.corp",
				`"ingressClassName":"traefik","tls":[{"hosts":["p-h.corp"],"secretName":"mine"}],`, `,"labels":{"l":"m"},"annotations":{"a":"b"}`)},
		},
		"KeptHost": {
			reason: "A live frontend keeps the host that step plan names.",
			req: steptest.Request(`{"services":{"S":{"componentType":"frontend","ingress":{"enabled":true,"host":"llm.team"}}}}`,
				steptest.OnGrove(t, map[string]graphplan.Service{"S": {Discovery: "etcd", DynamoNamespace: "inference-llama", Host: "llm.team.local"}})),
			want: map[string]string{"ingress-s": object("llm.team.local", "", "")},
		},
		"NoFrontend": {
			reason: "Only frontends are exposed.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"worker","ingress":{"enabled":true,"host":"h"}}}}`, platform),
			want:   map[string]string{},
		},
	})
}

// TestIngressOfDottedGraph shows that an Ingress finds its Service: the name of a Service has no dots.
func TestIngressOfDottedGraph(t *testing.T) {
	req := steptest.Request(`{"services":{"S":{"componentType":"frontend","ingress":{"enabled":true,"host":"h"}}}}`, steptest.OnGrove(t, steptest.Services("etcd", "S")))
	req.GetObserved().GetComposite().GetResource().GetFields()["metadata"].GetStructValue().GetFields()["name"] = structpb.NewStringValue("llama.v2")
	compareParts(t, "ingress-", map[string]partCase{
		"Dots": {
			reason: "Dots become dashes in the name of the Service, also where it is referred to.",
			req:    req,
			want: map[string]string{"ingress-s": `{"apiVersion":"networking.k8s.io/v1","kind":"Ingress","metadata":{"name":"llama.v2-s","namespace":"inference"},
				"spec":{"rules":[{"host":"h.local","http":{"paths":[{"path":"/","pathType":"Prefix",
					"backend":{"service":{"name":"llama-v2-s","port":{"number":8000}}}}]}}]}}`},
		},
	})
}

func TestVirtualServices(t *testing.T) {
	const spec = `{"services":{"S":{"componentType":"frontend","ingress":{"enabled":true,"host":"h","useVirtualService":true,"virtualServiceGateway":"public",
		"labels":{"l":"m"},"annotations":{"a":"b"}}}}}`
	onGrove := func(kinds ...string) string {
		return steptest.OnGrove(t, steptest.Services("etcd", "S"), func(p *graphplan.Plan) {
			p.IngressDefaults.AllowedAnnotations, p.Serves = []string{"a"}, kinds
		})
	}
	compareParts(t, "virtualservice-", map[string]partCase{
		"Served": {
			reason: "Istio routes what arrives at the gateway for the host.",
			req:    steptest.Request(spec, onGrove("VirtualService")),
			want: map[string]string{"virtualservice-s": `{"apiVersion":"networking.istio.io/v1","kind":"VirtualService",
				"metadata":{"name":"llama-s","namespace":"inference","labels":{"l":"m"},"annotations":{"a":"b"}},
				"spec":{"hosts":["h.local"],"gateways":["public"],"http":[{"match":[{"uri":{"prefix":"/"}}],
					"route":[{"destination":{"host":"llama-s","port":{"number":8000}}}]}]}}`},
		},
		"NotServed": {
			reason: "What the cluster does not serve cannot be applied.",
			req:    steptest.Request(spec, onGrove()),
			want:   map[string]string{},
		},
	})
}

func TestHTTPRoutes(t *testing.T) {
	const spec = `{"services":{"S":{"componentType":"frontend"}}}`
	onGrove := func(kinds ...string) string {
		return steptest.OnGrove(t, steptest.Services("etcd", "S"), func(p *graphplan.Plan) {
			p.IngressDefaults.HostSuffix, p.IngressDefaults.Gateway = "example.org", graphplan.Gateway{Name: "public", Namespace: "gateways", SectionName: "https"}
			p.Serves = kinds
		})
	}
	compareParts(t, "httproute-", map[string]partCase{
		"Served": {
			reason: "A listener of the gateway routes what arrives for the host.",
			req:    steptest.Request(spec, onGrove("HTTPRoute")),
			want: map[string]string{"httproute-s": `{"apiVersion":"gateway.networking.k8s.io/v1","kind":"HTTPRoute",
				"metadata":{"name":"llama-s","namespace":"inference"},
				"spec":{"parentRefs":[{"name":"public","namespace":"gateways","sectionName":"https"}],"hostnames":["llama.example.org"],
					"rules":[{"matches":[{"path":{"type":"PathPrefix","value":"/"}}],"backendRefs":[{"name":"llama-s","port":8000}]}]}}`},
		},
		"NotServed": {
			reason: "What the cluster does not serve cannot be applied.",
			req:    steptest.Request(spec, onGrove()),
			want:   map[string]string{},
		},
	})
}
