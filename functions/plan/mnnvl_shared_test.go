package plan_test

import (
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
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
	compareMNNVL(t, map[string]mnnvlCase{
		"New":  {reason: "A service whose containers share GPUs takes part in the domain.", input: autoMode(), worker: gpuWorker(sharingGPUs), want: member},
		"Live": {reason: "A live service whose containers share GPUs stays in the domain.", input: autoMode(), worker: gpuWorker(sharingGPUs), observed: setOf(optedOut, nil, withSharedGPUs, claimOf("llama-0")), want: member},
		"Small": {
			reason: "Shared GPUs count when a pod asks for fewer GPUs than a node has.", input: autoMode(), worker: gpuWorker(sharingGPUs, plantest.WithGPUs("2")),
			want: saying("disabled", warned("spec.services[Worker]: a pod requests 2 of the 4 GPUs of a node (mnnvl.gpusPerNode), and the driver allows one pod with an NVLink domain per node, so the other GPUs may stay unused; "+
				"request 4, or create the graph with annotation grove.io/auto-mnnvl: disabled on the service", member.MNNVL)),
		},
		"OwnClaims": {
			reason: "A service with shared GPUs keeps the user's own claims and gets no claim of the domain.", input: autoMode(), worker: gpuWorker(sharingGPUs, claiming("nic", "mine")),
			want: warned("spec.services[Worker].extraPodSpec.resourceClaims: the pods keep these claims and do not join the NVLink domain of the graph; remove the claims to join it, "+
				"or, if they are for other devices, set annotation grove.io/auto-mnnvl: enabled on the service", graphplan.MNNVL{}),
		},
		"StaysOut": {
			reason: "A service with shared GPUs that opted out stays out.", input: autoMode(), service: "disabled", worker: gpuWorker(sharingGPUs),
			observed: with(setOf(optedOut, nil, withSharedGPUs), domain), want: saying("disabled", plain(noMembers)),
		},
		"OptIn": {
			reason: "A service with shared GPUs that opted out cannot come back, since the claim of its GPUs is not the user's.", input: autoMode(), worker: gpuWorker(sharingGPUs),
			observed: with(setOf(optedOut, nil, withSharedGPUs), domain),
			want:     changed(`spec.services[Worker].annotations[grove.io/auto-mnnvl]: Invalid value: "": cannot be changed after creation; it was "disabled": ` + subject.PutBack),
		},
		"Grove": {
			reason: "Grove does not see GPUs that containers share.", input: groveMode(), worker: gpuWorker(sharingGPUs),
			want: warned("spec.services[Worker]: the pods get no NVLink domain, because Grove, which creates the domains (mnnvl.mode Grove), does not detect GPUs that containers share (gpuMemoryService)", graphplan.MNNVL{}),
		},
	})
}
