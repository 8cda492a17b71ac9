package platform

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/logging"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/compositiontest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/policies"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/guardrails/guardrail"
)

// attacks are the values that the guard rails below do not allow.
var attacks = map[guardrail.Rail]any{
	guardrail.Queues: "attacked", guardrail.ServiceAccounts: "attacked", guardrail.StorageClasses: "attacked", guardrail.Capabilities: "SYS_ADMIN",
	guardrail.ImageRegistries: "attacked.com/x.example.org/y:1", guardrail.HostPath: "/attacked", guardrail.HostNetwork: true, guardrail.Privileged: true,
}

// rails of the input of step plan, which allow everything in the graphs below.
func inputRails() map[string]any {
	return map[string]any{
		"queues": []any{"team-*", "solo", "solo-own"}, "serviceAccounts": []any{"team-*"}, "storageClasses": []any{"fast"}, "capabilities": []any{"IPC_LOCK"},
		"imageRegistries": []any{"*.example.org", "nvcr.io/nvidia"}, "allowHostPath": false, "allowHostNetwork": false, "allowPrivileged": false,
		"maxGPUs": int64(16),
	}
}

// policyRails are the same for the admission policy, which has none for GPUs.
func policyRails() map[string]string {
	return map[string]string{
		"queues": "team-*,solo,solo-own", "serviceAccounts": "team-*", "storageClasses": "fast", "capabilities": "IPC_LOCK", "imageRegistries": "*.example.org,nvcr.io/nvidia",
		"allowHostPath": "false", "allowHostNetwork": "false", "allowPrivileged": "false",
	}
}

// A form of graphs, with the version of the API that it is written in.
type form struct{ version, key string }

func forms() []form {
	return []form{{"v1alpha1", "services"}, {"v1beta1", "services"}, {"v1beta1", "components"}, {"v1alpha1", "components"}}
}

// within is a graph that the guard rails allow, whose workers span so many nodes.
func within(t *testing.T, f form, nodes int64) *unstructured.Unstructured {
	t.Helper()
	const image = "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.5.0"
	command := map[string]any{"command": []any{"python3", "-m", "dynamo.vllm"}, "args": []any{"--model", "x", "--tensor-parallel-size", "8"}}
	frontend, worker := map[string]any{"image": image}, map[string]any{"image": image}
	maps.Copy(worker, command)
	if f.key == "services" {
		components := map[string]any{
			"Frontend": map[string]any{"componentType": "frontend", "extraPodSpec": map[string]any{"mainContainer": frontend}},
			"Worker":   map[string]any{"componentType": "worker", "resources": map[string]any{"limits": map[string]any{"gpu": "8"}}, "extraPodSpec": map[string]any{"mainContainer": worker}},
		}
		if nodes > 1 {
			if worker, ok := components["Worker"].(map[string]any); ok {
				worker["multinode"] = map[string]any{"nodeCount": nodes}
			}
		}
		return graphOf(t, f.version, map[string]any{"services": components})
	}
	frontend["name"], worker["name"] = "main", "main"
	worker["resources"] = map[string]any{"limits": map[string]any{"nvidia.com/gpu": "8"}}
	pod := func(main map[string]any) map[string]any {
		return map[string]any{"spec": map[string]any{"containers": []any{main}}}
	}
	component := map[string]any{"name": "Worker", "type": "worker", "podTemplate": pod(worker)}
	if nodes > 1 {
		component["multinode"] = map[string]any{"nodeCount": nodes}
	}
	return graphOf(t, f.version, map[string]any{"components": []any{map[string]any{"name": "Frontend", "type": "frontend", "podTemplate": pod(frontend)}, component}})
}

