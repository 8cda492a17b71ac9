// Package restart decides which services restart now, when the user has requested a restart of the graph.
package restart

import (
	"slices"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
)

// restart is what is asked for and what is known of it. Where it is needs no memory of its own: the pod templates in the
// cluster tell which services it has reached, so that nothing is forgotten when a call fails.
type restart struct {
	// asked for; nil when no restart is.
	asked *v1alpha1.Restart

	// status that was written last; nil when there is none.
	status *v1alpha1.RestartStatus

	// reported says that the status of the services was written before, by a version that carries out restarts.
	reported bool

	// services that may restart, sorted by name.
	services []restartable
}

// restartable is one service.
type restartable struct {
	name string

	// objects that run the service, in their order. None: there are no pods, or the user restarts them.
	objects []object
}

// object is an object whose pods restart together. Its orchestrator sees to it that the replicas in it do so one by
// one; where each replica is an object of its own, the rollout of its pod template does.
type object struct {
	// live says that the object is observed.
	live bool

	// mark of its pod template, as observed.
	mark graphplan.RestartMark

	// settled says that all its pods come from the template that is observed, and are ready.
	settled bool

	// obscured says that this cannot be known yet, because the orchestrator has yet to act on a change of the whole graph.
	obscured bool
}

// decide how far the restart goes now; nil when there is nothing to say of restarts.
func (r *restart) decide() *graphplan.Restart {
	out := &graphplan.Restart{Marks: map[string][]graphplan.RestartMark{}}
	if r.goesOn() {
		r.advance(out)
	} else {
		r.rest(out)
	}
	for name, marks := range out.Marks {
		if !slices.ContainsFunc(marks, func(m graphplan.RestartMark) bool { return m != graphplan.RestartMark{} }) {
			delete(out.Marks, name)
		}
	}
	if len(out.Marks) == 0 {
		// As a step reads it that gets the plan as JSON.
		out.Marks = nil
	}
	if out.ID == "" && out.Marks == nil {
		return nil
	}
	return out
}

// goesOn reports whether a restart is to be begun or carried on. An id that stands in the spec before anyone who carries
// out restarts has reported on the graph is no request: the graph was created with it, or a version that ignored it ran
// the graph. The generation cannot tell: Crossplane itself changes the spec, not least on an upgrade of the package.
func (r *restart) goesOn() bool {
	switch {
	case r.asked == nil:
		return false
	case r.status != nil && r.status.ObservedID == r.asked.ID:
		return !r.ended()
	case r.status != nil || r.reported:
		return true
	default:
		return slices.ContainsFunc(r.services, r.marked)
	}
}

// marked reports whether pods of a service come from the restart that is asked for.
func (r *restart) marked(s restartable) bool {
	return slices.ContainsFunc(s.objects, func(o object) bool { return o.live && o.mark.At == r.asked.ID })
}

// ended reports whether the restart in the status is over. The Dynamo operator knows two ends more.
func (r *restart) ended() bool {
	switch r.status.Phase {
	case v1alpha1.RestartPhaseCompleted, v1alpha1.RestartPhaseFailed, v1alpha1.RestartPhaseSuperseded:
		return true
	default:
		return false
	}
}

// rest leaves everything as it is. The result of the last restart stays in the status, even after its request was removed;
// a restart whose request was removed before it completed does not.
func (r *restart) rest(out *graphplan.Restart) {
	switch {
	case r.status != nil && r.ended():
		out.ID, out.Phase = r.status.ObservedID, r.status.Phase
	case r.asked != nil:
		out.ID, out.Phase = r.asked.ID, v1alpha1.RestartPhaseCompleted
	}
	for _, s := range r.services {
		for _, o := range s.objects {
			out.Marks[s.name] = append(out.Marks[s.name], s.keptMark(o))
		}
	}
}

