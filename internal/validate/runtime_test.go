package validate_test

import (
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
)

func TestBadRuntimeVersion(t *testing.T) {
	runBadCases(t, map[string]badCase{
		"TwoNumbers": {
			reason: "A release has three numbers.",
			patch:  `spec: {services: {decode: {runtimeVersionOverride: "1.4"}}}`,
			want: []string{
				`spec.services[decode].runtimeVersionOverride: Invalid value: "1.4": must be a release of Dynamo such as ` + string(runtime.NewestWithRules()) + `: three numbers of at most four digits, without a suffix`,
			},
		},
		"Suffix": {
			reason: "The suffix of a pre-release is not part of the release.",
			patch:  `spec: {services: {decode: {runtimeVersionOverride: 1.4.0-efa}}}`,
			want: []string{
				`spec.services[decode].runtimeVersionOverride: Invalid value: "1.4.0-efa": must be a release of Dynamo such as ` + string(runtime.NewestWithRules()) + `: three numbers of at most four digits, without a suffix`,
			},
		},
		"FiveDigits": {
			reason: "The schema allows four digits for each number.",
			patch:  `spec: {services: {decode: {runtimeVersionOverride: 10000.0.0}}}`,
			want: []string{
				`spec.services[decode].runtimeVersionOverride: Invalid value: "10000.0.0": must be a release of Dynamo such as ` + string(runtime.NewestWithRules()) + `: three numbers of at most four digits, without a suffix`,
			},
		},
	})
}
