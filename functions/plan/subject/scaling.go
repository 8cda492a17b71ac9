package subject

import (
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/memory"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/scaling/autoscaling"
)

// scale the services of a graph to the numbers of their scaling adapters.
func scale(g *graph.Graph, o *observed.State, m *memory.Memory) {
	for _, service := range g.ComponentsByName() {
		if !service.HasScalingAdapter() || service.IsAutoscaled() {
			continue
		}
		if replicas, ok := scaledTo(g, o, service.Name); ok {
			g.Scale(service.Name, max(replicas, LeastScaled(service, m.Orchestrator, replicas)))
		}
	}
}

// scaledTo is the number of the scaling adapter of a service. If the adapter was deleted, it is the number that runs: Crossplane
// creates the adapter again, and a deletion must not scale the graph.
func scaledTo(g *graph.Graph, o *observed.State, service string) (replicas int32, ok bool) {
	key := names.KeyScalingAdapter(service)
	switch {
	case o.Has(key):
		return autoscaling.AdapterReplicas(o.Object(key))
	case autoscaling.RefersToAdapter(o, g, service):
		return o.Running(service)
	default:
		return 0, false
	}
}

// LeastScaled is the least number of replicas to which a scaling adapter that asks for replicas can scale a service. An autoscaler does
// not know the limits of a service, and it does not help to refuse a graph until it is scaled again.
func LeastScaled(service *graph.Component, o graphplan.Orchestrator, replicas int32) int32 {
	if replicas == 0 && o != graphplan.Grove {
		return 0
	}
	return max(1, service.MinAvailable())
}

// NameAdapters in errors about numbers of replicas that are not in the graph.
func NameAdapters(g *graph.Graph, errs message.List) message.List {
	for _, e := range errs {
		for name := range g.Scaled {
			if e.Field == graph.ComponentPath(name, "replicas").String() {
				e.Detail = message.Format("%s; scaling adapter %s asks for this number: scale the adapter", e.Detail, g.Names().ScalingAdapter(name))
			}
		}
	}
	return errs
}