// keptMark is the mark that an object has. One that is new is like its siblings.
func (s *restartable) keptMark(o object) graphplan.RestartMark {
	if i := slices.IndexFunc(s.objects, func(o object) bool { return o.live }); !o.live && i >= 0 {
		return graphplan.RestartMark{At: s.objects[i].mark.At}
	}
	return o.mark
}

// advance the restart by as much as may restart now: in a sequence the next service when all that were reached before are
// ready, else all services. Its replicas take the mark as they take any other change of their pod template, some at a time.
func (r *restart) advance(out *graphplan.Restart) {
	out.ID, out.Phase = r.asked.ID, v1alpha1.RestartPhaseCompleted
	starting := r.starting()
	for _, s := range r.services {
		for _, o := range s.objects {
			out.Marks[s.name] = append(out.Marks[s.name], r.markOf(o, starting[s.name]))
		}
		if starting[s.name] || r.rolling(s) && !r.doneBefore(s) {
			out.InProgress = append(out.InProgress, s.name)
		}
	}
	if len(out.InProgress) == 0 && slices.ContainsFunc(r.services, r.unreached) {
		out.InProgress = r.holdingUp()
	}
	if len(out.InProgress) > 0 {
		out.Phase = v1alpha1.RestartPhaseRestarting
	}
}

// starting are the services that begin now, or go on with the replicas that have not been reached yet.
func (r *restart) starting() map[string]bool {
	starting := map[string]bool{}
	for _, s := range r.inOrder() {
		if !r.unreached(s) {
			continue
		}
		if !r.sequential() {
			starting[s.name] = true
			continue
		}
		others := func(other restartable) bool { return other.name != s.name && r.rolling(other) }
		starting[s.name] = !slices.ContainsFunc(r.services, others)
		break
	}
	return starting
}

// holdingUp are the services that a sequence waits for.
func (r *restart) holdingUp() []string {
	var all []string
	for _, s := range r.services {
		if r.rolling(s) {
			all = append(all, s.name)
		}
	}
	return all
}

func (r *restart) markOf(o object, starts bool) graphplan.RestartMark {
	if starts || !o.live {
		return graphplan.RestartMark{At: r.asked.ID}
	}
	return o.mark
}

// unreached reports whether the restart has yet to reach any object of a service.
func (r *restart) unreached(s restartable) bool {
	return slices.ContainsFunc(s.objects, func(o object) bool { return !r.reached(o) })
}

// reached reports whether the restart has reached an object. One that is not there is created as new as can be.
func (r *restart) reached(o object) bool { return !o.live || o.mark.At == r.asked.ID }

// rolling reports whether any object of a service has been reached and is not ready again. While that cannot be known, the
// last status counts. If it is older than the object's mark, it names the service that the restart waited for then, and every
// service is judged again as soon as the orchestrator has caught up.
func (r *restart) rolling(s restartable) bool {
	return slices.ContainsFunc(s.objects, func(o object) bool {
		return r.reached(o) && !o.settled && (!o.obscured || !r.saidDone(s))
	})
}

// saidDone reports whether the status does not have a service in progress.
func (r *restart) saidDone(s restartable) bool {
	return r.status != nil && r.status.ObservedID == r.asked.ID && !slices.Contains(r.status.InProgress, s.name)
}

// doneBefore reports whether the restart of a service is known to have ended, whatever has become of the service since: the
// status has others in progress, and not this one. In a sequence a service that comes later must be among them. Else the
// status may be of the step before, and this service the one that followed.
func (r *restart) doneBefore(s restartable) bool {
	if !r.saidDone(s) {
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
	return r.asked.Strategy == nil || r.asked.Strategy.Type != v1alpha1.RestartParallel
}

// inOrder are the services in the order in which they restart.
func (r *restart) inOrder() []restartable {
	if r.asked.Strategy == nil || len(r.asked.Strategy.Order) == 0 {
		return r.services
	}
	place := func(s restartable) int { return slices.Index(r.asked.Strategy.Order, s.name) }
	return slices.SortedStableFunc(slices.Values(r.services), func(a, b restartable) int { return place(a) - place(b) })
}
