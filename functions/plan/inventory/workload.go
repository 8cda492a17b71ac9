package inventory

import (
	"strings"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
)

// workload are the objects that run the pods, and that scale them.
func (m *missing) workload() {
	switch m.Plan.Orchestrator {
	case graphplan.Grove:
		m.podCliqueSet()
	case graphplan.LeaderWorkerSet, graphplan.Deployment:
		m.each(func(service *graph.Component) {
			if !service.IsMultinode() {
				m.ofService(service.Name, names.KeyDeployment(service.Name), m.Graph.Names().Component(service.Name))
				m.autoscaler(service)
				return
			}
			for i := range m.sets(service.Name) {
				m.leaderWorkerSet(service, i)
			}
		})
	}
}

// podCliqueSet is the graph on Grove, with the objects of Grove that can conflict with graphs on other orchestrators. Conflicts between
// objects of Grove are checked between PodCliqueSets.
func (m *missing) podCliqueSet() {
	n := m.Graph.Names()
	m.ofGraph(names.KeyPodCliqueSet, n.PodCliqueSet())
	m.add(Object{Key: names.KeyPodCliqueSet, Kind: KindService, Name: n.GroveService(), Maker: MakerGrove})
	m.add(Object{Key: names.KeyPodCliqueSet, Kind: KindServiceAccount, Name: n.PodCliqueSet(), Maker: MakerGrove})
	m.each(m.autoscaler)
	for _, name := range m.Scaling {
		m.ofService(name, names.KeyReplicas(name), n.Replicas(name))
	}
}

func (m *missing) autoscaler(service *graph.Component) {
	if service.IsAutoscaled() {
		m.ofService(service.Name, names.KeyAutoscaler(service.Name), m.Graph.Names().Component(service.Name))
	}
}

// sets of a multinode service that are listed.
func (m *missing) sets(name string) int32 {
	return max(0, min(m.Graph.Component(name).Sets(), m.MaxReplicas))
}

// leaderWorkerSet is replica i of a multinode service. The LWS operator creates a headless Service with its name, a StatefulSet with its
// name for leaders, and a StatefulSet with a number appended to the name for the workers of each leader. The StatefulSet of the only leader
// can have the name of that of the leaders of another LeaderWorkerSet.
func (m *missing) leaderWorkerSet(service *graph.Component, i int32) {
	key, object := names.KeyLeaderWorkerSet(service.Name, i), m.Graph.Names().Replica(service.Name, i)
	m.ofService(service.Name, key, object)
	if gang := m.Plan.LWS.Gang; gang.Groups(m.Graph.Names(), service.Name, service.SchedulerName()) {
		m.ofService(service.Name, names.KeyPodGroup(service.Name, i), object)
	} else if gang.GroupsNatively(m.Graph.Names(), service.Name, service.SchedulerName()) {
		generation := m.Generations[object]
		m.ofService(service.Name, names.KeySchedulingGroup(service.Name, i, generation), names.SchedulingGroup(object, generation))
	}
	m.add(Object{Key: key, Kind: KindService, Name: object, Service: service.Name, Maker: MakerLWS})
	m.add(Object{Key: key, Kind: KindLeaderWorkerSet, Name: object + workersSuffix, Service: service.Name, Maker: MakerLWS})
	if leaders, ok := strings.CutSuffix(object, workersSuffix); ok && leaders != "" {
		m.add(Object{Key: key, Kind: KindLeaderWorkerSet, Name: leaders, Service: service.Name, Maker: MakerLWS})
	}
}

// workersSuffix is what the name of the StatefulSet of workers adds to the name of the LeaderWorkerSet.
const workersSuffix = "-0"
