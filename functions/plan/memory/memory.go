// Package memory is what earlier runs decided for a graph, as the observed objects, the references to them and the status
// tell it. Decisions are made once: a second choice would start a second copy of the graph.
package memory

import (
	"cmp"
	"slices"

	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
)

// Memory of a graph.
type Memory struct {
	// Orchestrator that runs the graph. Empty if there is none yet.
	Orchestrator graphplan.Orchestrator

	// OnGrove says that there is a PodCliqueSet, and KAIQueues are the queues that its pods are in. Without any, they are not
	// KAI's, or the user chose the scheduler.
	OnGrove   bool
	KAIQueues []string

	// VolcanoQueue is the queue of a PodCliqueSet whose pods Volcano schedules. Empty if it does not schedule them.
	VolcanoQueue string

	// Gangs of the LeaderWorkerSets.
	Gangs Gangs

	// Placed says that there is a workload, and KueueQueue is the queue of Kueue that workloads were created in, with KueuePriority. It is empty if there is
	// none.
	Placed                    bool
	KueueQueue, KueuePriority string
}

// Of what is observed of a graph.
func Of(o *observed.State, g *graph.Graph) *Memory {
	m := &Memory{
		Orchestrator: orchestratorOf(o, g),
		OnGrove:      o.PodCliqueSet != nil,
		KAIQueues:    kaiQueuesOf(o.PodCliqueSet),
		VolcanoQueue: volcanoQueueOf(o.PodCliqueSet),
		Gangs:        gangsOf(o),
		Placed:       len(o.WorkloadKinds()) > 0,
	}
	m.KueueQueue, m.KueuePriority = o.KueueQueue()
	return m
}

// Exists reports whether the graph has been deployed before.
func (m *Memory) Exists() bool { return m.Orchestrator != "" }

// OnKAI reports whether pods of a live graph are KAI's.
func (m *Memory) OnKAI() bool {
	if m.OnGrove {
		return len(m.KAIQueues) > 0
	}
	return m.Gangs.Scheduler == graphplan.KAIScheduler
}

// OnVolcano reports whether pods of a live graph are Volcano's.
func (m *Memory) OnVolcano() bool {
	return m.VolcanoQueue != "" || m.Gangs.Scheduler == graphplan.VolcanoScheduler
}

// volcanoQueueOf a PodCliqueSet. Empty if Volcano does not schedule its pods.
func volcanoQueueOf(set *grovev1alpha1.PodCliqueSet) string {
	if set == nil || !slices.ContainsFunc(set.Spec.Template.Cliques, func(c grovev1alpha1.Clique) bool {
		return c.Spec.PodSpec.SchedulerName == graphplan.VolcanoScheduler
	}) {
		return ""
	}
	return cmp.Or(set.Annotations[metadata.AnnotationGroveVolcanoQueue], metadata.GroveDefaultVolcanoQueue)
}

// kaiQueuesOf the pods of a PodCliqueSet, in the order of its cliques.
func kaiQueuesOf(set *grovev1alpha1.PodCliqueSet) []string {
	var queues []string
	if set == nil {
		return nil
	}
	for _, clique := range set.Spec.Template.Cliques {
		if queue := clique.Labels[metadata.LabelKAIQueue]; queue != "" && clique.Spec.PodSpec.SchedulerName == graphplan.KAIScheduler {
			queues = append(queues, queue)
		}
	}
	return queues
}
