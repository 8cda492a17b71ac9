package contract

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// graphWires are the composed objects of a graph with all that connects them.
type graphWires struct {
	objects  []*unstructured.Unstructured
	pods     []*wiredPod
	warnings string
	// sidecars are the containers that components name as their frontends, by component.
	sidecars map[string]string
}

// problemsOf the wires of a graph. Each says which two ends do not meet.
func problemsOf(t testing.TB, out harness.Output) []string {
	t.Helper()
	w := &graphWires{objects: out.Composed, pods: wiredPods(t, out.Composed), warnings: strings.Join(out.Warnings(), "\n"), sidecars: sidecarsOf(out.Composite)}
	var problems []string
	for _, p := range w.pods {
		problems = append(problems, w.probes(p)...)
		problems = append(problems, p.collisions()...)
		problems = append(problems, w.waits(p)...)
		problems = append(problems, w.variables(p)...)
		problems = append(problems, w.hostPorts(p)...)
		for _, unknown := range p.unknown("http", "system", "grpc", "health", "metrics") {
			if !w.saysUnknown() {
				problems = append(problems, fmt.Sprintf("%s: where %s listens is not known, and no warning says so", p.name, unknown))
			}
		}
	}
	for _, o := range w.objects {
		switch o.GetKind() {
		case "Service":
			problems = append(problems, w.component(t, o)...)
		case "InferencePool":
			problems = append(problems, w.pool(o)...)
		}
	}
	slices.Sort(problems)
	return slices.DeleteFunc(problems, func(problem string) bool { return w.excuses(problem) })
}

// sidecarsOf the components of a graph, in either form of the API.
func sidecarsOf(graph *unstructured.Unstructured) map[string]string {
	sidecars := map[string]string{}
	services, _, _ := unstructured.NestedMap(graph.Object, "spec", "services")
	for name, component := range services {
		if fields, _ := component.(map[string]any); fields["frontendSidecar"] != nil {
			sidecars[name] = "sidecar-frontend"
		}
	}
	components, _, _ := unstructured.NestedSlice(graph.Object, "spec", "components")
	for _, component := range components {
		fields, _ := component.(map[string]any)
		if sidecar, _ := fields["frontendSidecar"].(string); sidecar != "" {
			sidecars[fmt.Sprint(fields["name"])] = sidecar
		}
	}
	return sidecars
}

// excuses a problem of a port that cannot be known, if a warning names it.
func (w *graphWires) excuses(problem string) bool {
	return strings.Contains(problem, elsewhere) && w.saysUnknown()
}

// saysUnknown reports whether a warning names a port that cannot be known.
func (w *graphWires) saysUnknown() bool {
	return w.saysAnyOf("is not in the graph, so", "is only known to the command itself")
}

func (w *graphWires) saysAnyOf(words ...string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(w.warnings, word) })
}

func isWorker(p *wiredPod) bool {
	switch p.labels["nvidia.com/dynamo-component-type"] {
	case "worker", "prefill", "decode":
		return true
	default:
		return false
	}
}

// isTyped reports whether the type of a component says what it is. Manifests have others too, from before there were types.
func isTyped(p *wiredPod) bool {
	switch p.labels["nvidia.com/dynamo-component-type"] {
	case "frontend", "planner", "epp":
		return true
	default:
		return isWorker(p)
	}
}

// serves reports whether a pod gets requests. known is false if the program is not.
func serves(p *wiredPod) (serves, known bool) {
	if !isTyped(p) {
		return false, false
	}
	for i := range p.running {
		process := &p.running[i]
		// The second engine of a pod is the same as the first one.
		switch {
		case process.init:
		case process.module() != "", process.is("sshd"), process.is("ray") && !process.has("--head"), slices.ContainsFunc(process.argv, func(word string) bool { return strings.Contains(word, "gpu_memory_service") }):
			known = true
		}
	}
	if !isWorker(p) {
		return true, true
	}
	return p.registers(), known
}

// component selects the pods that serve, and goes to where they listen.
func (w *graphWires) component(t testing.TB, o *unstructured.Unstructured) []string {
	t.Helper()
	service := corev1.Service{}
	if err := convert(o.Object, &service); err != nil {
		t.Fatal(err)
	}
	selector := labels.SelectorFromSet(service.Spec.Selector)
	name := "Service " + service.Name
	within := func(p *wiredPod) bool {
		return p.labels["nvidia.com/dynamo-component"] == service.Spec.Selector["nvidia.com/dynamo-component"]
	}
	if hash := service.Spec.Selector["nvidia.com/dynamo-base-model-hash"]; hash != "" {
		within = func(p *wiredPod) bool { return p.labels["nvidia.com/dynamo-base-model-hash"] == hash }
	}
	problems := w.selects(name, selector, within)
	for _, port := range service.Spec.Ports {
		if w.saysAnyOf("but the Service of model m can only lead to") && service.Spec.Selector["nvidia.com/dynamo-base-model-hash"] != "" {
			continue
		}
		target := port.TargetPort.String()
		problems = append(problems, w.reach(name, selector, target)...)
	}
	return problems
}

