package observed

import (
	"strconv"
	"strings"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
)

// Running is the number of replicas with which a component was last applied. ok is false if nothing runs it yet.
func (s *State) Running(component string) (replicas int32, ok bool) {
	lower := names.Lower(component)
	if s.PodCliqueSet != nil {
		// While the helper exists, the PodCliqueSet still has the number before.
		if helper := s.Object(names.KeyReplicas(component)); Live(helper) {
			if replicas, ok = MaxReplicas(helper); ok {
				return replicas, true
			}
		}
		replicas, ok = s.PodCliqueSet.Spec.Template.ReplicasByName()[names.Clique(component)]
		return replicas, ok
	}
	if multinode, runs := s.Components[lower]; runs && !multinode {
		return Replicas(s.Object(names.KeyDeployment(component)))
	}
	if replicas = s.leaderWorkerSetsOf(lower); replicas > 0 {
		return replicas, true
	}
	for _, reported := range s.Status.Components() {
		if reported.Name == component {
			return int32(reported.Replicas), true
		}
	}
	return 0, false
}

// leaderWorkerSetsOf a component: how many there are, with those that are missing between them. A scale-in deletes the last ones.
func (s *State) leaderWorkerSetsOf(component string) int32 {
	var count int32
	for i := range s.LeaderWorkerSets {
		set := &s.LeaderWorkerSets[i]
		index, err := strconv.ParseInt(set.Name[strings.LastIndex(set.Name, "-")+1:], 10, 32)
		if set.Component == component && set.DeletionTimestamp == nil && err == nil {
			count = max(count, int32(index)+1)
		}
	}
	return count
}
