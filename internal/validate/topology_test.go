package validate_test

import (
	"strings"
	"testing"
)

func TestBadTopology(t *testing.T) {
	runBadCases(t, map[string]badCase{
		"ProfileMissing": {
			reason: "A service's constraint needs the graph's profile.",
			patch:  `spec: {services: {decode: {topologyConstraint: {packDomain: rack}}}}`,
			want: []string{
				"spec.topologyConstraint.topologyProfile: Required value: service decode has a topology constraint; specify the topology that defines its level",
			},
		},
		"EmptyProfile": {
			reason: "A profile has a name.",
			patch:  `spec: {topologyConstraint: {topologyProfile: ""}}`,
			want: []string{
				"spec.topologyConstraint.topologyProfile: Required value: specify the topology that defines the levels named by packDomain",
			},
		},
		"BadDomain": {
			reason: "The domain of the graph must be a valid level name.",
			patch:  `spec: {topologyConstraint: {topologyProfile: a, packDomain: Rack_1}}`,
			want: []string{
				`spec.topologyConstraint.packDomain: Invalid value: "Rack_1": must consist of lower-case letters, digits and dashes, and begin and end with a letter or digit`,
			},
		},
		"LongDomain": {
			reason: "The name of a domain cannot be longer than Grove allows.",
			patch:  patchAt(t, map[string]any{"topologyProfile": "a", "packDomain": strings.Repeat("x", 64)}, "spec", "topologyConstraint"),
			want: []string{
				`spec.topologyConstraint.packDomain: Invalid value: "` + strings.Repeat("x", 64) + `": must be no longer than 63 characters`,
			},
		},
		"PreferredWithoutProfile": {
			reason: "A preferred domain is a level of a topology.",
			patch:  `{metadata: {annotations: {nvidia.com/topology-preferred-domain: zone}}, spec: {services: {decode: {annotations: {nvidia.com/topology-preferred-domain: rack}}}}}`,
			want: []string{
				"spec.topologyConstraint.topologyProfile: Required value: service decode prefers a domain; specify the topology that defines its level",
				"spec.topologyConstraint.topologyProfile: Required value: the graph prefers a domain; specify the topology that defines its level",
			},
		},
		"BadPreferred": {
			reason: "A preferred domain must be a valid level name.",
			patch:  `{metadata: {annotations: {nvidia.com/topology-preferred-domain: Zone}}, spec: {topologyConstraint: {topologyProfile: a}, services: {decode: {annotations: {nvidia.com/topology-preferred-domain: ""}}}}}`,
			want: []string{
				`metadata.annotations[nvidia.com/topology-preferred-domain]: Invalid value: "Zone": must consist of lower-case letters, digits and dashes, and begin and end with a letter or digit`,
				`spec.services[decode].annotations[nvidia.com/topology-preferred-domain]: Invalid value: "": must consist of lower-case letters, digits and dashes, and begin and end with a letter or digit`,
			},
		},
		"BadServiceDomain": {
			reason: "The domain of a service must be a valid level name.",
			patch:  `spec: {topologyConstraint: {topologyProfile: a}, services: {decode: {topologyConstraint: {packDomain: -rack}}}}`,
			want: []string{
				`spec.services[decode].topologyConstraint.packDomain: Invalid value: "-rack": must consist of lower-case letters, digits and dashes, and begin and end with a letter or digit`,
			},
		},
	})
}

func TestWarningsOfPreferredDomains(t *testing.T) {
	runWarnings(t, map[string]warningCase{
		"OfPods": {
			reason: "A preferred domain in the metadata of pods places no pod.",
			patch:  `spec: {services: {decode: {extraPodMetadata: {annotations: {nvidia.com/topology-preferred-domain: rack}}}}}`,
			want: []string{
				"spec.services[decode].extraPodMetadata.annotations[nvidia.com/topology-preferred-domain]: has no effect in the metadata of pods; move it to annotations of the service",
			},
		},
		"OfBoth": {
			reason: "The preferred domain of a service has an effect, whatever the metadata of its pods says.",
			patch: `
spec:
  topologyConstraint: {topologyProfile: a}
  services:
    decode:
      annotations: {nvidia.com/topology-preferred-domain: rack}
      extraPodMetadata: {annotations: {nvidia.com/topology-preferred-domain: rack}}`,
		},
	})
}
