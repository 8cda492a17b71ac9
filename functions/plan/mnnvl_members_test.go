package plan

import (
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
)

// TestGPUContainers shows where GPUs are seen.
func TestGPUContainers(t *testing.T) {
	const (
		custom = "example.com/gpu"
		noneOf = `{"componentType":"worker",`
	)
	memberOf := func(gpus ...string) mnnvlOutcome {
		return saying("disabled", plain(graphplan.MNNVL{Mode: graphplan.MNNVLAuto, Scope: graphplan.ScopeGraph, Members: map[string]graphplan.MNNVLMember{"Worker": {GPUs: gpus}}}))
	}
	cases := map[string]struct {
		reason string
		worker string
		want   mnnvlOutcome
	}{
		"Short":     {reason: "GPUs are recognized in the short form of resources.", worker: noneOf + `"resources":{"limits":{"gpu":"4"}},` + workerImage + `}`, want: memberOf("nvidia.com/gpu")},
		"Custom":    {reason: "GPUs are recognized among custom resources.", worker: noneOf + `"resources":{"limits":{"custom":{"nvidia.com/gpu":"4"}}},` + workerImage + `}`, want: memberOf("nvidia.com/gpu")},
		"Type":      {reason: "GPUs of another type are recognized in limits.", worker: noneOf + `"resources":{"limits":{"gpu":"4","gpuType":"` + custom + `"}},` + workerImage + `}`, want: memberOf(custom, "nvidia.com/gpu")},
		"Types":     {reason: "GPUs of another type are recognized in requests and limits.", worker: noneOf + `"resources":{"requests":{"gpu":"4","gpuType":"` + custom + `"},"limits":{"gpu":"4","gpuType":"` + custom + `"}},` + workerImage + `}`, want: memberOf(custom, "nvidia.com/gpu")},
		"Container": {reason: "GPUs are recognized in the resources of the main container.", worker: noneOf + `"extraPodSpec":{"mainContainer":{"image":"i:1.5.0","command":["a"],"resources":{"limits":{"nvidia.com/gpu":"4"}}}}}`, want: memberOf("nvidia.com/gpu")},
		"Sidecar":   {reason: "GPUs are recognized in the resources of a sidecar.", worker: noneOf + `"extraPodSpec":{"mainContainer":{"image":"i:1.5.0","command":["a"]},"containers":[{"name":"side","image":"i","resources":{"limits":{"nvidia.com/gpu":"4"}}}]}}`, want: memberOf("nvidia.com/gpu")},
		"Init":      {reason: "GPUs are recognized in the resources of an init container.", worker: noneOf + `"extraPodSpec":{"mainContainer":{"image":"i:1.5.0","command":["a"]},"initContainers":[{"name":"warm","image":"i","resources":{"limits":{"nvidia.com/gpu":"4"}}}]}}`, want: memberOf("nvidia.com/gpu")},
		"OfNoType":  {reason: "An extended resource of another name is no GPU.", worker: noneOf + `"resources":{"limits":{"custom":{"` + custom + `":"4"}}},` + workerImage + `}`, want: plain(graphplan.MNNVL{})},
		"Zero":      {reason: "A limit of zero GPUs counts as none.", worker: noneOf + `"resources":{"limits":{"gpu":"0"}},` + workerImage + `}`, want: plain(graphplan.MNNVL{})},
		"None":      {reason: "A service without resources has no GPUs.", worker: noneOf + workerImage + `}`, want: plain(graphplan.MNNVL{})},
		"Together": {
			reason: "The GPUs of the containers of a pod add up.",
			worker: noneOf + `"resources":{"limits":{"gpu":"2"}},"extraPodSpec":{"mainContainer":{"image":"i:1.5.0","command":["a"]},"containers":[{"name":"side","image":"i","resources":{"limits":{"nvidia.com/gpu":"1"}}}],
				"initContainers":[{"name":"proxy","image":"i","restartPolicy":"Always","resources":{"limits":{"nvidia.com/gpu":"1"}}},{"name":"warm","image":"i","resources":{"limits":{"nvidia.com/gpu":"1"}}}]}}`,
			want: memberOf("nvidia.com/gpu"),
		},
	}
	all := map[string]mnnvlCase{}
	for name, tc := range cases {
		all[name] = mnnvlCase{reason: tc.reason, input: autoMode, worker: tc.worker, want: tc.want}
	}
	compareMNNVL(t, all)
}

