package plan

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/autoscaling"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/names"
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
	queue, served := d.kaiQueue(d.memory.gangs.queues), d.cluster.kai
	if gang.SchedulerName == volcanoScheduler {
		gang.Provider = d.gangProvider(out)
		queue, served = d.volcanoQueue(d.memory.gangs.queues), d.cluster.volcano
	}
	queue.placing = !d.memory.exists() || d.lacksGang(gang)
	d.decideQueue(out, queue, served)
	gang.Queue = out.queue.name
	return gang
}

// lacksGang reports whether the graph has a replica whose gang is still to be made.
func (d *decider) lacksGang(gang graphplan.Gang) bool {
	composed := d.memory.composed
	return slices.ContainsFunc(multinodeServices(d.graph), func(name string) bool {
		service := d.graph.Spec.Services[name]
		for i := range pod.Replicas(&service) {
			lacks := !composed[string(names.KeyLeaderWorkerSet(name, i))]
			if gang.Provider == graphplan.GangPodGroup && inGang(&service, gang) {
				lacks = lacks || !composed[string(names.KeyPodGroup(name, i))]
			}
			if lacks {
				return true
			}
		}
		return false
	})
}

// gangProvider on Volcano is that of the gangs that there are: another one would take their PodGroups away, and their
// placement with them.
func (d *decider) gangProvider(out *decision) graphplan.GangProvider {
	asked, kept := graphplan.GangProvider(d.input.LWS.GangProvider), d.memory.gangs.provider
	if kept != "" && kept != asked {
		out.warnings = append(out.warnings, keeps{
			setting: "lws.gangProvider", value: string(asked), keeper: "this one keeps", kept: string(kept), remedy: recreateToChange,
		}.String())
	}
	return cmp.Or(kept, asked)
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
