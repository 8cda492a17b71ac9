package crossplane

import (
	"math"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/apiserver"
)

// holdSeconds is the minReadySeconds with which functions keep old pods of a Deployment.
const holdSeconds = math.MaxInt32 - 1

// statusOf an object whose controller has completed its work. nil for kinds without a status, and for those whose status is never read.
func statusOf(object *unstructured.Unstructured) map[string]any {
	replicas, found, err := unstructured.NestedFieldNoCopy(object.Object, "spec", "replicas")
	if !found || err != nil {
		replicas = int64(1)
	}
	switch object.GetKind() {
	case "Deployment":
		all, updated := replicas, replicas
		seconds, _, _ := unstructured.NestedFieldNoCopy(object.Object, "spec", "minReadySeconds")
		if seconds == float64(holdSeconds) || seconds == int64(holdSeconds) {
			// New pods are ready, and old ones stay, because the new ones are not available yet.
			all, updated = withSurge(replicas), int64(1)
		}
		return map[string]any{
			"observedGeneration": object.GetGeneration(), "replicas": all, "updatedReplicas": updated, "readyReplicas": all, "availableReplicas": replicas,
			"conditions": []any{
				condition("Available", "MinimumReplicasAvailable", "Deployment has minimum availability."),
				condition("Progressing", "NewReplicaSetAvailable", "ReplicaSet has successfully progressed."),
			},
		}
	case "LeaderWorkerSet":
		return map[string]any{
			"observedGeneration": object.GetGeneration(), "replicas": replicas, "updatedReplicas": replicas, "readyReplicas": replicas,
			"hpaPodSelector": "leaderworkerset.sigs.k8s.io/name=" + object.GetName() + ",leaderworkerset.sigs.k8s.io/worker-index=0",
			"conditions":     []any{condition("Available", "AllGroupsReady", "All replicas are ready")},
		}
	case "PodCliqueSet":
		return map[string]any{
			"observedGeneration": object.GetGeneration(), "replicas": replicas, "updatedReplicas": replicas, "availableReplicas": replicas,
			"hpaPodSelector": "app.kubernetes.io/part-of=" + object.GetName(),
		}
	case "PodGroup":
		return map[string]any{
			"phase": "Running", "running": int64(2),
			"conditions": []any{condition("Scheduled", "tasks in gang are ready to be scheduled", "")},
		}
	case "PersistentVolumeClaim":
		return map[string]any{"phase": "Bound"}
	case "Service":
		return map[string]any{"loadBalancer": map[string]any{}}
	default:
		return nil
	}
}

// withSurge are the replicas of a Deployment that has started one more. Objects that were decoded by different libraries have numbers of
// different types.
func withSurge(replicas any) any {
	switch number := replicas.(type) {
	case int64:
		return number + 1
	case float64:
		return number + 1
	default:
		return replicas
	}
}

// condition that is True.
func condition(conditionType, reason, message string) map[string]any {
	return map[string]any{"type": conditionType, "status": "True", "reason": reason, "message": message, "lastTransitionTime": apiserver.Created}
}
