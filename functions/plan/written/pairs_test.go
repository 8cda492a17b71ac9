package written

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// A place in a graph where something may be written that may also be written elsewhere, with two values.
type place struct {
	path   []string
	values [2]any
}

// of the graph, and of its component.
func ofGraph(path ...string) []string     { return append([]string{"spec"}, path...) }
func ofComponent(path ...string) []string { return append([]string{"spec", "services", "S"}, path...) }
func ofMain(path ...string) []string {
	return append(ofComponent("extraPodSpec", "mainContainer"), path...)
}

// everywhere are places for the same two values, each in its form.
func everywhere(form func(value string) any, a, b string, paths ...[]string) []place {
	var all []place
	for _, path := range paths {
		all = append(all, place{path, [2]any{form(a), form(b)}})
	}
	return all
}

// variable in all lists of variables.
func variable(name string) []place {
	return everywhere(func(value string) any { return []any{map[string]any{"name": name, "value": value}} }, "9001", "9002",
		ofGraph("envs"), ofComponent("envs"), ofMain("env"), ofComponent("frontendSidecar", "envs"),
		ofComponent("extraPodSpec", "containers", "0", "env"), ofComponent("extraPodSpec", "initContainers", "0", "env"),
		ofComponent("extraPodSpec", "initContainers", "1", "env"))
}

// ofRuntime is a variable that functions read, in the lists that may be those of the runtime.
func ofRuntime(name string) []place {
	all := variable(name)
	return append(all[:3], all[5])
}

// annotation of the graph, of all components, of the component and of its pods.
func annotation(name, a, b string) []place {
	return everywhere(func(value string) any { return map[string]any{name: value} }, a, b,
		[]string{"metadata", "annotations"}, ofGraph("annotations"), ofComponent("annotations"), ofComponent("extraPodMetadata", "annotations"))
}

// TestOverrides writes the same thing into each set of the places where it may be written: graphs whose pods differ never have the same hash.
// Other tests change one field of a graph, and do not see which field overrides which.
func TestOverrides(t *testing.T) {
	text := func(value string) any { return value }
	cases := map[string]struct {
		reason string
		places []place
		// alone says that the hash may change without the pods: an annotation that is overridden may decide about something else.
		alone bool
	}{
		"Variable":    {reason: "A variable of the graph is one of its main containers.", places: variable("A")},
		"SystemPort":  {reason: "The port of the system server follows a variable.", places: ofRuntime("DYN_SYSTEM_PORT"), alone: true},
		"Namespace":   {reason: "The Dynamo namespace follows a variable.", places: ofRuntime("DYN_NAMESPACE"), alone: true},
		"Label":       {reason: "A label of the pods overrides that of the service, and that the one of the graph.", places: everywhere(func(value string) any { return map[string]any{"a": value} }, "x", "y", ofGraph("labels"), ofComponent("labels"), ofComponent("extraPodMetadata", "labels")), alone: true},
		"Annotation":  {reason: "An annotation of the pods overrides that of the service, and that the one of the graph.", places: annotation("example.org/a", "x", "y"), alone: true},
		"Metrics":     {reason: "An annotation decides about metrics.", places: annotation("nvidia.com/enable-metrics", "true", "false"), alone: true},
		"Discovery":   {reason: "An annotation decides about discovery.", places: annotation("nvidia.com/dynamo-discovery-backend", "kubernetes", "etcd"), alone: true},
		"Mode":        {reason: "An annotation decides about what is discovered.", places: annotation("nvidia.com/dynamo-kube-discovery-mode", "pod", "container"), alone: true},
		"Origin":      {reason: "An annotation is copied to the pods.", places: annotation("nvidia.com/dynamo-operator-origin-version", "1.0.0", "1.1.0"), alone: true},
		"Executor":    {reason: "An annotation decides about the executor.", places: annotation("nvidia.com/vllm-distributed-executor-backend", "mp", "ray"), alone: true},
		"PullSecrets": {reason: "An annotation decides about pull secrets.", places: annotation("nvidia.com/disable-image-pull-secret-discovery", "true", "false"), alone: true},
		"PowerLimit":  {reason: "An annotation limits power.", places: annotation("dynamo.nvidia.com/gpu-power-limit", "300", "350"), alone: true},
		"Priority":    {reason: "Pods may have another class than their graph.", places: everywhere(text, "high", "low", ofGraph("priorityClassName"), ofComponent("extraPodSpec", "priorityClassName")), alone: true},
		"Framework": {
			reason: "A command tells more than the framework of the graph.",
			places: []place{
				{ofGraph("backendFramework"), [2]any{"vllm", "sglang"}},
				{ofMain("command"), [2]any{[]any{"python3", "-m", "dynamo.vllm"}, []any{"python3", "-m", "dynamo.trtllm"}}},
				{ofMain("args"), [2]any{[]any{"--model", "m"}, []any{"-m", "dynamo.sglang"}}},
			},
			alone: true,
		},
		"Probe": {
			reason: "A probe of the main container changes or replaces that of the service.",
			places: everywhere(func(value string) any { return map[string]any{"exec": map[string]any{"command": []any{value}}} }, "a", "b", ofComponent("livenessProbe"), ofMain("livenessProbe")),
		},
		"Resources": {
			reason: "Resources of the main container override those of the service.",
			places: everywhere(func(value string) any { return map[string]any{"limits": map[string]any{"cpu": value}} }, "1", "2", ofComponent("resources"), ofMain("resources")),
		},
		"Transfer": {
			reason: "A policy of the graph sets variables.",
			places: append(variable("DYN_KV_TRANSFER_DOMAIN")[:3], place{ofGraph("experimental"), [2]any{
				map[string]any{"kvTransferPolicy": map[string]any{"labelKey": "a", "domain": "zone"}}, map[string]any{"kvTransferPolicy": map[string]any{"labelKey": "a", "domain": "rack"}},
			}}),
			alone: true,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for beside, graph := range map[string]func() map[string]any{
				"runtime": func() map[string]any { return graphWith("runtime") }, "helper": func() map[string]any { return graphWith("helper") }, ofRoles: graphOfRoles,
			} {
				places, most := tc.places, len(tc.places)
				if beside == ofRoles {
					places, most = inRoles(places), mostInRoles
				}
				byHash, byPods := map[graphplan.Written]written{}, map[string]written{}
				for w := range allOf(t, graph, places, most) {
					if before, ok := byHash[w.hash]; ok && before.pods != w.pods {
						t.Errorf("%s\nthe pods of a graph with %s, %s and of one with %s differ, and the hash is the same", tc.reason, beside, before.what, w.what)
					}
					if before, ok := byPods[w.pods]; ok && before.hash != w.hash && !tc.alone {
						t.Errorf("%s\nthe pods of a graph with %s, %s and of one with %s are the same, and the hash differs", tc.reason, beside, before.what, w.what)
					}
					byHash[w.hash], byPods[w.pods] = w, w
				}
				if len(byPods) < 3 {
					t.Errorf("%s\nthe pods of all graphs with %s are the same", tc.reason, beside)
				}
			}
		})
	}
}

