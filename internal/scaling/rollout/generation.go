package rollout

import "slices"

// member is a component of the workers of a graph, with what its rollout to another generation has reached. Components without replicas are no
// members.
type member struct {
	name string

	// generation that is desired.
	generation string

	// exists is true if the component has pods that may have been part of a complete generation. A component that is added has none until the
	// first of its pods is ready.
	exists bool

	// changes is true if it has pods with another generation than the desired one, or if they were not let go yet.
	changes bool

	// old is true if a replica with another generation is available.
	old bool

	// served is true if a replica with the desired generation has been ready.
	served bool

	// room is true if the component keeps an old replica while a new one starts.
	room bool
}

// restraint of a component while the generation of the workers changes.
type restraint int

const (
	// unrestrained components roll as they always do.
	unrestrained restraint = iota

	// keepsOne is the restraint of a component whose last replica with the old generation stays.
	keepsOne

	// keepsAll is the restraint of a component none of whose replicas is updated yet.
	keepsAll
)

// apply the restraint to the turns of the replicas of a component.
func (r restraint) apply(replicas []replica, updating, waiting []int) (nowUpdating, nowWaiting []int) {
	isSound := func(i int) bool { return replicas[i].available }
	switch last := lastIndex(updating, isSound); {
	case r == keepsAll:
		return nil, append(updating, waiting...)
	case r == keepsOne && last >= 0 && !slices.ContainsFunc(waiting, isSound):
		return slices.Delete(slices.Clone(updating), last, last+1), append(waiting, updating[last])
	default:
		return updating, waiting
	}
}

func lastIndex(list []int, is func(int) bool) int {
	for i, v := range slices.Backward(list) {
		if is(v) {
			return i
		}
	}
	return -1
}

// generationChange is a change of the generation of the workers of a graph. Only workers of the same generation work together, so as long as
// the new generation lacks one of them, it is the old one that serves.
type generationChange struct {
	restraints map[string]restraint

	// lacking are the components without a ready replica of the new generation.
	lacking []string
}

// changeOf the generation of some workers. Each of them keeps a replica of the old generation until all have a ready one of the new generation.
// Those without room for both go last, and together: then the new generation is known to start, and lacks nothing but them.
//
// Nothing is restrained if the old generation does not serve any more: there is nothing to lose. A worker without old replicas says nothing of
// that: it may be added, so that the old generation has served without it.
func changeOf(members []member) generationChange {
	changes, whole, onlyTight, oneGeneration := false, true, true, true
	var change generationChange
	for _, m := range members {
		changes = changes || m.changes
		whole = whole && (!m.changes || m.old)
		// Workers of graphs that were adopted may have none beside others that have one, and change independently.
		oneGeneration = oneGeneration && m.generation == members[0].generation
		if !m.served {
			change.lacking = append(change.lacking, m.name)
			onlyTight = onlyTight && m.exists && !m.room
		}
	}
	if len(members) < 2 || !changes || !whole || !oneGeneration || len(change.lacking) == 0 {
		return generationChange{}
	}
	change.restraints = map[string]restraint{}
	for _, m := range members {
		switch {
		case m.room || !m.exists:
			change.restraints[m.name] = keepsOne
		case !onlyTight:
			change.restraints[m.name] = keepsAll
		}
	}
	return change
}
