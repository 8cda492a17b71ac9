package validate_test

import (
	"testing"
)

func TestBadCheckpoints(t *testing.T) {
	runBadCases(t, map[string]badCase{
		"CheckpointOfNothing": {
			reason: "An enabled checkpoint must be identified.",
			patch:  `spec: {services: {decode: {checkpoint: {enabled: true}}}}`,
			want: []string{
				"spec.services[decode].checkpoint: Required value: an enabled checkpoint requires checkpointRef, or identity with model and backendFramework",
			},
		},
	})
}
