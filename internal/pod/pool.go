package pod

import (
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
)

// PoolSelector selects the pods of the graph's InferencePool: those of workers that receive requests. Of a multinode service this is the
// leader, and with weight servers the engine. An InferencePool can only compare labels for equality. If no existing label is specific to
// these pods, they get a separate one.
func PoolSelector(g *graph.Graph, p *graphplan.Plan, picker string) map[string]string {
	if needsPoolLabel(g, p) {
		return map[string]string{metadata.LabelGraphName: g.Name, metadata.LabelInferencePool: "true"}
	}
	selector := map[string]string{
		metadata.LabelDynamoNamespace: p.Services[picker].DynamoNamespace,
		// A graph without workers selects those of other graphs in its Dynamo namespace.
		metadata.LabelComponentType: v1alpha1.ComponentWorker,
	}
	for _, service := range g.ComponentsByName() {
		if !service.IsWorker() {
			continue
		}
		selector[metadata.LabelComponentType] = service.ComponentType
		if service.HasLeader() {
			selector[metadata.LabelRole] = string(backend.RoleLeader)
		}
	}
	if p.PoolByClass {
		delete(selector, metadata.LabelComponentType)
		selector[metadata.LabelComponentClass] = metadata.ClassWorker
	}
	return selector
}

// needsPoolLabel reports whether the workers of a graph with an Endpoint Picker have different labels. It does not depend on what the cluster
// serves, with which the labels of a pod must not change.
func needsPoolLabel(g *graph.Graph, p *graphplan.Plan) bool {
	type kind struct {
		componentType string
		leader        bool
	}
	kinds, picked := map[kind]bool{}, false
	for _, service := range g.Components {
		picked = picked || service.Type == v1beta1.ComponentEPP
		if service.IsWorker() {
			k := kind{service.ComponentType, service.HasLeader()}
			if p.PoolByClass {
				k.componentType = ""
			}
			kinds[k] = true
		}
	}
	return picked && len(kinds) > 1
}

// inPool reports whether the pods of a component have the label of the InferencePool.
func inPool(g *graph.Graph, p *graphplan.Plan, c component) bool {
	return c.service.IsWorker() && c.role != backend.RoleWorker && needsPoolLabel(g, p)
}
