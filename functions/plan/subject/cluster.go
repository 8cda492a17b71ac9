package subject

import (
	"cmp"

	resourcev1 "k8s.io/api/resource/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	schedulingv1beta1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/scheduling/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/scaling"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
)

// Names of the requirements. They are part of the contract with the Composition, which declares them for the first call.
const (
	requirementGrove   = "apiservice-grove"
	requirementLWS     = "apiservice-lws"
	requirementVolcano = "apiservice-volcano"
	requirementKAI     = "apiservice-kai"
)

// Names of the requirements that only some graphs have.
const (
	requirementNVIDIA        = "apiservice-resource-nvidia"
	requirementChannels      = "deviceclass-channels"
	requirementResource      = "apiservice-resource"
	requirementGangs         = "apiservice-scheduling"
	requirementStable        = "apiservice-scheduling-v1"
	requirementGangsSchema   = "schema-podgroup-v1"
	requirementKueue         = "apiservice-kueue"
	requirementGroveSchema   = "schema-clustertopologybinding"
	requirementAdapterSchema = "schema-scalingadapter"
)

// Cluster is what the cluster supports.
type Cluster struct {
	Grove, LWS, Volcano, KAI bool
}

// detect looks up the APIService of each group. An APIService is small, can be watched by Crossplane, and exists exactly while the group is
// served. CustomResourceDefinitions would work too, but Crossplane would cache all of them.
func (s *Seen) detect(r *require.Requirements) Cluster {
	in, m := s.Input, s.Memory
	return Cluster{
		Grove:   s.Installed(r, modeOf(in.Grove.Mode, m.Orchestrator == graphplan.Grove), requirementGrove, "v1alpha1.grove.io"),
		LWS:     s.Installed(r, modeOf(in.LWS.Mode, m.Orchestrator == graphplan.LeaderWorkerSet), requirementLWS, "v1.leaderworkerset.x-k8s.io"),
		Volcano: s.Installed(r, modeOf(in.Volcano.Mode, m.OnVolcano()), requirementVolcano, "v1beta1.scheduling.volcano.sh"),
		KAI:     s.Installed(r, modeOf(in.KAI.Mode, m.OnKAI()), requirementKAI, "v2.scheduling.run.ai"),
	}
}

// modeOf is the mode for what a live graph uses: Disabled only applies to new graphs.
func modeOf(mode v1alpha1.Mode, used bool) v1alpha1.Mode {
	if used && mode == v1alpha1.ModeDisabled {
		return v1alpha1.ModeAuto
	}
	return mode
}

// Installed reports whether the API group of an APIService is served, unless its mode specifies that. It is false while the APIService is
// not looked up yet.
func (s *Seen) Installed(r *require.Requirements, mode v1alpha1.Mode, requirement, apiService string) bool {
	switch mode {
	case v1alpha1.ModeEnabled:
		return true
	case v1alpha1.ModeDisabled:
		return false
	default:
		object, _ := r.Get(s.Answers, require.Object{
			Name:       requirement,
			APIVersion: "apiregistration.k8s.io/v1",
			Kind:       "APIService",
			ObjectName: apiService,
		})
		return object != nil
	}
}

// ServesComputeDomains reports whether the NVIDIA driver for dynamic resource allocation is installed.
func (s *Seen) ServesComputeDomains(r *require.Requirements) bool {
	return s.Installed(r, s.Input.MNNVL.Driver, requirementNVIDIA, "v1beta1.resource.nvidia.com")
}

// HasChannels reports whether the driver also makes channels of domains. Operators install its API without it.
func (s *Seen) HasChannels(r *require.Requirements) bool {
	if s.Input.MNNVL.Driver == v1alpha1.ModeEnabled || !s.ServesClaimTemplates(r) {
		return true
	}
	class, _ := r.Get(s.Answers, require.Object{
		Name: requirementChannels, APIVersion: resourcev1.SchemeGroupVersion.String(), Kind: "DeviceClass", ObjectName: ClassOfChannels,
	})
	return class != nil
}

