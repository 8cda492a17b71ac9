// Package gang builds the objects that run a multinode component on LeaderWorkerSets. Each replica is a gang: its pods are scheduled together
// or not at all.
package gang

import (
	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"
	volcanov1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	schedulingv1beta1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/scheduling/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// Builder of the gangs of one graph.
type Builder struct {
	Graph *graph.Graph
	Plan  *graphplan.Plan
}

// Gang is one replica of a component.
type Gang struct {
	LeaderWorkerSet *lwsv1.LeaderWorkerSet

	// PodGroup by which Volcano schedules the pods. nil if another component creates the gang.
	PodGroup *volcanov1beta1.PodGroup

	// Native is the PodGroup by which Kubernetes itself schedules them instead. nil if there is none.
	Native *schedulingv1beta1.PodGroup
}

// Build replica i of a component.
func (b *Builder) Build(component string, i int32) Gang {
	g := Gang{LeaderWorkerSet: b.leaderWorkerSet(component, i)}
	if b.composesPodGroup(g.LeaderWorkerSet) {
		g.PodGroup = b.podGroup(component, g.LeaderWorkerSet)
	}
	if b.composesNative(g.LeaderWorkerSet) {
		g.Native = b.Native(component, g.LeaderWorkerSet)
	}
	return g
}
