package validate_test

import (
	"testing"
)

func TestUnsupported(t *testing.T) {
	runBadCases(t, map[string]badCase{
		"ProviderOverride": {
			reason: "Overrides of generated objects are not supported at any level.",
			patch:  `spec: {providerOverride: {apiVersion: a, value: {}}, services: {decode: {providerOverride: {apiVersion: a, value: {}}, multinode: {nodeCount: 2, leader: {providerOverride: {apiVersion: a, value: {}}}, worker: {providerOverride: {apiVersion: a, value: {}}}}}}}`,
			want: []string{
				"spec.providerOverride: Forbidden: overrides of generated objects are not supported; use extraPodSpec, or set policy in the Composition",
				"spec.services[decode].multinode.leader.providerOverride: Forbidden: overrides of generated objects are not supported; use extraPodSpec, or set policy in the Composition",
				"spec.services[decode].multinode.worker.providerOverride: Forbidden: overrides of generated objects are not supported; use extraPodSpec, or set policy in the Composition",
				"spec.services[decode].providerOverride: Forbidden: overrides of generated objects are not supported; use extraPodSpec, or set policy in the Composition",
			},
		},
		"KVTransferPolicy": {
			reason: "A policy for the transfer of KV caches is not supported.",
			patch:  `spec: {experimental: {kvTransferPolicy: {domain: rack, labelKey: a}}}`,
			want: []string{
				"spec.experimental.kvTransferPolicy: Forbidden: is not supported, because it requires the Dynamo operator, which labels pods with the domain of their node",
			},
		},
	})
}
