// Package scheduling decides which scheduler places the pods of a graph, who creates their gangs, and in which queue they wait.
package scheduling

import (
	"cmp"
	"slices"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	schedulingv1beta1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/scheduling/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
)

// Gang decides which scheduler schedules each LeaderWorkerSet as a gang, and the queue of the gangs. None does where Kueue admits the gang.
func Gang(f *subject.Facts) (graphplan.Gang, Queue, subject.Outcome) {
	if f.KueueQueue() != "" {
		return graphplan.Gang{Provider: graphplan.GangKueue}, Queue{}, subject.Outcome{}
	}
	var o subject.Outcome
	gang := graphplan.Gang{Provider: graphplan.GangKAI, SchedulerName: f.GangScheduler(&o.Requirements)}
	if gang.SchedulerName == graphplan.KubernetesScheduler {
		gang.Provider = graphplan.GangKubernetes
		if version := f.Gangs(&o.Requirements); version != schedulingv1beta1.APIVersion {
			gang.APIVersion = version
		}
		o.Add(native(f, gang))
		return gang, Queue{}, o
	}
	queue, served := kaiQueue(f, f.Memory.Gangs.Queues), f.Cluster.KAI
	var provided subject.Outcome
	if gang.SchedulerName == graphplan.VolcanoScheduler {
		gang.Provider, provided = gangProvider(f)
		queue, served = volcanoQueue(f, f.Memory.Gangs.Queues), f.Cluster.Volcano
	}
	queue.placing = !f.Live() || lacksGang(f, gang)
	decided, queued := decide(f, queue, served)
	o.Add(queued)
	o.Add(provided)
	gang.Queue = decided.Name
	return gang, decided, o
}

// lacksGang reports whether the graph has a replica whose gang does not exist yet.
func lacksGang(f *subject.Facts, gang graphplan.Gang) bool {
	return slices.ContainsFunc(pod.MultinodeComponents(f.Graph), func(name string) bool {
		component := f.Graph.Component(name)
		for i := range component.Sets() {
			lacks := !f.Observed.Has(names.KeyLeaderWorkerSet(name, i))
			if gang.Groups(f.Graph.Names(), name, component.SchedulerName()) {
				lacks = lacks || !f.Observed.Has(names.KeyPodGroup(name, i))
			}
			if lacks {
				return true
			}
		}
		return false
	})
}

// gangProvider on Volcano is the provider of the existing gangs. Another provider would delete their PodGroups, and with them their
// placement.
func gangProvider(f *subject.Facts) (graphplan.GangProvider, subject.Outcome) {
	var o subject.Outcome
	requested, current := graphplan.GangProvider(cmp.Or(f.Input.LWS.GangProvider, v1alpha1.GangProviderPodGroup)), f.Memory.Gangs.Provider
	if current != "" && current != requested {
		o.Warnings = append(o.Warnings, f.Keeps(subject.Keeps{
			Setting: "lws.gangProvider", Value: string(requested), Keeper: "this graph keeps", Current: string(current), Remedy: subject.Recreate,
		}))
	}
	return cmp.Or(current, requested), o
}
