package apis_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
)

// TestStatus checks that the status that the Go types of either version write, with conditions, is one that the API server takes at both.
func TestStatus(t *testing.T) {
	zero, score := int32(0), 0.75
	conditions := []metav1.Condition{{Type: "Accepted", Status: metav1.ConditionTrue, Reason: "Valid", LastTransitionTime: metav1.Now()}}
	restart := &v1alpha1.RestartStatus{ObservedID: "one", Phase: "Restarting", InProgress: []string{"worker"}}
	checkpoints := map[string]v1alpha1.CheckpointStatus{"worker": {CheckpointName: "warm", Ready: true}}
	placement := &v1alpha1.PlacementStatus{Score: &score, State: "Reported"}
	statuses := map[string]any{
		"Services": v1alpha1.DynamoGraphDeploymentStatus{
			State: v1alpha1.StatePending, ObservedGeneration: 3, Conditions: conditions, Orchestrator: "Grove", TotalGPUs: 16,
			Services: map[string]v1alpha1.ServiceStatus{"worker": {
				ComponentKind: v1alpha1.ComponentKindPodCliqueScalingGroup, ComponentName: "graph-0-worker", ComponentNames: []string{"graph-0-worker"},
				ReadyReplicas: &zero, AvailableReplicas: &zero, ScheduledReplicas: &zero, RuntimeNamespace: "default-graph",
				ServedModelName: "org/model", RuntimeComponentName: "decode", GPUPowerLimitWatts: new(int32(350)), GPUsPerEngine: new(int64(0)), GPUsPerReplica: new(int64(16)),
			}},
			Restart: restart, Checkpoints: checkpoints, Placement: placement,
			RollingUpdate: &v1alpha1.RollingUpdateStatus{Phase: "InProgress", UpdatedServices: []string{"worker"}},
		},
		"Components": v1beta1.DynamoGraphDeploymentStatus{
			State: v1alpha1.StatePending, ObservedGeneration: 3, Conditions: conditions, Orchestrator: "Grove", TotalGPUs: 16,
			Components: map[string]v1beta1.ComponentStatus{"worker": {
				ComponentKind: v1alpha1.ComponentKindPodClique, ComponentNames: []string{"graph-0-worker"},
				ReadyReplicas: &zero, AvailableReplicas: &zero, ScheduledReplicas: &zero, RuntimeNamespace: "default-graph",
				ServedModelName: "org/model", RuntimeComponentName: "decode", GPUPowerLimitWatts: new(int32(350)), GPUsPerEngine: new(int64(0)), GPUsPerReplica: new(int64(16)),
			}},
			Restart: restart, Checkpoints: checkpoints, Placement: placement,
			RollingUpdate: &v1beta1.RollingUpdateStatus{Phase: "InProgress", UpdatedComponents: []string{"worker"}},
		},
	}
	for served, validator := range validators(t) {
		for name, status := range statuses {
			t.Run(served.flavour+"/"+served.version+"/"+name, func(t *testing.T) {
				object := graph(t, served.version, `services: {worker: {}}`)
				object.Object["status"] = normal(t, status)
				for _, err := range validator.Validate(object) {
					t.Errorf("%v", err)
				}
			})
		}
	}
}
