// Package condition names the conditions of a DynamoGraphDeployment and their reasons. Types and reasons are public
// API.
package condition

import (
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// Types of condition. The set on one graph never changes: a type that is no longer returned would keep its last value
// forever.
const (
	// TypeAccepted says whether the spec is valid and can be applied in this cluster.
	TypeAccepted = "Accepted"
	// TypeOrchestratorSelected says which orchestrator runs the graph and why.
	TypeOrchestratorSelected = "OrchestratorSelected"
	// TypeQueueAvailable says whether the scheduler's queue exists.
	TypeQueueAvailable = "QueueAvailable"
	// TypeServicesReady says whether all components are ready.
	TypeServicesReady = "ServicesReady"
	// TypeTopologyLevelsAvailable says whether the topology levels in the graph exist. Only graphs with a topology constraint have it.
	TypeTopologyLevelsAvailable = "TopologyLevelsAvailable"
)

// OfPlan reports whether step plan returns a type of condition whenever it writes a plan.
func OfPlan(conditionType string) bool {
	switch conditionType {
	case TypeAccepted, TypeOrchestratorSelected, TypeQueueAvailable:
		return true
	default:
		return false
	}
}

// Reasons of TypeAccepted.
const (
	ReasonValid             = "Valid"
	ReasonValidWithWarnings = "ValidWithWarnings"
	ReasonInvalid           = "Invalid"
	ReasonNotSupportedHere  = "NotSupportedHere"
	ReasonImmutableField    = "ImmutableFieldChanged"
	// ReasonNameTaken says that an object that the graph would create exists and belongs to someone else.
	ReasonNameTaken = "NameTaken"
	// ReasonWaitingForDeletion says that an object that the graph would create or use has not been deleted yet.
	ReasonWaitingForDeletion = "WaitingForDeletion"
	// ReasonWaitingForCheckpoint says that a checkpoint from which the pods of a component must be restored is not ready yet.
	ReasonWaitingForCheckpoint = "WaitingForCheckpoint"
	// ReasonPolicyInvalid says that the EnvironmentConfig of the platform cannot be read, so that nothing can be decided.
	ReasonPolicyInvalid = "PolicyInvalid"
)

// Reasons of TypeOrchestratorSelected.
const (
	ReasonSelected          = "Selected"
	ReasonRemembered        = "Remembered"
	ReasonNoOrchestrator    = "NoOrchestrator"
	ReasonOrchestratorGone  = "OrchestratorGone"
	ReasonOrchestratorFixed = "OrchestratorCannotChange"
)

// Reasons of TypeQueueAvailable.
const (
	ReasonQueueFound     = "QueueFound"
	ReasonQueueNotFound  = "QueueNotFound"
	ReasonQueueClosed    = "QueueClosed"
	ReasonQueueNotNeeded = "QueueNotNeeded"
)

// Reasons of TypeServicesReady. They are those that the Dynamo operator gives its condition Ready, so that alerts and dashboards
// written for them only have to name another condition: a function cannot set Ready, whose reasons are Crossplane's own.
// dynamo-operator, August 2026, api/v1beta1/dynamographdeployment_types.go and internal/controller/dgd_workload_program.go.
const (
	ReasonAllResourcesReady     = "all_resources_are_ready"
	ReasonSomeResourcesNotReady = "some_resources_are_not_ready"
	// ReasonInsufficientCapacity says that pods wait for a place.
	ReasonInsufficientCapacity = "insufficient_capacity"
	// ReasonPodsNotReady says that all pods have a place, and not all are ready.
	ReasonPodsNotReady = "pods_not_ready"
	// ReasonUpdating says that replicas are missing, too many, or not of the latest revision.
	ReasonUpdating = "updating"
	// ReasonMixedNotReady says that components are not ready for different reasons.
	ReasonMixedNotReady = "mixed_not_ready_reasons"
	// ReasonRollingUpdate says that pods are being replaced by others, without Grove.
	ReasonRollingUpdate = "rolling_update_in_progress"
	// ReasonProviderUnavailable says that the cluster no longer serves an API without which the graph cannot run.
	ReasonProviderUnavailable = "selected_workload_provider_unavailable"
)

// Reasons of TypeTopologyLevelsAvailable.
const (
	ReasonAllTopologyLevelsAvailable = "AllTopologyLevelsAvailable"
	ReasonTopologyLevelsUnavailable  = "TopologyLevelsUnavailable"
	ReasonTopologyDefinitionNotFound = "TopologyDefinitionNotFound"
	ReasonTopologyConditionPending   = "TopologyConditionPending"
)

// ReasonHeld is the reason of the result of a run that keeps a graph unchanged instead of returning a Fatal result.
const ReasonHeld = "Held"

// ReasonRevisionLost is the reason of the result for a ControllerRevision that was deleted.
const ReasonRevisionLost = "RevisionLost"

// ReasonComputeDomainCreated is the reason of the result for the ComputeDomains that are being created.
const ReasonComputeDomainCreated = "ComputeDomainCreated"

// True sets a condition to True on the composite resource and on its claim, if there is one.
func True(rsp *fnv1.RunFunctionResponse, conditionType, reason, message string) {
	set(rsp, fnv1.Status_STATUS_CONDITION_TRUE, conditionType, reason, message)
}

// False sets a condition to False.
func False(rsp *fnv1.RunFunctionResponse, conditionType, reason, message string) {
	set(rsp, fnv1.Status_STATUS_CONDITION_FALSE, conditionType, reason, message)
}

// Unknown sets a condition to Unknown.
func Unknown(rsp *fnv1.RunFunctionResponse, conditionType, reason, message string) {
	set(rsp, fnv1.Status_STATUS_CONDITION_UNKNOWN, conditionType, reason, message)
}

func set(rsp *fnv1.RunFunctionResponse, status fnv1.Status, conditionType, reason, message string) {
	c := &fnv1.Condition{Type: conditionType, Status: status, Reason: reason, Target: fnv1.Target_TARGET_COMPOSITE_AND_CLAIM.Enum()}
	if message != "" {
		c.Message = &message
	}
	rsp.Conditions = append(rsp.Conditions, c)
}
