package validate

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
)

// gpuMemoryService checks the requirements of the GPU memory service.
func (v *validator) gpuMemoryService(path *field.Path, s *graph.Component) {
	g, at := s.GPUMemoryService, path.Child("gpuMemoryService")
	if g == nil || !g.Enabled {
		return
	}
	if !s.IsWorker() {
		v.forbidden(at, "may only be enabled for workers ({{componentType}} worker, prefill or decode)")
	} else if s.GPUs() < 1 {
		v.required(path.Child("resources", "limits", "gpu"), "the GPU memory service requires at least one GPU")
	}
	if g.DeviceClassName != "" {
		v.objectName(at.Child("deviceClassName"), g.DeviceClassName, "DeviceClass")
	}
	if len(g.ExtraClientPods) > 0 {
		v.forbidden(at.Child("extraClientPods"), "is reserved; remove it")
	}
	for i, name := range g.ExtraClientContainers {
		switch where := at.Child("extraClientContainers").Index(i); {
		case !s.SharesGPUs():
			v.forbidden(where, "requires mode {{intraPod}}; remove it, or use mode {{intraPod}}")
		case slices.Contains(g.ExtraClientContainers[:i], name):
			v.duplicate(where, name)
		case name == pod.MainContainer:
			v.invalid(where, name, "is always a client; remove it")
		case !isSidecar(s, name):
			v.invalid(where, name, "is not a container in {{extraPodSpec.containers}}; add the container, or remove the name")
		}
	}
}

// isSidecar reports whether the pod has a container with this name in addition to the main container.
func isSidecar(s *graph.Component, name string) bool {
	named := func(c corev1.Container) bool { return c.Name == name }
	return s.ExtraPodSpec != nil && slices.ContainsFunc(s.ExtraPodSpec.Containers, named) ||
		s.FrontendSidecar != nil && name == pod.SidecarContainer
}
