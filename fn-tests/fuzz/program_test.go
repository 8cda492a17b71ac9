package fuzz

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/api"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// program is a sequence of bytes that chooses what happens. After its end it returns zeros, which change nothing.
type program struct{ bytes []byte }

func (p *program) next() byte {
	if len(p.bytes) == 0 {
		return 0
	}
	first := p.bytes[0]
	p.bytes = p.bytes[1:]
	return first
}

// below returns a number below n, which is at most 65536.
func (p *program) below(n int) int {
	if n <= 1 {
		return 0
	}
	value := int(p.next())
	if n > 256 {
		value = value<<8 + int(p.next())
	}
	return value % n
}

// editor changes manifests. It has samples of the fields of each form.
type editor struct{ samples map[string][]api.Sample }

func newEditor(t testing.TB) editor {
	t.Helper()
	e := editor{samples: map[string][]api.Sample{}}
	for form, file := range map[string]string{"services": "samples.yaml", "components": "components.yaml"} {
		samples, err := api.ReadSamples(harness.Root() + "/fn-tests/api/testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		e.samples[form] = samples.Fields
	}
	return e
}

// values of which every field rejects some.
var values = []any{
	nil, "", 0.0, -1.0, 1.0, 2.0, 3.0, 1.5, 1e18, true, false, "true", "a", "A", "0", "1Gi", "-5", "1e30", "é\u202e\x00",
	"Frontend", "kubernetes", "python3 -m dynamo.vllm", "python3 -m dynamo.trtllm -tp 8", "'", "$(X)", "a.b/c-d_e", "..", "UPPER", "x,y=z",
	"2026-01-01T00:00:00Z", "10%", "main",
	map[string]any{},
	[]any{},
	[]any{nil},
	map[string]any{"": nil},
	[]any{map[string]any{}},
	map[string]any{"name": "a", "value": "b"},
	strings.Repeat("n", 64), strings.Repeat("long-", 60),
}

// annotations that have an effect, with values of which some are refused.
var (
	annotations = []string{
		"nvidia.com/enable-grove", "nvidia.com/enable-metrics", "nvidia.com/dynamo-discovery-backend", "nvidia.com/dynamo-kube-discovery-mode",
		"nvidia.com/vllm-distributed-executor-backend", "nvidia.com/kai-scheduler-queue", "nvidia.com/volcano-queue", "nvidia.com/mpi-ssh-secret", "scheduling.volcano.sh/queue-name",
		"nvidia.com/deployment-strategy", "nvidia.com/deployment-rolling-update-max-surge", "grove.io/auto-mnnvl", "grove.io/mnnvl-group",
		"nvidia.com/topology-preferred-domain", "nvidia.com/disable-image-pull-secret-discovery", "nvidia.com/dynamo-operator-origin-version",
	}
	annotationValues = []any{"false", "true", "etcd", "kubernetes", "container", "ray", "mp", "enabled", "disabled", "rack", "Recreate", "25%", "", "other", 1.0}
)

// edit a copy of a manifest as the program says, and describe the change.
func (e editor) edit(tree map[string]any, p *program) (map[string]any, []string) {
	tree = runtime.DeepCopyJSON(tree)
	var changes []string
	for range p.below(5) {
		changes = append(changes, e.editOnce(tree, p))
	}
	return tree, changes
}

func (e editor) editOnce(tree map[string]any, p *program) string {
	form, order := byName(tree)
	if form == "components" {
		defer func() { list(tree, order) }()
	}
	components := childOf(childOf(tree, "spec"), form)
	names := slices.Sorted(maps.Keys(components))
	component := ""
	if len(names) > 0 {
		component = names[p.below(len(names))]
	}
	switch p.below(6) {
	case 0, 1:
		sample := e.samples[form][p.below(len(e.samples[form]))]
		if sample.Service != "" {
			component = sample.Service
		}
		api.Merge(tree, withComponent(sample.With, component))
		path := strings.Replace(sample.Path, "spec.components[].", "spec.components.*.", 1)
		place(tree, strings.Split(path, "."), component, runtime.DeepCopyJSONValue(numbers(sample.Value)))
		return fmt.Sprintf("%s of service %q is %v", sample.Path, component, sample.Value)
	case 2:
		replicas := float64(p.below(5))
		if s, ok := components[component].(map[string]any); ok {
			s["replicas"] = replicas
		}
		return fmt.Sprintf("service %q has %v replicas", component, replicas)
	case 3:
		annotation, value := annotations[p.below(len(annotations))], annotationValues[p.below(len(annotationValues))]
		parent, ok := components[component].(map[string]any)
		if ok && form == "components" {
			parent = childOf(childOf(parent, "podTemplate"), "metadata")
		}
		if parent == nil || p.next()&1 == 0 {
			parent = childOf(tree, "metadata")
		}
		if parent == nil {
			return "nothing"
		}
		if _, ok := parent["annotations"].(map[string]any); !ok {
			parent["annotations"] = map[string]any{}
		}
		childOf(parent, "annotations")[annotation] = value
		return fmt.Sprintf("annotation %s is %v", annotation, value)
	case 4:
		// Not by their names, so that the list is disturbed too.
		list(tree, order)
		order = nil
		return disturb(tree, p)
	default:
		if s, ok := components[component].(map[string]any); ok {
			copied := component + string("ab-A0"[p.below(5)])
			replica := runtime.DeepCopyJSON(s)
			if form == "components" {
				delete(replica, "name")
			}
			components[copied] = replica
			return fmt.Sprintf("service %q is like %q", copied, component)
		}
		return "nothing"
	}
}

// byName turns the list of components of a manifest into a map, like components, and returns the form of the manifest and the order of its
// components. A list in which names are missing or repeated is left as it is.
func byName(tree map[string]any) (string, []string) {
	components, ok := childOf(tree, "spec")["components"].([]any)
	if !ok {
		return "services", nil
	}
	all, order := map[string]any{}, []string{}
	for _, item := range components {
		component, _ := item.(map[string]any)
		name, _ := component["name"].(string)
		if all[name] != nil || name == "" {
			return "services", nil
		}
		all[name] = component
		order = append(order, name)
	}
	childOf(tree, "spec")["components"] = all
	return "components", order
}

// list the components of a manifest in an order, followed by new ones. Without an order they stay as they are.
func list(tree map[string]any, order []string) {
	all, ok := childOf(tree, "spec")["components"].(map[string]any)
	if !ok || order == nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if !slices.Contains(order, name) {
			order = append(order, name)
		}
	}
	var components []any
	for _, name := range order {
		value, ok := all[name]
		if component, isMap := value.(map[string]any); isMap && component["name"] == nil {
			component["name"] = name
		}
		if ok {
			components = append(components, value)
		}
	}
	childOf(tree, "spec")["components"] = components
}

