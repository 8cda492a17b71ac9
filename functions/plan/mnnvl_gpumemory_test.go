package plan

import (
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
)

// TestNVLinkBesideGPUMemory shows that nobody is left without an NVLink domain unawares: containers that share GPUs ask for
// none as a resource, by which those that take part are told.
func TestNVLinkBesideGPUMemory(t *testing.T) {
	const none = "spec.services[Worker].gpuMemoryService: its pods get no NVLink domain: they claim their GPUs, and only containers that ask for GPUs as a resource take part"
	sharing := replace(gpuWorker, `{`, `{"gpuMemoryService":{"enabled":true},`)
	sidecar := replace(sharing, `"extraPodSpec":{`, `"extraPodSpec":{"containers":[{"name":"side","image":"i","resources":{"limits":{"nvidia.com/gpu":"4"}}}],`)
	off := graphplan.MNNVL{}
	compareMNNVL(t, map[string]mnnvlCase{
		"Sharing":         {reason: "The platform gives domains, and this service gets none.", input: autoMode, worker: sharing, want: warned(none, off)},
		"Enabled":         {reason: "The more so where the user asks for one.", input: autoMode, service: "enabled", worker: sharing, want: warned(none, off)},
		"OptedOut":        {reason: "Who wants none is not bothered.", input: autoMode, service: "disabled", worker: sharing, want: plain(off)},
		"OneNode":         {reason: "In scope Replica a service of one node has none anyway.", on: graphplan.LeaderWorkerSet, input: byReplica, worker: gpuWorker + `,"Aggregated":` + replace(singleWorker, `{`, `{"gpuMemoryService":{"enabled":true},`), want: plain(autoOf(graphplan.ScopeReplica))},
		"SidecarOfItsOwn": {reason: "A container with GPUs of its own takes part.", input: autoMode, worker: sidecar, want: saying("disabled", plain(autoOf(graphplan.ScopeGraph)))},
	})
}
