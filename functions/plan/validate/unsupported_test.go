package validate_test

import (
	"testing"
)

func TestUnsupported(t *testing.T) {
	runBadCases(t, map[string]badCase{
		"KVTransferPolicy": {
			reason: "A policy for the transfer of KV caches is not supported.",
			patch:  `spec: {experimental: {kvTransferPolicy: {domain: rack, labelKey: a}}}`,
			want: []string{
				"spec.experimental.kvTransferPolicy: Forbidden: is not supported, because it requires the Dynamo operator, which labels pods with the domain of their node",
			},
		},
	})
}
