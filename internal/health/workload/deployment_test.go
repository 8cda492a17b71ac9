package workload

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

func TestDeployment(t *testing.T) {
	zero, two := new(int32(0)), new(int32(2))
	isAvailable := available(corev1.ConditionTrue)
	failure := func(reason, message string) appsv1.DeploymentCondition {
		return appsv1.DeploymentCondition{Type: appsv1.DeploymentReplicaFailure, Status: corev1.ConditionTrue, Reason: reason, Message: message}
	}
	quota := failure("FailedCreate", `pods "llama-decode-6d4f-x7k2z" is forbidden: exceeded quota: gpus, requested: limits.memory=1Gi,requests.nvidia.com/gpu=2, `+
		"used: limits.memory=3Gi,requests.nvidia.com/gpu=7, limited: limits.memory=4Gi,requests.nvidia.com/gpu=8")
	const (
		overQuota = "pods cannot be created: forbidden: exceeded quota: gpus, requested: limits.memory=1Gi,requests.nvidia.com/gpu=2, " +
			"limited: limits.memory=4Gi,requests.nvidia.com/gpu=8"
		denied = `admission webhook "pods.example.org" denied the request: no`
	)
	counts := func(replicas, updated, ready, available int32) Counts {
		return Counts{Replicas: replicas, Updated: updated, Ready: new(ready), Available: new(available)}
	}
	terminating, paused := deploymentUp(), deploymentOf(two, appsv1.DeploymentStatus{})
	deleted(&terminating.ObjectMeta)
	paused.Spec.Paused = true
	compare(t, Deployment, map[string]objectCase{
		"Ready":          {reason: "A Deployment that is seen, updated and available is done.", observed: deploymentOf(two, progressOf(2, 2, 2, 2, isAvailable)), want: Object{Counts: counts(2, 2, 2, 2), Done: true}},
		"OneByDefault":   {reason: "Without a number there is one replica.", observed: deploymentUp(), want: Object{Counts: counts(1, 1, 1, 1), Done: true}},
		"ScaledToZero":   {reason: "A Deployment without replicas is done when none are there.", observed: deploymentOf(zero, progressOf(0, 0, 0, 0, isAvailable)), want: Object{Counts: counts(0, 0, 0, 0), Done: true}},
		"NotCreated":     {reason: "A Deployment that does not exist has no replicas.", want: Object{Counts: counts(0, 0, 0, 0), Message: "not created yet", Reason: some}},
		"BeingDeleted":   {reason: "A Deployment that is being deleted is not done, although its replicas still are available.", observed: terminating, want: Object{Counts: counts(1, 1, 1, 1), Message: "is being deleted", Reason: some}},
		"Paused":         {reason: "A paused Deployment does not roll out.", observed: paused, want: Object{Counts: counts(0, 0, 0, 0), Message: "is paused", Reason: some}},
		"OldStatus":      {reason: "A status of an earlier generation is of other pods.", observed: deploymentOf(two, before(progressOf(2, 2, 0, 2, isAvailable))), want: Object{Counts: counts(2, 2, 0, 2), Message: "its controller has not observed the latest change yet", Reason: some}},
		"OldFailure":     {reason: "A failure of an earlier generation is of other pods.", observed: deploymentOf(two, before(progressOf(0, 0, 0, 0, exceeded()))), want: Object{Counts: counts(0, 0, 0, 0), Message: "its controller has not observed the latest change yet", Reason: some}},
		"Stuck":          {reason: "A rollout past its deadline has failed.", observed: deploymentOf(two, progressOf(3, 1, 2, 2, exceeded())), want: Object{Counts: counts(3, 1, 2, 2), Failed: true, Message: "its progress deadline was exceeded, 1 of 2 replicas are updated", Reason: "rolling_update_in_progress"}},
		"StuckUpdated":   {reason: "A rollout past its deadline has failed, even if all pods are of the latest revision.", observed: deploymentOf(two, progressOf(2, 2, 0, 0, exceeded())), want: Object{Counts: counts(2, 2, 0, 0), Failed: true, Message: "its progress deadline was exceeded, 0 of 2 replicas are available", Reason: some}},
		"NotUpdated":     {reason: "A Deployment with old replicas in place of wanted ones is not done.", observed: deploymentOf(two, progressOf(2, 1, 0, 2, isAvailable)), want: Object{Counts: counts(2, 1, 0, 2), Message: "1 of 2 replicas are updated", Reason: "rolling_update_in_progress"}},
		"OldOnesLeft":    {reason: "A Deployment with old replicas in addition to the wanted ones is not done.", observed: deploymentOf(two, progressOf(3, 2, 0, 3, isAvailable)), want: Object{Counts: counts(3, 2, 0, 3), Message: "1 old replicas are pending termination", Reason: "rolling_update_in_progress"}},
		"NotAvailable":   {reason: "All replicas of a Deployment must be available.", observed: deploymentOf(two, progressOf(2, 2, 0, 1, isAvailable)), want: Object{Counts: counts(2, 2, 0, 1), Message: "1 of 2 replicas are available", Reason: some}},
		"ConditionFalse": {reason: "A Deployment whose condition Available is False is not done.", observed: deploymentOf(two, progressOf(2, 2, 0, 2, available(corev1.ConditionFalse))), want: Object{Counts: counts(2, 2, 0, 2), Message: "condition Available is not True", Reason: some}},
		"NoCondition":    {reason: "A Deployment without a condition Available is not done.", observed: deploymentOf(two, progressOf(2, 2, 0, 2)), want: Object{Counts: counts(2, 2, 0, 2), Message: "condition Available is not True", Reason: some}},
		"OverQuota":      {reason: "The message tells that the API server refuses pods. Names of pods and the usage of a quota change all the time, so they are left out.", observed: deploymentOf(two, progressOf(1, 1, 1, 1, quota)), want: Object{Counts: counts(1, 1, 1, 1), Message: "1 of 2 replicas are updated, " + overQuota, Reason: some}},
		"StuckOverQuota": {reason: "The message tells that the API server refuses pods after the deadline as well.", observed: deploymentOf(two, progressOf(0, 0, 0, 0, exceeded(), quota)), want: Object{Counts: counts(0, 0, 0, 0), Failed: true, Message: "its progress deadline was exceeded, 0 of 2 replicas are updated, " + overQuota, Reason: some}},
		"Denied":         {reason: "An admission webhook refuses pods without naming them.", observed: deploymentOf(two, progressOf(0, 0, 0, 0, available(corev1.ConditionFalse), failure("FailedCreate", denied))), want: Object{Counts: counts(0, 0, 0, 0), Message: "0 of 2 replicas are updated, pods cannot be created: " + denied, Reason: some}},
		"Invalid":        {reason: "A message of several lines becomes one.", observed: deploymentOf(two, progressOf(0, 0, 0, 0, available(corev1.ConditionFalse), failure("FailedCreate", "Pod \"llama-decode-6d4f-x7k2z\" is invalid:\n  spec.priority: Forbidden"))), want: Object{Counts: counts(0, 0, 0, 0), Message: "0 of 2 replicas are updated, pods cannot be created: invalid: spec.priority: Forbidden", Reason: some}},
		"NotDeleted":     {reason: "The message tells that the API server refuses to delete pods.", observed: deploymentOf(two, progressOf(3, 2, 0, 3, available(corev1.ConditionFalse), failure("FailedDelete", denied))), want: Object{Counts: counts(3, 2, 0, 3), Message: "1 old replicas are pending termination, pods cannot be deleted: " + denied, Reason: "rolling_update_in_progress"}},
		"OldRefusal":     {reason: "An earlier refusal does not matter when all replicas are available.", observed: deploymentOf(two, progressOf(2, 2, 2, 2, isAvailable, quota)), want: Object{Counts: counts(2, 2, 2, 2), Done: true}},
		"Unreadable":     {reason: "A Deployment that cannot be read is not done.", observed: fields{"kind": "Deployment", "spec": fields{"replicas": "two"}}, want: Object{Message: "cannot be read: cannot read Deployment: spec.replicas: Invalid value: must be a whole number, not a string", Reason: some}},
	})
}
