package services

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/pod"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
)

// choices are the values that earlier runs took from the input of the step for services that do not specify them. Other values would
// restart their pods, and services with different discovery backends do not find each other.
type choices struct {
	// discovery backends and executors of vLLM, by lower-cased name. A service that does not run yet has none.
	discovery, executors map[string]string
}

// rememberedChoices reads the pods of the observed workloads.
func rememberedChoices(g *graph.Graph, pods map[string]observed.Pods) choices {
	c := choices{discovery: map[string]string{}, executors: map[string]string{}}
	for _, name := range g.ServiceNames() {
		live, ok := pods[names.Lower(name)]
		if !ok {
			continue
		}
		c.discovery[names.Lower(name)] = discoveryOfPods(live)
		c.executors[names.Lower(name)] = executorOfPods(g.CommandLines, live, ownContainer(g, name))
	}
	return c
}

// discoveryOfPods is the backend in their labels. Empty: they have none of the labels that all pods of a graph have.
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

// executorOfPods is the executor for which they were built, from the main container of the user.
func executorOfPods(texts *backend.Texts, pods observed.Pods, own *corev1.Container) string {
	if slices.ContainsFunc(pods, func(t corev1.PodTemplateSpec) bool { return texts.ExecutorOf(&t.Spec, own) == backend.ExecutorMP }) {
		return string(backend.ExecutorMP)
	}
	return string(backend.ExecutorRay)
}

// ownContainer is the main container of a service as the user has written it.
func ownContainer(g *graph.Graph, name string) *corev1.Container {
	main := pod.MainOf(g, name)
	return &corev1.Container{Env: slices.Concat(g.Spec.Envs, main.Env), Command: main.Command, Args: main.Args}
}

// discoveryOf a service is the backend that the graph specifies, otherwise that of its pods. A service that does not run yet must find the
// other services of a live graph that specify none. The input decides if there are none.
func (c choices) discoveryOf(g *graph.Graph, name string, in *inputv1alpha1.Input) string {
	if named := pod.ServiceAnnotation(g, name, metadata.AnnotationDiscoveryBackend); named != "" {
		return named
	}
	current := c.discovery[names.Lower(name)]
	for _, other := range g.ServiceNames() {
		if pod.ServiceAnnotation(g, other, metadata.AnnotationDiscoveryBackend) == "" {
			current = cmp.Or(current, c.discovery[names.Lower(other)])
		}
	}
	return cmp.Or(current, string(in.Discovery.Backend))
}

// executorOf a multinode service with vLLM is the executor that the graph specifies, otherwise the one for which its pods were built.
// Of the two engines of a pod with failover, only one could start Ray, and standby engines in other pods run as the operator runs them.
func (c choices) executorOf(g *graph.Graph, name string, in *inputv1alpha1.Input) string {
	specified := strings.ToLower(pod.ServiceAnnotation(g, name, metadata.AnnotationVLLMExecutor))
	if service := g.Spec.Services[name]; pod.HasStandby(&service) || pod.RunsWeightServers(g, name) {
		return cmp.Or(specified, string(backend.ExecutorMP))
	}
	return cmp.Or(specified, c.executors[names.Lower(name)], string(in.VLLM.DistributedExecutor))
}

// ChoiceWarnings name the values that the services of a live graph keep although the input of the step has changed.
func ChoiceWarnings(f *subject.Facts, services map[string]graphplan.Service) []string {
	g, in := f.Graph, f.Input
	if !f.Live() {
		return nil
	}
	discovery := func(s graphplan.Service) string { return s.Discovery }
	executor := func(s graphplan.Service) string { return s.Executor }
	return append(
		warnOfChoice(f, services, "discovery.backend", string(in.Discovery.Backend), metadata.AnnotationDiscoveryBackend, discovery),
		warnOfChoice(f, withoutStandbys(g, services), "vllm.distributedExecutor", string(in.VLLM.DistributedExecutor), metadata.AnnotationVLLMExecutor, executor)...,
	)
}

// withoutStandbys are the services that follow the input.
func withoutStandbys(g *graph.Graph, services map[string]graphplan.Service) map[string]graphplan.Service {
	others := maps.Clone(services)
	maps.DeleteFunc(others, func(name string, _ graphplan.Service) bool {
		service := g.Spec.Services[name]
		return pod.HasStandby(&service) || pod.RunsWeightServers(g, name)
	})
	return others
}

// warnOfChoice names the services that keep a value that differs from a setting of the input. Services that specify the value in an
// annotation are left out.
func warnOfChoice(f *subject.Facts, services map[string]graphplan.Service, setting, value, annotation string, of func(graphplan.Service) string) []string {
	var keeping []string
	var current string
	for _, name := range f.Graph.ServiceNames() {
		decided := of(services[name])
		if decided == "" || decided == value || pod.ServiceAnnotation(f.Graph, name, annotation) != "" {
			continue
		}
		keeping, current = append(keeping, name), decided
	}
	if len(keeping) == 0 {
		return nil
	}
	return []string{f.Keeps(subject.Keeps{
		Setting: setting, Value: value, Keeper: "pods of " + strings.Join(keeping, ", ") + " keep", Current: current,
		Remedy: fmt.Sprintf("set annotation %s to %s, which restarts them", annotation, value),
	})}
}
