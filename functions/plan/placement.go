package plan

import (
	"cmp"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/pod"
)

// planPlacements decides how each replica of the services that span nodes is packed. What is packed already stays so:
// another placement would move its pods.
func (d *decider) planPlacements(gang graphplan.Gang) (topology, field.ErrorList) {
	t, errs := d.defineTopology()
	if t.plan == nil {
		return t, errs
	}
	for name, asked := range placements(d.graph) {
		if service := d.graph.Spec.Services[name]; !inGang(&service, gang) {
			continue
		}
		kept, decided := d.memory.gangs.placements[names.Lower(name)]
		switch _, made := d.memory.services[names.Lower(name)]; {
		case !decided:
			kept = d.place(asked, gang, t)
		case !made:
			kept = marked(kept, asked)
		}
		if kept == (graphplan.Placement{}) {
			continue
		}
		if t.plan.Placements == nil {
			t.plan.Placements = map[string]graphplan.Placement{}
		}
		t.plan.Placements[name] = kept
	}
	if gang.Provider == graphplan.GangKAI && len(t.plan.Placements) > 0 {
		t.plan.KAITopology = cmp.Or(d.memory.gangs.topology, t.levels.ReferenceOf(kaiScheduler), t.plan.Name)
	}
	return t, errs
}

// place the replicas of a service whose gangs are new. Without a level there is nothing to place by.
func (d *decider) place(asked placement, gang graphplan.Gang, t topology) graphplan.Placement {
	required, preferred := asked.required.domain, asked.preferred.domain
	if t.levels.KeyOf(required) == "" {
		required = ""
	}
	if t.levels.KeyOf(preferred) == "" || !useful(preferred, required, t.levels) {
		preferred = ""
	}
	if cmp.Or(required, preferred) == "" {
		return graphplan.Placement{}
	}
	switch gang.Provider {
	case graphplan.GangKAI:
		return graphplan.Placement{
			Domain: required, PreferredDomain: preferred,
			RequiredLabel: t.levels.KeyOf(required), PreferredLabel: t.levels.KeyOf(preferred),
		}
	case graphplan.GangPodGroup:
		// A PodGroup is either hard or soft.
		if required != "" {
			return graphplan.Placement{Domain: required, Network: d.network(networkHard, required, t.levels)}
		}
		return graphplan.Placement{PreferredDomain: preferred, Network: d.network(networkSoft, preferred, t.levels)}
	default:
		return graphplan.Placement{}
	}
}

// marked is the placement of a PodGroup whose set is not there yet: what a set is marked with only a set can tell.
func marked(kept graphplan.Placement, asked placement) graphplan.Placement {
	switch {
	case kept.Network == nil:
	case kept.Network.Mode == networkSoft:
		kept.PreferredDomain = asked.preferred.domain
	default:
		kept.Domain = asked.required.domain
	}
	return kept
}

// inGang reports whether the pods of a service are the gang scheduler's. Those whose scheduler the user chose are left to
// it.
func inGang(service *v1alpha1.Service, gang graphplan.Gang) bool {
	return gang.Schedules(pod.SchedulerName(service))
}
