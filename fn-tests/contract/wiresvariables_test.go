package contract

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// siteVariable is one that the generated graphs set for all of their components.
const siteVariable = "SITE_SETTING"

// variables that the processes of a pod need to find and to reach others.
func (w *graphWires) variables(p *wiredPod) []string {
	var problems []string
	lacks := func(process *wiredProcess, name, because string) {
		problems = append(problems, fmt.Sprintf("%s: %s in %s (remote %t) lacks %s, %s", p.name, process.argv[0], process.container, process.remote, name, because))
	}
	for i := range p.running {
		process := &p.running[i]
		module := process.module()
		if module == "" || module == "dynamo.vllm" && process.has("--headless") || !isTyped(p) || !w.composedFor(p, process) {
			continue
		}
		need := []string{"DYN_NAMESPACE", "POD_NAME", "POD_NAMESPACE", "POD_UID"}
		for _, other := range w.platform() {
			if !slices.Contains(need, other) {
				need = append(need, other)
			}
		}
		if module == "dynamo.frontend" {
			need = append(need, "DYN_NAMESPACE_PREFIX")
		}
		if p.labels["nvidia.com/dynamo-discovery-backend"] == "kubernetes" {
			need = append(need, "DYN_DISCOVERY_BACKEND")
		}
		for _, name := range need {
			if _, ok := process.env[name]; !ok {
				lacks(process, name, "which other processes of the graph have")
			}
		}
		if !process.remote {
			continue
		}
		for _, c := range p.containers() {
			if c.Name != process.container {
				continue
			}
			for _, e := range c.Env {
				if _, ok := process.env[e.Name]; !ok && !strings.Contains(w.warnings, e.Name) {
					lacks(process, e.Name, "which its container has")
				}
			}
			if _, ok := process.env[fromOutside]; len(c.EnvFrom) > 0 && !ok {
				lacks(process, fromOutside, "which its container has from envFrom")
			}
		}
	}
	return problems
}

// composedFor reports whether a process is one of a component. Others in the pod, and an engine beside its runtime, are those of the user.
func (w *graphWires) composedFor(p *wiredPod, process *wiredProcess) bool {
	beside := slices.ContainsFunc(p.spec.InitContainers, func(c corev1.Container) bool { return c.Name == "runtime" && c.RestartPolicy != nil })
	switch process.container {
	case "main":
		return !beside
	case "engine-0", "engine-1", "runtime":
		return true
	default:
		return process.container == w.sidecars[p.labels["nvidia.com/dynamo-component"]]
	}
}

// platform are the variables that some process of Dynamo has, and that all need.
func (w *graphWires) platform() []string {
	shared := map[string]bool{}
	for _, p := range w.pods {
		for i := range p.running {
			for name := range p.running[i].env {
				if name == "NATS_SERVER" || name == "ETCD_ENDPOINTS" || strings.HasPrefix(name, "NATS_TLS_") || strings.HasPrefix(name, "DYN_TCP_TLS_") || name == siteVariable {
					shared[name] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(shared))
}

// hostPorts of pods on the network of their node, of which several may be on one, are named in a warning.
func (w *graphWires) hostPorts(p *wiredPod) []string {
	gpus := p.spec.Containers[0].Resources.Limits["nvidia.com/gpu"]
	if !p.spec.HostNetwork || p.replicas < 2 || gpus.Value() > 4 {
		return nil
	}
	var problems []string
	for number, what := range p.listeners("") {
		if !strings.Contains(w.warnings, number) {
			problems = append(problems, fmt.Sprintf("%s: %d pods on the network of a node listen on %s (%s), and no warning names it", p.name, p.replicas, number, what))
		}
	}
	return problems
}
