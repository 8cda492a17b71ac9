package workload

import (
	"regexp"
	"strings"

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
	return "pods cannot be " + verb + ": " + Steady(c.Message)
}

// failedDelete is the reason of condition ReplicaFailure if pods cannot be deleted. If pods cannot be created, the reason is FailedCreate.
// https://github.com/kubernetes/kubernetes/blob/v1.36.3/pkg/controller/replicaset/replica_set_utils.go
const failedDelete = "FailedDelete"

// Parts of an API server's refusal that differ between two attempts: the generated name of the pod, and the used part of a quota.
// https://github.com/kubernetes/kubernetes/blob/v1.36.3/staging/src/k8s.io/apiserver/pkg/admission/plugin/resourcequota/controller.go
var (
	podName   = regexp.MustCompile(`^(?:pods|Pod) "[^"]*" is `)
	quotaUsed = regexp.MustCompile(`, used: \S+(, limited: )`)
)

// Steady removes the parts of an API server's refusal that differ between two attempts. Otherwise each attempt would change the message, and write the
// status of the graph.
func Steady(message string) string {
	message = podName.ReplaceAllString(message, "")
	message = quotaUsed.ReplaceAllString(message, "$1")
	return strings.Join(strings.Fields(message), " ")
}
