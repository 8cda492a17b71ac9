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
func HostPortWarnings(f *subject.Facts, p *graphplan.Plan, built pod.Pods) message.List {
	var warnings message.List
	for _, s := range f.Buildable.ComponentsByName() {
		if !s.Pod().HostNetwork || s.Replicas() < 2 || pod.TakenGPUs(s) > shareNode || isSpread(s.Pod().Affinity) {
			continue
		}
		known := slices.DeleteFunc(listening(p, built, s), func(number int32) bool { return number == 0 })
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
func listening(p *graphplan.Plan, built pod.Pods, s *graph.Component) []int32 {
	var numbers []int32
	for _, process := range processesOf(p, built, s) {
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
