package pods

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// shareNode is how many GPUs a pod takes at most so that another one like it fits on its node. Nodes have eight, or fewer.
const shareNode = 4

// HostPortWarnings name the ports on which several replicas of a component would listen if they are on one node, whose network they use.
func HostPortWarnings(f *subject.Facts, p *graphplan.Plan) message.List {
	var warnings message.List
	for _, s := range f.Buildable.ComponentsByName() {
		if !s.Pod().HostNetwork || s.Replicas() < 2 || pod.TakenGPUs(s) > shareNode || isSpread(s.Pod().Affinity) {
			continue
		}
		known := slices.DeleteFunc(listening(f, p, s), func(number int32) bool { return number == 0 })
		warnings = append(warnings, message.About(graph.PodPath(graph.ComponentPath(s.Name), "hostNetwork"), "makes pods listen on ports of their node, and only one of %d replicas on a node can have ports %s: others stay pending, or end; remove hostNetwork, or keep the pods on different nodes with podAntiAffinity",
			s.Replicas(), texts(known)))
	}
	return warnings
}

// isSpread reports whether an affinity keeps pods on different nodes.
func isSpread(a *corev1.Affinity) bool {
	if a == nil || a.PodAntiAffinity == nil {
		return false
	}
	required := a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	return slices.ContainsFunc(required, func(t corev1.PodAffinityTerm) bool { return t.TopologyKey == corev1.LabelHostname })
}

// listening are the ports of the pods of a component, sorted. 0 stands for those that are not in the graph.
func listening(f *subject.Facts, p *graphplan.Plan, s *graph.Component) []int32 {
	var numbers []int32
	for _, process := range processesOf(f, p, s) {
		for _, port := range process.Ports {
			numbers = append(numbers, port.Number)
		}
		for _, declared := range process.Container.Ports {
			numbers = append(numbers, declared.ContainerPort)
		}
	}
	slices.Sort(numbers)
	return slices.Compact(numbers)
}

// processesOf the pods of a component, as they would be if they were new.
func processesOf(f *subject.Facts, p *graphplan.Plan, s *graph.Component) []pod.Process {
	var all []pod.Process
	for _, template := range templatesOf(f.Buildable, p, s) {
		all = append(all, pod.ProcessesOf(s, p.Components[s.Name].Framework, &template)...)
	}
	return all
}

// templatesOf the pods of a component, as they would be if they were new.
func templatesOf(g *graph.Graph, p *graphplan.Plan, s *graph.Component) []corev1.PodTemplateSpec {
	var all []corev1.PodTemplateSpec
	builder := pod.Builder{Graph: g, Plan: p}
	for _, role := range subject.Roles(g, s.Name) {
		all = append(all, builder.Build(s.Name, role, subject.Hosts(g, p.Orchestrator, s.Name, role)))
	}
	return all
}
