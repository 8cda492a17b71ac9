package validate_test

import (
	"strings"
	"testing"
)

func TestBadExposure(t *testing.T) {
	runBadCases(t, map[string]badCase{
		"HostWithScheme": {
			reason: "A host is no URL.",
			patch:  `spec: {services: {Frontend: {ingress: {enabled: true, host: "https://llama.example.com"}}}}`,
			want: []string{
				`spec.services[Frontend].ingress.host: Invalid value: "https://llama.example.com": must form, together with hostPrefix and hostSuffix, a host name of lower-case letters, digits, dashes and dots, with at most 63 characters between dots, and without a scheme, port or path`,
			},
		},
		"HostWithSuffix": {
			reason: "The host and its suffix make one name, which must be valid.",
			patch:  `spec: {services: {Frontend: {ingress: {enabled: true, host: llama, hostSuffix: example_com}}}}`,
			want: []string{
				`spec.services[Frontend].ingress.host: Invalid value: "llama": must form, together with hostPrefix and hostSuffix, a host name of lower-case letters, digits, dashes and dots, with at most 63 characters between dots, and without a scheme, port or path`,
			},
		},
		"Wildcard": {
			reason: "A graph is not to take all hosts of a domain.",
			patch:  `spec: {services: {Frontend: {ingress: {enabled: true, host: "*.example.com"}}}}`,
			want: []string{
				`spec.services[Frontend].ingress.host: Invalid value: "*.example.com": must be a single host without a wildcard, such as llama.example.org`,
			},
		},
		"WildcardLabel": {
			reason: "A graph must not take all hosts of the platform's domain.",
			patch:  `spec: {services: {Frontend: {ingress: {enabled: true, host: "*"}}}}`,
			want: []string{
				`spec.services[Frontend].ingress.host: Invalid value: "*": must be a single host without a wildcard, such as llama.example.org`,
			},
		},
		"Address": {
			reason: "The API server takes no address for a host.",
			patch:  `spec: {services: {Frontend: {ingress: {enabled: true, host: 10.0.0.1}}}}`,
			want: []string{
				`spec.services[Frontend].ingress.host: Invalid value: "10.0.0.1": must be a host name such as llama.example.org, not an IP address`,
			},
		},
		"LongLabel": {
			reason: "DNS has no label of 64 characters.",
			patch:  patchAt(t, map[string]any{"enabled": true, "host": strings.Repeat("a", 64) + ".example.org"}, "spec", "services", "Frontend", "ingress"),
			want: []string{
				`spec.services[Frontend].ingress.host: Invalid value: "` + strings.Repeat("a", 64) + `...": must form, together with hostPrefix and hostSuffix, a host name of lower-case letters, digits, dashes and dots, with at most 63 characters between dots, and without a scheme, port or path`,
			},
		},
		"EmptyLabel": {
			reason: "No label is empty.",
			patch:  `spec: {services: {Frontend: {ingress: {enabled: true, host: llama..example.org}}}}`,
			want: []string{
				`spec.services[Frontend].ingress.host: Invalid value: "llama..example.org": must form, together with hostPrefix and hostSuffix, a host name of lower-case letters, digits, dashes and dots, with at most 63 characters between dots, and without a scheme, port or path`,
			},
		},
		"Dots": {
			reason: "A host may have its domain.",
			patch:  `spec: {services: {Frontend: {ingress: {enabled: true, host: llama.example.org}}}}`,
		},
		"DisabledIngress": {
			reason: "What is disabled is not judged.",
			patch:  `spec: {services: {Frontend: {ingress: {enabled: false, host: "https://llama"}}}}`,
		},
		"BadClass": {
			reason: "The class of an ingress must be a valid object name.",
			patch:  `spec: {services: {Frontend: {ingress: {enabled: true, host: a, ingressControllerClassName: My_Class}}}}`,
			want: []string{
				`spec.services[Frontend].ingress.ingressControllerClassName: Invalid value: "My_Class": is not a valid name of a IngressClass; use lower-case letters, digits, dashes and dots`,
			},
		},
		"BadGateway": {
			reason: "A gateway of Istio has a name and at most a namespace, without spaces.",
			patch:  `spec: {services: {Frontend: {ingress: {enabled: true, host: a, useVirtualService: true, virtualServiceGateway: "mesh "}}}}`,
			want: []string{
				`spec.services[Frontend].ingress.virtualServiceGateway: Invalid value: "mesh ": must be the name of a gateway of Istio, or namespace/name, such as istio-system/public`,
			},
		},
		"Gateway": {
			reason: "A gateway in another namespace is the rule.",
			patch:  `spec: {services: {Frontend: {ingress: {enabled: true, host: a, useVirtualService: true, virtualServiceGateway: istio-system/public}}}}`,
		},
		"BadTLSSecret": {
			reason: "The TLS Secret of an ingress must be a valid object name.",
			patch:  `spec: {services: {Frontend: {ingress: {enabled: true, host: a, tls: {secretName: My_Secret}}}}}`,
			want: []string{
				`spec.services[Frontend].ingress.tls.secretName: Invalid value: "My_Secret": is not a valid name of a Secret; use lower-case letters, digits, dashes and dots`,
			},
		},
		"TwoPickers": {
			reason: "A graph has one Endpoint Picker, because its InferencePool and ConfigMap exist once.",
			patch:  `spec: {services: {epp-a: &epp {componentType: epp, eppConfig: {configMapRef: {name: a, key: b}}, extraPodSpec: {mainContainer: {image: x}}}, epp-b: *epp}}`,
			want: []string{
				`spec.services[epp-b].componentType: Invalid value: "epp": a graph can have only one Endpoint Picker, and service epp-a is already an Endpoint Picker; remove one of the two`,
			},
		},
		"UnknownPlugin": {
			reason: "A scheduling profile cannot refer to a plugin that is not configured.",
			patch:  `spec: {services: {decode: {componentType: epp, resources: null, eppConfig: {config: {plugins: [{type: max-score-picker}, {name: queue, type: queue-scorer}], schedulingProfiles: [{name: default, plugins: [{pluginRef: queue}, {pluginRef: max-score-picker}, {pluginRef: kv}]}]}}}}}`,
			want: []string{
				`spec.services[decode].eppConfig.config.schedulingProfiles[0].plugins[2].pluginRef: Invalid value: "kv": is not a plugin of this configuration; the plugins are max-score-picker, queue`,
			},
		},
	})
}

func TestBadIngresses(t *testing.T) {
	runBadCases(t, map[string]badCase{
		"IngressWithoutHost": {
			reason: "An enabled ingress needs a host.",
			patch:  `spec: {services: {Frontend: {ingress: {enabled: true}}}}`,
			want: []string{
				"spec.services[Frontend].ingress.host: Required value: is required when ingress is enabled",
			},
		},
		"VirtualServiceWithoutGateway": {
			reason: "A VirtualService needs a gateway.",
			patch:  `spec: {services: {Frontend: {ingress: {enabled: true, host: a, useVirtualService: true}}}}`,
			want: []string{
				"spec.services[Frontend].ingress.virtualServiceGateway: Required value: is required for a VirtualService, because the platform has no default gateway",
			},
		},
	})
}
