package written

import (
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/shared"
)

// TestRewritten writes graphs in another way that says the same: other quantities, variables in another order, defaults of the
// API, empty values and nulls.
func TestRewritten(t *testing.T) {
	for _, m := range manifests(t) {
		checkRewritten(t, m)
	}
}

// TestRewrittenCorpus does so with real manifests.
func TestRewrittenCorpus(t *testing.T) {
	for _, m := range shared.Corpus(t) {
		if m.Valid {
			checkRewritten(t, manifest{m.Name, harness.Read(t, m.Path)[0].Object})
		}
	}
}

func checkRewritten(t *testing.T, m manifest) {
	t.Helper()
	other := rewritten(m.object)
	if cmp.Equal(m.object, other) {
		t.Errorf("%s: nothing of it is written in another way", m.name)
	}
	if diff := cmp.Diff(hashesOf(t, m.object), hashesOf(t, other)); diff != "" {
		t.Errorf("%s: the same graph has other hashes when it is written in another way: -want, +got:\n%s", m.name, diff)
	}
}

func rewritten(object map[string]any) map[string]any {
	object = runtime.DeepCopyJSON(object)
	spec := child(object, "spec")
	fill(spec, map[string]any{"annotations": map[string]any{}, "labels": nil, "priorityClassName": "", "pvcs": []any{}})
	reverse(spec, "envs")
	for _, value := range child(spec, "services") {
		component, ok := value.(map[string]any)
		if !ok {
			continue
		}
		rewriteComponent(component)
	}
	return object
}

func rewriteComponent(component map[string]any) {
	fill(component, map[string]any{
		"replicas": int64(7), "globalDynamoNamespace": false, "sharedMemory": map[string]any{}, "envFromSecret": "", "ingress": nil,
		"extraPodMetadata": map[string]any{"labels": map[string]any{}}, "scalingAdapter": map[string]any{"enabled": false},
		"extraPodSpec": map[string]any{},
	})
	reverse(component, "envs")
	quantities(child(component, "resources"))
	if memory := child(component, "sharedMemory"); memory["size"] != nil {
		memory["size"] = otherwise(memory["size"])
	}
	if nodes := child(component, "multinode"); nodes["nodeCount"] == int64(2) {
		delete(nodes, "nodeCount")
	}
	if child(component, "gpuMemoryService")["enabled"] != nil {
		fill(child(component, "gpuMemoryService"), map[string]any{"mode": "intraPod", "deviceClassName": "gpu.nvidia.com"})
	}
	mounts, _ := component["volumeMounts"].([]any)
	for _, mount := range mounts {
		if mount, ok := mount.(map[string]any); ok {
			fill(mount, map[string]any{"useAsCompilationCache": false})
		}
	}
	pod := child(component, "extraPodSpec")
	fill(pod, map[string]any{"hostNetwork": false, "nodeSelector": map[string]any{}, "initContainers": []any{}, "restartPolicy": "", "mainContainer": map[string]any{}})
	main := child(pod, "mainContainer")
	fill(main, map[string]any{"stdin": false, "tty": nil, "workingDir": "", "resources": map[string]any{}})
	reverse(main, "env")
	quantities(child(main, "resources"))
}

// fill in fields that are absent.
func fill(object, values map[string]any) {
	for name, value := range values {
		if _, ok := object[name]; !ok {
			object[name] = value
		}
	}
}

// reverse a list of variables.
func reverse(object map[string]any, name string) {
	if list, ok := object[name].([]any); ok {
		slices.Reverse(list)
	}
}

// quantities of resources, written otherwise.
func quantities(resources map[string]any) {
	for _, kind := range []string{"requests", "limits"} {
		list := child(resources, kind)
		for name, amount := range list {
			if _, nested := amount.(map[string]any); !nested && name != "gpuType" {
				list[name] = otherwise(amount)
			}
		}
		custom := child(list, "custom")
		for name, amount := range custom {
			custom[name] = otherwise(amount)
		}
	}
}

// otherwise is an equal quantity in thousandths, or in units where those would be too many.
func otherwise(amount any) any {
	text, ok := amount.(string)
	if !ok {
		return amount
	}
	quantity, err := resource.ParseQuantity(text)
	if err != nil {
		return amount
	}
	if value := quantity.Value(); value > 1<<40 {
		return strconv.FormatInt(value, 10)
	}
	return strconv.FormatInt(quantity.MilliValue(), 10) + "m"
}

func child(object map[string]any, name string) map[string]any {
	value, ok := object[name].(map[string]any)
	if !ok {
		return map[string]any{}
	}
	return value
}
