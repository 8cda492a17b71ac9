// Package templates pins what manifests become in outlines that can be read: their objects, the hashes of their pod templates, and what
// of the objects cannot be changed. One upgrade of the functions meets every live graph at once: a graph that nobody has changed must
// not get other pods by accident.
package templates

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// fixed is the role of what of an object cannot be changed: a controller or the API server refuses the change, or
// it makes another object, beside which the first is deleted.
const fixed = "(fixed)"

// hash of a value. Maps are encoded in the order of their keys.
func hash(value any) (string, error) {
	encoded, err := json.Marshal(value)
	if err != nil {
		return "", fmt.Errorf("cannot encode: %w", err)
	}
	sum := sha256.Sum256(encoded)
	return hex.EncodeToString(sum[:8]), nil
}

// rolesOf an object, each with what its pods depend on. Kinds that neither have pods nor are immutable have none.
func rolesOf(object *unstructured.Unstructured) map[string]any {
	switch object.GetKind() {
	case "Deployment":
		return map[string]any{
			"pods": valueAt(object.Object, "spec", "template"),
			fixed:  fixedOf(object, valueAt(object.Object, "spec", "selector")),
		}
	case "LeaderWorkerSet":
		return leaderWorkerSet(object)
	case "PodCliqueSet":
		return podCliqueSet(object)
	case "ComputeDomain", "PersistentVolumeClaim", "ResourceClaimTemplate":
		return map[string]any{fixed: fixedOf(object, object.Object["spec"])}
	default:
		return nil
	}
}

// leaderWorkerSet roles. Its controller compares the whole leaderWorkerTemplate and networkConfig, and replaces the pods of a
// group together: https://github.com/kubernetes-sigs/lws/blob/v0.9.0/pkg/utils/revision/revision_utils.go
func leaderWorkerSet(object *unstructured.Unstructured) map[string]any {
	spec := without(valueAt(object.Object, "spec"), "replicas", "rolloutStrategy", "leaderWorkerTemplate", "networkConfig")
	template := valueAt(object.Object, "spec", "leaderWorkerTemplate")
	group := []any{without(template, "leaderTemplate", "workerTemplate"), valueAt(object.Object, "spec", "networkConfig")}
	return map[string]any{
		"leader": []any{valueAt(template, "leaderTemplate"), group},
		"worker": []any{valueAt(template, "workerTemplate"), group},
		fixed:    fixedOf(object, spec),
	}
}

// podCliqueSet roles. Grove's hash of a clique is over its labels, its annotations, its pod spec and the priority class of the
// set: https://github.com/ai-dynamo/grove/blob/main/operator/internal/controller/common/component/utils/podclique.go
//
// Its webhook refuses changes of the names, the order and the gangs of cliques and scaling groups, of topology and of NVLink.
func podCliqueSet(object *unstructured.Unstructured) map[string]any {
	template := valueAt(object.Object, "spec", "template")
	roles := map[string]any{}
	var rest []any
	cliques, _ := valueAt(template, "cliques").([]any)
	for _, clique := range cliques {
		name, _ := valueAt(clique, "name").(string)
		spec := valueAt(clique, "spec")
		roles[name] = []any{valueAt(clique, "labels"), valueAt(clique, "annotations"), valueAt(spec, "podSpec"), valueAt(template, "priorityClassName")}
		rest = append(rest, without(clique, "labels", "annotations", "spec"), without(spec, "podSpec", "replicas", "autoScalingConfig"))
	}
	groups, _ := valueAt(template, "podCliqueScalingGroups").([]any)
	for _, group := range groups {
		rest = append(rest, without(group, "replicas", "scaleConfig"))
	}
	set := without(template, "cliques", "podCliqueScalingGroups", "terminationDelay", "priorityClassName")
	roles[fixed] = fixedOf(object, []any{set, rest, groveAnnotations(object)})
	return roles
}

// groveAnnotations are those that its webhook looks at.
func groveAnnotations(object *unstructured.Unstructured) map[string]string {
	annotations := object.GetAnnotations()
	maps.DeleteFunc(annotations, func(name, _ string) bool { return !strings.HasPrefix(name, "grove.io/") })
	return annotations
}

// fixedOf an object: what tells it from others, and fields of it.
func fixedOf(object *unstructured.Unstructured, fields any) []any {
	return []any{object.GetAPIVersion(), object.GetKind(), object.GetNamespace(), object.GetName(), fields}
}

// valueAt is the value at a path in a tree; nil where there is nothing.
func valueAt(value any, path ...string) any {
	for _, name := range path {
		fields, _ := value.(map[string]any)
		value = fields[name]
	}
	return value
}

// without some fields of an object.
func without(value any, names ...string) map[string]any {
	fields, _ := value.(map[string]any)
	rest := maps.Clone(fields)
	for _, name := range names {
		delete(rest, name)
	}
	return rest
}