// disturb one node of a tree: replace its value, or remove it.
func disturb(tree map[string]any, p *program) string {
	path := "."
	var node any = tree
	for depth := 2 + p.below(9); ; depth-- {
		switch typed := node.(type) {
		case map[string]any:
			names := slices.Sorted(maps.Keys(typed))
			if len(names) == 0 {
				return path + " has nothing to change"
			}
			name := names[p.below(len(names))]
			path += "." + name
			if child := typed[name]; depth > 0 && !leaf(child) {
				node = child
				continue
			}
			if p.next()&3 == 0 {
				delete(typed, name)
				return path + " is removed"
			}
			value := values[p.below(len(values))]
			typed[name] = runtime.DeepCopyJSONValue(value)
			return fmt.Sprintf("%s is %v", path, value)
		case []any:
			if len(typed) == 0 {
				return path + " has nothing to change"
			}
			i := p.below(len(typed))
			path += fmt.Sprintf("[%d]", i)
			if depth > 0 && !leaf(typed[i]) {
				node = typed[i]
				continue
			}
			value := values[p.below(len(values))]
			typed[i] = runtime.DeepCopyJSONValue(value)
			return fmt.Sprintf("%s is %v", path, value)
		}
	}
}

func leaf(node any) bool {
	switch typed := node.(type) {
	case map[string]any:
		return len(typed) == 0
	case []any:
		return len(typed) == 0
	default:
		return true
	}
}