// written in a graph, and what it becomes.
type written struct {
	what, pods string
	hash       graphplan.Written
}

// allOf the graphs in which at most some of the places have one of their values, and the others none.
func allOf(t *testing.T, graph func() map[string]any, places []place, most int) func(yield func(written) bool) {
	t.Helper()
	return func(yield func(written) bool) {
		combinations := 1
		for range places {
			combinations *= 3
		}
		for combination := range combinations {
			object, what := graph(), []string(nil)
			for i, rest := 0, combination; i < len(places); i, rest = i+1, rest/3 {
				if rest%3 > 0 {
					value := places[i].values[rest%3-1]
					replace(object, places[i].path, func(any) any { return value })
					what = append(what, fmt.Sprintf("%s: %v", strings.Join(places[i].path, "."), value))
				}
			}
			if len(what) > most {
				continue
			}
			s, ok := stateOf(t, runtime.DeepCopyJSON(object))
			if ok && !yield(written{strings.Join(what, ", "), s.pods["S"], s.hashes["S"].Newest()}) {
				return
			}
		}
	}
}

// graphWith a worker that has every kind of container, one of which has a name.
func graphWith(beside string) map[string]any {
	return map[string]any{
		"apiVersion": "nvidia.com/v1alpha1", "kind": "DynamoGraphDeployment", "metadata": map[string]any{"name": "llama", "namespace": "inference"},
		"spec": map[string]any{"services": map[string]any{"S": map[string]any{
			"componentType":    "worker",
			"multinode":        map[string]any{"nodeCount": int64(2)},
			"frontendSidecar":  map[string]any{"image": "registry.example.org/frontend"},
			"extraPodMetadata": map[string]any{},
			"extraPodSpec": map[string]any{
				"mainContainer": map[string]any{"image": "registry.example.org/engine"},
				"containers":    []any{map[string]any{"name": "log", "image": "registry.example.org/log"}},
				"initContainers": []any{
					map[string]any{"name": beside, "image": "registry.example.org/runtime", "restartPolicy": "Always"},
					map[string]any{"name": "setup", "image": "registry.example.org/setup"},
				},
			},
		}}},
	}
}

