package preview

import (
	"reflect"
	"slices"

	"github.com/google/uuid"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/scaling/rollout"
)

// since when all conditions are True. Previews do not depend on the time.
const since = "2024-01-01T00:00:00Z"

// carriedOut is an object as the cluster has it when Crossplane has applied it, and its controller has done its work. before is nil for a
// new object.
func carriedOut(desired, before *unstructured.Unstructured) *unstructured.Unstructured {
	object := desired.DeepCopy()
	object.SetGeneration(1)
	object.SetUID(types.UID(uuid.NewSHA1(uuid.Nil, []byte(object.GetKind()+"/"+object.GetNamespace()+"/"+object.GetName())).String()))
	if before != nil {
		object.SetUID(before.GetUID())
		object.SetCreationTimestamp(before.GetCreationTimestamp())
		// Somebody else scales an object whose replicas Crossplane does not apply.
		if replicas, ok := Integer(before.Object, "spec", "replicas"); ok {
			if _, applied := Integer(object.Object, "spec", "replicas"); !applied {
				// An object with replicas has a spec.
				_ = unstructured.SetNestedField(object.Object, replicas, "spec", "replicas")
			}
		}
		object.SetGeneration(before.GetGeneration())
		if !reflect.DeepEqual(object.Object["spec"], before.Object["spec"]) {
			object.SetGeneration(before.GetGeneration() + 1)
		}
	}
	if status := StatusOf(object); status != nil {
		object.Object["status"] = status
	}
	return object
}

// StatusOf an object whose controller has done its work. nil for kinds whose status functions do not read.
func StatusOf(object *unstructured.Unstructured) map[string]any {
	replicas := IntegerOrOne(object.Object, "spec", "replicas")
	all := map[string]any{"observedGeneration": object.GetGeneration(), "replicas": replicas, "updatedReplicas": replicas}
	switch object.GetKind() {
	case "Deployment":
		all["readyReplicas"], all["availableReplicas"] = replicas, replicas
		if seconds, _ := Integer(object.Object, "spec", "minReadySeconds"); seconds == rollout.HoldSeconds {
			// The controller has done all it can when a new pod is ready beside the old ones.
			all["replicas"], all["readyReplicas"], all["updatedReplicas"] = replicas+1, replicas+1, int64(1)
		}
		all["conditions"] = []any{isTrue("Available"), isTrue("Progressing")}
		return all
	case "LeaderWorkerSet":
		all["readyReplicas"], all["conditions"] = replicas, []any{isTrue("Available")}
		return all
	case grovev1alpha1.KindPodCliqueSet:
		all["availableReplicas"] = replicas
		return all
	case grovev1alpha1.KindPodClique:
		all["readyReplicas"], all["scheduledReplicas"] = replicas, replicas
		return all
	case grovev1alpha1.KindPodCliqueScalingGroup:
		all["availableReplicas"], all["scheduledReplicas"] = replicas, replicas
		return all
	case "PodGroup":
		return map[string]any{"phase": "Running", "conditions": []any{isTrue("Scheduled")}}
	case "PersistentVolumeClaim":
		return map[string]any{"phase": "Bound"}
	case "Service":
		return map[string]any{"loadBalancer": map[string]any{}}
	default:
		return nil
	}
}

func isTrue(conditionType string) map[string]any {
	return map[string]any{"type": conditionType, "status": "True", "reason": conditionType, "message": "", "lastTransitionTime": since}
}

// childrenOf the PodCliqueSet among objects. Grove reads the replicas of a clique when it creates the child, and only the autoscalers among
// the objects change them later.
func childrenOf(objects, before []unstructured.Unstructured) []unstructured.Unstructured {
	var children []unstructured.Unstructured
	for i := range objects {
		if objects[i].GetKind() == grovev1alpha1.KindPodCliqueSet {
			children = append(children, childrenOfSet(&objects[i], objects, before)...)
		}
	}
	return children
}

