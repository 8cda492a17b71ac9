package topology

import (
	"cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
)

// OnLeaderWorkerSets decides how each replica of multinode components is packed. Existing placements are kept, because a different placement
// would move the pods.
func OnLeaderWorkerSets(f *subject.Facts, gang graphplan.Gang) (Decision, subject.Outcome) {
	t, o := Elsewhere(f)
	if t.Plan == nil {
		return t, o
	}
	if gang.Provider == graphplan.GangKubernetes {
		o.Add(withoutPreference(f, gang))
	}
	t.Plan.Placements = placementsBy(f, &o.Requirements, gang, t)
	t.Plan.MissingTiers = missingTiers(f, &o.Requirements, t.Plan.Placements)
	if gang.Provider == graphplan.GangKAI && len(t.Plan.Placements) > 0 {
		t.Plan.KAITopology = cmp.Or(f.Memory.Gangs.Topology, t.Levels.ReferenceOf(graphplan.KAIScheduler), t.Plan.Name)
	}
	return t, o
}

// placementsBy a gang scheduler, by component. nil if nothing is packed.
func placementsBy(f *subject.Facts, r *require.Requirements, gang graphplan.Gang, t Decision) map[string]graphplan.Placement {
	var all map[string]graphplan.Placement
	for name, requested := range placements(f.Graph) {
		if component := f.Graph.Component(name); !gang.Places(f.Graph.Names(), name, component.SchedulerName()) {
			continue
		}
		current, decided := f.Memory.Gangs.Placements[names.Lower(name)]
		switch _, created := f.Observed.Components[names.Lower(name)]; {
		case !decided:
			current = place(f, r, requested, gang, t)
		case !created:
			current = withDomains(current, requested)
		}
		if current == (graphplan.Placement{}) {
			continue
		}
		if all == nil {
			all = map[string]graphplan.Placement{}
		}
		all[name] = current
	}
	return all
}

// place the replicas of a component whose gangs are new. Without a level there is no placement.
func place(f *subject.Facts, r *require.Requirements, requested placement, gang graphplan.Gang, t Decision) graphplan.Placement {
	required, preferred := requested.required.domain, requested.preferred.domain
	if t.Levels.KeyOf(required) == "" {
		required = ""
	}
	if t.Levels.KeyOf(preferred) == "" || !useful(preferred, required, t.Levels) {
		preferred = ""
	}
	if cmp.Or(required, preferred) == "" {
		return graphplan.Placement{}
	}
	switch gang.Provider {
	case graphplan.GangKAI:
		return graphplan.Placement{
			Domain: required, PreferredDomain: preferred,
			RequiredLabel: t.Levels.KeyOf(required), PreferredLabel: t.Levels.KeyOf(preferred),
		}
	case graphplan.GangKubernetes:
		return nativePlacement(required, t)
	case graphplan.GangPodGroup:
		// A PodGroup is either hard or soft.
		if required != "" {
			return graphplan.Placement{Domain: required, Network: networkOfDomain(f, r, networkHard, required, t.Levels)}
		}
		return graphplan.Placement{PreferredDomain: preferred, Network: networkOfDomain(f, r, networkSoft, preferred, t.Levels)}
	default:
		return graphplan.Placement{}
	}
}

// withDomains is the placement of a PodGroup whose LeaderWorkerSet does not exist yet, with the domains for the annotations of the
// LeaderWorkerSet, which are recorded nowhere else.
func withDomains(current graphplan.Placement, requested placement) graphplan.Placement {
	switch {
	case current.Network == nil:
	case current.Network.Mode == networkSoft:
		current.PreferredDomain = requested.preferred.domain
	default:
		current.Domain = requested.required.domain
	}
	return current
}
