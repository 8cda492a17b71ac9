package validate_test

import (
	"testing"
)

func TestWarningsOfVariables(t *testing.T) {
	runWarnings(t, map[string]warningCase{
		"DuplicateVariables": {
			reason: "Lists of variables are merged by name.",
			patch:  `spec: {envs: [{name: A, value: x}, {name: A, value: z}], services: {decode: {envs: [{name: B}, {name: B}], frontendSidecar: {image: x, envs: [{name: C}, {name: C}]}}}}`,
			want: []string{
				"spec.envs[1].name: variable A is duplicated, and only the last value is used; remove the others",
				"spec.services[decode].envs[1].name: variable B is duplicated, and only the last value is used; remove the others",
				"spec.services[decode].frontendSidecar.envs[1].name: variable C is duplicated, and only the last value is used; remove the others",
			},
		},
	})
}
