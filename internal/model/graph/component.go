package graph

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
)

// Component of a graph: pods that run the same, their number, and how they are exposed. Its methods answer what follows from the graph alone.
type Component struct {
	// Component is what its user wrote, in the form with components. The main container of its pod template has all that is written for it, also
	// what a service has beside its pod, and mounts only volumes that the pod has. The annotations of the pod template are those without a meaning
	// for this project.
	v1beta1.Component
	ServiceFields

	// Ignored are the fields of the metadata of the pod template that have no effect on pods, sorted.
	Ignored []string

	// MountedByName are the names of claims that the main container mounts as if they were volumes of the pod, sorted.
	MountedByName []string

	// graph of the component.
	graph *Graph

	// index of the component, and that of the main container in its pod template, or -1.
	index, main int

	// beside are the containers of the pod beside the main container.
	beside []corev1.Container

	// written is the main container in the pod, without what a service has beside it. It is nil if there is none.
	written *corev1.Container

	// cacheMount is the index of the mount of the main container that only names the compilation cache, or -1. Such a mount is left out.
	cacheMount int

	// role is the index of the one whose pod template it has, if roles have pod templates.
	role *int

	// kept are the fields of the service that come from the annotation of conversion.
	kept map[string]any
}

// add a component to the graph, or replace the one of that name.
func (g *Graph) add(component v1beta1.Component, fields ServiceFields) *Component {
	if g.Components == nil {
		g.Components = map[string]*Component{}
	}
	c := &Component{Component: component, ServiceFields: fields, graph: g, main: -1, cacheMount: -1}
	g.Components[c.Name] = c
	return c
}

// Component of the graph by its name. One that the graph does not have is empty, and never nil.
func (g *Graph) Component(name string) *Component {
	if c, ok := g.Components[name]; ok {
		return c
	}
	return &Component{Component: v1beta1.Component{Name: name}, graph: g, main: -1, cacheMount: -1}
}

// ComponentsByName are the components of the graph, sorted.
func (g *Graph) ComponentsByName() []*Component {
	all := make([]*Component, 0, len(g.Components))
	for _, c := range g.Components {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b *Component) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Clone of the graph with components of its own, whose fields can be replaced. What the fields refer to is that of the original.
func (g *Graph) Clone() *Graph {
	out := *g
	out.Components = make(map[string]*Component, len(g.Components))
	for name, c := range g.Components {
		own := *c
		own.graph = &out
		out.Components[name] = &own
	}
	return &out
}

// Graph of the component.
func (c *Component) Graph() *Graph { return c.graph }

// IsWorkerType reports whether a component type runs an engine.
func IsWorkerType(componentType v1beta1.ComponentType) bool {
	return componentType == v1beta1.ComponentWorker || isPhase(componentType)
}

// IsWorker reports whether the component runs an engine.
func (c *Component) IsWorker() bool { return IsWorkerType(c.Type) }

// Types of a worker. A worker for one phase of inference is a worker with a more specific type in v1alpha1, and has that type itself in
// v1beta1. Both are the same component.
func (c *Component) Types() (component, sub string) {
	if c.IsPhase() {
		return string(v1beta1.ComponentWorker), string(c.Type)
	}
	return string(c.Type), c.SubComponentType
}

func isPhase(componentType v1beta1.ComponentType) bool {
	return componentType == v1beta1.ComponentPrefill || componentType == v1beta1.ComponentDecode
}

// IsPhase reports whether the component is a worker for one phase of inference.
func (c *Component) IsPhase() bool { return isPhase(c.Type) }

// HasEPPConfig reports whether the component is an Endpoint Picker with its configuration in the graph.
func (c *Component) HasEPPConfig() bool {
	return c.Type == v1beta1.ComponentEPP && c.EPPConfig != nil && c.EPPConfig.Config != nil
}

// IsNativeEPP reports whether the component is the Endpoint Picker of the frontend image, which has no configuration. An image with an earlier
// one cannot run without it, so its configuration says which of the two a picker is.
// https://github.com/ai-dynamo/dynamo/blob/main/deploy/operator/internal/dynamo/component_epp.go
func (c *Component) IsNativeEPP() bool {
	return c.Type == v1beta1.ComponentEPP && c.EPPConfig == nil
}

// NamesNoProgram reports whether the user does not specify what runs in the main container: it has no command, and no args other than flags.
// With an empty list as command, the entry point of the image runs.
func (c *Component) NamesNoProgram() bool {
	main := c.Main()
	return main.Command == nil && (len(main.Args) == 0 || strings.HasPrefix(main.Args[0], "--"))
}

// RunsEntryPoint reports whether the entry point of the image runs the args of the main container: it has no command, and args that begin with
// a program, which Kubernetes means by them. A shell would take the program for its script, run it without arguments, and end.
func (c *Component) RunsEntryPoint() bool {
	main := c.Main()
	if c.Type == v1beta1.ComponentEPP || main.Command != nil {
		return false
	}
	// The default command of frontends is python, which also runs files.
	if c.Type == v1beta1.ComponentFrontend {
		return backend.BeginsWithOtherProgram(main.Args)
	}
	return backend.BeginsWithProgram(main.Args)
}

// Command of the main container, as far as it does not depend on the framework: that of the user, otherwise the default. An empty text stands for the
// entry point of the image, or the engine.
func (c *Component) Command() []string {
	main := c.Main()
	switch {
	case main.Command != nil:
		return main.Command
	case c.Type == v1beta1.ComponentEPP, c.RunsEntryPoint(), c.NamesNoProgram():
		return nil
	case c.Type == v1beta1.ComponentFrontend, backend.BeginsWithModule(main.Args):
		return []string{"python3"}
	default:
		return []string{"/bin/sh", "-c"}
	}
}
