package immutable

import (
	resourcev1 "k8s.io/api/resource/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
)

// checkClaimTemplates refuses to change the claims for the GPU memory service: the API server refuses every change of a
// ResourceClaimTemplate.
func checkClaimTemplates(f *subject.Facts) message.List {
	var errs message.List
	for _, component := range f.Graph.ComponentsByName() {
		if !f.Observed.Has(names.KeyClaimTemplate(component.Name)) || !component.SharesGPUs() {
			continue
		}
		before := &resourcev1.ResourceClaimTemplate{}
		wanted := requestOf(pod.GPUClaim(component).Spec)
		// A template that cannot be read, or that was not created by the chain, is left to the API server.
		if err := require.Into(f.Observed.Object(names.KeyClaimTemplate(component.Name)), before); err != nil || requestOf(before.Spec.Spec) == nil {
			continue
		}
		if was := requestOf(before.Spec.Spec); was.Count != wanted.Count || was.DeviceClassName != wanted.DeviceClassName {
			errs = append(errs, message.Forbidden(graph.ComponentPath(component.Name, "experimental", "gpuMemoryService"),
				"shared GPUs cannot be changed while the GPU memory service is enabled; they were %d of class %s, and would be %d of class %s: undo the change, or disable the GPU memory service, apply, and enable it again", was.Count, was.DeviceClassName, wanted.Count, wanted.DeviceClassName))
		}
	}
	return errs
}

func requestOf(spec resourcev1.ResourceClaimSpec) *resourcev1.ExactDeviceRequest {
	if len(spec.Devices.Requests) != 1 {
		return nil
	}
	return spec.Devices.Requests[0].Exactly
}
