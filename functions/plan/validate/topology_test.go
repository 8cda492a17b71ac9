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
				"spec.topologyConstraint.topologyProfile: Required value: service decode has a topology constraint: name the topology whose level it is",
			},
		},
		"EmptyProfile": {
			reason: "A profile has a name.",
			patch:  `spec: {topologyConstraint: {topologyProfile: ""}}`,
			want: []string{
				"spec.topologyConstraint.topologyProfile: Required value: name the topology whose levels the packDomains are",
			},
		},
		"BadDomain": {
			reason: "The domain of the graph must be a valid level name.",
			patch:  `spec: {topologyConstraint: {topologyProfile: a, packDomain: Rack_1}}`,
			want: []string{
				`spec.topologyConstraint.packDomain: Invalid value: "Rack_1": must be lower-case letters, digits and dashes, beginning and ending with a letter or digit`,
			},
		},
		"LongDomain": {
			reason: "The name of a domain cannot be longer than Grove allows.",
			patch:  `spec: {topologyConstraint: {topologyProfile: a, packDomain: ` + strings.Repeat("x", 64) + `}}`,
			want: []string{
				`spec.topologyConstraint.packDomain: Invalid value: "` + strings.Repeat("x", 64) + `": must be no longer than 63 characters`,
			},
		},
		"PreferredWithoutProfile": {
			reason: "A preferred domain is a level of a topology.",
			patch:  `{metadata: {annotations: {nvidia.com/topology-preferred-domain: zone}}, spec: {services: {decode: {annotations: {nvidia.com/topology-preferred-domain: rack}}}}}`,
			want: []string{
				"spec.topologyConstraint.topologyProfile: Required value: service decode prefers a domain: name the topology whose level it is",
				"spec.topologyConstraint.topologyProfile: Required value: the graph prefers a domain: name the topology whose level it is",
			},
		},
		"BadPreferred": {
			reason: "A preferred domain must be a valid level name.",
			patch:  `{metadata: {annotations: {nvidia.com/topology-preferred-domain: Zone}}, spec: {topologyConstraint: {topologyProfile: a}, services: {decode: {annotations: {nvidia.com/topology-preferred-domain: ""}}}}}`,
			want: []string{
				`metadata.annotations[nvidia.com/topology-preferred-domain]: Invalid value: "Zone": must be lower-case letters, digits and dashes, beginning and ending with a letter or digit`,
				`spec.services[decode].annotations[nvidia.com/topology-preferred-domain]: Invalid value: "": must be lower-case letters, digits and dashes, beginning and ending with a letter or digit`,
			},
		},
		"BadServiceDomain": {
			reason: "The domain of a service must be a valid level name.",
			patch:  `spec: {topologyConstraint: {topologyProfile: a}, services: {decode: {topologyConstraint: {packDomain: -rack}}}}`,
			want: []string{
				`spec.services[decode].topologyConstraint.packDomain: Invalid value: "-rack": must be lower-case letters, digits and dashes, beginning and ending with a letter or digit`,
			},
		},
	})
}