// ClassOfChannels is the class of the devices that pods in a domain claim, which the driver brings along.
const ClassOfChannels = "compute-domain-default-channel.nvidia.com"

// ServesClaimTemplates reports whether the cluster serves templates of resource claims, as Kubernetes v1.34 and later does.
func (s *Seen) ServesClaimTemplates(r *require.Requirements) bool {
	return s.Installed(r, v1alpha1.ModeAuto, requirementResource, "v1.resource.k8s.io")
}

// Gangs is the version in which the cluster serves PodGroups of its own, as Kubernetes v1.37 and later does if the platform turns them on. Existing
// ones stay in their version. It is empty if there are none.
//
// Each cluster serves v1 of the group, which has priority classes, so only the schema of the kind tells. To a caller that looks up no schemas, the
// platform tells.
func (s *Seen) Gangs(r *require.Requirements) string {
	known := true
	if !s.Answers.Contain(schedulingv1beta1.APIVersion, schedulingv1beta1.Kind) {
		var served bool
		if served, known, _ = r.HasSchema(s.Answers, requirementGangsSchema, schedulingv1beta1.Stable, schedulingv1beta1.Kind); served {
			return schedulingv1beta1.Stable
		}
	}
	switch {
	case s.Installed(r, v1alpha1.ModeAuto, requirementGangs, "v1beta1.scheduling.k8s.io"):
		return schedulingv1beta1.APIVersion
	case !known && s.Input.LWS.GangProvider == v1alpha1.GangProviderKubernetes && s.Installed(r, v1alpha1.ModeAuto, requirementStable, "v1.scheduling.k8s.io"):
		return schedulingv1beta1.Stable
	default:
		return ""
	}
}

// ServesGangs reports whether there is such a version.
func (s *Seen) ServesGangs(r *require.Requirements) bool { return s.Gangs(r) != "" }

// ServesAdapters reports whether the cluster serves scaling adapters, as far as it is known. The graph itself has the same API group, so only the
// kind shows it.
func (s *Seen) ServesAdapters(r *require.Requirements) (served, known bool) {
	served, known, _ = r.HasSchema(s.Answers, requirementAdapterSchema, scaling.AdapterAPIVersion, scaling.KindAdapter)
	return served, known
}

// makesAdapters reports whether the graph gets new scaling adapters if it asks for any, as far as it has been looked up.
func (s *Seen) makesAdapters() bool {
	if mode := s.Input.ScalingAdapter.Mode; mode == v1alpha1.ModeEnabled || mode == v1alpha1.ModeDisabled {
		return mode == v1alpha1.ModeEnabled
	}
	// It is looked up with all else that is decided. To wait for it here would take one more call, and Crossplane makes five at most.
	served, _ := s.ServesAdapters(&require.Requirements{})
	return served
}

// ServesKueue reports whether Kueue v0.15 or later is installed.
func (s *Seen) ServesKueue(r *require.Requirements) bool {
	return s.Installed(r, modeOf(s.Input.Kueue.Mode, s.Memory.KueueQueue != ""), requirementKueue, "v1beta2.kueue.x-k8s.io")
}

// GroveDialect is the form in which the installed Grove accepts topology constraints.
func (f *Facts) GroveDialect(r *require.Requirements) (dialect graphplan.TopologyDialect, resolved bool) {
	if asked := cmp.Or(f.Input.Grove.TopologyDialect, v1alpha1.DialectAuto); asked != v1alpha1.DialectAuto {
		return graphplan.TopologyDialect(asked), true
	}
	served, known, resolved := r.HasSchema(f.Answers, requirementGroveSchema, grovev1alpha1.APIVersion, grovev1alpha1.KindClusterTopologyBinding)
	if known && !served {
		return graphplan.DialectPackDomain, resolved
	}
	return graphplan.DialectPack, resolved
}
