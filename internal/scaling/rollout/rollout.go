// Package rollout updates the replicas of components to a new pod template.
//
// The replicas of a multinode component are updated a few at a time. Each is a separate LeaderWorkerSet, so the controller of LeaderWorkerSets,
// which does this for the replicas of one LeaderWorkerSet, cannot. A set that was adopted with several replicas is updated at once, and its
// controller updates the replicas. The progress of a rollout is only stored in the LeaderWorkerSets: each is annotated with a hash of its pod
// template. Deployments update their own replicas.
//
// When the generation of the workers changes, the rollouts of all of them are one: see generationChange.
package rollout

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/health/workload"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/scaling/gang"
)

// Rollout of a pod template that is in progress.
type Rollout struct {
	// Replicas of the component.
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

	// Lacking are the components without a ready replica of a new generation of the workers, if replicas with the old one stay for them.
	Lacking []string
}

// Message describes the progress of the rollout and what it is waiting for.
func (r Rollout) Message() string {
	progress := fmt.Sprintf("%d of %d replicas have the new pod template", r.Replicas-r.Old, r.Replicas)
	switch {
	case len(r.Lacking) == 1:
		return fmt.Sprintf("%s, and the old generation of workers stays until %s has a ready replica of the new generation", progress, r.Lacking[0])
	case len(r.Lacking) > 1:
		return fmt.Sprintf("%s, and the old generation of workers stays until each of %s has a ready replica of the new generation", progress, strings.Join(r.Lacking, ", "))
	case !r.Waits:
		return progress
	case len(r.Unready) == 1:
		return fmt.Sprintf("%s, and the next replica is updated when LeaderWorkerSet %s is ready", progress, r.Unready[0])
	default:
		return fmt.Sprintf("%s, and the next replica is updated when one of LeaderWorkerSets %s is ready", progress, strings.Join(r.Unready, ", "))
	}
}

// component of a graph with what runs it: LeaderWorkerSets, or a Deployment.
type component struct {
	name string

	sets []*set
	// limit is the number of replicas on LeaderWorkerSets that may be unavailable during a rollout.
	limit int

	deployment *deployment
}

// Pace the update of the desired workloads. A LeaderWorkerSet whose turn has not come keeps its pod template and its gang, and a Deployment that
// waits for other workers keeps its pod template or its old pods. All other fields are applied. Pace returns the rollouts that are in progress,
// by component. Grove paces its own.
//
// It runs after all steps that may change pod templates.
func Pace(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, g *graph.Graph, p *graphplan.Plan) (map[string]Rollout, error) {
	if p.Orchestrator == graphplan.Grove {
		return map[string]Rollout{}, nil
	}
	var all []component
	var workers []member
	for _, name := range g.ComponentNames() {
		c, ok := componentOf(req, rsp, g, p, name)
		if !ok {
			continue
		}
		all = append(all, c)
		if m := c.member(); g.Component(name).IsWorker() && c.replicas() > 0 {
			workers = append(workers, m)
		}
	}
	change, rollouts := changeOf(workers), map[string]Rollout{}
	for _, c := range all {
		r, err := c.pace(rsp, change, restarting(p))
		if err != nil {
			return nil, errors.Wrapf(err, "cannot update the replicas of %s", c.name)
		}
		if r.Replicas > 0 {
			rollouts[c.name] = r
		}
	}
	return rollouts, nil
}

// componentOf a graph. ok is false if another step has replaced what runs it by something without a pod template.
func componentOf(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, g *graph.Graph, p *graphplan.Plan, name string) (c component, ok bool) {
	spec := g.Component(name)
	if spec.IsMultinode() {
		sets := setsOf(req, rsp, g, p, name)
		return component{name: name, sets: sets, limit: gang.Limit(pod.WorkloadAnnotations(spec), len(sets))}, len(sets) > 0
	}
	key := string(names.KeyDeployment(name))
	desired := rsp.GetDesired().GetResources()[key].GetResource()
	if podsOf(desired) == nil {
		return component{}, false
	}
	return component{name: name, deployment: newDeployment(key, name, desired, req.GetObserved().GetResources()[key].GetResource())}, true
}

