package plan

import (
	"cmp"
	"maps"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/composite"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/require"
)

// gangs is what earlier runs decided for the LeaderWorkerSets of a graph. Another scheduler would restart all their
// pods, and another placement move them.
type gangs struct {
	// scheduler of the gangs. Empty: there are none yet, or the user chose the scheduler.
	scheduler string

	// provider of gangs on Volcano. Empty: there are none yet.
	provider graphplan.GangProvider

	// queues that the gangs are in, in the order of their keys.
	queues []string

	// topology of the KAI scheduler by whose levels they are packed. Empty: they are not.
	topology string

	// placements of services by lower-cased name. One that says nothing is of a service that is not packed. What is not in it
	// has no gang yet.
	placements map[string]graphplan.Placement

	// records on the sets by lower-cased name of the service: what the user asked for when they were made. Older sets have
	// none.
	records map[string]placementRecord
}

// placementRecord is what a LeaderWorkerSet is marked with.
type placementRecord struct{ profile, required, preferred string }

// rememberedGangs reads the observed objects, then the references: a PodGroup whose API is gone is only there.
func rememberedGangs(req *fnv1.RunFunctionRequest) (gangs, error) {
	out := gangs{placements: map[string]graphplan.Placement{}, records: map[string]placementRecord{}}
	if refersToPodGroup(req) {
		out.scheduler, out.provider = volcanoScheduler, graphplan.GangPodGroup
	}
	observed := req.GetObserved().GetResources()
	for _, key := range slices.Sorted(maps.Keys(observed)) {
		service, multinode, ok := names.WorkloadOf(key)
		if !ok || !multinode {
			continue
		}
		set := &observedLeaderWorkerSet{}
		if err := require.Into(observed[key].GetResource(), set); err != nil {
			return out, err
		}
		out.add(service, set)
	}
	err := out.addPodGroups(observed)
	return out, err
}

// addPodGroups after the sets whose gangs they are. The first one of a service tells how it is packed.
func (m *gangs) addPodGroups(observed map[string]*fnv1.Resource) error {
	seen := map[string]bool{}
	for _, key := range slices.Sorted(maps.Keys(observed)) {
		service, ok := names.PodGroupOf(key)
		if !ok || seen[service] {
			continue
		}
		m.scheduler, m.provider, seen[service] = volcanoScheduler, graphplan.GangPodGroup, true
		group := &observedPodGroup{}
		if err := require.Into(observed[key].GetResource(), group); err != nil {
			return err
		}
		m.addQueue(group.Spec.Queue)
		m.addNetwork(service, group.network())
	}
	return nil
}

func refersToPodGroup(req *fnv1.RunFunctionRequest) bool {
	return slices.ContainsFunc(composite.References(req), func(refs *structpb.Value) bool {
		return slices.ContainsFunc(refs.GetListValue().GetValues(), func(ref *structpb.Value) bool { return kindOf(ref.GetStructValue()) == kindPodGroup })
	})
}

// observedLeaderWorkerSet is what is read of a LeaderWorkerSet. There is one for each replica, and their pods are most of them.
type observedLeaderWorkerSet struct {
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec struct {
		LeaderWorkerTemplate struct {
			WorkerTemplate struct {
				metav1.ObjectMeta `json:"metadata,omitzero"`

				Spec struct {
					SchedulerName string `json:"schedulerName,omitempty"`
				} `json:"spec,omitzero"`
			} `json:"workerTemplate,omitzero"`
		} `json:"leaderWorkerTemplate,omitzero"`
	} `json:"spec,omitzero"`
}

// observedPodGroup is what is read of a PodGroup.
type observedPodGroup struct {
	Spec struct {
		Queue           string                     `json:"queue,omitempty"`
		NetworkTopology *graphplan.NetworkTopology `json:"networkTopology,omitempty"`
	} `json:"spec,omitzero"`
}

// network of a PodGroup. Volcano's scheduler writes the number of the tier that it found under a name; once it has, that
// is what counts.
func (g *observedPodGroup) network() *graphplan.NetworkTopology {
	if n := g.Spec.NetworkTopology; n != nil && n.HighestTierAllowed != nil {
		n.HighestTierName = ""
	}
	return g.Spec.NetworkTopology
}

func (m *gangs) add(service string, set *observedLeaderWorkerSet) {
	scheduler := gangScheduler(set)
	// Only Volcano's marks are never the user's own.
	if scheduler != "" && m.scheduler != volcanoScheduler {
		m.scheduler = scheduler
	}
	record := placementRecord{
		profile:   set.Annotations[metadata.AnnotationTopologyProfile],
		required:  set.Annotations[metadata.AnnotationPackDomain],
		preferred: set.Annotations[metadata.AnnotationPreferredDomain],
	}
	if before, ok := m.records[service]; record.profile != "" && !ok {
		m.records[service] = record
	} else if ok {
		record = before
	}
	template := set.Spec.LeaderWorkerTemplate.WorkerTemplate
	switch scheduler {
	case kaiScheduler:
		m.addQueue(template.Labels[metadata.LabelKAIQueue])
		m.topology = cmp.Or(m.topology, set.Annotations[metadata.AnnotationKAITopology])
		before := m.placements[service]
		m.placements[service] = graphplan.Placement{
			Domain: record.required, PreferredDomain: record.preferred,
			RequiredLabel:  cmp.Or(before.RequiredLabel, set.Annotations[metadata.AnnotationKAIRequiredPlacement]),
			PreferredLabel: cmp.Or(before.PreferredLabel, set.Annotations[metadata.AnnotationKAIPreferredPlacement]),
		}
	case volcanoScheduler:
		if template.Annotations[metadata.AnnotationGroupName] == set.Name {
			m.provider = graphplan.GangPodGroup
		} else {
			m.provider = cmp.Or(m.provider, graphplan.GangLWS)
			m.addQueue(set.Annotations[metadata.AnnotationVolcanoQueue])
		}
		// A set that is marked and has no PodGroup waits for its first.
		if record.profile == "" {
			m.placements[service] = graphplan.Placement{}
		}
	}
}

func (m *gangs) addQueue(name string) {
	if name != "" {
		m.queues = append(m.queues, name)
	}
}

// addNetwork of the PodGroups of a service, which may be none.
func (m *gangs) addNetwork(service string, network *graphplan.NetworkTopology) {
	if network == nil {
		m.placements[service] = graphplan.Placement{}
		return
	}
	record := m.records[service]
	m.placements[service] = graphplan.Placement{Domain: record.required, PreferredDomain: record.preferred, Network: network}
}

// gangScheduler of a LeaderWorkerSet; empty when the user chose the scheduler: it has no gang of ours then.
func gangScheduler(set *observedLeaderWorkerSet) string {
	template := set.Spec.LeaderWorkerTemplate.WorkerTemplate
	marked := map[string]bool{
		kaiScheduler:     hasKey(template.Labels, metadata.LabelKAIQueue),
		volcanoScheduler: hasKey(template.Annotations, metadata.AnnotationGroupName) || hasKey(set.Annotations, metadata.AnnotationVolcanoQueue),
	}
	if scheduler := template.Spec.SchedulerName; marked[scheduler] {
		return scheduler
	}
	return ""
}

func hasKey(values map[string]string, key string) bool {
	_, ok := values[key]
	return ok
}
