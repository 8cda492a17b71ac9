package validate

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/pod"
)

// nodes without a known engine do not form one engine.
func (w *warnings) nodes(at *field.Path, g *graph.Graph, s *v1alpha1.Service) {
	if !pod.IsMultinode(s) {
		return
	}
	if framework, err := frameworkOf(g, s); err == nil && framework == "" {
		w.add(at.Child("multinode"), "the backend of this service is not known, so all nodes run the same command; set componentType: worker and backendFramework, or let the command connect the nodes")
	}
}
