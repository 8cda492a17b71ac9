package workload

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
)

// refusal is the reason why the controller of a Deployment cannot create or delete pods. It is empty if it can.
func refusal(d *observed.DeploymentProgress) string {
	c := deploymentCondition(d, appsv1.DeploymentReplicaFailure)
	if c.Status != corev1.ConditionTrue || c.Message == "" {
		return ""
	}
	verb := "created"
	if c.Reason == failedDelete {
		verb = "deleted"
	}
	return "pods cannot be " + verb + ": " + observed.Steady(c.Message)
}

// failedDelete is the reason of condition ReplicaFailure if pods cannot be deleted. If pods cannot be created, the reason is FailedCreate.
// https://github.com/kubernetes/kubernetes/blob/v1.36.3/pkg/controller/replicaset/replica_set_utils.go
const failedDelete = "FailedDelete"
