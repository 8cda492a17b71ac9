package memory

import (
	"cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/observed"
)

// Gangs are what earlier runs decided for the LeaderWorkerSets of a graph. Another scheduler would restart all their
// pods, and another placement move them.
type Gangs struct {
	// Scheduler of the gangs. Empty: there are none yet, or the user chose the scheduler.
	Scheduler string

	// Provider of gangs on Volcano. Empty: there are none yet.
	Provider graphplan.GangProvider

	// Queues that the gangs are in, in the order of their keys.
	Queues []string

	// Topology of the KAI scheduler by whose levels they are packed. Empty: they are not.
	Topology string

	// Placements of services by lower-cased name. One that says nothing is of a service that is not packed. What is not in it
	// has no gang yet.
	Placements map[string]graphplan.Placement

	// Records on the sets by lower-cased name of the service: what the user asked for when they were made. Older sets have
	// none.
	Records map[string]Record
}

// Record is what a LeaderWorkerSet is marked with.
type Record struct{ Profile, Required, Preferred string }

// gangsOf a graph: LeaderWorkerSets first, then their PodGroups, which say how Volcano placed the pods. Of a PodGroup whose API
// was removed only the reference is left.
func gangsOf(o *observed.State) Gangs {
	gangs := Gangs{Placements: map[string]graphplan.Placement{}, Records: map[string]Record{}}
	if o.Refers(observed.KindPodGroup) {
		gangs.Scheduler, gangs.Provider = graphplan.VolcanoScheduler, graphplan.GangPodGroup
	}
	for i := range o.LeaderWorkerSets {
		gangs.addSet(&o.LeaderWorkerSets[i])
	}
	for _, group := range o.PodGroups {
		gangs.Scheduler, gangs.Provider = graphplan.VolcanoScheduler, graphplan.GangPodGroup
		gangs.addQueue(group.Queue)
		gangs.addNetwork(group.Service, networkOfPodGroup(group))
	}
	return gangs
}

// networkOfPodGroup as it counts now. Volcano's scheduler looks up the tier of a name and writes its number beside the name; from then on
// the number counts.
func networkOfPodGroup(group observed.PodGroup) *graphplan.NetworkTopology {
	if n := group.NetworkTopology; n == nil || n.HighestTierAllowed == nil {
		return n
	}
	return &graphplan.NetworkTopology{Mode: group.NetworkTopology.Mode, HighestTierAllowed: group.NetworkTopology.HighestTierAllowed}
}

func (m *Gangs) addSet(set *observed.LeaderWorkerSet) {
	service := set.Service
	scheduler := gangScheduler(set)
	// Only Volcano's marks are never the user's own.
	if scheduler != "" && m.Scheduler != graphplan.VolcanoScheduler {
		m.Scheduler = scheduler
	}
	record := Record{
		Profile:   set.Annotations[metadata.AnnotationTopologyProfile],
		Required:  set.Annotations[metadata.AnnotationPackDomain],
		Preferred: set.Annotations[metadata.AnnotationPreferredDomain],
	}
	if before, ok := m.Records[service]; record.Profile != "" && !ok {
		m.Records[service] = record
	} else if ok {
		record = before
	}
	switch scheduler {
	case graphplan.KAIScheduler:
		m.addQueue(set.Worker.Labels[metadata.LabelKAIQueue])
		m.Topology = cmp.Or(m.Topology, set.Annotations[metadata.AnnotationKAITopology])
		before := m.Placements[service]
		m.Placements[service] = graphplan.Placement{
			Domain: record.Required, PreferredDomain: record.Preferred,
			RequiredLabel:  cmp.Or(before.RequiredLabel, set.Annotations[metadata.AnnotationKAIRequiredPlacement]),
			PreferredLabel: cmp.Or(before.PreferredLabel, set.Annotations[metadata.AnnotationKAIPreferredPlacement]),
		}
	case graphplan.VolcanoScheduler:
		if set.Worker.Annotations[metadata.AnnotationGroupName] == set.Name {
			m.Provider = graphplan.GangPodGroup
		} else {
			m.Provider = cmp.Or(m.Provider, graphplan.GangLWS)
			m.addQueue(set.Annotations[metadata.AnnotationVolcanoQueue])
		}
		// A set that is marked and has no PodGroup waits for its first.
		if record.Profile == "" {
			m.Placements[service] = graphplan.Placement{}
		}
	}
}

func (m *Gangs) addQueue(name string) {
	if name != "" {
		m.Queues = append(m.Queues, name)
	}
}

// addNetwork of the PodGroups of a service, which may be none.
func (m *Gangs) addNetwork(service string, network *graphplan.NetworkTopology) {
	if network == nil {
		m.Placements[service] = graphplan.Placement{}
		return
	}
	record := m.Records[service]
	m.Placements[service] = graphplan.Placement{Domain: record.Required, PreferredDomain: record.Preferred, Network: network}
}

// gangScheduler of a LeaderWorkerSet; empty when the user chose the scheduler: it has no gang of ours then.
func gangScheduler(set *observed.LeaderWorkerSet) string {
	marked := map[string]bool{
		graphplan.KAIScheduler:     hasKey(set.Worker.Labels, metadata.LabelKAIQueue),
		graphplan.VolcanoScheduler: hasKey(set.Worker.Annotations, metadata.AnnotationGroupName) || hasKey(set.Annotations, metadata.AnnotationVolcanoQueue),
	}
	if scheduler := set.SchedulerName; marked[scheduler] {
		return scheduler
	}
	return ""
}

func hasKey(values map[string]string, key string) bool {
	_, ok := values[key]
	return ok
}
