package crossplane

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/apiserver"
)

// statusOf an object whose controller has completed its work. nil for kinds without a status, and for those whose status is never read.
func statusOf(object *unstructured.Unstructured) map[string]any {
	replicas, found, err := unstructured.NestedFieldNoCopy(object.Object, "spec", "replicas")
	if !found || err != nil {
		replicas = int64(1)
	}
	switch object.GetKind() {
	case "Deployment":
		return map[string]any{
			"observedGeneration": object.GetGeneration(), "replicas": replicas, "updatedReplicas": replicas, "readyReplicas": replicas, "availableReplicas": replicas,
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

// condition that is True.
func condition(conditionType, reason, message string) map[string]any {
	return map[string]any{"type": conditionType, "status": "True", "reason": reason, "message": message, "lastTransitionTime": apiserver.Created}
}
