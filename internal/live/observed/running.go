package observed

import (
	"strconv"
	"strings"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
)

// Running is the number of replicas with which a service was last applied. ok is false if nothing runs it yet.
func (s *State) Running(service string) (replicas int32, ok bool) {
	lower := names.Lower(service)
	if s.PodCliqueSet != nil {
		// While the helper exists, the PodCliqueSet still has the number before.
		if helper := s.Object(names.KeyReplicas(service)); Live(helper) {
			if replicas, ok = MaxReplicas(helper); ok {
				return replicas, true
			}
		}
		replicas, ok = s.PodCliqueSet.Spec.Template.ReplicasByName()[names.Clique(service)]
		return replicas, ok
	}
	if multinode, runs := s.Services[lower]; runs && !multinode {
		return Replicas(s.Object(names.KeyDeployment(service)))
	}
	if replicas = s.leaderWorkerSetsOf(lower); replicas > 0 {
		return replicas, true
	}
	for _, reported := range s.Status.Services() {
		if reported.Name == service {
			return int32(reported.Replicas), true
		}
	}
	return 0, false
}

// leaderWorkerSetsOf a service: how many there are, with those that are missing between them. A scale-in deletes the last ones.
func (s *State) leaderWorkerSetsOf(service string) int32 {
	var count int32
	for i := range s.LeaderWorkerSets {
		set := &s.LeaderWorkerSets[i]
		index, err := strconv.ParseInt(set.Name[strings.LastIndex(set.Name, "-")+1:], 10, 32)
		if set.Service == service && set.DeletionTimestamp == nil && err == nil {
			count = max(count, int32(index)+1)
		}
	}
	return count
}
