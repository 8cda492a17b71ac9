package pod

import (
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
)

// OwnsRestarts reports whether the user has set the annotation for restarts on the pods of a service. Only that annotation restarts them
// then.
func OwnsRestarts(g *graph.Graph, service string) bool {
	if extra := g.Spec.Services[service].ExtraPodMetadata; extra != nil {
		if _, ok := extra.Annotations[metadata.AnnotationRestartAt]; ok {
			return true
		}
	}
	_, ok := serviceAnnotation(g, service, metadata.AnnotationRestartAt)
	return ok
}
