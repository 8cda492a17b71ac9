package explain

import (
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// gangs of the graph. On Grove, one gang contains as many replicas of each component as the user wants to start together, and each further
// replica that spans pods is a gang of its own. On LeaderWorkerSets each replica is one.
// https://github.com/ai-dynamo/grove/blob/main/docs/api-reference/operator-api.md
func (d *describer) gangs(components []Component, all *pods) []Gang {
	if d.plan.Orchestrator == graphplan.LeaderWorkerSet {
		return d.gangsOfSets(components, all)
	}
	if d.plan.Orchestrator != graphplan.Grove {
		return nil
	}
	first := Gang{By: d.plan.Grove.SchedulerName, Count: 1, OfGraph: true}
	var further []Gang
	for i := range components {
		c := &components[i]
		own := all.byComponent[c.Name]
		least := min(own.least, c.Replicas)
		first.Pods += least * own.together()
		first.Members = append(first.Members, Member{Component: c.Name, Replicas: least})
		if rest := c.Replicas - least; rest > 0 && own.grouped {
			further = append(further, Gang{By: c.Scheduler, Count: rest, Pods: own.together(), Members: []Member{{Component: c.Name, Replicas: 1}}})
		}
	}
	return append([]Gang{first}, further...)
}

// gangsOfSets are those of the components with LeaderWorkerSets whose pods have the scheduler of gangs.
func (d *describer) gangsOfSets(components []Component, all *pods) []Gang {
	var gangs []Gang
	for i := range components {
		c := &components[i]
		own := all.byComponent[c.Name]
		if c.Workload.Kind == "LeaderWorkerSet" && d.plan.LWS.Gang.Provider == graphplan.GangKueue {
			gangs = append(gangs, Gang{By: graphplan.KueueScheduler, Count: c.Replicas, Pods: own.together(), Members: []Member{{Component: c.Name, Replicas: 1}}})
			continue
		}
		if c.Workload.Kind != "LeaderWorkerSet" || !d.plan.LWS.Gang.Places(d.graph.Names(), c.Name, c.Scheduler) || c.Scheduler == "" {
			continue
		}
		gangs = append(gangs, Gang{By: c.Scheduler, Count: c.Replicas, Pods: own.together(), Members: []Member{{Component: c.Name, Replicas: 1}}})
	}
	return gangs
}
