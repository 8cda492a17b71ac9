package pods

import (
	"slices"

	"google.golang.org/protobuf/types/known/structpb"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/health/workload"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// wired is a pod of a component with its programs.
type wired struct {
	labels    labels.Set
	processes []pod.Process
}

// registers reports whether the pod gets requests.
func (w wired) registers() bool { return len(w.processes) > 0 && w.processes[0].Registers }

// wires of a graph: the pods of each component that may run, now or after this step.
type wires struct {
	*subject.Facts

	plan *graphplan.Plan
	pods map[string][]wired

	// workloads that run, and rolling are the components of which pods of an earlier template may still run.
	workloads map[string]workload.Workload
	rolling   map[string]bool
}

// Endpoints decides which pods of each component get requests, and where. What is decided fits the pods that run as well as those that will:
// revisions keep those of a component that its user does not change, whatever they would be if they were new. While pods are replaced, nothing
// changes that the last ones of them need.
func Endpoints(f *subject.Facts, p *graphplan.Plan, built pod.Pods) (map[string]graphplan.Endpoints, *graphplan.Pool) {
	w := &wires{Facts: f, plan: p, pods: map[string][]wired{}, rolling: map[string]bool{}}
	if len(f.Observed.Pods) > 0 {
		w.workloads = workload.Of(f.Graph, p, f.Observed.Resources(), f.Graph.ComponentNames()...)
	}
	for _, component := range f.Graph.ComponentsByName() {
		w.add(component, built[component.Name])
	}
	all := map[string]graphplan.Endpoints{}
	for _, component := range f.Graph.ComponentsByName() {
		all[component.Name] = w.endpoints(component)
	}
	return all, w.pool()
}

// add the pods of a component that may run.
func (w *wires) add(s *graph.Component, built []pod.Built) {
	decision, live := w.plan.Components[s.Name], w.Observed.Pods[names.Lower(s.Name)]
	live = slices.DeleteFunc(slices.Clone(live), func(t corev1.PodTemplateSpec) bool { return pod.RuntimeOfPod(&t.Spec) == nil })
	templates := slices.Clone(live)
	if written, _ := w.Observed.Status.Revision(s.Name); len(live) == 0 || !written.Same(decision.Written) {
		for _, seen := range built {
			templates = append(templates, seen.Template)
		}
		w.rolling[s.Name] = len(live) > 0
	} else {
		w.rolling[s.Name] = !w.workloads[s.Name].Ready
	}
	for i := range templates {
		w.pods[s.Name] = append(w.pods[s.Name], wired{templates[i].Labels, pod.ProcessesOf(s, decision.Framework, &templates[i])})
	}
}

// endpoints of a component.
func (w *wires) endpoints(s *graph.Component) graphplan.Endpoints {
	var ports []backend.Port
	var targets []intstr.IntOrString
	out := graphplan.Endpoints{}
	for _, p := range w.pods[s.Name] {
		if !p.registers() {
			out.FirstNodeOnly = true
			continue
		}
		ports, targets = append(ports, p.processes[0].Serves), append(targets, p.processes[0].Target)
	}
	if len(targets) > 0 {
		// Pods that run come first.
		out.Port, out.Number = targets[0], ports[0].Number
		if slices.ContainsFunc(ports, func(p backend.Port) bool { return p.Number != out.Number }) {
			out.Number = 0
		}
		if i := slices.IndexFunc(targets, func(t intstr.IntOrString) bool { return t.Type == intstr.Int }); i >= 0 {
			out.Port = intstr.FromInt32(ports[0].Number)
		}
	}
	observed := tree.At(w.Observed.Object(names.KeyService(s.Name)), "spec")
	if !w.rolling[s.Name] || observed == nil {
		return out
	}
	out.FirstNodeOnly = out.FirstNodeOnly || tree.Text(observed, metadata.LabelRole, "selector") != ""
	if number := numberIn(observed, "ports", "targetPort"); number != 0 && out.Port.Type == intstr.Int {
		out.Port = intstr.FromInt32(number)
	}
	return out
}

// pool of the Endpoint Picker. nil if there is none.
func (w *wires) pool() *graphplan.Pool {
	i := slices.IndexFunc(w.Graph.ComponentsByName(), func(s *graph.Component) bool { return s.Type == v1beta1.ComponentEPP })
	if i < 0 {
		return nil
	}
	pool := &graphplan.Pool{Port: pod.PortHTTP}
	rolls, found := false, false
	for _, s := range w.Graph.ComponentsByName() {
		if !s.IsWorker() {
			continue
		}
		rolls = rolls || w.rolling[s.Name]
		for _, p := range w.pods[s.Name] {
			for _, process := range p.processes {
				if process.Sidecar && process.Registers && !found {
					pool.Port, found = process.Serves.Number, true
				}
			}
		}
	}
	if number := numberIn(tree.At(w.Observed.Object(names.KeyEPPInferencePool), "spec"), "targetPorts", "number"); number != 0 && rolls {
		pool.Port = number
	}
	pool.Selector = w.fitting(pod.PoolSelectors(w.Graph, w.plan, w.Graph.ComponentsByName()[i].Name))
	return pool
}

// fitting is the selector that selects most of the workers that register, and no pod that does not. The first one of several is taken.
func (w *wires) fitting(selectors []map[string]string) map[string]string {
	best, most := selectors[0], 0
	for _, selector := range selectors {
		count := 0
		for _, s := range w.Graph.ComponentsByName() {
			for _, p := range w.pods[s.Name] {
				switch {
				case !labels.SelectorFromSet(selector).Matches(p.labels):
				case !s.IsWorker() || !p.registers():
					count -= len(w.Graph.Components) * len(w.pods[s.Name]) // Requests would get lost.
				default:
					count++
				}
			}
		}
		if count > most {
			best, most = selector, count
		}
	}
	return best
}

// numberIn the first element of a list of an object. 0: there is none.
func numberIn(object *structpb.Struct, list, key string) int32 {
	values := object.GetFields()[list].GetListValue().GetValues()
	if len(values) == 0 {
		return 0
	}
	return int32(values[0].GetStructValue().GetFields()[key].GetNumberValue())
}
