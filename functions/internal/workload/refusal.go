package workload

import (
	"regexp"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/observed"
)

// refusal is why the controller of a Deployment cannot create or delete pods; nothing while it can.
func refusal(d *observed.DeploymentProgress) string {
	c := deploymentCondition(d, appsv1.DeploymentReplicaFailure)
	if c.Status != corev1.ConditionTrue || c.Message == "" {
		return ""
	}
	verb := "created"
	if c.Reason == failedDelete {
		verb = "deleted"
	}
	return "pods cannot be " + verb + ": " + steady(c.Message)
}

// failedDelete is the reason of condition ReplicaFailure while pods cannot be deleted; of those that cannot be created it is
// FailedCreate.
// https://github.com/kubernetes/kubernetes/blob/v1.36.3/pkg/controller/replicaset/replica_set_utils.go
const failedDelete = "FailedDelete"

// Parts of an API server's refusal that change from one attempt to the next: the name of the pod, which is generated, and how much
// of a quota others use. https://github.com/kubernetes/kubernetes/blob/v1.36.3/staging/src/k8s.io/apiserver/pkg/admission/plugin/resourcequota/controller.go
var (
	podName   = regexp.MustCompile(`^(?:pods|Pod) "[^"]*" is `)
	quotaUsed = regexp.MustCompile(`, used: \S+(, limited: )`)
)

// steady leaves out of a refusal what would change the message, and so write the status of the graph, each time that pods are tried
// again.
func steady(message string) string {
	message = podName.ReplaceAllString(message, "")
	message = quotaUsed.ReplaceAllString(message, "$1")
	return strings.Join(strings.Fields(message), " ")
}
