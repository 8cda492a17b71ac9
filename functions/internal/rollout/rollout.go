// Package rollout has the replicas of a service that spans nodes take a new pod template a few at a time. Each replica is a
// LeaderWorkerSet of its own, so that the controller of LeaderWorkerSets, which would do this for the replicas of one set,
// cannot.
//
// How far a rollout is needs no memory but the sets themselves: each is marked with a hash of its pod template.
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

// Rollout of a pod template that is under way.
type Rollout struct {
	// Replicas of the service.
	Replicas int

	// Behind are the keys of the LeaderWorkerSets that are not observed with the new pod template: those that take it now, and
	// those that wait.
	Behind []string

	// Waits says that some of them wait.
	Waits bool

	// Awaited are the names of the LeaderWorkerSets that have the new pod template, or take it now, and are not ready.
	Awaited []string
}

// Message says how far the rollout is, and what it waits for.
func (r Rollout) Message() string {
	updated := r.Replicas - len(r.Behind)
	switch {
	case !r.Waits:
		return fmt.Sprintf("%d of %d replicas have the new pod template", updated, r.Replicas)
	case len(r.Awaited) == 1:
		return fmt.Sprintf("%d of %d replicas have the new pod template, and the next replica is updated when LeaderWorkerSet %s is ready", updated, r.Replicas, r.Awaited[0])
	default:
		return fmt.Sprintf("%d of %d replicas have the new pod template, and the next replica is updated when one of LeaderWorkerSets %s is ready", updated, r.Replicas, strings.Join(r.Awaited, ", "))
	}
}

// Pace the desired LeaderWorkerSets: a set whose turn to take a new pod template has not come keeps the one that it has, and
// so does its gang. Everything else about it is as desired. What is returned are the rollouts that are under way, by service.
//
// It comes after all steps that may have a say in pod templates.
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
		sets := setsOf(req, rsp, name, &service, pod.OwnsRestarts(g, name))
		if r := pace(rsp, sets, limit(pod.WorkloadAnnotations(g, name), len(sets)), restarting(p)); len(r.Behind) > 0 {
			rollouts[name] = r
		}
	}
	return rollouts
}

// restarting is the id of the restart that is being carried out; empty when there is none.
func restarting(p *graphplan.Plan) string {
	if p.Restart == nil || p.Restart.Phase != v1alpha1.RestartPhaseRestarting {
		return ""
	}
	return p.Restart.ID
}

// setsOf a service: those that are desired, in their order. One without a pod template is none of ours.
func setsOf(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, name string, service *v1alpha1.Service, ownRestarts bool) []*set {
	var sets []*set
	for i := range pod.Replicas(service) {
		key, gang := string(names.KeyLeaderWorkerSet(name, i)), string(names.KeyPodGroup(name, i))
		desired := rsp.GetDesired().GetResources()[key]
		if templateOf(desired.GetResource()) == nil {
			continue
		}
		observed := req.GetObserved().GetResources()
		sets = append(sets, newSet(key, gang, desired, observed[key].GetResource(), observed[gang].GetResource(), ownRestarts))
	}
	return sets
}

// pace the sets of one service.
func pace(rsp *fnv1.RunFunctionResponse, sets []*set, limit int, restart string) Rollout {
	r := Rollout{Replicas: len(sets)}
	replicas := make([]replica, 0, len(sets))
	for _, s := range sets {
		one := replica{exists: s.observed != nil, available: workload.LeaderWorkerSet(s.observed).Done}
		one.differs = one.exists && s.differs()
		replicas = append(replicas, one)
		if !one.differs {
			s.settle(rsp)
		}
		if !one.differs && !one.available {
			r.Awaited = append(r.Awaited, s.name())
		}
	}
	taking, waiting := turn(replicas, limit)
	for _, i := range taking {
		sets[i].take(rsp, restart)
		r.Behind, r.Awaited = append(r.Behind, sets[i].key), append(r.Awaited, sets[i].name())
	}
	for _, i := range waiting {
		sets[i].keep(rsp)
		r.Behind = append(r.Behind, sets[i].key)
	}
	r.Waits = len(waiting) > 0
	return r
}
