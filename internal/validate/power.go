package validate

import (
	"strconv"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
)

// power checks the limit of the power of each GPU, which the agent on the nodes reads from pods, and the planner from the graph.
// https://github.com/ai-dynamo/dynamo/blob/2a6da14c8/deploy/operator/internal/webhook/validation/dynamographdeployment.go#L877
func (v *validator) power(path *field.Path, s *graph.Component) {
	_, limited := s.Annotations[metadata.AnnotationGPUPowerLimit]
	_, pods := s.PodMetadata().Annotations[metadata.AnnotationGPUPowerLimit]
	v.powerLimit(graph.PodMetadataPath(path, "annotations"), s.PodMetadata().Annotations)
	limited = limited || pods
	if !limited {
		return
	}
	const why = "cannot be combined with annotation " + metadata.AnnotationGPUPowerLimit + ": the planner does not know which GPUs a claim gets; remove one of the two"
	if s.GPUMemoryService() != nil {
		v.forbidden(path.Child("experimental", "gpuMemoryService"), "%s", why)
	}
	for _, c := range containersOf(path, s) {
		if len(c.Resources.Claims) > 0 {
			v.forbidden(c.path.Child("resources", "claims"), "%s", why)
		}
	}
}

// powerLimit checks that a limit is a number of watts.
func (v *validator) powerLimit(path *field.Path, annotations map[string]string) {
	value, ok := annotations[metadata.AnnotationGPUPowerLimit]
	if !ok {
		return
	}
	if watts, err := strconv.Atoi(value); err != nil || watts <= 0 {
		v.invalid(path.Key(metadata.AnnotationGPUPowerLimit), value, "must be a positive number of watts, such as 350")
	}
}
