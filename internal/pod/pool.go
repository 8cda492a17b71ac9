package pod

import (
	"maps"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
)

// PoolSelectors are those that the graph's InferencePool can have, the broadest one first. It can only compare labels for equality. The last one
// is by a label of its own, which pods have if none of the others selects those that register, and no others.
func PoolSelectors(g *graph.Graph, p *graphplan.Plan, picker string) []map[string]string {
	all := map[string]string{
		metadata.LabelDynamoNamespace: p.Components[picker].DynamoNamespace,
		// A graph without workers selects those of other graphs in its Dynamo namespace.
		metadata.LabelComponentType: v1alpha1.ComponentWorker,
	}
	for _, component := range g.ComponentsByName() {
		if component.IsWorker() {
			all[metadata.LabelComponentType] = component.ComponentType
		}
	}
	if p.PoolByClass {
		delete(all, metadata.LabelComponentType)
		all[metadata.LabelComponentClass] = metadata.ClassWorker
	}
	first := maps.Clone(all)
	first[metadata.LabelRole] = string(backend.RoleLeader)
	return []map[string]string{all, first, {metadata.LabelGraphName: g.Name, metadata.LabelInferencePool: "true"}}
}

// needsPoolLabel reports whether the workers of a graph with an Endpoint Picker have different labels. It does not depend on what the cluster
// serves, with which the labels of a pod must not change.
func (b *Builder) needsPoolLabel() bool {
	type kind struct {
		componentType string
		firstOnly     bool
	}
	if !b.Graph.HasComponent(v1beta1.ComponentEPP) {
		return false
	}
	kinds := map[kind]bool{}
	for _, component := range b.Graph.ComponentsByName() {
		if component.IsWorker() {
			k := kind{component.ComponentType, component.HasLeader() && !b.registersEverywhere(component.Name)}
			if b.Plan.PoolByClass {
				k.componentType = ""
			}
			kinds[k] = true
		}
	}
	return len(kinds) > 1
}

// registersEverywhere reports whether each node of a replica registers. How nodes find each other does not matter.
func (b *Builder) registersEverywhere(component string) bool {
	b = b.of(backend.RoleWorker)
	c := b.component(component)
	if c.weights {
		return false
	}
	settings := b.BackendSettings(component, backend.RoleWorker, backend.LWSHosts{})
	container := b.mainContainer(c, b.defaultsOf(c, MainContainer))
	backend.ConfigureContainer(&container, settings)
	return b.Graph.CommandLines.Registers(&container, settings.Framework, settings.Role)
}

// inPool reports whether the pods of a component have the label of the InferencePool.
func (b *Builder) inPool(c component) bool {
	return c.spec.IsWorker() && c.registers && b.needsPoolLabel()
}
