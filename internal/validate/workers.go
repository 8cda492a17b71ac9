package validate

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/conversion"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/engine"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/strict"
)

// worker warns of what an engine needs and a component does not have: its type, GPUs, and the flag for its phase of inference.
func (w *warnings) worker(path *field.Path, g *graph.Graph, s *graph.Component) {
	main := s.Main()
	if w.mistyped(path, g, s) || s.Type == "" {
		return
	}
	main.Env = slices.Concat(g.Spec.Env, main.Env)
	if module := g.CommandLines.OtherModule(&main); module == moduleMocker {
		w.phase(path, g, s, &main, module)
		return
	}
	framework, err := frameworkOf(g, s)
	// What a program of the user needs is not known. An engine that cannot be detected is an error of its own.
	if err != nil || framework == "" || !g.CommandLines.RunsEngine(framework, &main) && (!s.NamesNoProgram() || main.Image == "") {
		return
	}
	w.withoutGPUs(path, g, s, &main)
	w.phase(path, g, s, &main, engine.Module(framework))
}

// mistyped warns of a program of Dynamo in a component of another type, which does not get what the program needs, and reports whether it does.
func (w *warnings) mistyped(path *field.Path, g *graph.Graph, s *graph.Component) bool {
	needed, program := g.CommandLines.ComponentType(slices.Concat(s.Command(), s.Main().Args))
	component, _ := s.Types()
	meant, _ := conversion.TypesOf(nearType(s))
	if needed == "" || slices.Contains([]string{component, meant}, needed) {
		return false
	}
	written := s.ComponentType
	if g.Form == graph.Components {
		written = string(s.Type)
	}
	is, remedy := strconv.Quote(written), needed
	switch {
	case written == "":
		is = "not set"
	case slices.Contains(knownTypes(), written):
		remedy += ", for which a running graph has to be deleted and created again"
	}
	w.add(path.Child("type"), "is %s, although the {{component}} runs %s, so its pods do not get the ports, probes and variables %s; set it to %s", is, program, needs(needed), remedy)
	return true
}

// needs are what only pods of a type have, of which the defaults of pods are the source.
func needs(componentType string) string {
	switch componentType {
	case v1alpha1.ComponentFrontend:
		return "of a frontend, such as port http and DYN_HTTP_PORT, and no Service leads to its HTTP server"
	case v1alpha1.ComponentPlanner:
		return "of a planner, such as PLANNER_PROMETHEUS_PORT, and do not run with its ServiceAccount"
	case v1alpha1.ComponentEPP:
		return "of an Endpoint Picker, such as port grpc and DYN_ENFORCE_DISAGG, and no InferencePool leads to it"
	default:
		return "of a worker, such as port nixl and DYN_SYSTEM_ENABLED"
	}
}

// withoutGPUs warns of an engine in a container that requests no device on which it could run.
func (w *warnings) withoutGPUs(path *field.Path, g *graph.Graph, s *graph.Component, main *corev1.Container) {
	if s.GPUs()+s.Shares() > 0 || hasDevice(s) || runsOnCPU(g, main) {
		return
	}
	w.add(graph.MainPath(path, "resources", "limits"), "contain no GPU, so the engine finds no GPU; set the number of GPUs (%s), or a claim for them", strings.Join(names.Accelerators(), ", "))
}

// hasDevice reports whether a component requests a device that may be an accelerator, or a claim, which may be for one. Network adapters are
// none. A name that is misspelt, or that has no domain, gets a message of its own.
func hasDevice(s *graph.Component) bool {
	if len(s.Pod().ResourceClaims) > 0 || s.Resources != nil && len(s.Resources.Claims) > 0 {
		return true
	}
	main := s.WrittenMain()
	return len(main.Resources.Claims) > 0 || slices.ContainsFunc(requested(s, main), func(name string) bool {
		if !strings.Contains(name, "/") {
			return !isStandard(name)
		}
		return !isRDMA(name) && !strings.HasSuffix(name, "efa")
	})
}

