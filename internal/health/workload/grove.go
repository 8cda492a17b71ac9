package workload

import (
	"fmt"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/condition"
)

// onGrove is a component with a clique or a scaling group of the PodCliqueSet.
func onGrove(g *graph.Graph, p *graphplan.Plan, component string, set PodCliqueSet) Workload {
	w := Workload{Kind: v1alpha1.ComponentKindPodClique, Ready: true, Settled: set.Settled}
	judge := PodClique
	if g.Component(component).IsScalingGroup() {
		w.Kind, judge = v1alpha1.ComponentKindPodCliqueScalingGroup, PodCliqueScalingGroup
	}
	child, ok := p.Children[component]
	o := judge(child)
	if !ok {
		// If no child is known, only the status of the PodCliqueSet is left.
		o = absentChild()
		o.Done = len(p.Children) == 0 && set.Available
	}
	w.add(g.Names().GroveChild(component), o)
	return w
}

// PodClique is done when Grove has observed its latest generation, and all its pods are updated and ready.
func PodClique(c graphplan.Child) Object {
	return child(c, Counts{Ready: new(c.ReadyReplicas)}, c.ReadyReplicas, "ready")
}

// PodCliqueScalingGroup is done when Grove has observed its latest generation, and all its replicas are updated and available.
func PodCliqueScalingGroup(c graphplan.Child) Object {
	return child(c, Counts{Available: new(c.AvailableReplicas)}, c.AvailableReplicas, "available")
}

// absentChild is the result for a child that does not exist. As with the operator, the status of its component then only has the counts that the
// API requires.
func absentChild() Object { return waits(Counts{}, "resource not found") }

// child compares numbers of replicas and ignores conditions: up to v0.1.0-alpha.11, MinAvailableBreached is False while no pod is
// scheduled. If it is not done, messages and reasons are the operator's, in its order, with one exception: gated pods do not prove that
// capacity is missing. Grove does not count again when it removes their gates or when they are bound, only when a container starts, stops or
// becomes ready, so that a pod whose image cannot be pulled counts as gated for as long as that lasts.
// dynamo-operator, August 2026, observePodCliqueReadiness and observePCSGReadiness in internal/dynamo/grove.go.
// https://github.com/ai-dynamo/grove/blob/main/operator/internal/controller/podclique/register.go, hasPodStatusChanged
func child(c graphplan.Child, counts Counts, up int32, lacking string) Object {
	counts.Replicas, counts.Updated = c.Replicas, c.UpdatedReplicas
	if c.ObservedGeneration != nil && *c.ObservedGeneration >= c.Generation {
		// Before that, Grove may not have counted them.
		counts.Scheduled = new(c.ScheduledReplicas)
	}
	var o Object
	switch wanted := c.SpecReplicas; {
	case c.ObservedGeneration == nil:
		o = waits(counts, "observedGeneration is nil")
	case *c.ObservedGeneration < c.Generation && c.Update != nil:
		// From v0.1.0-alpha.12 on, observedGeneration only rises when the update ends. Until then, the counts may be of earlier pods.
		o = waitsFor(condition.ReasonUpdating, counts, fmt.Sprintf("performing rolling update: desired=%d, updated=%d", wanted, c.UpdatedReplicas))
	case *c.ObservedGeneration < c.Generation:
		o = waits(counts, fmt.Sprintf("spec not yet processed: generation=%d, observedGeneration=%d", c.Generation, *c.ObservedGeneration))
	case up >= wanted && c.UpdatedReplicas >= wanted && c.Replicas == wanted:
		if c.Problem == "" {
			return Object{Counts: counts, Done: true}
		}
		return waits(counts, c.Problem)
	case c.ScheduleGatedReplicas > 0:
		o = waitsFor(condition.ReasonPodsNotReady, counts, fmt.Sprintf("schedule-gated replicas: %d when Grove last counted them", c.ScheduleGatedReplicas))
	case c.Unscheduled != "":
		o = waitsFor(condition.ReasonInsufficientCapacity, counts, c.Unscheduled)
	case 0 < c.ScheduledReplicas && c.ScheduledReplicas < wanted:
		o = waitsFor(condition.ReasonInsufficientCapacity, counts, fmt.Sprintf("insufficient scheduled replicas: scheduled=%d/%d", c.ScheduledReplicas, wanted))
	case c.UpdatedReplicas != wanted:
		o = waitsFor(condition.ReasonUpdating, counts, fmt.Sprintf("desired=%d, updated=%d", wanted, c.UpdatedReplicas))
	case c.Replicas != wanted:
		o = waitsFor(condition.ReasonUpdating, counts, fmt.Sprintf("performing rolling update: desired=%d, replicas=%d", wanted, c.Replicas))
	default:
		o = waitsFor(condition.ReasonPodsNotReady, counts, fmt.Sprintf("scheduled but %s=%d/%d", lacking, up, wanted))
	}
	o.Detail = c.Problem
	return o
}
