package workload

import (
	"fmt"

	"google.golang.org/protobuf/types/known/structpb"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/condition"
)

// onDeployment is a component with one Deployment.
func onDeployment(g *graph.Graph, component string, resources map[string]*fnv1.Resource) Workload {
	w := Workload{Kind: v1alpha1.ComponentKindDeployment, Ready: true, Settled: true}
	w.add(g.Names().Component(component), Deployment(resourceOf(resources, names.KeyDeployment(component))))
	return w
}

// Deployment is done when its controller has observed the latest generation, and all replicas are updated and available. It has failed when
// its progress deadline is exceeded.
func Deployment(object *structpb.Struct) Object {
	if object == nil {
		return waits(Counts{Ready: new(int32(0)), Available: new(int32(0))}, notCreated)
	}
	d, err := observed.ProgressOfDeployment(object)
	if err != nil {
		return waits(Counts{}, "cannot be read: "+err.Error())
	}
	status := d.Status
	counts := Counts{Replicas: status.Replicas, Updated: status.UpdatedReplicas, Ready: new(status.ReadyReplicas), Available: new(status.AvailableReplicas)}
	wanted := ptr.Deref(d.Spec.Replicas, 1)
	progressing := deploymentCondition(d, appsv1.DeploymentProgressing)
	switch {
	case d.DeletionTimestamp != nil:
		return waits(counts, beingDeleted)
	case d.Spec.Paused:
		return waits(counts, "is paused")
	case status.ObservedGeneration < d.Generation:
		return waits(counts, "its controller has not observed the latest change yet")
	case progressing.Status == corev1.ConditionFalse && progressing.Reason == progressDeadlineExceeded:
		// The message also contains what the Deployment would wait for without a deadline.
		o := waitsFor(reasonOf(counts), counts, "its progress deadline was exceeded, "+lack(d, wanted))
		o.Failed = true
		return o
	default:
		message := lack(d, wanted)
		if message == "" {
			return Object{Counts: counts, Done: true}
		}
		return waitsFor(reasonOf(counts), counts, message)
	}
}

// reasonOf a Deployment that is not done. The operator tells apart only whether pods of an earlier template are left. It does so for
// the workers of graphs without multinode components, whose rolling updates it performs itself; Deployments perform their own.
func reasonOf(counts Counts) string {
	if counts.Replicas > counts.Updated {
		return condition.ReasonRollingUpdate
	}
	return condition.ReasonSomeResourcesNotReady
}

// lack describes what prevents a Deployment from being done, with the refusal of its pods if there is one. It is empty if the Deployment is
// done.
func lack(d *observed.DeploymentProgress, wanted int32) string {
	missing, why := missing(d, wanted), refusal(d)
	if missing == "" || why == "" {
		return missing
	}
	return missing + ", " + why
}

func missing(d *observed.DeploymentProgress, wanted int32) string {
	switch status := d.Status; {
	case status.UpdatedReplicas < wanted:
		return fmt.Sprintf("%d of %d replicas are updated", status.UpdatedReplicas, wanted)
	case status.Replicas > wanted:
		return fmt.Sprintf("%d old replicas are pending termination", status.Replicas-wanted)
	case status.AvailableReplicas < wanted:
		return fmt.Sprintf("%d of %d replicas are available", status.AvailableReplicas, wanted)
	case deploymentCondition(d, appsv1.DeploymentAvailable).Status != corev1.ConditionTrue:
		return "condition Available is not True"
	default:
		return ""
	}
}

// progressDeadlineExceeded is the reason of condition Progressing when a rollout is stuck.
// https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#failed-deployment
const progressDeadlineExceeded = "ProgressDeadlineExceeded"

func deploymentCondition(d *observed.DeploymentProgress, conditionType appsv1.DeploymentConditionType) appsv1.DeploymentCondition {
	for _, c := range d.Status.Conditions {
		if c.Type == conditionType {
			return c
		}
	}
	return appsv1.DeploymentCondition{}
}
