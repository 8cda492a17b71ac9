package plan

import (
	"cmp"
	"maps"
	"slices"

	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/require"
)

// gangs is what earlier runs decided for the LeaderWorkerSets of a graph. Another scheduler would restart all their
// pods, and another placement move them.
type gangs struct {
	// scheduler of the gangs. Empty: there are none yet, or the user chose the scheduler.
	scheduler string

	// topology by whose levels they are packed. Empty: they are not.
	topology string

	// placements are the node labels by which services are packed, by lower-cased name of the service. Empty: it is not
	// packed. What is not in it has no gang of KAI yet.
	placements map[string]string
}

// rememberedGangs reads the observed objects, then the references: a PodGroup whose API is gone is only there.
func rememberedGangs(req *fnv1.RunFunctionRequest) (gangs, error) {
	out := gangs{placements: map[string]string{}}
	for _, refs := range references(req) {
		for _, ref := range refs.GetListValue().GetValues() {
			if kindOf(ref.GetStructValue()) == kindPodGroup {
				out.scheduler = volcanoScheduler
			}
		}
	}
	observed := req.GetObserved().GetResources()
	for _, key := range slices.Sorted(maps.Keys(observed)) {
		if names.IsPodGroup(key) {
			out.scheduler = volcanoScheduler
		}
		service, multinode, ok := names.WorkloadOf(key)
		if !ok || !multinode {
			continue
		}
		set := &lwsv1.LeaderWorkerSet{}
		if err := require.Into(observed[key].GetResource(), set); err != nil {
			return out, err
		}
		out.add(service, set)
	}
	return out, nil
}

func (m *gangs) add(service string, set *lwsv1.LeaderWorkerSet) {
	scheduler := gangScheduler(set)
	// Only Volcano's marks are never the user's own.
	if scheduler != "" && m.scheduler != volcanoScheduler {
		m.scheduler = scheduler
	}
	if scheduler == kaiScheduler {
		m.topology = cmp.Or(m.topology, set.Annotations[metadata.AnnotationKAITopology])
		m.placements[service] = cmp.Or(m.placements[service], set.Annotations[metadata.AnnotationKAIRequiredPlacement])
	}
}

// gangScheduler of a LeaderWorkerSet; empty when the user chose the scheduler: it has no gang of ours then.
func gangScheduler(set *lwsv1.LeaderWorkerSet) string {
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
