package components

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// choices are the values that earlier runs took from the input of the step for components that do not specify them. Other values would
// restart their pods, and components with different discovery backends do not find each other.
type choices struct {
	// discovery backends and executors of vLLM, by lower-cased name. A component that does not run yet has none.
	discovery map[string]string
	executors map[string]liveExecutor
}

// rememberedChoices reads the pods of the observed workloads.
func rememberedChoices(g *graph.Graph, pods map[string]observed.Pods) choices {
	c := choices{discovery: map[string]string{}, executors: map[string]liveExecutor{}}
	for _, name := range g.ComponentNames() {
		live, ok := pods[names.Lower(name)]
		if !ok {
			continue
		}
		c.discovery[names.Lower(name)] = discoveryOfPods(live)
		c.executors[names.Lower(name)] = liveExecutorOf(g.CommandLines, live, ownContainer(g, name))
	}
	return c
}

// discoveryOfPods is the backend in their labels. Empty if they have none of the labels that all pods of a graph have.
func discoveryOfPods(pods observed.Pods) string {
	for _, template := range pods {
		switch {
		case template.Labels[metadata.LabelGraphName] == "":
		case pod.IsDiscovered(template.Labels):
			return graphplan.Kubernetes
		default:
			return string(inputv1alpha1.DiscoveryEtcd)
		}
	}
	return ""
}

// ownContainer is the main container of a component as the user has written it.
func ownContainer(g *graph.Graph, name string) *corev1.Container {
	main := g.Component(name).Main()
	return &corev1.Container{Env: slices.Concat(g.Spec.Env, main.Env), Command: main.Command, Args: main.Args}
}

// discoveryOf a component is the backend that the graph specifies, otherwise that of its pods. A component that does not run yet must find the
// other components of a live graph that specify none. The input decides if there are none.
func (c choices) discoveryOf(g *graph.Graph, name string, in *inputv1alpha1.Input) string {
	if named := g.Component(name).Annotation(metadata.AnnotationDiscoveryBackend); named != "" {
		return named
	}
	current := c.discovery[names.Lower(name)]
	for _, other := range g.ComponentNames() {
		if g.Component(other).Annotation(metadata.AnnotationDiscoveryBackend) == "" {
			current = cmp.Or(current, c.discovery[names.Lower(other)])
		}
	}
	return cmp.Or(current, string(in.Discovery.BackendOrDefault()))
}

// ChoiceWarnings name the values that the components of a live graph keep although the input of the step has changed.
func ChoiceWarnings(f *subject.Facts, components map[string]graphplan.Component) message.List {
	in := f.Input
	if !f.Live() {
		return nil
	}
	kept := func(name string) string {
		if f.Graph.Component(name).Annotation(metadata.AnnotationDiscoveryBackend) != "" {
			return ""
		}
		return components[name].Discovery
	}
	executor := func(name string) string {
		// What a new graph would get instead is not always what the platform says.
		if components[name].ExecutorFrom != graphplan.ExecutorFromPods || in.VLLM.DistributedExecutor == "" {
			return ""
		}
		return components[name].Executor
	}
	return append(
		warnOfChoice(f, "discovery.backend", string(in.Discovery.BackendOrDefault()), metadata.AnnotationDiscoveryBackend, kept),
		warnOfChoice(f, "vllm.distributedExecutor", string(in.VLLM.DistributedExecutor), metadata.AnnotationVLLMExecutor, executor)...,
	)
}

// warnOfChoice names the components that keep a value that differs from a setting of the input. Services that do not follow the input have no
// value.
func warnOfChoice(f *subject.Facts, setting, value, annotation string, valueOf func(component string) string) message.List {
	var keeping []string
	var current string
	for _, name := range f.Graph.ComponentNames() {
		decided := valueOf(name)
		if decided == "" || decided == value {
			continue
		}
		keeping, current = append(keeping, name), decided
	}
	if len(keeping) == 0 {
		return nil
	}
	return message.List{f.Keeps(subject.Keeps{
		Setting: setting, Value: value, Keeper: "pods of " + strings.Join(keeping, ", ") + " keep", Current: current,
		Remedy: fmt.Sprintf("set annotation %s to %s, which restarts them", annotation, value),
	})}
}