// selects reports pods that a selector misses, and others that it should not have.
func (w *graphWires) selects(name string, selector labels.Selector, within func(*wiredPod) bool) []string {
	var problems []string
	for _, p := range w.pods {
		serving, known := serves(p)
		switch selected := selector.Matches(p.labels); {
		case !known:
		case within(p) && serving && !selected:
			problems = append(problems, fmt.Sprintf("%s does not select %s, which registers", name, p.name))
		case selected && (!within(p) || !serving):
			problems = append(problems, fmt.Sprintf("%s selects %s, which does not register", name, p.name))
		}
	}
	return problems
}

// reach reports selected pods in which nothing listens on a port.
func (w *graphWires) reach(name string, selector labels.Selector, port string) []string {
	var problems []string
	for _, p := range w.pods {
		listeners := p.listeners("")
		if !selector.Matches(p.labels) || !isTyped(p) || !p.isKnown("main") && !p.isKnown("engine-0") && !p.isKnown("runtime") {
			continue
		}
		if number := p.target(port); listeners[number] == "" && !strings.Contains(w.warnings, "no {{component}}") {
			problems = append(problems, fmt.Sprintf("%s goes to %s (%s) of %s, whose processes listen on %v", name, port, number, p.name, listeners))
		}
	}
	return problems
}

// pool selects the workers that serve, and goes to their frontends.
func (w *graphWires) pool(o *unstructured.Unstructured) []string {
	match, _, _ := unstructured.NestedStringMap(o.Object, "spec", "selector", "matchLabels")
	ports, _, _ := unstructured.NestedSlice(o.Object, "spec", "targetPorts")
	selector := labels.SelectorFromSet(match)
	problems := w.selects("InferencePool "+o.GetName(), selector, isWorker)
	for _, item := range ports {
		port, _ := item.(map[string]any)
		for _, p := range w.pods {
			if !selector.Matches(p.labels) {
				continue
			}
			number := fmt.Sprint(port["number"])
			sidecar := slices.ContainsFunc(p.running, func(process wiredProcess) bool { return process.module() == "dynamo.frontend" })
			if listeners := p.listeners(""); sidecar && listeners[number] == "" && !w.saysAnyOf("an InferencePool has one port, which is "+number+",") {
				problems = append(problems, fmt.Sprintf("InferencePool goes to %s of %s, whose processes listen on %v", number, p.name, listeners))
			}
		}
	}
	reference, _, _ := unstructured.NestedInt64(o.Object, "spec", "endpointPickerRef", "port", "number")
	component, _, _ := unstructured.NestedString(o.Object, "spec", "endpointPickerRef", "name")
	found := false
	for _, other := range w.objects {
		if other.GetKind() != "Service" || other.GetName() != component {
			continue
		}
		all, _, _ := unstructured.NestedSlice(other.Object, "spec", "ports")
		for _, item := range all {
			port, _ := item.(map[string]any)
			found = found || port["port"] == reference
		}
	}
	if !found {
		problems = append(problems, fmt.Sprintf("InferencePool refers to port %d of Service %s, which has no such port", reference, component))
	}
	return problems
}

// waits of a pod are for something that its leader does.
func (w *graphWires) waits(p *wiredPod) []string {
	var leader *wiredPod
	for _, other := range w.pods {
		if other.name == p.leader {
			leader = other
		}
	}
	if leader == nil || leader == p {
		return nil
	}
	var problems []string
	waits := false
	check := func(what, port string) {
		waits = true
		if listeners := leader.listeners(""); listeners[port] == "" {
			problems = append(problems, fmt.Sprintf("%s: %s waits for port %s of %s, whose processes listen on %v", p.name, what, port, leader.name, listeners))
		}
	}
	for i := range p.running {
		process := &p.running[i]
		line := strings.Join(process.argv, " ")
		switch {
		case strings.HasSuffix(line, "wait-for-leader.py"):
			check("the init container", process.env["LEADER_PORT"])
		case process.is("ray") && slices.Contains(process.argv, "health-check"):
			address, _ := process.flag(100, "--address")
			check("the init container", address[strings.LastIndex(address, ":")+1:])
		case process.is("ray") && !process.has("--head"):
			if address, given := process.flag(100, "--address"); given {
				check("ray", address[strings.LastIndex(address, ":")+1:])
			}
		case strings.Contains(line, "urlopen('http://"):
			_, address, _ := strings.Cut(line, "urlopen('http://")
			address, _, _ = strings.Cut(address, "/")
			check("the script", address[strings.LastIndex(address, ":")+1:])
		}
	}
	// Nodes of other engines try again.
	isVLLM := slices.ContainsFunc(leader.running, func(process wiredProcess) bool { return process.module() == "dynamo.vllm" })
	if unknown := leader.unknown("rendezvous", "data-parallel"); len(unknown) > 0 && isVLLM && !waits && !w.saysUnknown() {
		problems = append(problems, fmt.Sprintf("%s: does not wait for %v of %s, and no warning says so", p.name, unknown, leader.name))
	}
	return problems
}
