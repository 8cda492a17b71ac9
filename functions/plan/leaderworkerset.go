package plan

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/autoscaling"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/pod"
)

// decideLWS decides which scheduler makes a gang of each LeaderWorkerSet, and how they are packed.
func (d *decider) decideLWS(out *decision, p *graphplan.Plan) {
	p.LWS.Gang = d.decideGang(out)
	var errs field.ErrorList
	out.topology, errs = d.planPlacements(p.LWS.Gang)
	p.Topology = out.topology.plan
	out.errs = append(out.errs, errs...)
}

func (d *decider) decideGang(out *decision) graphplan.Gang {
	gang := graphplan.Gang{Provider: graphplan.GangKAI, SchedulerName: gangSchedulerOf(d.cluster, d.memory)}
	find := findQueue
	if gang.SchedulerName == volcanoScheduler {
		gang.Provider, find = graphplan.GangProvider(d.input.LWS.GangProvider), findVolcanoQueue
	}
	var errs field.ErrorList
	out.queue, errs = find(d.graph, d.cluster, d.memory, d.input, d.requirements)
	out.errs = append(out.errs, errs...)
	gang.Queue = out.queue.name
	return gang
}

// decideDeployments looks up the levels that the graph names, though nothing is packed by them.
func (d *decider) decideDeployments(out *decision, p *graphplan.Plan) {
	var errs field.ErrorList
	out.topology, errs = d.defineTopology()
	p.Topology = out.topology.plan
	out.errs = append(out.errs, errs...)
}

// gangSchedulerOf a graph: what its gangs have already, else Volcano, which the Dynamo operator uses with
// LeaderWorkerSets, else KAI.
func gangSchedulerOf(c cluster, m *memory) string {
	switch {
	case m.gangs.scheduler != "":
		return m.gangs.scheduler
	case c.volcano || !c.kai:
		return volcanoScheduler
	default:
		return kaiScheduler
	}
}

// warnOffGrove names what a graph asks for and only Grove can do.
func warnOffGrove(g *graph.Graph, p *graphplan.Plan) []string {
	var warnings []string
	warn := func(path *field.Path, format string, args ...any) {
		warnings = append(warnings, path.String()+": "+fmt.Sprintf(format, args...))
	}
	spec := field.NewPath("spec")
	if g.Spec.PriorityClassName != "" {
		warn(spec.Child("priorityClassName"), "has no effect on %s; name the class in extraPodSpec of each service", p.Orchestrator)
	}
	for _, name := range g.ServiceNames() {
		service := g.Spec.Services[name]
		path := spec.Child("services").Key(name)
		if pod.MinAvailable(&service) > 1 {
			warn(path.Child("minAvailable"), "has no effect on %s: each replica is scheduled by itself", p.Orchestrator)
		}
		if autoscaling.Enabled(&service) && pod.IsMultinode(&service) {
			warn(path.Child("autoscaling"), "has no effect on a service that spans nodes on %s, where each of its replicas is an object of its own: set replicas, or run the graph on Grove", p.Orchestrator)
		}
	}
	return warnings
}
