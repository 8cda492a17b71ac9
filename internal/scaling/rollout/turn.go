package rollout

// replica of a component, with what decides when it is updated.
type replica struct {
	// exists is true if the replica is in the cluster. Other replicas are created from the new pod template.
	exists bool

	// outdated is true if the replica has an old pod template.
	outdated bool

	// available is true if the replica is ready.
	available bool
}

// turn decides which replicas are updated to the new pod template now, and which wait.
//
// At most limit replicas may be unavailable at a time, including those that are unavailable already. An unavailable replica with
// an old template is updated first: that costs nothing, and may repair it. At most limit replicas may have the new template
// without being available, so that a template that does not work is not rolled out further.
func turn(replicas []replica, limit int) (updating, waiting []int) {
	unproven, broken, sound := 0, []int{}, []int{}
	for i, r := range replicas {
		switch {
		case !r.exists || !r.outdated && !r.available:
			unproven++
		case r.outdated && !r.available:
			broken = append(broken, i)
		case r.outdated:
			sound = append(sound, i)
		}
	}
	fromBroken := clamp(limit-unproven, len(broken))
	fromSound := clamp(limit-unproven-len(broken), len(sound))
	updating = append(updating, broken[:fromBroken]...)
	updating = append(updating, sound[:fromSound]...)
	waiting = append(waiting, broken[fromBroken:]...)
	waiting = append(waiting, sound[fromSound:]...)
	return updating, waiting
}

func clamp(n, most int) int { return max(0, min(n, most)) }
