package graph

import (
	"google.golang.org/protobuf/types/known/structpb"
)

// Scale a service to a number of replicas that counts instead of the one that the user wrote.
func (g *Graph) Scale(service string, replicas int32) {
	spec, ok := g.Spec.Services[service]
	if !ok {
		return
	}
	spec.Replicas = &replicas
	g.Spec.Services[service] = spec
	if g.Scaled == nil {
		g.Scaled = map[string]int32{}
	}
	g.Scaled[service] = replicas
}

// WrittenReplicas of a service, whatever it is scaled to. written is false if the user did not choose the number: it is absent, or it is
// the default of components, which the API server adds.
func (g *Graph) WrittenReplicas(service string) (replicas int32, written bool) {
	value, ok := at(g.Raw(service), "replicas").GetKind().(*structpb.Value_NumberValue)
	if !ok {
		return defaultReplicas, false
	}
	replicas = int32(value.NumberValue)
	return replicas, g.Form == Services || replicas != defaultReplicas
}

const defaultReplicas = 1
