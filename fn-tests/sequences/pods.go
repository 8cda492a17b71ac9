package sequences

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
)

// pods that run, by the key of their workload: the templates that they were made of. Pods of an earlier template run until the
// status of the workload says that it is carried out.
type pods map[string][]string

// run the pods of observed workloads.
func (p pods) run(t *testing.T, observed map[string]*unstructured.Unstructured) {
	t.Helper()
	for key, object := range observed {
		template, ok := templateOf(t, object)
		if !ok {
			continue
		}
		if generation, _, _ := unstructured.NestedInt64(object.Object, "status", "observedGeneration"); generation == object.GetGeneration() {
			p[key] = nil
		}
		if !slices.Contains(p[key], template) {
			p[key] = append(p[key], template)
		}
	}
}

// templateOf a workload as JSON.
func templateOf(t *testing.T, object *unstructured.Unstructured) (string, bool) {
	t.Helper()
	paths := map[string][]string{
		"Deployment": {"spec", "template"}, "LeaderWorkerSet": {"spec", "leaderWorkerTemplate"}, "PodCliqueSet": {"spec", "template"},
	}
	path, ok := paths[object.GetKind()]
	if !ok {
		return "", false
	}
	encoded, err := json.Marshal(valueAt(t, object.Object, path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded), true
}

// compareReferences fails when an object goes to which pods refer: those that ran before the render, and those of workloads
// that are still being deleted.
func compareReferences(t *testing.T, s step, running pods, before map[string]*unstructured.Unstructured, c *harness.Chain) {
	t.Helper()
	for _, key := range slices.Sorted(maps.Keys(before)) {
		if _, stays := c.Objects[key]; stays {
			continue
		}
		for _, workload := range slices.Sorted(maps.Keys(running)) {
			_, runs := before[workload]
			if _, ends := c.Terminating[workload]; !runs && !ends {
				continue
			}
			if slices.ContainsFunc(running[workload], func(template string) bool { return refers(t, template, before[key], before) }) {
				t.Errorf("%s: %s goes, to which pods of %s refer", s.name, key, workload)
			}
		}
	}
}

// refers reports whether a pod template refers to an object.
func refers(t *testing.T, template string, object *unstructured.Unstructured, all map[string]*unstructured.Unstructured) bool {
	t.Helper()
	has := func(text string) bool { return strings.Contains(template, text) }
	switch object.GetKind() {
	case "ServiceAccount":
		return has(`"serviceAccountName":"` + object.GetName() + `"`)
	case "ConfigMap", "Secret", "ResourceClaimTemplate", "InferencePool", "ComputeDomain":
		return has(`"` + object.GetName() + `"`)
	case "PodGroup":
		return has(`"scheduling.k8s.io/group-name":"` + object.GetName() + `"`)
	case "RoleBinding":
		subjects, _ := valueAt(t, object.Object, "subjects").([]any)
		return slices.ContainsFunc(subjects, func(subject any) bool {
			fields, _ := subject.(map[string]any)
			name, _ := fields["name"].(string)
			return has(`"serviceAccountName":"` + name + `"`)
		})
	case "Role":
		return slices.ContainsFunc(slices.Collect(maps.Values(all)), func(binding *unstructured.Unstructured) bool {
			role, _, _ := unstructured.NestedString(binding.Object, "roleRef", "name")
			return role == object.GetName() && refers(t, template, binding, all)
		})
	case "Service":
		labels, _, _ := unstructured.NestedStringMap(object.Object, "spec", "selector")
		const discovery = "nvidia.com/dynamo-discovery-backend"
		if backend, ok := object.GetLabels()[discovery]; ok {
			labels[discovery] = backend
		}
		for key, value := range labels {
			if !has(`"` + key + `":"` + value + `"`) {
				return false
			}
		}
		return true
	default:
		return false
	}
}

// settled has the controllers of workloads carry out what was applied: all of them, or those with some keys.
func settled(keys ...string) func(*testing.T, *harness.Chain) {
	return func(t *testing.T, c *harness.Chain) {
		t.Helper()
		for key, object := range c.Objects {
			if len(keys) > 0 && !slices.Contains(keys, key) {
				continue
			}
			if _, isWorkload := templateOf(t, object); !isWorkload {
				continue
			}
			object.Object["status"] = preview.StatusOf(object)
		}
	}
}
