package workload

import (
	"fmt"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/pod"
)

// onGrove is a service that is a clique or a scaling group of the PodCliqueSet.
func onGrove(g *graph.Graph, p *graphplan.Plan, service string, set PodCliqueSet) Workload {
	w := Workload{Kind: v1alpha1.ComponentKindPodClique, Ready: true, Settled: set.Settled}
	judge := PodClique
	if pod.IsScalingGroup(g, service) {
		w.Kind, judge = v1alpha1.ComponentKindPodCliqueScalingGroup, PodCliqueScalingGroup
	}
	o := judge(p.Children[service])
	if _, ok := p.Children[service]; !ok {
		// Where nothing at all is known of the children, the PodCliqueSet's own word has to do.
		o.Done, o.Message = len(p.Children) == 0 && set.Available, notCreated
	}
	w.add(g.Names().GroveChild(service), o)
	return w
}

// PodClique is done when Grove has seen its latest generation and all its pods are updated and ready.
func PodClique(c graphplan.Child) Object {
	return child(c, Counts{Ready: new(c.ReadyReplicas)}, c.ReadyReplicas, "ready")
}

// PodCliqueScalingGroup is done when Grove has seen its latest generation and all its replicas are updated and available.
func PodCliqueScalingGroup(c graphplan.Child) Object {
	return child(c, Counts{Available: new(c.AvailableReplicas)}, c.AvailableReplicas, "available")
}

// child judges by counts. Grove's conditions are no measure: up to v0.1.0-alpha.11 MinAvailableBreached is False while
// nothing is even scheduled.
func child(c graphplan.Child, counts Counts, up int32, adjective string) Object {
	counts.Replicas, counts.Updated, counts.Scheduled = c.Replicas, c.UpdatedReplicas, new(c.ScheduledReplicas)
	var message string
	switch wanted := c.SpecReplicas; {
	case c.ObservedGeneration == nil:
		message = "Grove has not observed it yet"
	case *c.ObservedGeneration < c.Generation:
		message = "Grove has not observed its latest change yet"
	case up < wanted:
		message = fmt.Sprintf("%d of %d replicas are %s", up, wanted, adjective)
	case c.UpdatedReplicas < wanted:
		message = fmt.Sprintf("%d of %d replicas are updated", c.UpdatedReplicas, wanted)
	case c.Replicas != wanted:
		message = fmt.Sprintf("%d replicas exist, but %d are desired", c.Replicas, wanted)
	case c.Problem != "":
		return waits(counts, c.Problem)
	default:
		return Object{Counts: counts, Done: true}
	}
	if c.Problem != "" {
		message += ", " + c.Problem
	}
	return waits(counts, message)
}
