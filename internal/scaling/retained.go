package scaling

import (
	"fmt"
	"slices"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/health/workload"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
)

// Retained is the number of LeaderWorkerSets that a multinode component keeps although fewer replicas are asked for. ok is false if it can be
// scaled in.
//
// A scale-in deletes the last replicas. A rollout begins with the first one, and a node can fail under any of them. If the first replicas are not
// ready, the last ones serve in their place, and stay until the first ones are ready. An autoscaler may have asked for the scale-in because of the
// very replicas that do not serve. As many replicas serve as were asked for, or all that do.
//
// If the pods of the component change at the same time, the first replicas are about to be replaced, and do not count as ready.
func Retained(component *graph.Component, o *observed.State, changes bool) (sets int32, ok bool) {
	wanted, keys := component.Replicas(), o.Keys()
	var ready, last []int32
	for _, key := range keys {
		lower, i, isSet := names.ReplicaOfLeaderWorkerSet(key)
		// A number beyond that of all objects is not from here, and would have as many sets created.
		if !isSet || lower != names.Lower(component.Name) || int(i) >= len(keys) {
			continue
		}
		if workload.LeaderWorkerSet(o.Object(names.Resource(key))).Done {
			ready = append(ready, i)
			if i >= wanted {
				last = append(last, i)
			}
		}
	}
	serving := min(int(wanted), len(ready))
	if changes {
		ready, serving = last, min(serving, len(last))
	}
	if serving == 0 {
		return 0, false
	}
	slices.Sort(ready)
	sets = ready[serving-1] + 1
	return sets, sets > wanted
}

// awaitReplicas says which components wait for replicas before they are scaled in.
func awaitReplicas(g *graph.Graph) map[string][]string {
	waits := map[string][]string{}
	for _, component := range g.ComponentsByName() {
		if sets, replicas := component.Sets(), component.Replicas(); sets > replicas {
			waits[component.Name] = []string{fmt.Sprintf("the scale-in from %d to %d replicas is delayed until the replicas that stay are ready", sets, replicas)}
		}
	}
	return waits
}