// put a value at a path of an object. Lists get a new element with what each has to have, except for components.
func put(object map[string]any, path []guardrail.Part, value any) {
	next, rest := path[0], path[1:]
	switch {
	case next.Key != "":
		values := childOf(object, next.Field)
		values[next.Key] = value
	case !next.All && len(rest) == 0:
		object[next.Field] = value
	case !next.All:
		put(childOf(object, next.Field), rest, value)
	case len(rest) == 0:
		list, _ := object[next.Field].([]any)
		object[next.Field] = append(list, value)
	case next.Field == "services":
		put(childOf(childOf(object, next.Field), "Worker"), rest, value)
	case next.Field == "components":
		list, _ := object[next.Field].([]any)
		worker, _ := list[len(list)-1].(map[string]any)
		put(worker, rest, value)
	case next.Field == "roles":
		// Pods of a leader that keeps to the rules do not hide those of its workers.
		containers := []any{map[string]any{"name": "main", "image": "registry.example.org/dynamo/vllm:1.6.0"}}
		worker := map[string]any{"name": "worker"}
		childOf(childOf(worker, "podTemplate"), "spec")["containers"] = containers
		put(worker, rest, value)
		object[next.Field] = []any{map[string]any{"name": "leader", "podTemplate": map[string]any{"spec": map[string]any{"containers": containers}}}, worker}
	default:
		element := map[string]any{"name": "attack"}
		switch {
		case strings.HasSuffix(strings.ToLower(next.Field), "containers"):
			element["image"] = "registry.example.org/sidecar:1"
		case next.Field == "pvcs":
			maps.Copy(element, map[string]any{"create": true, "size": "1Gi", "volumeAccessMode": "ReadWriteOnce"})
		case rest[0].Field == "ephemeral":
			claim := childOf(childOf(childOf(element, "ephemeral"), "volumeClaimTemplate"), "spec")
			claim["accessModes"] = []any{"ReadWriteOnce"}
			claim["resources"] = map[string]any{"requests": map[string]any{"storage": "1Gi"}}
		}
		put(element, rest, value)
		list, _ := object[next.Field].([]any)
		object[next.Field] = append(list, element)
	}
}

// childOf an object, which is made if there is none.
func childOf(object map[string]any, field string) map[string]any {
	child, ok := object[field].(map[string]any)
	if !ok {
		child = map[string]any{}
		object[field] = child
	}
	return child
}

// attacked is a graph with a value at a path of its spec.
func attacked(graph *unstructured.Unstructured, path guardrail.Path, value any) *unstructured.Unstructured {
	graph = graph.DeepCopy()
	spec := childOf(graph.Object, "spec")
	put(spec, path.Parts(), value)
	return graph
}

// placed is a graph with an attack at a place, and the path of it. Empty: the form of the graph has no such place.
func placed(graph *unstructured.Unstructured, place guardrail.Place, f form) (guardrail.Path, *unstructured.Unstructured) {
	value := attacks[place.Rail]
	path := place.Service
	if place.Suffix {
		// Without a project it is added to nothing.
		graph = graph.DeepCopy()
		put(graph.Object, guardrail.Path("metadata.labels[project]").Parts(), "solo")
	}
	switch {
	case place.Graph != "":
		graph = graph.DeepCopy()
		put(graph.Object, place.Graph.Parts(), value)
		return place.Graph, graph
	case f.key == "components":
		path = place.Component
	}
	if path == "" {
		return "", nil
	}
	return path, attacked(graph, path, value)
}

// attackPlatforms by orchestrator, with the number of nodes of workers.
func attackPlatforms() map[string]struct {
	cluster string
	nodes   int64
} {
	return map[string]struct {
		cluster string
		nodes   int64
	}{
		"Grove": {harness.GroveKAI, 2}, "LeaderWorkerSets": {harness.LWSVolcano, 2}, "Deployments": {"examples/cluster/none.yaml", 1},
	}
}

// attacker renders graphs on one platform, with guard rails.
type attacker struct {
	pipeline  *crossplane.Pipeline
	functions crossplane.Functions
	cluster   []*unstructured.Unstructured
}

func newAttacker(t *testing.T, cluster string) attacker {
	t.Helper()
	pipeline := compositiontest.Pipeline(t, "compositions/dynamographdeployment-fused.yaml", map[string]any{"guardRails": inputRails()})
	return attacker{pipeline: pipeline, functions: crossplane.Direct(crossplane.Servers(logging.NewNopLogger())), cluster: harness.Read(t, cluster)}
}