// requested resources of the main container of a component, also in the short form, sorted.
func requested(s *graph.Component, main *corev1.Container) []string {
	all := requestedBy(main)
	if s.Resources != nil {
		for _, list := range []*v1alpha1.ResourceList{s.Resources.Limits, s.Resources.Requests} {
			if list != nil {
				all = slices.AppendSeq(all, maps.Keys(list.Custom))
			}
		}
	}
	slices.Sort(all)
	return all
}

// requestedBy a container are resources with these names, sorted.
func requestedBy(c *corev1.Container) []string {
	var all []string
	for _, list := range []corev1.ResourceList{c.Resources.Limits, c.Resources.Requests} {
		for name := range list {
			all = append(all, string(name))
		}
	}
	slices.Sort(all)
	return all
}

// isRDMA reports whether a resource is that of adapters with which memory has to be registered. Adapters of AWS (EFA) are no members: the images of
// its nodes limit no locked memory.
func isRDMA(name string) bool {
	domain, resource, _ := strings.Cut(name, "/")
	return domain == "rdma" || strings.Contains(resource, "rdma")
}

// lockedMemory warns of containers with RDMA adapters, with which all memory that is registered gets locked, that may lock little memory.
// https://man7.org/linux/man-pages/man2/mlock.2.html
func (w *warnings) lockedMemory(path *field.Path, s *graph.Component) {
	for _, c := range containersOf(path, s) {
		resources := requestedBy(c.Container)
		if c.main {
			resources = requested(s, c.Container)
		}
		if i := slices.IndexFunc(resources, isRDMA); i >= 0 && !mayLock(c.SecurityContext) {
			w.add(c.path.Child("securityContext"), "does not add capability IPC_LOCK, without which the container cannot register memory with %s where its runtime limits locked memory; set capabilities: {add: [IPC_LOCK]}", resources[i])
		}
	}
}

// mayLock reports whether a container may lock as much memory as it has.
func mayLock(s *corev1.SecurityContext) bool {
	return s != nil && (ptr.Deref(s.Privileged, false) || s.Capabilities != nil && slices.ContainsFunc(s.Capabilities.Add, func(c corev1.Capability) bool {
		return slices.Contains([]string{"IPC_LOCK", "CAP_IPC_LOCK", "ALL"}, strings.ToUpper(string(c)))
	}))
}

// runsOnCPU reports whether an engine may run without a device that its container requests: by its image or flags, or because the container
// gets devices in another way.
func runsOnCPU(g *graph.Graph, main *corev1.Container) bool {
	flags, complete := g.CommandLines.Flags(slices.Concat(main.Command, main.Args))
	privileged := main.SecurityContext != nil && main.SecurityContext.Privileged != nil && *main.SecurityContext.Privileged
	return !complete || flags["device"] || privileged || strings.Contains(main.Image, "cpu") || slices.ContainsFunc(main.Env, func(e corev1.EnvVar) bool {
		return strings.HasSuffix(e.Name, "_VISIBLE_DEVICES") || strings.Contains(e.Name, "CPU")
	})
}

// flagMode tells an engine for which phase of inference it is.
const flagMode = "disaggregation-mode"

// moduleMocker simulates an engine, without a GPU.
// https://github.com/ai-dynamo/dynamo/tree/main/components/src/dynamo/mocker
const moduleMocker = "dynamo.mocker"

// phase warns of an engine for one phase of inference that is not told so, and therefore does both. Decoding is what vLLM does without a flag;
// the other frameworks expect that decode workers are told as well, if there are others for prefill.
// https://github.com/ai-dynamo/dynamo/blob/036f289b17f289ffa99c34d554eb8ca8cc4a2b88/components/src/dynamo/vllm/backend_args.py
func (w *warnings) phase(path *field.Path, g *graph.Graph, s *graph.Component, main *corev1.Container, module string) {
	vLLM := module == engine.Module(v1alpha1.BackendVLLM)
	phase := phaseOf(s)
	decodes := phase == v1alpha1.SubComponentDecode || s.IsWorker() && phase == "" && !hasPhase(g, v1alpha1.SubComponentDecode)
	needed := phase == v1alpha1.SubComponentPrefill || decodes && !vLLM && hasPhase(g, v1alpha1.SubComponentPrefill)
	if _, told := toldPhase(g, main); !needed || told {
		return
	}
	what := fmt.Sprintf("do not tell %s that it is a decode worker, so it also prefills; add --disaggregation-mode decode", module)
	if phase == v1alpha1.SubComponentPrefill {
		what = fmt.Sprintf("do not tell %s that it is a prefill worker, so it also decodes, and is not found as a prefill worker; add --disaggregation-mode prefill", module)
		switch {
		case vLLM:
			what += ", or --is-prefill-worker with images of Dynamo before 1.0.0"
		case module == moduleMocker:
			what += ", or --is-prefill-worker with images that do not know it"
		}
	}
	w.add(graph.MainPath(path, "args"), "%s", what)
}

