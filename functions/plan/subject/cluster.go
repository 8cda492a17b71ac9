package subject

import (
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/require"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/memory"
)

// Names of the requirements, part of the contract with the Composition, which requires them before the first call.
const (
	requirementGrove   = "apiservice-grove"
	requirementLWS     = "apiservice-lws"
	requirementVolcano = "apiservice-volcano"
	requirementKAI     = "apiservice-kai"
)

// Names of the requirements of what only some graphs need.
const (
	requirementNVIDIA      = "apiservice-resource-nvidia"
	requirementResource    = "apiservice-resource"
	requirementGroveSchema = "schema-clustertopologybinding"
)

// Cluster is what the cluster offers.
type Cluster struct {
	Grove, LWS, Volcano, KAI bool
}

// detect looks for the APIService of each group. An APIService is small, Crossplane may watch it, and it is there
// exactly while the group is served. CustomResourceDefinitions would do as well, but Crossplane would cache all of them.
func detect(r *require.Requirements, in *v1alpha1.Input, m *memory.Memory) Cluster {
	return Cluster{
		Grove:   Installed(r, keptMode(in.Grove.Mode, m.Orchestrator == graphplan.Grove), requirementGrove, "v1alpha1.grove.io"),
		LWS:     Installed(r, keptMode(in.LWS.Mode, m.Orchestrator == graphplan.LeaderWorkerSet), requirementLWS, "v1.leaderworkerset.x-k8s.io"),
		Volcano: Installed(r, keptMode(in.Volcano.Mode, m.Gangs.Scheduler == graphplan.VolcanoScheduler), requirementVolcano, "v1beta1.scheduling.volcano.sh"),
		KAI:     Installed(r, keptMode(in.KAI.Mode, m.OnKAI()), requirementKAI, "v2.scheduling.run.ai"),
	}
}

// keptMode is the mode for what a live graph uses: Disabled keeps new graphs from using it, and changes no live one.
func keptMode(mode v1alpha1.Mode, used bool) v1alpha1.Mode {
	if used && mode == v1alpha1.ModeDisabled {
		return v1alpha1.ModeAuto
	}
	return mode
}

// Installed reports whether the API group of an APIService is served, as far as its mode leaves that open. It is not while
// the APIService has yet to be looked up.
func Installed(r *require.Requirements, mode v1alpha1.Mode, requirement, apiService string) bool {
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

// ServesComputeDomains reports whether the driver for dynamic resource allocation of NVIDIA is installed.
func (f *Facts) ServesComputeDomains() bool {
	return Installed(f.Requirements, f.Input.MNNVL.Driver, requirementNVIDIA, "v1beta1.resource.nvidia.com")
}

// ServesClaimTemplates reports whether the cluster has templates of resource claims, which Kubernetes serves since v1.34.
func (f *Facts) ServesClaimTemplates() bool {
	return Installed(f.Requirements, v1alpha1.ModeAuto, requirementResource, "v1.resource.k8s.io")
}

// GroveDialect is the form in which the installed Grove takes topology constraints.
func (f *Facts) GroveDialect() (dialect graphplan.TopologyDialect, resolved bool) {
	if asked := f.Input.Grove.TopologyDialect; asked != v1alpha1.DialectAuto {
		return graphplan.TopologyDialect(asked), true
	}
	served, known, resolved := f.Requirements.HasSchema(requirementGroveSchema, grovev1alpha1.APIVersion, grovev1alpha1.KindClusterTopologyBinding)
	if known && !served {
		return graphplan.DialectPackDomain, resolved
	}
	return graphplan.DialectPack, resolved
}