// render a graph: what it becomes as JSON, or why it is refused.
func (a attacker) render(t *testing.T, graph *unstructured.Unstructured) (composed, refused string) {
	t.Helper()
	g := crossplane.NewGraph(graph, a.cluster)
	if _, err := a.pipeline.Settle(t.Context(), g, a.functions); err != nil {
		if !errors.Is(err, crossplane.ErrFatal) {
			t.Fatal(err)
		}
		return "", err.Error()
	}
	encoded, err := json.Marshal(g.Objects())
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded), ""
}

// TestAttacks puts what is not allowed at each place of the table, in each form of a graph, in each version of the API, on each orchestrator.
// It is refused, or it does not reach any object.
func TestAttacks(t *testing.T) {
	policy := policies.Load(t, "guard-rails.yaml")
	effective := map[guardrail.Rail]int{}
	for platform, p := range attackPlatforms() {
		a := newAttacker(t, p.cluster)
		for _, f := range forms() {
			benign := within(t, f, p.nodes)
			if _, refused := a.render(t, benign); refused != "" {
				t.Fatalf("%s: %v: want a graph within the guard rails accepted, got: %s", platform, f, refused)
			}
			for _, place := range guardrail.Places() {
				path, graph := placed(benign, place, f)
				if path == "" {
					continue
				}
				value := attacks[place.Rail]
				name := fmt.Sprintf("%s: %s %s: %s", platform, f.version, f.key, path)
				composed, refused := a.render(t, graph)
				reaches := trace(path, value)
				switch {
				case refused == "" && place.Graph != "":
					t.Errorf("%s: want %v refused, because KAI reads it in the graph", name, value)
				case refused == "" && strings.Contains(composed, reaches):
					t.Errorf("%s: want %v refused or without effect, but the objects have it", name, value)
				case strings.Contains(refused, "the platform"):
					effective[place.Rail]++
				}
				if _, limited := policyRails()[string(place.Rail)]; !limited {
					continue
				}
				// A field that the other version of the API has is not in the schema.
				if message := policy.Refuses(t, graph, nil, policyRails()); message == "" && refused != "" && strings.Contains(refused, "the platform") {
					t.Errorf("%s: want %v refused by the admission policy, as by step plan: %s", name, value, refused)
				}
			}
		}
	}
	for rail := range attacks {
		if effective[rail] == 0 {
			t.Errorf("want guard rail %s to refuse an attack", rail)
		}
	}
}

// TestSuffixes writes a project at each of its places, and a node pool at each of its own, in each form of a graph. Step plan and the admission policy
// refuse a queue that is not allowed, and accept one that is, and a node pool without a project.
func TestSuffixes(t *testing.T) {
	policy := policies.Load(t, "guard-rails.yaml")
	a := newAttacker(t, "examples/cluster/none.yaml")
	for _, f := range []form{{"v1alpha1", "services"}, {"v1beta1", "components"}} {
		for _, project := range append(guardrail.Projects(), guardrail.Place{}) {
			for _, suffix := range guardrail.Suffixes() {
				for pool, refuses := range map[string]bool{"own": false, "attacked": true} {
					graph := within(t, f, 1)
					// A role needs more of a pod template than labels.
					if strings.Contains(string(project.Component+suffix.Component), "roles[*]") || !putAt(graph, project, f, "solo") || !putAt(graph, suffix, f, pool) {
						continue
					}
					want := refuses && project != guardrail.Place{}
					name := fmt.Sprintf("%s: solo in %+v, %s in %+v", f.key, project, pool, suffix)
					if _, refused := a.render(t, graph); strings.Contains(refused, "stands for queue solo-attacked") != want || (refused != "") != want {
						t.Errorf("%s: want it refused: %t, got %q", name, want, refused)
					}
					if message := policy.Refuses(t, graph, nil, policyRails()); strings.Contains(message, "solo-attacked") != want || (message != "") != want {
						t.Errorf("%s: want it refused by the admission policy: %t, got %q", name, want, message)
					}
				}
			}
		}
	}
}

