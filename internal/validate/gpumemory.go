package validate

import (
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
)

// gpuMemoryService checks the requirements of the GPU memory service.
func (v *validator) gpuMemoryService(path *field.Path, s *graph.Component) {
	g, fieldPath := s.GPUMemoryService(), path.Child("experimental", "gpuMemoryService")
	if g == nil {
		return
	}
	if !s.IsWorker() {
		v.forbidden(fieldPath, "may only be enabled for workers ({{type}} worker, prefill or decode)")
	} else if s.GPUs() < 1 {
		v.required(graph.MainPath(path, "resources", "limits").Key(graph.DefaultGPU), "the GPU memory service requires at least one GPU")
	}
	if g.DeviceClassName != "" {
		v.objectName(fieldPath.Child("deviceClassName"), g.DeviceClassName, "DeviceClass")
	}
	if len(g.ExtraClientPods) > 0 {
		v.forbidden(fieldPath.Child("extraClientPods"), "is reserved; remove it")
	}
	seen, containers := sets.New[string](), sidecarsOf(s)
	for i, name := range g.ExtraClientContainers {
		switch where := fieldPath.Child("extraClientContainers").Index(i); {
		case !s.SharesGPUs():
			v.forbidden(where, "requires mode {{IntraPod}}; remove it, or use mode {{IntraPod}}")
		case seen.Has(name):
			v.duplicate(where, name)
		case name == pod.MainContainer:
			v.invalid(where, name, "is always a client; remove it")
		case !containers.Has(name):
			v.invalid(where, name, "is not a container in {{podTemplate.spec.containers}}; add the container, or remove the name")
		}
		seen.Insert(name)
	}
}

// sidecarsOf a component are the names of the containers that its pod has in addition to the main container.
func sidecarsOf(s *graph.Component) sets.Set[string] {
	all := sets.New[string]()
	for i := range s.Beside() {
		all.Insert(s.Beside()[i].Name)
	}
	if s.Sidecar != nil {
		all.Insert(pod.SidecarContainer)
	}
	return all
}
