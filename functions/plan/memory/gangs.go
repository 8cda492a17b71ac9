package memory

import (
	"cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
)

// Gangs are the decisions of earlier runs for the LeaderWorkerSets of a graph. Another scheduler would restart all of their
// pods, and another placement would move them.
type Gangs struct {
	// Scheduler of the gangs. Empty if there are none yet, or if the user chose the scheduler.
	Scheduler string

	// Provider of gangs on Volcano, or of Kubernetes. Empty if there are none yet.
	Provider graphplan.GangProvider

	// Queues of the gangs, in the order of their keys.
	Queues []string

	// Topology of the KAI scheduler whose levels the gangs are packed by. Empty if they are not packed.
	Topology string

	// Placements of components by lower-cased name. A component that is not packed has an empty placement. A component without an
	// entry has no gang yet.
	Placements map[string]graphplan.Placement

	// Records of components by lower-cased name: what the user requested when the LeaderWorkerSets were created. Sets that are
	// not packed have none.
	Records map[string]Record
}

// Record is the topology constraint in the annotations of a LeaderWorkerSet.
type Record struct{ Profile, Required, Preferred string }

// gangsOf a graph are read from the LeaderWorkerSets first, then from their PodGroups, which show how Volcano placed the pods. If the
// API of PodGroups was removed, only the references to them are left.
func gangsOf(o *observed.State) Gangs {
	gangs := Gangs{Placements: map[string]graphplan.Placement{}, Records: map[string]Record{}}
	if o.Refers(observed.KindNativePodGroup) {
		gangs.Scheduler, gangs.Provider = graphplan.KubernetesScheduler, graphplan.GangKubernetes
	}
	if o.Refers(observed.KindPodGroup) {
		gangs.Scheduler, gangs.Provider = graphplan.VolcanoScheduler, graphplan.GangPodGroup
	}
	for i := range o.LeaderWorkerSets {
		gangs.addSet(&o.LeaderWorkerSets[i])
	}
	for _, group := range o.PodGroups {
		if group.Native {
			gangs.addNative(group)
			continue
		}
		gangs.Scheduler, gangs.Provider = graphplan.VolcanoScheduler, graphplan.GangPodGroup
		gangs.addQueue(group.Queue)
		gangs.addNetwork(group.Component, networkOfPodGroup(group))
	}
	return gangs
}

// networkOfPodGroup is the constraint that is in effect. Volcano's scheduler looks up the tier of a name and adds its number to the
// PodGroup. After that, the number is in effect.
func networkOfPodGroup(group observed.PodGroup) *graphplan.NetworkTopology {
	if n := group.NetworkTopology; n == nil || n.HighestTierAllowed == nil {
		return n
	}
	return &graphplan.NetworkTopology{Mode: group.NetworkTopology.Mode, HighestTierAllowed: group.NetworkTopology.HighestTierAllowed}
}

func (m *Gangs) addSet(set *observed.LeaderWorkerSet) {
	component := set.Component
	scheduler := gangScheduler(set)
	// The label of KAI may be set by the user, the annotations of Volcano and the names of PodGroups are not.
	if scheduler != "" && m.Scheduler != graphplan.VolcanoScheduler && m.Scheduler != graphplan.KubernetesScheduler {
		m.Scheduler = scheduler
	}
	record := Record{
		Profile:   set.Annotations[metadata.AnnotationTopologyProfile],
		Required:  set.Annotations[metadata.AnnotationPackDomain],
		Preferred: set.Annotations[metadata.AnnotationPreferredDomain],
	}
	if before, ok := m.Records[component]; record.Profile != "" && !ok {
		m.Records[component] = record
	} else if ok {
		record = before
	}
	switch scheduler {
	case graphplan.KAIScheduler:
		m.addQueue(set.Worker.Labels[metadata.LabelKAIQueue])
		m.Topology = cmp.Or(m.Topology, set.Annotations[metadata.AnnotationKAITopology])
		before := m.Placements[component]
		m.Placements[component] = graphplan.Placement{
			Domain: record.Required, PreferredDomain: record.Preferred,
			RequiredLabel:  cmp.Or(before.RequiredLabel, set.Annotations[metadata.AnnotationKAIRequiredPlacement]),
			PreferredLabel: cmp.Or(before.PreferredLabel, set.Annotations[metadata.AnnotationKAIPreferredPlacement]),
		}
	case graphplan.KubernetesScheduler:
		m.Provider = graphplan.GangKubernetes
		if record.Profile == "" {
			m.Placements[component] = graphplan.Placement{}
		}
	case graphplan.VolcanoScheduler:
		if set.Worker.Annotations[metadata.AnnotationGroupName] == set.Name {
			m.Provider = graphplan.GangPodGroup
		} else {
			m.Provider = cmp.Or(m.Provider, graphplan.GangLWS)
			m.addQueue(set.Annotations[metadata.AnnotationVolcanoQueue])
		}
		// A set with a record and without a PodGroup has not got its first PodGroup yet.
		if record.Profile == "" {
			m.Placements[component] = graphplan.Placement{}
		}
	}
}

func (m *Gangs) addQueue(name string) {
	if name != "" {
		m.Queues = append(m.Queues, name)
	}
}

// addNetwork of the PodGroups of a component; nil if they have no constraint.
func (m *Gangs) addNetwork(component string, network *graphplan.NetworkTopology) {
	if network == nil {
		m.Placements[component] = graphplan.Placement{}
		return
	}
	record := m.Records[component]
	m.Placements[component] = graphplan.Placement{Domain: record.Required, PreferredDomain: record.Preferred, Network: network}
}

// addNative is a PodGroup of Kubernetes. One without a constraint that its LeaderWorkerSet records has lost it, because the API server drops
// it while a gate is off: what the next PodGroup asks for is decided as for the first one.
func (m *Gangs) addNative(group observed.PodGroup) {
	m.Scheduler, m.Provider = graphplan.KubernetesScheduler, graphplan.GangKubernetes
	record := m.Records[group.Component]
	switch {
	case group.TopologyKey != "":
		m.Placements[group.Component] = graphplan.Placement{Domain: record.Required, RequiredLabel: group.TopologyKey}
	case record.Required == "":
		m.Placements[group.Component] = graphplan.Placement{}
	}
}

// gangScheduler of a LeaderWorkerSet; empty if the user chose the scheduler, because no gang is composed then.
func gangScheduler(set *observed.LeaderWorkerSet) string {
	if _, own := names.GenerationOfSchedulingGroup(set.Name, set.SchedulingGroup); own {
		return graphplan.KubernetesScheduler
	}
	schedulers := map[string]bool{
		graphplan.KAIScheduler:     hasKey(set.Worker.Labels, metadata.LabelKAIQueue),
		graphplan.VolcanoScheduler: hasKey(set.Worker.Annotations, metadata.AnnotationGroupName) || hasKey(set.Annotations, metadata.AnnotationVolcanoQueue),
	}
	if scheduler := set.SchedulerName; schedulers[scheduler] {
		return scheduler
	}
	return ""
}

func hasKey(values map[string]string, key string) bool {
	_, ok := values[key]
	return ok
}
