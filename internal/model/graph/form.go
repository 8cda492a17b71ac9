package graph

import (
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// Form is how a graph is written. Both versions of the API have one schema, so that either form is stored at either version.
type Form int

const (
	// Services is the form of v1alpha1: a map of services, whose pods are written in several places.
	Services Form = iota
	// Components is the form of v1beta1: a list of components, each with a pod template.
	Components
)

// Key of the services in the status of a graph, and in its spec.
func (f Form) Key() string {
	if f == Components {
		return "components"
	}
	return "services"
}

// KeyIn a status is that of the form in which the graph was written when the status was.
func KeyIn(status *structpb.Struct) string {
	if !tree.IsNull(status.GetFields()[Components.Key()]) {
		return Components.Key()
	}
	return Services.Key()
}

// formOf a spec. Services without any count less than components. The version only decides how errors are worded if the spec has neither.
func formOf(apiVersion string, spec *structpb.Struct) Form {
	services, components := spec.GetFields()["services"], spec.GetFields()["components"]
	isEmpty := services.GetStructValue() != nil && len(services.GetStructValue().GetFields()) == 0
	switch {
	case !tree.IsNull(services) && (!isEmpty || tree.IsNull(components)):
		return Services
	case !tree.IsNull(components), apiVersion == v1beta1.Group+"/"+v1beta1.Version:
		return Components
	default:
		return Services
	}
}

// Has reports whether the user wrote the field of a service at this path of keys, which both forms have in common. Typed fields cannot
// distinguish an explicit zero from an absent field.
func (g *Graph) Has(service string, path ...string) bool {
	if len(path) > 0 && g.isKept(service, path[0]) {
		value, _, _ := unstructured.NestedFieldNoCopy(g.Component(service).kept, path...)
		return value != nil
	}
	return !tree.IsNull(valueAt(g.Raw(service), path...))
}

// isKept reports whether a field of a service comes from the annotation of conversion.
func (g *Graph) isKept(service, name string) bool { return g.Component(service).kept[name] != nil }

// ContainerHas is Has for a field of a container of the service.
func (g *Graph) ContainerHas(service, container string, path ...string) bool {
	return !tree.IsNull(valueAt(g.rawContainer(service, container), path...))
}

// Raw is a service as the user wrote it.
func (g *Graph) Raw(service string) *structpb.Value {
	if g.Form == Services {
		return g.spec.GetFields()["services"].GetStructValue().GetFields()[service]
	}
	component, ok := g.Components[service]
	if !ok {
		return nil
	}
	return g.spec.GetFields()["components"].GetListValue().GetValues()[component.index]
}

func (g *Graph) rawContainer(service, container string) *structpb.Value {
	pod := valueAt(g.Raw(service), podTemplate, "spec")
	if role := g.Component(service).rawRole(g.Raw(service)); role != nil {
		pod = valueAt(role, podTemplate, "spec")
	} else if g.Form == Services {
		pod = valueAt(g.Raw(service), "extraPodSpec")
		if container == v1beta1.MainContainer {
			return valueAt(pod, "mainContainer")
		}
	}
	for _, list := range []string{"containers", "initContainers"} {
		for _, c := range valueAt(pod, list).GetListValue().GetValues() {
			if valueAt(c, "name").GetStringValue() == container {
				return c
			}
		}
	}
	return nil
}

// valueAt is the value at a path of keys.
func valueAt(value *structpb.Value, path ...string) *structpb.Value {
	for _, key := range path {
		value = value.GetStructValue().GetFields()[key]
	}
	return value
}