// TestOwnClaims shows what becomes of pods that claim something already.
func TestOwnClaims(t *testing.T) {
	claiming := func(claim string) string {
		return replace(gpuWorker, `"extraPodSpec":{`, `"extraPodSpec":{"resourceClaims":[{"name":"`+claim+`","resourceClaimTemplateName":"mine"}],`)
	}
	const (
		path = "spec.services[Worker].extraPodSpec.resourceClaims"
		kept = path + ": the pods keep these claims and do not join the NVLink domain of the graph; remove the claims to join it, " +
			"or, if they are for other devices, set annotation grove.io/auto-mnnvl: enabled on the service"
	)
	off, graph := graphplan.MNNVL{}, autoOf(graphplan.ScopeGraph)
	compareMNNVL(t, map[string]mnnvlCase{
		"Kept":         {reason: "Pods with a claim of their own get no claim of the domain, because a second one would wait forever.", input: autoMode, worker: claiming("channel"), want: warned(kept, off)},
		"KeptOfGraph":  {reason: "Only the service, and not the graph, can say that its claims are for other devices.", input: autoMode, graph: "enabled", worker: claiming("channel"), want: warned(onGraphPath+": "+noneUsesIt+"; "+kept, off)},
		"OtherDevices": {reason: "A service takes part when the user says that its claims are for other devices.", input: autoMode, service: "enabled", worker: claiming("nic"), want: saying("disabled", plain(graph))},
		"OptedOut":     {reason: "A service that opts out is not warned about its claims.", input: autoMode, service: "disabled", worker: claiming("channel"), want: plain(off)},
		"OfTheSameName": {
			reason: "Two claims of a pod cannot have one name.", input: autoMode, service: "enabled", worker: claiming("mnnvl-claim"),
			want: invalid(path + `[0].name: Invalid value: "mnnvl-claim": is the name of the claim for the NVLink domain of the graph; rename this claim, or remove annotation grove.io/auto-mnnvl: enabled from the service`),
		},
		"SameNameKept": {reason: "A claim may be named mnnvl-claim when the pods get no claim of the domain.", input: autoMode, worker: claiming("mnnvl-claim"), want: warned(kept, off)},
		"NoGPUs":       {reason: "Claims of a service without GPUs are of no concern.", input: autoMode, worker: replace(claiming("nic"), `"limits":{"gpu":"4"}`, `"limits":{}`), want: plain(off)},
		"ReplicaOfOneNode": {
			reason: "In scope Replica a service of one node cannot take part.", on: graphplan.LeaderWorkerSet, input: byReplica,
			worker: gpuWorker + `,"Aggregated":` + replace(singleWorker, `{`, `{"annotations":{"grove.io/auto-mnnvl":"enabled"},`),
			want: warned("spec.services[Aggregated].annotations[grove.io/auto-mnnvl]: has no effect: only services that span nodes get NVLink domains (mnnvl.scope Replica)",
				autoOf(graphplan.ScopeReplica)),
		},
		"Two": {
			reason: "Services take part one by one.", input: autoMode, service: "disabled", worker: gpuWorker + `,"Decode":` + singleWorker,
			want: saying("disabled", plain(graphplan.MNNVL{Mode: graphplan.MNNVLAuto, Scope: graphplan.ScopeGraph, Members: map[string]graphplan.MNNVLMember{"Decode": {GPUs: []string{"nvidia.com/gpu"}}}})),
		},
	})
}
