package pod

import (
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/metadata"
)

// PoolSelector selects the pods of the graph's InferencePool: those of workers that receive requests. Of a multinode service this is the
// leader. An InferencePool can only compare labels for equality. If no existing label is specific to these pods, they get a separate one.
func PoolSelector(g *graph.Graph, p *graphplan.Plan, picker string) map[string]string {
	if needsPoolLabel(g) {
		return map[string]string{metadata.LabelGraphName: g.Name, metadata.LabelInferencePool: "true"}
	}
	selector := map[string]string{
		metadata.LabelDynamoNamespace: p.Services[picker].DynamoNamespace,
		// A graph without workers selects those of other graphs in its Dynamo namespace.
		metadata.LabelComponentType: v1alpha1.ComponentWorker,
	}
	for _, name := range g.ServiceNames() {
		service := g.Spec.Services[name]
		if !IsWorker(service.ComponentType) {
			continue
		}
		selector[metadata.LabelComponentType] = service.ComponentType
		if IsMultinode(&service) {
			selector[metadata.LabelRole] = string(backend.RoleLeader)
		}
	}
	return selector
}

// needsPoolLabel reports whether the workers of a graph with an Endpoint Picker have different labels. It only depends on the graph,
// because the labels of a pod must not change with what the cluster serves.
func needsPoolLabel(g *graph.Graph) bool {
	type kind struct {
		componentType string
		multinode     bool
	}
	kinds, picked := map[kind]bool{}, false
	for _, service := range g.Spec.Services {
		picked = picked || service.ComponentType == v1alpha1.ComponentEPP
		if IsWorker(service.ComponentType) {
			kinds[kind{service.ComponentType, IsMultinode(&service)}] = true
		}
	}
	return picked && len(kinds) > 1
}

// inPool reports whether pods with a role of a service have the label of the InferencePool.
func inPool(g *graph.Graph, s *v1alpha1.Service, role backend.Role) bool {
	return IsWorker(s.ComponentType) && role != backend.RoleWorker && needsPoolLabel(g)
}
