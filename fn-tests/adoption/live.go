// Package adoption tests that graphs take over the objects that the Dynamo operator has created for them, and that no pods change.
package adoption

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// workerHash is the generation of workers, with which the names of their workloads end without Grove.
const workerHash = "1f2e3d4c"

// Label and environment variable with the generation.
const (
	labelWorkerHash = "nvidia.com/dynamo-worker-hash"
	workerSuffix    = "DYN_NAMESPACE_WORKER_SUFFIX"
)

// letter matches a value that YAML 1.1, which Kubernetes reads, interprets as a boolean.
var letter = regexp.MustCompile(`(?m)^(\s*value: )([ny])$`)

// ReadGolden reads a file of objects from a program that does not quote such values.
func ReadGolden(path string) ([]*unstructured.Unstructured, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read objects of the operator: %w", err)
	}
	objects, err := harness.Parse(letter.ReplaceAll(data, []byte(`$1"$2"`)))
	if err != nil {
		return nil, fmt.Errorf("cannot parse objects of the operator in %s: %w", path, err)
	}
	return objects, nil
}

// Live are the objects of the operator for a graph when nobody controls them any longer: those of workers with their generation, and all with the
// fields that an API server writes. Their owner was deleted without them.
func Live(graph string, objects []*unstructured.Unstructured) []*unstructured.Unstructured {
	workers := workerNames(objects)
	all := make([]*unstructured.Unstructured, 0, len(objects))
	for i, original := range objects {
		object := original.DeepCopy()
		for _, name := range workers {
			if slices.Contains([]string{"Deployment", "LeaderWorkerSet", "PodGroup", "Service", "Ingress"}, object.GetKind()) {
				rename(object.Object, name)
			}
		}
		if baseName(original) != "" && slices.Contains(workers, baseName(original)) {
			label(object.Object, "metadata")
			for _, template := range templatePaths(object) {
				markWorker(object, template)
			}
		}
		if object.GetKind() == "LeaderWorkerSet" {
			// The webhook of LeaderWorkerSets, which did not run, sets these fields.
			_ = unstructured.SetNestedField(object.Object, "RollingUpdate", "spec", "rolloutStrategy", "type")
		}
		object.SetUID(types.UID(fmt.Sprintf("0b9c1f7e-0000-4000-9000-%012d", i)))
		object.SetGeneration(1)
		object.SetManagedFields(managersOf(object))
		if object.GetKind() == "PersistentVolumeClaim" {
			// Nothing else shows that it was made for the graph.
			release(object, graph)
		}
		all = append(all, object)
	}
	return all
}

// Release objects of the operator as the steps of command adopt do.
func Release(graph string, objects []*unstructured.Unstructured) {
	for _, object := range objects {
		release(object, graph)
		object.SetManagedFields(nil)
	}
}

func release(object *unstructured.Unstructured, graph string) {
	annotations := object.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations["dynamo.nvidia.com/released-from"] = graph
	object.SetAnnotations(annotations)
}

// Move an object of the operator to another namespace, as if its graph had been there: a RoleBinding is for the ServiceAccount in it.
func Move(object *unstructured.Unstructured, namespace string) {
	object.SetNamespace(namespace)
	subjects, _, _ := unstructured.NestedSlice(object.Object, "subjects")
	for _, s := range subjects {
		if account, ok := s.(map[string]any); ok {
			account["namespace"] = namespace
		}
	}
	if len(subjects) > 0 {
		_ = unstructured.SetNestedSlice(object.Object, subjects, "subjects")
	}
}

// managersOf an object that the operator has created.
func managersOf(object *unstructured.Unstructured) []metav1.ManagedFieldsEntry {
	var fields []string
	for key := range object.Object {
		if !slices.Contains([]string{"apiVersion", "kind", "status"}, key) {
			fields = append(fields, fmt.Sprintf("%q:{}", "f:"+key))
		}
	}
	slices.Sort(fields)
	return []metav1.ManagedFieldsEntry{{
		Manager: "manager", Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: object.GetAPIVersion(),
		FieldsType: "FieldsV1", FieldsV1: &metav1.FieldsV1{Raw: []byte("{" + strings.Join(fields, ",") + "}")},
	}}
}

// workerNames are the base names of workers without Grove.
func workerNames(objects []*unstructured.Unstructured) []string {
	var workers []string
	for _, object := range objects {
		for _, path := range templatePaths(object) {
			labels, _, _ := unstructured.NestedStringMap(object.Object, append(slices.Clone(path), "metadata", "labels")...)
			if slices.Contains([]string{"worker", "prefill", "decode"}, labels["nvidia.com/dynamo-component-type"]) {
				workers = append(workers, baseName(object))
			}
		}
	}
	slices.Sort(workers)
	return slices.Compact(workers)
}

var replicaNumber = regexp.MustCompile(`-\d+$`)

// baseName of the workload of a component without Grove. The names of its replicas begin with it.
func baseName(object *unstructured.Unstructured) string {
	switch object.GetKind() {
	case "Deployment":
		return object.GetName()
	case "LeaderWorkerSet":
		return replicaNumber.ReplaceAllString(object.GetName(), "")
	default:
		return ""
	}
}

// templatePaths are where the pod templates of a Deployment or a LeaderWorkerSet are.
func templatePaths(object *unstructured.Unstructured) [][]string {
	switch object.GetKind() {
	case "Deployment":
		return [][]string{{"spec", "template"}}
	case "LeaderWorkerSet":
		return [][]string{{"spec", "leaderWorkerTemplate", "leaderTemplate"}, {"spec", "leaderWorkerTemplate", "workerTemplate"}}
	default:
		return nil
	}
}

// rename the parts of an object that have the name of a worker.
func rename(object map[string]any, worker string) {
	for key, value := range object {
		object[key] = renamed(value, worker)
	}
}

// renamed is a value in which names of workers end with their generation.
func renamed(value any, worker string) any {
	switch value := value.(type) {
	case map[string]any:
		rename(value, worker)
	case []any:
		for i, item := range value {
			value[i] = renamed(item, worker)
		}
	case string:
		for _, name := range []string{worker, strings.ReplaceAll(worker, ".", "-")} {
			rest, ok := strings.CutPrefix(value, name)
			if ok && (rest == "" || replicaNumber.FindString(rest) == rest) {
				return name + "-" + workerHash + rest
			}
		}
	}
	return value
}

func markWorker(object *unstructured.Unstructured, template []string) {
	pods, _, _ := unstructured.NestedFieldNoCopy(object.Object, template...)
	fields, ok := pods.(map[string]any)
	if !ok {
		return
	}
	label(fields, "metadata")
	containers, _, _ := unstructured.NestedFieldNoCopy(fields, "spec", "containers")
	list, _ := containers.([]any)
	for _, c := range list {
		container, ok := c.(map[string]any)
		if !ok || container["name"] != "main" {
			continue
		}
		env, _ := container["env"].([]any)
		container["env"] = append(env, map[string]any{"name": workerSuffix, "value": workerHash})
	}
}

func label(object map[string]any, path ...string) {
	// The objects only consist of maps, slices and strings.
	_ = unstructured.SetNestedField(object, workerHash, append(path, "labels", labelWorkerHash)...)
}
