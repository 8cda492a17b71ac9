package mnnvl_test

import (
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// TestSharedGPUs shows services whose containers share the GPUs of their pod through the GPU memory service: they claim
// them, and ask for none.
func TestSharedGPUs(t *testing.T) {
	optedOut := annotationsOf("disabled", "")
	domain := domainOf("computedomain-0", "llama-0")
	memberOf := func(member graphplan.MNNVLMember) graphplan.MNNVL {
		return graphplan.MNNVL{Mode: graphplan.MNNVLAuto, Scope: graphplan.ScopeGraph, Members: map[string]graphplan.MNNVLMember{"Worker": member}}
	}
	member := saying("disabled", plain(memberOf(graphplan.MNNVLMember{GPUs: []string{"nvidia.com/gpu"}, GPUClaim: "intrapod-shared-gpu"})))
	noMembers := graphplan.MNNVL{Mode: graphplan.MNNVLAuto, Scope: graphplan.ScopeGraph}
	compare(t, map[string]mnnvlCase{
		"New":  {reason: "A service whose containers share GPUs takes part in the domain.", input: autoMode(), worker: gpuWorker(sharingGPUs), want: member},
		"Live": {reason: "A live service whose containers share GPUs stays in the domain.", input: autoMode(), worker: gpuWorker(sharingGPUs), observed: setOf(optedOut, nil, withSharedGPUs, claimOf("llama-0")), want: member},
		"Small": {
			reason: "Shared GPUs count when a pod asks for fewer GPUs than a node has.", input: autoMode(), worker: gpuWorker(sharingGPUs, plantest.WithGPUs("2")),
			want: saying("disabled", warned(member.MNNVL, "spec.components[Worker]")),
		},
		"OwnClaims": {
			reason: "A service with shared GPUs keeps the user's own claims and gets no claim of the domain.", input: autoMode(), worker: gpuWorker(sharingGPUs, claiming("nic", "mine")),
			want: warned(graphplan.MNNVL{}, "spec.components[Worker].podTemplate.spec.resourceClaims"),
		},
		"StaysOut": {
			reason: "A service with shared GPUs that opted out stays out.", input: autoMode(), component: "disabled", worker: gpuWorker(sharingGPUs),
			observed: with(setOf(optedOut, nil, withSharedGPUs), domain), want: saying("disabled", plain(noMembers)),
		},
		"OptIn": {
			reason: "A service with shared GPUs that opted out cannot come back, since the claim of its GPUs is not the user's.", input: autoMode(), worker: gpuWorker(sharingGPUs),
			observed: with(setOf(optedOut, nil, withSharedGPUs), domain),
			want:     changed(onComponent),
		},
		"Grove": {
			reason: "Grove does not see GPUs that containers share.", input: groveMode(), worker: gpuWorker(sharingGPUs),
			want: warned(graphplan.MNNVL{}, "spec.components[Worker]"),
		},
	})
}
