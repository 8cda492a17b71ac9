package plan

import (
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/require"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
)

// Names of the requirements, part of the contract with the Composition, which asks for them before the first call.
const (
	requirementGrove   = "apiservice-grove"
	requirementLWS     = "apiservice-lws"
	requirementVolcano = "apiservice-volcano"
	requirementKAI     = "apiservice-kai"
)

// Names of the requirements of what only some graphs need.
const (
	requirementInference  = "apiservice-inference"
	requirementIstio      = "apiservice-istio"
	requirementGatewayAPI = "apiservice-gateway-api"
)

// cluster is what the cluster offers.
type cluster struct {
	grove, lws, volcano, kai bool
}

// detect looks for the APIService of each group. An APIService is small, Crossplane may watch it, and it is there
// exactly while the group is served. CustomResourceDefinitions would do as well, but Crossplane would cache all of them.
func detect(r *require.Requirements, in *v1alpha1.Input, m *memory) cluster {
	return cluster{
		grove:   installed(r, kept(in.Grove.Mode, m.orchestrator == graphplan.Grove), requirementGrove, "v1alpha1.grove.io"),
		lws:     installed(r, kept(in.LWS.Mode, m.orchestrator == graphplan.LeaderWorkerSet), requirementLWS, "v1.leaderworkerset.x-k8s.io"),
		volcano: installed(r, kept(in.Volcano.Mode, m.gangs.scheduler == volcanoScheduler), requirementVolcano, "v1beta1.scheduling.volcano.sh"),
		kai:     installed(r, kept(in.KAI.Mode, m.onKAI()), requirementKAI, "v2.scheduling.run.ai"),
	}
}

// kept is the mode for what a live graph uses: it goes on using what new graphs are not to.
func kept(mode v1alpha1.Mode, used bool) v1alpha1.Mode {
	if used && mode == v1alpha1.ModeDisabled {
		return v1alpha1.ModeAuto
	}
	return mode
}

func installed(r *require.Requirements, mode v1alpha1.Mode, requirement, apiService string) bool {
	switch mode {
	case v1alpha1.ModeEnabled:
		return true
	case v1alpha1.ModeDisabled:
		return false
	default:
		object, _ := r.Get(require.Object{
			Name:       requirement,
			APIVersion: "apiregistration.k8s.io/v1",
			Kind:       "APIService",
			ObjectName: apiService,
		})
		return object != nil
	}
}
