// Package rollout updates the replicas of a multinode service to a new pod template a few at a time. Each replica is a separate
// LeaderWorkerSet, so the controller of LeaderWorkerSets, which does this for the replicas of one LeaderWorkerSet, cannot. A set that was
// adopted with several replicas is updated at once, and its controller updates the replicas.
//
// The progress of a rollout is only stored in the LeaderWorkerSets: each is annotated with a hash of its pod template.
package rollout

import (
	"fmt"
	"strings"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/workload"
)

// Rollout of a pod template that is in progress.
type Rollout struct {
	// Replicas of the service.
	Replicas int

	// Old is how many of them have an old pod template.
	Old int

	// Outdated are the keys of the LeaderWorkerSets that are observed with an old pod template: those that are updated now, and
	// those that wait.
	Outdated []string

	// Waits is true if some of them wait.
	Waits bool

	// Unready are the names of the LeaderWorkerSets that have the new pod template, or are updated now, and are not ready.
	Unready []string
}

// Message describes the progress of the rollout and what it is waiting for.
func (r Rollout) Message() string {
	updated := r.Replicas - r.Old
	switch {
	case !r.Waits:
		return fmt.Sprintf("%d of %d replicas have the new pod template", updated, r.Replicas)
	case len(r.Unready) == 1:
		return fmt.Sprintf("%d of %d replicas have the new pod template, and the next replica is updated when LeaderWorkerSet %s is ready", updated, r.Replicas, r.Unready[0])
	default:
		return fmt.Sprintf("%d of %d replicas have the new pod template, and the next replica is updated when one of LeaderWorkerSets %s is ready", updated, r.Replicas, strings.Join(r.Unready, ", "))
	}
}

// Pace the update of the desired LeaderWorkerSets. A set whose turn has not come keeps its pod template and its gang. All its other
// fields are applied. Pace returns the rollouts that are in progress, by service.
//
// It runs after all steps that may change pod templates.
func Pace(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, g *graph.Graph, p *graphplan.Plan) map[string]Rollout {
	if p.Orchestrator != graphplan.LeaderWorkerSet {
		return nil
	}
	rollouts := map[string]Rollout{}
	for _, name := range g.ServiceNames() {
		service := g.Spec.Services[name]
		if !pod.IsMultinode(&service) {
			continue
		}
		sets := setsOf(req, rsp, g, name)
		if r := pace(rsp, sets, Limit(pod.WorkloadAnnotations(g, name), len(sets)), restarting(p)); len(r.Outdated) > 0 {
			rollouts[name] = r
		}
	}
	return rollouts
}

// restarting is the ID of the restart that is in progress; empty if there is none.
func restarting(p *graphplan.Plan) string {
	if p.Restart == nil || p.Restart.Phase != v1alpha1.RestartPhaseRestarting {
		return ""
	}
	return p.Restart.ID
}

// setsOf a service are its desired LeaderWorkerSets, in order. Another step may have replaced one by something without a pod template.
func setsOf(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, g *graph.Graph, name string) []*set {
	var sets []*set
	for i := range pod.Sets(g, name) {
		key, gang := string(names.KeyLeaderWorkerSet(name, i)), string(names.KeyPodGroup(name, i))
		desired := rsp.GetDesired().GetResources()[key]
		if templateOf(desired.GetResource()) == nil {
			continue
		}
		observed := req.GetObserved().GetResources()
		sets = append(sets, newSet(key, gang, desired, observed[key].GetResource(), observed[gang].GetResource(), pod.OwnsRestarts(g, name)))
	}
	return sets
}

// pace the sets of one service.
func pace(rsp *fnv1.RunFunctionResponse, sets []*set, limit int, restart string) Rollout {
	r := Rollout{}
	replicas := make([]replica, 0, len(sets))
	for _, s := range sets {
		r.Replicas += s.replicas()
		one := replica{exists: s.observed != nil, available: workload.LeaderWorkerSet(s.observed).Done}
		one.outdated = one.exists && s.outdated()
		replicas = append(replicas, one)
		if one.outdated {
			r.Old += s.replicas()
		} else {
			s.settle(rsp)
		}
		if !one.outdated && !one.available {
			r.Unready = append(r.Unready, s.name())
		}
	}
	updating, waiting := turn(replicas, limit)
	for _, i := range updating {
		sets[i].update(rsp, restart)
		r.Outdated, r.Unready = append(r.Outdated, sets[i].key), append(r.Unready, sets[i].name())
	}
	for _, i := range waiting {
		sets[i].keep(rsp)
		r.Outdated = append(r.Outdated, sets[i].key)
	}
	r.Waits = len(waiting) > 0
	return r
}
