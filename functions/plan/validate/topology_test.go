package validate_test

import (
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
			reason: "No name of a level.",
			patch:  `spec: {topologyConstraint: {topologyProfile: a, packDomain: Rack_1}}`,
			want: []string{
				`spec.topologyConstraint.packDomain: Invalid value: "Rack_1": must be lower-case letters, digits and dashes, beginning and ending with a letter or digit`,
			},
		},
		"BadServiceDomain": {
			reason: "No name of a level.",
			patch:  `spec: {topologyConstraint: {topologyProfile: a}, services: {decode: {topologyConstraint: {packDomain: -rack}}}}`,
			want: []string{
				`spec.services[decode].topologyConstraint.packDomain: Invalid value: "-rack": must be lower-case letters, digits and dashes, beginning and ending with a letter or digit`,
			},
		},
	})
}
