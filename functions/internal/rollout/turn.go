package rollout

// replica of a service, by what its turn depends on.
type replica struct {
	// exists says that the replica is in the cluster. One that does not is created from the new pod template.
	exists bool

	// differs says that its pod template is not the new one.
	differs bool

	// available says that it does its work.
	available bool
}

// turn decides which replicas take the new pod template now, and which wait.
//
// No more than limit replicas may be unavailable at a time, counting those that are so already. A replica that is down and
// does not have the new template is taken first: that costs nothing, and may be what brings it back. But no more than limit
// replicas have the new template and are not available yet, so that a template that does not work reaches no others.
func turn(replicas []replica, limit int) (taking, waiting []int) {
	unproven, broken, sound := 0, []int{}, []int{}
	for i, r := range replicas {
		switch {
		case !r.exists || !r.differs && !r.available:
			unproven++
		case r.differs && !r.available:
			broken = append(broken, i)
		case r.differs:
			sound = append(sound, i)
		}
	}
	fromBroken := clamp(limit-unproven, len(broken))
	fromSound := clamp(limit-unproven-len(broken), len(sound))
	taking = append(taking, broken[:fromBroken]...)
	taking = append(taking, sound[:fromSound]...)
	waiting = append(waiting, broken[fromBroken:]...)
	waiting = append(waiting, sound[fromSound:]...)
	return taking, waiting
}

func clamp(n, most int) int { return max(0, min(n, most)) }
