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
		m.each(func(component *graph.Component) {
			if !component.IsMultinode() {
				m.ofComponent(component.Name, names.KeyDeployment(component.Name), m.Graph.Names().Component(component.Name))
				m.autoscaler(component)
				return
			}
			for i := range m.sets(component.Name) {
				m.leaderWorkerSet(component, i)
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
		m.ofComponent(name, names.KeyReplicas(name), n.Replicas(name))
	}
}

func (m *missing) autoscaler(component *graph.Component) {
	if component.IsAutoscaled() {
		m.ofComponent(component.Name, names.KeyAutoscaler(component.Name), m.Graph.Names().Component(component.Name))
	}
}

// sets of a multinode component that are listed.
func (m *missing) sets(name string) int32 {
	return max(0, min(m.Graph.Component(name).Sets(), m.MaxReplicas))
}

// leaderWorkerSet is replica i of a multinode component. The LWS operator creates a headless Service with its name, a StatefulSet with its
// name for leaders, and a StatefulSet with a number appended to the name for the workers of each leader. The StatefulSet of the only leader
// can have the name of that of the leaders of another LeaderWorkerSet.
func (m *missing) leaderWorkerSet(component *graph.Component, i int32) {
	key, object := names.KeyLeaderWorkerSet(component.Name, i), m.Graph.Names().Replica(component.Name, i)
	m.ofComponent(component.Name, key, object)
	if gang := m.Plan.LWS.Gang; gang.Groups(m.Graph.Names(), component.Name, component.SchedulerName()) {
		m.ofComponent(component.Name, names.KeyPodGroup(component.Name, i), object)
	} else if gang.GroupsNatively(m.Graph.Names(), component.Name, component.SchedulerName()) {
		generation := m.Generations[object]
		m.ofComponent(component.Name, names.KeySchedulingGroup(component.Name, i, generation), names.SchedulingGroup(object, generation))
	}
	m.add(Object{Key: key, Kind: KindService, Name: object, Component: component.Name, Maker: MakerLWS})
	m.add(Object{Key: key, Kind: KindLeaderWorkerSet, Name: object + workersSuffix, Component: component.Name, Maker: MakerLWS})
	if leaders, ok := strings.CutSuffix(object, workersSuffix); ok && leaders != "" {
		m.add(Object{Key: key, Kind: KindLeaderWorkerSet, Name: leaders, Component: component.Name, Maker: MakerLWS})
	}
}

// workersSuffix is what the name of the StatefulSet of workers adds to the name of the LeaderWorkerSet.
const workersSuffix = "-0"