// putAt puts a value at a place of a graph. It returns false if the form of the graph has no such place.
func putAt(graph *unstructured.Unstructured, place guardrail.Place, f form, value string) bool {
	path, object := place.Service, childOf(graph.Object, "spec")
	switch {
	case place == guardrail.Place{}:
		return true
	case place.Graph != "":
		path, object = place.Graph, graph.Object
	case f.key == "components":
		path = place.Component
	}
	if path == "" {
		return false
	}
	put(object, path.Parts(), value)
	return true
}

// trace of a value in encoded objects.
func trace(path guardrail.Path, value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	parts := path.Parts()
	return fmt.Sprintf("%q:%v", parts[len(parts)-1].Field, value)
}

// TestAttacksOnGPUs takes more GPUs than are allowed in every way in which pods take them.
func TestAttacksOnGPUs(t *testing.T) {
	resources := func(name string) map[string]any { return map[string]any{"limits": map[string]any{name: "9"}} }
	sidecars := func(name string) []any {
		var all []any
		for i := range 9 {
			all = append(all, map[string]any{
				"name": fmt.Sprintf("sidecar-%d", i), "image": "registry.example.org/x:1", "restartPolicy": "Always",
				"resources": map[string]any{"limits": map[string]any{name: "1"}},
			})
		}
		return all
	}
	ways := map[string]func(pod map[string]any){}
	for _, name := range []string{"nvidia.com/gpu", "nvidia.com/gpu.shared", "nvidia.com/mig-1g.10gb", "amd.com/gpu", "volcano.sh/vgpu-number"} {
		container := map[string]any{"name": "more", "image": "registry.example.org/x:1", "resources": resources(name)}
		ways["container with "+name] = func(pod map[string]any) {
			list, _ := pod["containers"].([]any)
			pod["containers"] = append(list, container)
		}
		ways["init container with "+name] = func(pod map[string]any) { pod["initContainers"] = []any{resourcesOf(container, name, "17")} }
		ways["sidecars with "+name] = func(pod map[string]any) { pod["initContainers"] = sidecars(name) }
	}
	for platform, p := range attackPlatforms() {
		a := newAttacker(t, p.cluster)
		for _, f := range forms() {
			benign := within(t, f, p.nodes)
			for _, name := range slices.Sorted(maps.Keys(ways)) {
				graph := benign.DeepCopy()
				ways[name](podOf(graph, f))
				if _, refused := a.render(t, graph); !strings.Contains(refused, "GPUs, and the platform allows at most 16") {
					t.Errorf("%s: %s %s: %s: want it refused because of its GPUs, got %q", platform, f.version, f.key, name, refused)
				}
			}
			for _, key := range []string{"gpu-fraction", "gpu-memory"} {
				for _, path := range []guardrail.Path{
					"annotations", "services[*].annotations", "services[*].extraPodMetadata.annotations", "components[*].podTemplate.metadata.annotations",
				} {
					if parts := path.Parts(); parts[0].All && parts[0].Field != f.key {
						continue
					}
					graph := attacked(benign, path+guardrail.Path("["+key+"]"), "1")
					graph = attacked(graph, path+"[gpu-fraction-num-devices]", "9")
					if _, refused := a.render(t, graph); !strings.Contains(refused, "GPUs, and the platform allows at most 16") {
						t.Errorf("%s: %s %s: %s in %s: want it refused because of its GPUs, got %q", platform, f.version, f.key, key, path, refused)
					}
				}
			}
		}
	}
}

// resourcesOf a container with another amount.
func resourcesOf(container map[string]any, name, amount string) map[string]any {
	container = maps.Clone(container)
	container["resources"] = map[string]any{"limits": map[string]any{name: amount}}
	return container
}

// podOf the worker of a graph.
func podOf(graph *unstructured.Unstructured, f form) map[string]any {
	spec := childOf(graph.Object, "spec")
	if f.key == "services" {
		return childOf(childOf(childOf(spec, "services"), "Worker"), "extraPodSpec")
	}
	list, _ := spec["components"].([]any)
	worker, _ := list[len(list)-1].(map[string]any)
	return childOf(childOf(worker, "podTemplate"), "spec")
}
