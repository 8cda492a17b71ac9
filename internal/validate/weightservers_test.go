package validate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/validate"
)

// between is a patch that shares the GPUs of component decode between pods.
const between = `spec: {services: {decode: {gpuMemoryService: {enabled: true, mode: interPod}`

func TestWeightServers(t *testing.T) {
	const path = "spec.services[decode]."
	onGrove := validate.Options{Grove: true}
	cases := map[string]struct {
		reason string
		patch  string
		with   validate.Options
		// kept says that the live graph has no weight servers.
		kept     bool
		want     []string
		warnings []string
	}{
		"Good":    {reason: "Weight servers run on Grove.", patch: between + `}}}`, with: onGrove},
		"Standby": {reason: "Engines that stand by on one node need nothing else.", patch: between + `, failover: {enabled: true, mode: interPod, numShadows: 3}}}}`, with: onGrove},
		"Elsewhere": {
			reason: "Only Grove gives several pods the same GPUs.", patch: between + `}}}`, with: validate.Options{LWS: true},
			want: []string{path + `gpuMemoryService.mode: Invalid value: "interPod": requires Grove, which gives the pods of a node the same GPUs; run the graph on Grove, or use intraPod`},
		},
		"Kept": {
			reason: "A live graph that was created without weight servers is not refused.", patch: between + `}}}`, with: validate.Options{LWS: true}, kept: true,
			warnings: []string{path + "gpuMemoryService.mode: interPod has no effect, and each pod has its own GPUs, because the pods of a live graph cannot be put into other groups; " +
				"delete and recreate the graph on Grove, or use intraPod"},
		},
		"Checkpoint": {
			reason: "There is no checkpoint of weights that are in another pod.", patch: between + `, checkpoint: {enabled: true, checkpointRef: warm}}}}`, with: onGrove,
			want: []string{path + "checkpoint: Forbidden: may not be enabled together with mode interPod of gpuMemoryService; remove one of the two"},
		},
		"Nodes": {
			reason: "Nothing ends the processes of an engine on other nodes.", patch: between + `, multinode: {nodeCount: 2}, failover: {enabled: true, mode: interPod}}}}`, with: onGrove,
			warnings: []string{path + "failover: if the engine fails on one node, its processes on the other nodes only end when they notice it, because nothing here watches the pods; " +
				"see https://github.com/dynamo-crossplane/configuration-dynamo/blob/main/docs/failover.md#over-several-nodes for how long this takes, and delete the pods with the same grove.io/podclique-pod-index to end them at once"},
		},
		"Alone": {
			reason: "Engines that share no weights cannot take over from each other.", patch: `spec: {services: {decode: {failover: {enabled: true, mode: interPod}}}}`, with: onGrove,
			warnings: []string{path + "failover: has no effect, because standby engines in separate pods share weights with the active engine; remove failover, or, on Grove, add gpuMemoryService with the same mode"},
		},
		"Variables": {
			reason: "The lock decides which engine is healthy.", patch: between + `, failover: {enabled: true, mode: interPod}, envs: [{name: ENGINE_ID, value: "7"}, {name: DYN_SYSTEM_PORT, value: "8081"}]}}}`, with: onGrove,
			warnings: []string{path + "envs[0]: ENGINE_ID has no effect with failover, because the engines that take over from each other have values of their own; remove it"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			g := decodeTree(t, merge(parse(t, valid), parse(t, tc.patch)))
			if s := g.Component("decode"); !tc.kept && s.GPUMemoryService() != nil {
				g.RunWeightServers("decode")
			}
			got := validate.Spec(g, tc.with).Texts(g)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nSpec(...): -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.warnings, warningsOf(g)); diff != "" {
				t.Errorf("%s\nWarnings(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
