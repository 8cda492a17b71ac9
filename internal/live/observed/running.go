package observed

import (
	"slices"
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
			// A component that was scaled to zero and one that could not be created yet report the same. Only the latter is referred to.
			return int32(reported.Replicas), reported.Replicas > 0 || !s.expects(reported)
		}
	}
	return 0, false
}

// expects reports whether the composite resource refers to what runs a component, which it does as soon as it has decided to create it.
func (s *State) expects(reported Component) bool {
	return s.Refers(KindPodCliqueSet) || slices.ContainsFunc(reported.Objects, func(name string) bool {
		return s.RefersTo(Reference{KindDeployment, name}) || s.RefersTo(Reference{KindLeaderWorkerSet, name})
	})
}

// leaderWorkerSetsOf a component: how many there are, with those that are missing between them, and those that are referred to, which Crossplane
// creates one by one. A scale-in deletes the last ones.
func (s *State) leaderWorkerSetsOf(component string) int32 {
	var count int32
	base := ""
	for i := range s.LeaderWorkerSets {
		if set := &s.LeaderWorkerSets[i]; set.Component == component && set.DeletionTimestamp == nil {
			base = set.Name[:strings.LastIndex(set.Name, "-")+1]
			count = max(count, indexAfter(base, set.Name)+1)
		}
	}
	for _, ref := range slices.Concat(s.References...) {
		if base != "" && ref.Kind == KindLeaderWorkerSet {
			count = max(count, indexAfter(base, ref.Name)+1)
		}
	}
	return count
}

// indexAfter the base of the name of a LeaderWorkerSet. It is -1 if there is none.
func indexAfter(base, name string) int32 {
	suffix, found := strings.CutPrefix(name, base)
	index, err := strconv.ParseUint(suffix, 10, 16)
	if !found || err != nil {
		return -1
	}
	return int32(index)
}
