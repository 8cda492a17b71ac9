package scaling

import (
	"fmt"
	"slices"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/health/workload"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
)

// Retained are the replicas that a multinode component keeps on LeaderWorkerSets although fewer are asked for. nil if it can be scaled in.
//
// A scale-in deletes the last replicas. A rollout begins with the first one, and a node can fail under any of them. If the first replicas are not
// ready, the last ones serve in their place, and stay until the first ones are ready. An autoscaler may have asked for the scale-in because of the
// very replicas that do not serve. As many replicas serve as were asked for, or all that do.
//
// If the pods of the component change at the same time, the first replicas are about to be replaced, and do not count as ready.
func Retained(component *graph.Component, o *observed.State, changes bool) []int32 {
	lacking := component.Replicas()
	var last []int32
	for _, key := range o.Keys() {
		lower, i, isSet := names.ReplicaOfLeaderWorkerSet(key)
		if !isSet || lower != names.Lower(component.Name) || !workload.LeaderWorkerSet(o.Object(names.Resource(key))).Done {
			continue
		}
		switch {
		case i >= component.Replicas():
			last = append(last, i)
		case !changes:
			lacking--
		}
	}
	slices.Sort(last)
	return last[:min(len(last), int(lacking))]
}

// awaitReplicas says which components wait for replicas before they are scaled in.
func awaitReplicas(g *graph.Graph) map[string][]string {
	waits := map[string][]string{}
	for _, component := range g.ComponentsByName() {
		if more := len(g.Retained[component.Name]); more > 0 {
			waits[component.Name] = []string{fmt.Sprintf(
				"the scale-in from %d to %d replicas is delayed until the replicas that stay are ready", int(component.Replicas())+more, component.Replicas())}
		}
	}
	return waits
}
