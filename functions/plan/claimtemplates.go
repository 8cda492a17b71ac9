package plan

import (
	"fmt"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/require"
)

// checkClaimTemplates refuses to change what the pods of a service claim for the GPU memory service: the API server
// refuses every change of a ResourceClaimTemplate.
func checkClaimTemplates(req *fnv1.RunFunctionRequest, g *graph.Graph) field.ErrorList {
	var errs field.ErrorList
	for _, name := range g.ServiceNames() {
		service := g.Spec.Services[name]
		observed, ok := req.GetObserved().GetResources()[string(names.KeyClaimTemplate(name))]
		if !ok || !pod.SharesGPUs(&service) {
			continue
		}
		before := &resourcev1.ResourceClaimTemplate{}
		wanted := requestOf(pod.GPUClaim(&service))
		// One that cannot be read, or has been made otherwise, is for the API server to judge.
		if err := require.Into(observed.GetResource(), before); err != nil || requestOf(before.Spec) == nil {
			continue
		}
		if was := requestOf(before.Spec); was.Count != wanted.Count || was.DeviceClassName != wanted.DeviceClassName {
			errs = append(errs, field.Forbidden(field.NewPath("spec", "services").Key(name).Child("gpuMemoryService"),
				fmt.Sprintf("the GPUs that it shares cannot change while it is on; they were %d of class %s, and would be %d of %s: put them back, or turn the service off, apply, and turn it on again",
					was.Count, was.DeviceClassName, wanted.Count, wanted.DeviceClassName)))
		}
	}
	return errs
}

func requestOf(spec resourcev1.ResourceClaimTemplateSpec) *resourcev1.ExactDeviceRequest {
	if len(spec.Spec.Devices.Requests) != 1 {
		return nil
	}
	return spec.Spec.Devices.Requests[0].Exactly
}
