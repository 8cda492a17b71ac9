package validate

import (
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/pod"
)

// restart warns of services that a restart leaves out.
func (w *warnings) restart(g *graph.Graph) {
	if g.Spec.Restart == nil {
		return
	}
	for _, name := range g.ServiceNames() {
		if pod.OwnsRestarts(g, name) {
			w.add(servicesPath().Key(name), "spec.restart does not restart the service while its pods have annotation "+
				metadata.AnnotationRestartAt+" of your own; remove it from annotations, extraPodMetadata.annotations and spec.annotations")
		}
	}
}
