package lws

import (
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/scaling"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/scaling/gang"
)

// builder builds the workloads of one graph.
type builder struct {
	graph *graph.Graph
	plan  *graphplan.Plan
	pods  pod.Builder
	gangs gang.Builder

	// observed composed resources by key.
	observed map[string]*fnv1.Resource
}

// composed is an object with the key under which Crossplane tracks it.
type composed struct {
	key    names.Resource
	object any
}

func newBuilder(g *graph.Graph, p *graphplan.Plan, observed map[string]*fnv1.Resource) *builder {
	return &builder{graph: g, plan: p, pods: pod.Builder{Graph: g, Plan: p}, gangs: gang.Builder{Graph: g, Plan: p}, observed: observed}
}

func (b *builder) resources() ([]composed, error) {
	var all []composed
	for _, component := range b.graph.ComponentsByName() {
		if !component.IsMultinode() {
			all = append(all, composed{names.KeyDeployment(component.Name), b.deployment(component)})
			if component.IsAutoscaled() {
				all = append(all, composed{names.KeyAutoscaler(component.Name), scaling.AutoscalerOfDeployment(component)})
			}
			continue
		}
		for _, i := range component.Indices() {
			replica, err := b.replica(component.Name, i)
			if err != nil {
				return nil, err
			}
			all = append(all, replica...)
		}
	}
	return all, nil
}

// replica of a multinode component: its LeaderWorkerSet and its gang.
func (b *builder) replica(name string, i int32) ([]composed, error) {
	replica := b.gangs.Build(name, i)
	all := []composed{{names.KeyLeaderWorkerSet(name, i), replica.LeaderWorkerSet}}
	if replica.PodGroup != nil {
		all = append(all, composed{names.KeyPodGroup(name, i), replica.PodGroup})
	}
	if replica.Native != nil {
		generation, _ := gang.GenerationOf(b.observed[string(names.KeyLeaderWorkerSet(name, i))].GetResource())
		replica.Native.Name = names.SchedulingGroup(replica.LeaderWorkerSet.Name, generation)
		key := names.KeySchedulingGroup(name, i, generation)
		if err := gang.Keep(replica.Native, b.observed[string(key)].GetResource()); err != nil {
			return nil, err
		}
		all = append(all, composed{key, replica.Native})
	}
	return all, nil
}