// ofRoles are graphs whose roles have pod templates. mostInRoles is how many of their places have a value at once: both roles have most of them.
const (
	ofRoles     = "pod templates of roles"
	mostInRoles = 3
)

// graphOfRoles is a graph with the same worker, in pod templates of its roles.
func graphOfRoles() map[string]any {
	graph := graphWith("runtime")
	component := child(child(child(graph, "spec"), "services"), "S")
	pod := child(component, "extraPodSpec")
	for _, name := range []string{"frontendSidecar", "extraPodMetadata", "extraPodSpec"} {
		delete(component, name)
	}
	pod["containers"] = []any{map[string]any{"name": "main", "image": "registry.example.org/engine:1.6.0", "command": []any{"run"}}, map[string]any{"name": "log", "image": "registry.example.org/log"}}
	delete(pod, "mainContainer")
	var roles []any
	for _, name := range []string{"leader", "worker"} {
		roles = append(roles, runtime.DeepCopyJSON(map[string]any{"name": name, "podTemplate": map[string]any{"metadata": map[string]any{}, "spec": pod}}))
	}
	component["roles"] = roles
	return graph
}

// inRoles are the places of pods in the pod template of each role, and those of graphs and components where they are. What components have for their
// pods may not be beside pod templates of roles.
func inRoles(places []place) []place {
	var all []place
	for _, p := range places {
		below, isComponent := p.path, len(p.path) > 2 && p.path[1] == "services"
		if isComponent {
			below = p.path[3:]
		}
		switch {
		case !isComponent, below[0] == "labels", below[0] == "annotations":
			all = append(all, p)
			continue
		case below[0] == "extraPodMetadata":
			below = append([]string{"metadata"}, below[1:]...)
		case below[0] != "extraPodSpec":
			continue
		case below[1] == "mainContainer":
			below = append([]string{"spec", "containers", "0"}, below[2:]...)
		case below[1] == "containers":
			below = append([]string{"spec", "containers", "1"}, below[3:]...)
		default:
			below = append([]string{"spec"}, below[1:]...)
		}
		for _, role := range []string{"0", "1"} {
			all = append(all, place{ofComponent(append([]string{"roles", role, "podTemplate"}, below...)...), p.values})
		}
	}
	return all
}

// TestDecisions shows that nothing of what the functions decide is part of what the user has written, apart from requests that take effect
// later than they are made. Otherwise an earlier release, which decides something else, would replace pods.
func TestDecisions(t *testing.T) {
	const spec = `{"priorityClassName":"high","services":{"S":{"componentType":"worker","multinode":{"nodeCount":2}}}}`
	g := plantest.Decoded(t, plantest.AnnotatedJSON(spec, `{"nvidia.com/kai-scheduler-queue":"team"}`))
	before := hashOf(t, g, &graphplan.Plan{})["S"]
	cases := map[string]struct {
		reason  string
		plan    graphplan.Plan
		changed bool
	}{
		"Generation": {reason: "The generation of workers follows from what the user has written for all of them.", plan: graphplan.Plan{WorkerGeneration: "1f2e3d4c"}},
		"Services": {
			reason: "Everything else that is decided about a service follows the deciding annotation.",
			plan: graphplan.Plan{Components: map[string]graphplan.Component{"S": {
				Framework: "vllm", Executor: "ray", Discovery: graphplan.Kubernetes, RuntimeVersion: "1.5.0", DynamoNamespace: "d",
				Checkpoint: &graphplan.Checkpoint{Name: "c"},
			}}},
		},
		"Infrastructure": {reason: "The platform is not the user.", plan: graphplan.Plan{Infrastructure: graphplan.Infrastructure{NATSAddress: "nats://n"}}},
		"Topology":       {reason: "Where pods run is not what they are.", plan: graphplan.Plan{TopologyLabels: []graphplan.TopologyLabel{{}}}},
		"Orchestrator":   {reason: "A graph keeps its orchestrator, and only Grove replaces pods with another priority.", plan: graphplan.Plan{Orchestrator: graphplan.Grove}, changed: true},
		"Queue": {
			reason: "A queue has to exist first.", plan: graphplan.Plan{Grove: &graphplan.GrovePlan{SchedulerName: graphplan.KAIScheduler, Queue: "team"}}, changed: true,
		},
		"Restart": {reason: "A restart reaches one service after the other.", plan: graphplan.Plan{Restart: &graphplan.Restart{ID: "now", Marks: map[string][]graphplan.RestartMark{"S": {{At: "now"}}}}}, changed: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if changed := hashOf(t, g, &tc.plan)["S"] != before; changed != tc.changed {
				t.Errorf("%s\nHash(...)[S] changes: want %t, got %t", tc.reason, tc.changed, changed)
			}
		})
	}
}