func childrenOfSet(set *unstructured.Unstructured, objects, before []unstructured.Unstructured) []unstructured.Unstructured {
	var children []unstructured.Unstructured
	for _, c := range cliquesAndGroups(set) {
		name, replicas := set.GetName()+"-0-"+c.name, c.replicas
		generation := int64(1)
		if i := slices.IndexFunc(before, func(o unstructured.Unstructured) bool { return o.GetKind() == c.kind && o.GetName() == name }); i >= 0 {
			replicas, _ = Integer(before[i].Object, "spec", "replicas")
			generation = before[i].GetGeneration()
		}
		child := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"replicas": scaled(objects, c.kind, name, replicas)}}}
		child.SetAPIVersion(grovev1alpha1.APIVersion)
		child.SetKind(c.kind)
		child.SetNamespace(set.GetNamespace())
		child.SetName(name)
		child.SetGeneration(generation)
		child.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(set, set.GroupVersionKind())})
		child.Object["status"] = StatusOf(child)
		children = append(children, *child)
	}
	return children
}

// scalable is a clique or a scaling group of a PodCliqueSet that scales by itself.
type scalable struct {
	kind, name string
	replicas   int64
}

// cliquesAndGroups of a PodCliqueSet that scale by themselves. Cliques in groups do not.
func cliquesAndGroups(set *unstructured.Unstructured) []scalable {
	var all []scalable
	var grouped []string
	for _, group := range items(set.Object, "spec", "template", "podCliqueScalingGroups") {
		name, _, _ := unstructured.NestedString(group, "name")
		members, _, _ := unstructured.NestedStringSlice(group, "cliqueNames")
		grouped = append(grouped, members...)
		all = append(all, scalable{kind: grovev1alpha1.KindPodCliqueScalingGroup, name: name, replicas: IntegerOrOne(group, "replicas")})
	}
	for _, clique := range items(set.Object, "spec", "template", "cliques") {
		if name, _, _ := unstructured.NestedString(clique, "name"); !slices.Contains(grouped, name) {
			all = append(all, scalable{kind: grovev1alpha1.KindPodClique, name: name, replicas: IntegerOrOne(clique, "spec", "replicas")})
		}
	}
	return all
}

// scaled are the replicas of a child within the bounds of the autoscaler that scales it.
func scaled(objects []unstructured.Unstructured, kind, name string, replicas int64) int64 {
	for i := range objects {
		if objects[i].GetKind() != "HorizontalPodAutoscaler" {
			continue
		}
		target, _, _ := unstructured.NestedMap(objects[i].Object, "spec", "scaleTargetRef")
		if target["kind"] != kind || target["name"] != name {
			continue
		}
		least := IntegerOrOne(objects[i].Object, "spec", "minReplicas")
		most, ok := Integer(objects[i].Object, "spec", "maxReplicas")
		if !ok {
			most = replicas
		}
		replicas = min(max(replicas, least), max(most, least))
	}
	return replicas
}

// IntegerOrOne is a number at a path, or 1, which is the default of all numbers of replicas and nodes.
func IntegerOrOne(object map[string]any, path ...string) int64 {
	if number, ok := Integer(object, path...); ok {
		return number
	}
	return 1
}

// Integer at a path. Objects that were decoded by different libraries have numbers of different types.
func Integer(object map[string]any, path ...string) (int64, bool) {
	value, ok, err := unstructured.NestedFieldNoCopy(object, path...)
	if !ok || err != nil {
		return 0, false
	}
	switch number := value.(type) {
	case int64:
		return number, true
	case float64:
		return int64(number), true
	default:
		return 0, false
	}
}

// items of a list of objects.
func items(object map[string]any, path ...string) []map[string]any {
	value, _, _ := unstructured.NestedFieldNoCopy(object, path...)
	list, _ := value.([]any)
	all := make([]map[string]any, 0, len(list))
	for _, item := range list {
		if content, isObject := item.(map[string]any); isObject {
			all = append(all, content)
		}
	}
	return all
}