// damage observed objects that the program chooses, and name them.
func damage(g *graph, p *program) (*graph, []string) {
	damaged := *g
	damaged.composed = maps.Clone(g.composed)
	keys := slices.Sorted(maps.Keys(g.composed))
	var changes []string
	for i := range min(p.below(6), len(keys)) {
		key := keys[p.below(len(keys))]
		if _, ok := g.composed[secretKey]; ok && i == 0 && p.next()&1 != 0 {
			key = secretKey // Among many others it would seldom be hit.
		}
		object := damaged.composed[key].GetResource()
		if object == nil {
			continue
		}
		switch how := p.below(7); how {
		case 0:
			delete(damaged.composed, key)
			changes = append(changes, key+" is gone")
		case 1:
			changes = append(changes, key+" has a status")
			damaged.composed[key] = &fnv1.Resource{Resource: withField(object, "status", statusWith(float64(p.below(4))))}
		case 2:
			damaged.composed[key] = &fnv1.Resource{Resource: withField(object, "metadata", deleted(object))}
			changes = append(changes, key+" is being deleted")
		case 3:
			data := mustStruct(map[string]any{"private.key": "!" + foreignSecret})
			damaged.composed[key] = &fnv1.Resource{Resource: withField(object, "data", structpb.NewStructValue(data))}
			changes = append(changes, key+" has data that is no base64")
		default:
			tree := object.AsMap()
			change := disturb(tree, p)
			// The fields that identify an object belong to its key.
			for _, field := range []string{"apiVersion", "kind"} {
				tree[field] = object.GetFields()[field].AsInterface()
			}
			damaged.composed[key] = &fnv1.Resource{Resource: mustStruct(tree)}
			changes = append(changes, key+change)
		}
	}
	damaged.scaled = p.below(4) - 1
	return &damaged, append(changes, fmt.Sprintf("children scaled by %d", damaged.scaled))
}

func withField(object *structpb.Struct, name string, value *structpb.Value) *structpb.Struct {
	object = proto.CloneOf(object)
	object.Fields[name] = value
	return object
}

func statusWith(replicas float64) *structpb.Value {
	return structpb.NewStructValue(mustStruct(map[string]any{
		"replicas": replicas, "readyReplicas": replicas, "availableReplicas": replicas, "updatedReplicas": replicas, "observedGeneration": 1.0,
		"phase": "Bound", "status": "Ready",
		"conditions": []any{
			map[string]any{"type": "Available", "status": "True", "reason": "Yes", "lastTransitionTime": "2026-01-01T00:00:00Z"},
			map[string]any{"type": "TopologyLevelsUnavailable", "status": "True", "reason": "TopologyLevelsUnavailable", "message": "m"},
		},
	}))
}

func deleted(object *structpb.Struct) *structpb.Value {
	metadata := proto.CloneOf(object.GetFields()["metadata"].GetStructValue())
	if metadata == nil {
		metadata = mustStruct(map[string]any{})
	}
	metadata.Fields["deletionTimestamp"] = structpb.NewStringValue("2026-01-02T00:00:00Z")
	return structpb.NewStructValue(metadata)
}

func childOf(tree map[string]any, name string) map[string]any {
	child, _ := tree[name].(map[string]any)
	return child
}

// place a value at a path, and create its parents. * stands for the component, or for the first item of a list.
func place(tree map[string]any, path []string, component string, value any) {
	name, list := strings.CutSuffix(path[0], "[]")
	if name == "*" {
		name = component
	}
	if len(path) == 1 {
		tree[name] = value
		return
	}
	child, ok := tree[name].(map[string]any)
	if items, isList := tree[name].([]any); isList && len(items) > 0 {
		child, ok = items[0].(map[string]any)
	}
	if !ok {
		child = map[string]any{}
		if tree[name] = any(child); list {
			tree[name] = []any{child}
		}
	}
	place(child, path[1:], component, value)
}

// withComponent returns a copy of a patch in which service or component * has a name.
func withComponent(patch map[string]any, component string) map[string]any {
	if patch == nil {
		return nil
	}
	patch, _ = numbers(patch).(map[string]any)
	for _, form := range []string{"services", "components"} {
		components := childOf(childOf(patch, "spec"), form)
		if value, ok := components["*"]; ok {
			delete(components, "*")
			components[component] = value
		}
	}
	return patch
}

// numbers returns a copy in which all numbers have the type that JSON numbers have.
func numbers(value any) any {
	switch typed := value.(type) {
	case map[string]any:
		all := make(map[string]any, len(typed))
		for name, child := range typed {
			all[name] = numbers(child)
		}
		return all
	case []any:
		all := make([]any, 0, len(typed))
		for _, child := range typed {
			all = append(all, numbers(child))
		}
		return all
	case int64:
		return float64(typed)
	case int:
		return float64(typed)
	default:
		return value
	}
}
