// Package restart restarts the pods of a graph whose user has requested it, one component after the other, or all at once.
//
// A new ID in spec.restart is a restart. A component restarts when its pod templates are marked with the ID: step plan decides for each object which
// mark it gets now (Decide), all pods are built with their marks, and the orchestrator replaces pods as after any other change of their
// templates. The marks that are observed are the progress. Step status writes the status, and reports the start and the end (report.go).
//
// Elsewhere, internal/validate/restart.go checks the request, graph.Component.OwnsRestarts tells components that their user restarts, package
// rollout marks the replicas of a multinode component when their turn comes, and step revision leaves marks out of revisions. A mark is part of what
// functions/plan/written hashes, but no reason for another generation of workers (functions/plan/generations).
package restart

import (
	"slices"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// restart is the requested restart and its progress. The progress is read from the pod templates in the cluster: a template
// carries the ID of the restart once the restart has reached it. So nothing is lost when a call fails.
type restart struct {
	// request of the user; nil if there is none.
	request *v1alpha1.Restart

	// status that was written last; nil if there is none.
	status *v1alpha1.RestartStatus

	// reported is true if the status of the components has been written before.
	reported bool

	// components that may restart, sorted by name.
	components []restartable
}

// restartable is one component.
type restartable struct {
	name string

	// objects that run the component, in order. Empty if there are no pods, or if the user restarts them.
	objects []object
}

// object is an object whose pods get a new template together. Its orchestrator then replaces the replicas one by one. If each
// replica is a separate object, package rollout updates the objects one by one.
type object struct {
	// live is true if the object is observed.
	live bool

	// mark of its pod template, as observed.
	mark graphplan.RestartMark

	// ready is true if all pods have the observed template and are ready.
	ready bool

	// stale is true if that is not known yet, because the orchestrator has not acted on a change of the whole graph.
	stale bool
}

// decide which components restart now. nil if there is nothing to report about restarts.
func (r *restart) decide() *graphplan.Restart {
	out := &graphplan.Restart{Marks: map[string][]graphplan.RestartMark{}}
	if r.isActive() {
		r.advance(out)
	} else {
		r.keep(out)
	}
	for name, marks := range out.Marks {
		if !slices.ContainsFunc(marks, func(m graphplan.RestartMark) bool { return m != graphplan.RestartMark{} }) {
			delete(out.Marks, name)
		}
	}
	if len(out.Marks) == 0 {
		// Other steps read it like this when they get the plan as JSON.
		out.Marks = nil
	}
	if out.ID == "" && out.Marks == nil {
		return nil
	}
	return out
}

// isActive reports whether a restart has to start or to continue. An ID that was in the spec before the first status was written is not a
// request: the graph was created with it.
func (r *restart) isActive() bool {
	switch {
	case r.request == nil:
		return false
	case r.status != nil && r.status.ObservedID == r.request.ID:
		return !r.isOver()
	case r.status != nil || r.reported:
		return true
	default:
		return slices.ContainsFunc(r.components, r.hasRestarted)
	}
}

// hasRestarted reports whether the template of any object of a component carries the requested ID.
func (r *restart) hasRestarted(s restartable) bool {
	return slices.ContainsFunc(s.objects, func(o object) bool { return o.live && o.mark.At == r.request.ID })
}

// isOver reports whether the restart in the status is over. Two of these phases are set by the Dynamo operator only.
func (r *restart) isOver() bool {
	switch r.status.Phase {
	case v1alpha1.RestartPhaseCompleted, v1alpha1.RestartPhaseFailed, v1alpha1.RestartPhaseSuperseded:
		return true
	default:
		return false
	}
}

// keep leaves all templates as they are. The result of a completed restart stays in the status, even after its request was
// removed. A restart whose request was removed before it completed is dropped.
func (r *restart) keep(out *graphplan.Restart) {
	switch {
	case r.status != nil && r.isOver():
		out.ID, out.Phase = r.status.ObservedID, r.status.Phase
	case r.request != nil:
		out.ID, out.Phase = r.request.ID, v1alpha1.RestartPhaseCompleted
	}
	for _, s := range r.components {
		for _, o := range s.objects {
			out.Marks[s.name] = append(out.Marks[s.name], s.currentMark(o))
		}
	}
}

// currentMark is the mark of an object. A new object gets the mark of the others of its component.
func (s *restartable) currentMark(o object) graphplan.RestartMark {
	if i := slices.IndexFunc(s.objects, func(o object) bool { return o.live }); !o.live && i >= 0 {
		return graphplan.RestartMark{At: s.objects[i].mark.At}
	}
	return o.mark
}

// advance the restart. In a sequence, the next component gets the ID when all components that got it before are ready again. In
// parallel, all components get it at once. The ID changes the pod template, so replicas are replaced as for any other change of
// the template.
func (r *restart) advance(out *graphplan.Restart) {
	out.ID, out.Phase = r.request.ID, v1alpha1.RestartPhaseCompleted
	starting := r.starting()
	for _, s := range r.components {
		for _, o := range s.objects {
			out.Marks[s.name] = append(out.Marks[s.name], r.desiredMark(o, starting[s.name]))
		}
		if starting[s.name] || r.isRestarting(s) && !r.wasDone(s) {
			out.InProgress = append(out.InProgress, s.name)
		}
	}
	if len(out.InProgress) == 0 && slices.ContainsFunc(r.components, r.isPending) {
		out.InProgress = r.unreadyComponents()
	}
	if len(out.InProgress) > 0 {
		out.Phase = v1alpha1.RestartPhaseRestarting
	}
}

// starting are the components that get the ID now: those that start, and those that have replicas without it.
func (r *restart) starting() map[string]bool {
	starting := map[string]bool{}
	for _, s := range r.inOrder() {
		if !r.isPending(s) {
			continue
		}
		if !r.sequential() {
			starting[s.name] = true
			continue
		}
		others := func(other restartable) bool { return other.name != s.name && r.isRestarting(other) }
		starting[s.name] = !slices.ContainsFunc(r.components, others)
		break
	}
	return starting
}

// unreadyComponents are the components that the next component of a sequence waits for.
func (r *restart) unreadyComponents() []string {
	var all []string
	for _, s := range r.components {
		if r.isRestarting(s) {
			all = append(all, s.name)
		}
	}
	return all
}

func (r *restart) desiredMark(o object, starts bool) graphplan.RestartMark {
	if starts || !o.live {
		return graphplan.RestartMark{At: r.request.ID}
	}
	return o.mark
}

// isPending reports whether the restart has not reached all objects of a component.
func (r *restart) isPending(s restartable) bool {
	return slices.ContainsFunc(s.objects, func(o object) bool { return !r.isReached(o) })
}

// isReached reports whether the template of an object carries the ID. An object that does not exist yet is created with it.
func (r *restart) isReached(o object) bool { return !o.live || o.mark.At == r.request.ID }

// isRestarting reports whether the restart has reached an object of a component that is not ready again. If that is not known, the last
// status decides. If the status is older than the mark of the object, it contains the component that the restart was waiting for at that
// time, and all components are evaluated again when the orchestrator has acted on the change.
func (r *restart) isRestarting(s restartable) bool {
	return slices.ContainsFunc(s.objects, func(o object) bool {
		return r.isReached(o) && !o.ready && (!o.stale || !r.reportedDone(s))
	})
}

// reportedDone reports whether the status does not list a component as in progress.
func (r *restart) reportedDone(s restartable) bool {
	return r.status != nil && r.status.ObservedID == r.request.ID && !slices.Contains(r.status.InProgress, s.name)
}

// wasDone reports whether the restart of a component has completed, even if the component is not ready now: the status lists other
// components as in progress, but not this one. In a sequence, one of those must come after this component. Otherwise the status may
// be older than the start of this component.
func (r *restart) wasDone(s restartable) bool {
	if !r.reportedDone(s) {
		return false
	}
	order := r.inOrder()
	place := func(name string) int {
		return slices.IndexFunc(order, func(s restartable) bool { return s.name == name })
	}
	return slices.ContainsFunc(r.status.InProgress, func(other string) bool {
		return !r.sequential() || place(other) > place(s.name)
	})
}

func (r *restart) sequential() bool {
	return r.request.Strategy == nil || r.request.Strategy.Type != v1alpha1.RestartParallel
}

// inOrder are the components in the order in which they restart.
func (r *restart) inOrder() []restartable {
	if r.request.Strategy == nil || len(r.request.Strategy.Order) == 0 {
		return r.components
	}
	place := func(s restartable) int { return slices.Index(r.request.Strategy.Order, s.name) }
	return slices.SortedStableFunc(slices.Values(r.components), func(a, b restartable) int { return place(a) - place(b) })
}
