package foundation

import (
	"testing"

	"google.golang.org/protobuf/types/known/structpb"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

func TestIngresses(t *testing.T) {
	// object is the Ingress of frontend S, with this host.
	object := func(host string, changes ...func(*networkingv1.Ingress)) *networkingv1.Ingress {
		ingress := &networkingv1.Ingress{
			TypeMeta:   metav1.TypeMeta{APIVersion: "networking.k8s.io/v1", Kind: "Ingress"},
			ObjectMeta: metav1.ObjectMeta{Name: "llama-s", Namespace: "inference"},
			Spec: networkingv1.IngressSpec{Rules: []networkingv1.IngressRule{{Host: host, IngressRuleValue: networkingv1.IngressRuleValue{
				HTTP: &networkingv1.HTTPIngressRuleValue{Paths: []networkingv1.HTTPIngressPath{{
					Path: "/", PathType: new(networkingv1.PathTypePrefix),
					Backend: networkingv1.IngressBackend{Service: &networkingv1.IngressServiceBackend{Name: "llama-s", Port: networkingv1.ServiceBackendPort{Number: 8000}}},
				}}},
			}}}},
		}
		for _, change := range changes {
			change(ingress)
		}
		return ingress
	}
	secured := func(class, host, secret string) func(*networkingv1.Ingress) {
		return func(i *networkingv1.Ingress) {
			i.Spec.IngressClassName, i.Spec.TLS = &class, []networkingv1.IngressTLS{{Hosts: []string{host}, SecretName: secret}}
		}
	}
	plain := steptest.OnGrove(t, steptest.Components("etcd", "S"))
	platform := steptest.OnGrove(t, steptest.Components("etcd", "S"), func(p *graphplan.Plan) {
		p.IngressDefaults = graphplan.IngressDefaults{ClassName: "nginx", HostSuffix: "example.org", TLSSecretName: "wildcard", AllowedAnnotations: []string{"a"}}
	})
	compareParts(t, "ingress-", map[string]partCase{
		"Nothing": {
			reason: "A frontend that says nothing is not exposed.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"frontend"}}}`, plain),
			want:   map[string]any{},
		},
		"PlatformsDefault": {
			reason: "A platform that names a class exposes a frontend that says nothing, under the name of the graph.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"frontend"}}}`, platform),
			want:   map[string]any{"ingress-s": object("llama.example.org", secured("nginx", "llama.example.org", "wildcard"))},
		},
		"Disabled": {
			reason: "A block that is not enabled keeps a frontend from being exposed.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"frontend","ingress":{"host":"h"}}}}`, platform),
			want:   map[string]any{},
		},
		"Enabled": {
			reason: "Without a class an Ingress is one of the cluster's default class.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"frontend","ingress":{"enabled":true,"host":"h"}}}}`, plain),
			want:   map[string]any{"ingress-s": object("h.local")},
		},
		"PlatformBelowUser": {
			reason: "What the user leaves open is the platform's.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"frontend","ingress":{"enabled":true,"host":"h"}}}}`, platform),
			want:   map[string]any{"ingress-s": object("h.example.org", secured("nginx", "h.example.org", "wildcard"))},
		},
		"UserOverPlatform": {
			reason: "What the user says is the user's, labels and allowed annotations included.",
			req: steptest.Request(`{"services":{"S":{"componentType":"frontend","ingress":{"enabled":true,"hostPrefix":"p-","host":"h","hostSuffix":"corp",
				"ingressControllerClassName":"traefik","tls":{"secretName":"mine"},"labels":{"l":"m"},"annotations":{"a":"b","nginx.ingress.kubernetes.io/configuration-snippet":"x"}}}}}`, platform),
			want: map[string]any{"ingress-s": object("p-h.corp", secured("traefik", "p-h.corp", "mine"), func(i *networkingv1.Ingress) {
				i.Labels, i.Annotations = map[string]string{"l": "m"}, map[string]string{"a": "b"}
			})},
		},
		"NoFrontend": {
			reason: "Only frontends are exposed.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"worker","ingress":{"enabled":true,"host":"h"}}}}`, platform),
			want:   map[string]any{},
		},
	})
}

// TestIngressOfDottedGraph shows that an Ingress finds its Service: the name of a Service has no dots.
func TestIngressOfDottedGraph(t *testing.T) {
	req := steptest.Request(`{"services":{"S":{"componentType":"frontend","ingress":{"enabled":true,"host":"h"}}}}`, steptest.OnGrove(t, steptest.Components("etcd", "S")))
	req.GetObserved().GetComposite().GetResource().GetFields()["metadata"].GetStructValue().GetFields()["name"] = structpb.NewStringValue("llama.v2")
	compareParts(t, "ingress-", map[string]partCase{
		"Dots": {
			reason: "Dots become dashes in the name of the Service, also where it is referred to.",
			req:    req,
			want: map[string]any{"ingress-s": `{"apiVersion":"networking.k8s.io/v1","kind":"Ingress","metadata":{"name":"llama.v2-s","namespace":"inference"},
				"spec":{"rules":[{"host":"h.local","http":{"paths":[{"path":"/","pathType":"Prefix",
					"backend":{"service":{"name":"llama-v2-s","port":{"number":8000}}}}]}}]}}`},
		},
	})
}

func TestVirtualServices(t *testing.T) {
	const spec = `{"services":{"S":{"componentType":"frontend","ingress":{"enabled":true,"host":"h","useVirtualService":true,"virtualServiceGateway":"public",
		"labels":{"l":"m"},"annotations":{"a":"b"}}}}}`
	onGrove := func(kinds ...string) string {
		return steptest.OnGrove(t, steptest.Components("etcd", "S"), func(p *graphplan.Plan) {
			p.IngressDefaults.AllowedAnnotations, p.Serves = []string{"a"}, kinds
		})
	}
	compareParts(t, "virtualservice-", map[string]partCase{
		"Served": {
			reason: "Istio routes what arrives at the gateway for the host.",
			req:    steptest.Request(spec, onGrove("VirtualService")),
			want: map[string]any{"virtualservice-s": `{"apiVersion":"networking.istio.io/v1","kind":"VirtualService",
				"metadata":{"name":"llama-s","namespace":"inference","labels":{"l":"m"},"annotations":{"a":"b"}},
				"spec":{"hosts":["h.local"],"gateways":["public"],"http":[{"match":[{"uri":{"prefix":"/"}}],
					"route":[{"destination":{"host":"llama-s","port":{"number":8000}}}]}]}}`},
		},
		"NotServed": {
			reason: "What the cluster does not serve cannot be applied.",
			req:    steptest.Request(spec, onGrove()),
			want:   map[string]any{},
		},
	})
}

func TestHTTPRoutes(t *testing.T) {
	const spec = `{"services":{"S":{"componentType":"frontend"}}}`
	onGrove := func(kinds ...string) string {
		return steptest.OnGrove(t, steptest.Components("etcd", "S"), func(p *graphplan.Plan) {
			p.IngressDefaults.HostSuffix, p.IngressDefaults.Gateway = "example.org", graphplan.Gateway{Name: "public", Namespace: "gateways", SectionName: "https"}
			p.Serves = kinds
		})
	}
	compareParts(t, "httproute-", map[string]partCase{
		"Served": {
			reason: "A listener of the gateway routes what arrives for the host.",
			req:    steptest.Request(spec, onGrove("HTTPRoute")),
			want: map[string]any{"httproute-s": `{"apiVersion":"gateway.networking.k8s.io/v1","kind":"HTTPRoute",
				"metadata":{"name":"llama-s","namespace":"inference"},
				"spec":{"parentRefs":[{"name":"public","namespace":"gateways","sectionName":"https"}],"hostnames":["llama.example.org"],
					"rules":[{"matches":[{"path":{"type":"PathPrefix","value":"/"}}],"backendRefs":[{"name":"llama-s","port":8000}]}]}}`},
		},
		"NotServed": {
			reason: "What the cluster does not serve cannot be applied.",
			req:    steptest.Request(spec, onGrove()),
			want:   map[string]any{},
		},
	})
}
