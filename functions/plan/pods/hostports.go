package pods

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// shareNode is how many GPUs a pod takes at most so that another one like it fits on its node. Nodes have eight, or fewer.
const shareNode = 4

// HostPortWarnings name the ports on which several pods of a graph would listen if they are on one node, whose network they use.
func HostPortWarnings(f *subject.Facts, p *graphplan.Plan) message.List {
	pods, ports := map[int32]int32{}, map[string][]int32{}
	for _, s := range f.Buildable.ComponentsByName() {
		if !s.Pod().HostNetwork || pod.TakenGPUs(s) > shareNode || isSpread(s.Pod().Affinity) {
			continue
		}
		ports[s.Name] = listening(f, p, s)
		for _, number := range ports[s.Name] {
			pods[number] += s.Replicas() * s.Nodes()
		}
	}
	var warnings message.List
	for _, name := range slices.Sorted(maps.Keys(ports)) {
		meeting := slices.DeleteFunc(ports[name], func(number int32) bool { return pods[number] < 2 })
		if len(meeting) == 0 {
			continue
		}
		texts := make([]string, 0, len(meeting))
		for _, number := range meeting {
			texts = append(texts, strconv.Itoa(int(number)))
		}
		warnings = append(warnings, message.About(graph.PodPath(graph.ComponentPath(name), "hostNetwork"), "makes pods listen on ports of their node, and only one pod on a node can have ports %s: others stay pending, or end; remove hostNetwork, or keep the pods on different nodes with podAntiAffinity",
			strings.Join(texts, ", ")))
	}
	return warnings
}

// isSpread reports whether an affinity keeps pods on different nodes.
func isSpread(a *corev1.Affinity) bool {
	return a != nil && a.PodAntiAffinity != nil && slices.ContainsFunc(a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution, func(t corev1.PodAffinityTerm) bool {
		return t.TopologyKey == corev1.LabelHostname
	})
}

// listening are the ports of the pods of a component, sorted.
func listening(f *subject.Facts, p *graphplan.Plan, s *graph.Component) []int32 {
	var numbers []int32
	builder := pod.Builder{Graph: f.Buildable, Plan: p}
	for _, role := range subject.Roles(f.Buildable, s.Name) {
		built := builder.Build(s.Name, role, subject.Hosts(f.Buildable, p.Orchestrator, s.Name, role))
		template := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: built.Labels}, Spec: built.Spec}
		for _, process := range pod.ProcessesOf(s, p.Services[s.Name].Framework, &template) {
			for _, port := range process.Ports {
				numbers = append(numbers, port.Number)
			}
			for _, declared := range process.Container.Ports {
				numbers = append(numbers, declared.ContainerPort)
			}
		}
	}
	slices.Sort(numbers)
	return slices.DeleteFunc(slices.Compact(numbers), func(number int32) bool { return number == 0 })
}
