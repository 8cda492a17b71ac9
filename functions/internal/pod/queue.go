package pod

import (
	"slices"
	"strings"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/metadata"
)

// VolcanoQueueOnGrove is the queue that a graph names for its PodCliqueSet. Empty: none, or Volcano does not schedule the graph. A queue
// in the annotations of the spec takes precedence: cliques have these annotations too, and Grove's backend for Volcano refuses cliques
// whose queue differs from that of their set (v0.1.0-alpha.10).
func VolcanoQueueOnGrove(g *graph.Graph) string {
	if g.Spec.Annotations[metadata.AnnotationGroveVolcanoQueue] != "" || !NamesVolcano(g) {
		return ""
	}
	return strings.TrimSpace(g.Annotations[metadata.AnnotationVolcanoQueueOnGrove])
}

// NamesVolcano reports whether a service names Volcano as its scheduler. On Grove, all services of a graph have the same scheduler.
func NamesVolcano(g *graph.Graph) bool {
	return slices.ContainsFunc(g.ServiceNames(), func(name string) bool {
		service := g.Spec.Services[name]
		return SchedulerName(&service) == graphplan.VolcanoScheduler
	})
}
