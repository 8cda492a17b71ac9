package exposure_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/exposure"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

func TestOf(t *testing.T) {
	class := graphplan.IngressDefaults{ClassName: "nginx", HostSuffix: "example.org", TLSSecretName: "wildcard"}
	gateway := graphplan.IngressDefaults{Gateway: graphplan.Gateway{Name: "public", Namespace: "gateways"}, TLSSecretName: "wildcard"}
	istio := graphplan.IngressDefaults{VirtualServiceGateway: "istio-system/public"}
	all := graphplan.IngressDefaults{ClassName: "nginx", VirtualServiceGateway: "public", Gateway: graphplan.Gateway{Name: "public"}}
	wildcard := &v1alpha1.IngressTLS{SecretName: "wildcard"}

	cases := map[string]struct {
		reason   string
		graph    string
		kind     string
		user     *v1alpha1.Ingress
		defaults graphplan.IngressDefaults
		want     exposure.Exposure
	}{
		"Nothing":  {reason: "A frontend that says nothing is not exposed."},
		"Disabled": {reason: "A block that is not enabled keeps a frontend from being exposed.", user: &v1alpha1.Ingress{Host: "h"}, defaults: all},
		"Worker": {
			reason: "Only frontends are exposed.", kind: v1alpha1.ComponentWorker,
			user: &v1alpha1.Ingress{Enabled: true, Host: "h"}, defaults: all,
		},
		"PlatformsClass": {
			reason: "A platform with a class exposes every frontend under the name of the graph.", defaults: class,
			want: exposure.Exposure{Kind: exposure.Ingress, Host: "llama.example.org", ClassName: new("nginx"), TLS: wildcard},
		},
		"PlatformsVirtualServiceGateway": {
			reason: "A platform with a gateway of Istio exposes every frontend by a VirtualService.", defaults: istio,
			want: exposure.Exposure{Kind: exposure.VirtualService, Host: "llama.local", VirtualServiceGateway: "istio-system/public"},
		},
		"PlatformsGateway": {
			reason: "A platform with a gateway of the Gateway API exposes every frontend by an HTTPRoute, and the gateway holds the certificate.", defaults: gateway,
			want: exposure.Exposure{Kind: exposure.HTTPRoute, Host: "llama.local", Gateway: gateway.Gateway},
		},
		"ClassBeforeGateways": {
			reason: "Where there are several ways, a class is taken.", defaults: all,
			want: exposure.Exposure{Kind: exposure.Ingress, Host: "llama.local", ClassName: new("nginx")},
		},
		"NoClass": {
			reason: "Without a class and without gateways an Ingress is one of the cluster's default class.",
			user:   &v1alpha1.Ingress{Enabled: true, Host: "h"},
			want:   exposure.Exposure{Kind: exposure.Ingress, Host: "h.local"},
		},
		"UserOnGateway": {
			reason: "A frontend without a class of its own is exposed by the platform's gateway.", defaults: gateway,
			user: &v1alpha1.Ingress{Enabled: true, Host: "h", Labels: map[string]string{"a": "b"}},
			want: exposure.Exposure{Kind: exposure.HTTPRoute, Host: "h.local", Gateway: gateway.Gateway, Labels: map[string]string{"a": "b"}},
		},
		"AllowedAnnotations": {
			reason:   "Only annotations that the platform allows are set.",
			defaults: graphplan.IngressDefaults{AllowedAnnotations: []string{"b", "example.org/a"}},
			user: &v1alpha1.Ingress{Enabled: true, Host: "h", Annotations: map[string]string{
				"example.org/a": "1", "example.org/A": "2", "example.org/ab": "3", "nginx.ingress.kubernetes.io/configuration-snippet": "4",
			}},
			want: exposure.Exposure{
				Kind: exposure.Ingress, Host: "h.local", Annotations: map[string]string{"example.org/a": "1"},
				Refused: []string{"example.org/A", "example.org/ab", "nginx.ingress.kubernetes.io/configuration-snippet"},
			},
		},
		"UsersClass": {
			reason: "A frontend with a class of its own is exposed by an Ingress, although the platform has a gateway.", defaults: gateway,
			user: &v1alpha1.Ingress{Enabled: true, Host: "h", IngressControllerClassName: new("traefik"), TLS: &v1alpha1.IngressTLS{SecretName: "mine"}},
			want: exposure.Exposure{Kind: exposure.Ingress, Host: "h.local", ClassName: new("traefik"), TLS: &v1alpha1.IngressTLS{SecretName: "mine"}},
		},
		"UsersVirtualService": {
			reason: "A VirtualService is in place of an Ingress, whatever the platform's class.", defaults: class,
			user: &v1alpha1.Ingress{Enabled: true, Host: "h", UseVirtualService: true, VirtualServiceGateway: new("mine")},
			want: exposure.Exposure{Kind: exposure.VirtualService, Host: "h.example.org", VirtualServiceGateway: "mine"},
		},
		"VirtualServiceOfPlatformsGateway": {
			reason: "A user that names no gateway gets the platform's.", defaults: istio,
			user: &v1alpha1.Ingress{Enabled: true, Host: "h", UseVirtualService: true},
			want: exposure.Exposure{Kind: exposure.VirtualService, Host: "h.local", VirtualServiceGateway: "istio-system/public"},
		},
		"PrefixAndSuffix": {
			reason: "The host name has three parts.", defaults: class,
			user: &v1alpha1.Ingress{Enabled: true, HostPrefix: new("p-"), Host: "h", HostSuffix: new("corp")},
			want: exposure.Exposure{Kind: exposure.Ingress, Host: "p-h.corp", ClassName: new("nginx"), TLS: wildcard},
		},
		"Dots": {
			reason: "A host with dots has its domain already.", defaults: class,
			user: &v1alpha1.Ingress{Enabled: true, HostPrefix: new("p-"), Host: "llm.corp"},
			want: exposure.Exposure{Kind: exposure.Ingress, Host: "p-llm.corp", ClassName: new("nginx"), TLS: wildcard},
		},
		"DotsAndSuffix": {
			reason: "A suffix that the user writes is added, even to a host with dots.", defaults: class,
			user: &v1alpha1.Ingress{Enabled: true, Host: "llm.team", HostSuffix: new("corp")},
			want: exposure.Exposure{Kind: exposure.Ingress, Host: "llm.team.corp", ClassName: new("nginx"), TLS: wildcard},
		},
		"DottedGraph": {
			reason: "Dots in the name of a graph do not keep the suffix from being added.", graph: "llama.v2", defaults: class,
			want: exposure.Exposure{Kind: exposure.Ingress, Host: "llama.v2.example.org", ClassName: new("nginx"), TLS: wildcard},
		},
		"NoSuffix": {
			reason: "An explicit empty suffix is none.", defaults: class,
			user: &v1alpha1.Ingress{Enabled: true, Host: "llm.corp", HostSuffix: new("")},
			want: exposure.Exposure{Kind: exposure.Ingress, Host: "llm.corp", ClassName: new("nginx"), TLS: wildcard},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if tc.graph == "" {
				tc.graph = "llama"
			}
			if tc.kind == "" {
				tc.kind = v1alpha1.ComponentFrontend
			}
			got := exposure.Of((&graph.Graph{Name: tc.graph}).Add("Frontend", v1alpha1.Service{ComponentType: tc.kind, Ingress: tc.user}), tc.defaults)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nOf(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