// undecoded warns of workers that only prefill in a graph that gets requests and has no worker that decodes. A worker of another graph can do so only
// in the global Dynamo namespace.
func (w *warnings) undecoded(g *graph.Graph) {
	var prefill []*graph.Component
	served := false
	for _, s := range g.ComponentsByName() {
		main := s.Main()
		main.Env = slices.Concat(g.Spec.Env, main.Env)
		phase, told := toldPhase(g, &main)
		if phase == "" && told {
			phase = phaseOf(s)
		}
		switch {
		case s.GlobalDynamoNamespace:
			return
		case s.Type == v1beta1.ComponentFrontend, s.Type == v1beta1.ComponentEPP:
			served = true
		case s.Type == v1beta1.ComponentPlanner:
		case phase == v1alpha1.SubComponentPrefill:
			prefill = append(prefill, s)
		default:
			return
		}
	}
	for _, s := range prefill {
		if served {
			w.add(graph.ComponentsPath().Key(s.Name), "is a prefill worker, but no {{component}} of the graph decodes, so no request is ever answered; add a worker that decodes")
		}
	}
}

// phaseOf inference for which a worker is. It is empty if the worker is for all of them.
func phaseOf(s *graph.Component) string {
	if s.ComponentType == v1alpha1.ComponentWorker {
		return s.SubComponentType
	}
	return s.ComponentType
}

// hasPhase reports whether a graph has workers for a phase of inference.
func hasPhase(g *graph.Graph, phase string) bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(g.Components)), func(s *graph.Component) bool { return phaseOf(s) == phase })
}

// toldPhase is the phase of inference that flags tell an engine. It is empty if they tell none, also where something that is not read may tell it.
func toldPhase(g *graph.Graph, main *corev1.Container) (phase string, maybe bool) {
	argv := slices.Concat(main.Command, main.Args)
	flags, complete := g.CommandLines.Flags(argv)
	switch {
	case flags[flagMode]:
		mode, _ := g.CommandLines.SettingOf(main, "", flagMode)
		return mode.Value, true
	case flags["is-prefill-worker"]:
		return v1alpha1.SubComponentPrefill, true
	}
	maybe = !complete || flags["is-decode-worker"] || slices.ContainsFunc(main.Env, func(e corev1.EnvVar) bool {
		return strings.Contains(e.Name, "DISAGGREGATION_MODE") || strings.Contains(e.Name, "IS_PREFILL_WORKER")
	})
	for flag := range flags {
		maybe = maybe || strings.HasPrefix(flag, "multimodal-")
	}
	return "", maybe
}

// misspeltDevices warns of resources that no node has, and whose name is similar to one of GPUs.
func (w *warnings) misspeltDevices(path *field.Path, s *graph.Component) {
	check := func(fieldPath *field.Path, name string) {
		if near := strict.Near(name, names.Accelerators()); near != "" {
			w.add(fieldPath.Key(name), "is not a resource that nodes are known to have; did you mean %q?", near)
		}
	}
	for _, c := range containersOf(path, s) {
		for field, list := range map[string]corev1.ResourceList{"limits": c.Resources.Limits, "requests": c.Resources.Requests} {
			for name := range list {
				check(c.path.Child("resources", field), string(name))
			}
		}
	}
	if s.Resources == nil {
		return
	}
	for field, list := range map[string]*v1alpha1.ResourceList{"limits": s.Resources.Limits, "requests": s.Resources.Requests} {
		if list == nil {
			continue
		}
		for name := range list.Custom {
			check(path.Child("resources", field, "custom"), name)
		}
	}
}