// HasRoom reports whether a component keeps an old replica while a new one starts. The object is that of its Deployment, if it has one.
func HasRoom(g *graph.Graph, name string, object *structpb.Struct) bool {
	component := g.Component(name)
	if !component.IsMultinode() {
		return (&deployment{desired: object}).hasRoom()
	}
	sets := int(component.Sets())
	return gang.Limit(pod.WorkloadAnnotations(component), sets) < sets
}

func (c component) replicas() int {
	if c.deployment != nil {
		return c.deployment.replicas()
	}
	return len(c.sets)
}

func (c component) member() member {
	if c.deployment != nil {
		return c.deployment.member()
	}
	m := member{name: c.name, room: c.limit < len(c.sets)}
	for _, s := range c.sets {
		m.generation = s.generation()
		if s.observed == nil {
			continue
		}
		available := workload.LeaderWorkerSet(s.observed).Done
		m.exists = m.exists || available || s.outdated()
		switch {
		case s.changesGeneration():
			m.changes, m.old = true, m.old || available
		case !s.outdated():
			m.served = m.served || available
		}
	}
	return m
}

// pace the rollout of a component. It has no replicas if none is in progress.
func (c component) pace(rsp *fnv1.RunFunctionResponse, change generationChange, restartID string) (Rollout, error) {
	if c.deployment != nil {
		return c.deployment.pace(rsp, change), nil
	}
	r, err := pace(rsp, c.sets, c.limit, restartID, change.restraints[c.name])
	if err != nil || len(r.Outdated) == 0 {
		return Rollout{}, err
	}
	if r.Waits && change.restraints[c.name] != unrestrained {
		r.Lacking = change.lacking
	}
	return r, nil
}

// restarting is the ID of the restart that is in progress; empty if there is none.
func restarting(p *graphplan.Plan) string {
	if !p.Restart.UnderWay() {
		return ""
	}
	return p.Restart.ID
}

// setsOf a component are its desired LeaderWorkerSets, in order. Another step may have replaced one by something without a pod template.
func setsOf(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, g *graph.Graph, p *graphplan.Plan, name string) []*set {
	var sets []*set
	for _, i := range g.Component(name).Indices() {
		key := string(names.KeyLeaderWorkerSet(name, i))
		desired := rsp.GetDesired().GetResources()[key].GetResource()
		if templateOf(desired) == nil {
			continue
		}
		observed := req.GetObserved().GetResources()
		live := observed[key].GetResource()
		group := string(names.KeyPodGroup(name, i))
		if generation, native := gang.GenerationOf(live); native {
			group = string(names.KeySchedulingGroup(name, i, generation))
			desired = withGroup(desired, generation)
		}
		s := newSet(key, group, desired, live, observed[group].GetResource(), g.Component(name).OwnsRestarts())
		s.groups = groups{gangs: gang.Builder{Graph: g, Plan: p}, component: name, replica: i, observed: observed}
		sets = append(sets, s)
	}
	return sets
}

// pace the sets of one component.
func pace(rsp *fnv1.RunFunctionResponse, sets []*set, limit int, restartID string, restraint restraint) (Rollout, error) {
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
	updating, waiting = restraint.apply(replicas, updating, waiting)
	for _, i := range updating {
		if err := sets[i].update(rsp, restartID); err != nil {
			return Rollout{}, err
		}
		r.Outdated, r.Unready = append(r.Outdated, sets[i].key), append(r.Unready, sets[i].name())
	}
	for _, i := range waiting {
		if err := sets[i].keep(rsp); err != nil {
			return Rollout{}, err
		}
		r.Outdated = append(r.Outdated, sets[i].key)
	}
	r.Waits = len(waiting) > 0
	return r, nil
}
