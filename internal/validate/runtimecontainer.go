package validate

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
)

// runtimeContainer refuses what does not work with a runtime in an init container, as the Dynamo operator does.
// https://github.com/ai-dynamo/dynamo/blob/main/docs/fern/pages/reference/kubernetes-api/dynamo-component-deployment.mdx#dynamo-sidecar-mode
func (v *validator) runtimeContainer(path *field.Path, s *graph.Component) {
	if !s.HasRuntimeContainer() {
		return
	}
	const detail = "may not be combined with the runtime of Dynamo in init container runtime; remove it, or run the runtime in the main container"
	for _, other := range []struct {
		set  bool
		path *field.Path
	}{
		{s.IsMultinode(), path.Child("multinode")},
		{s.Checkpointed(), path.Child("experimental", "checkpoint")},
		{s.GPUMemoryService() != nil, path.Child("experimental", "gpuMemoryService")},
		{s.Failover() != nil, path.Child("experimental", "failover")},
	} {
		if other.set {
			v.forbidden(other.path, "%s", detail)
		}
	}
}
