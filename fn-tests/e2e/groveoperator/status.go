package groveoperator

import (
	"context"
	"fmt"
	"reflect"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
)

// manager of all that Grove creates.
const manager = "grove-operator"

// Report fields of the status of an object, unless they have been reported: with Grove, too, a status that stays the same is not
// written. A field that is nil is removed.
func Report(ctx context.Context, client *controlplane.Client, o *unstructured.Unstructured, status map[string]any) error {
	reported, _, _ := unstructured.NestedMap(o.Object, "status")
	if holds(reported, status) {
		return nil
	}
	return client.PatchStatus(ctx, controlplane.RefOf(o), status)
}

// holds reports whether a status has been reported.
func holds(reported, status map[string]any) bool {
	for field, value := range status {
		inner, nested := value.(map[string]any)
		there, _ := reported[field].(map[string]any)
		switch {
		case nested && !holds(there, inner):
			return false
		case !nested && !reflect.DeepEqual(reported[field], value):
			return false
		}
	}
	return true
}

// Condition of an object as it is reported. It has the time of now, or that of the reported one if nothing else has changed.
func Condition(o *unstructured.Unstructured, conditionType, status, reason, message string) map[string]any {
	condition := map[string]any{"type": conditionType, "status": status, "reason": reason, "message": message, "lastTransitionTime": now()}
	reported, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	for _, value := range reported {
		before, _ := value.(map[string]any)
		same := func(field string) bool { return before[field] == condition[field] }
		if same("type") && same("status") && same("reason") && same("message") {
			condition["lastTransitionTime"] = before["lastTransitionTime"]
		}
	}
	return condition
}

func now() string { return time.Now().UTC().Format(time.RFC3339) }

// progressOf the last update of an object, and whether it is still in progress.
func progressOf(o *object) (progress map[string]any, updating bool) {
	progress, _, _ = unstructured.NestedMap(o.Object, "status", "updateProgress")
	return progress, progress != nil && progress["updateEndedAt"] == nil
}

// generationSeen is the hash of the templates that the pods of a clique or group have been updated to.
func generationSeen(o *object) string {
	return textAt(o.Object, "status", "currentPodCliqueSetGenerationHash")
}

// startOf an update to other templates. The update of before, which may be in progress, is forgotten.
func startOf(generation string) map[string]any {
	return map[string]any{"updateStartedAt": now(), "updateEndedAt": nil, "podCliqueSetGenerationHash": generation}
}

// isOf reports whether the last update of an object, if there was one, was to the templates of a generation.
func isOf(o *object, generation string) bool {
	progress, _ := progressOf(o)
	return progress == nil || textAt(progress, "podCliqueSetGenerationHash") == generation
}

// generationOf a PodCliqueSet is the hash of the templates that its pods are to have. It is empty until the operator has seen the set.
func generationOf(set *object) string { return textAt(set.Object, "status", "currentGenerationHash") }

// waits reports whether the update of a set has not come to its replica yet.
func waits(set *object) bool {
	progress, updating := progressOf(set)
	return generationOf(set) == "" || updating && progress["currentlyUpdating"] == nil
}

// breached is the condition of whether less pods than needed run. An update may take away any number of them.
func breached(o *object, updating, enough bool, found string) map[string]any {
	const conditionType = "MinAvailableBreached"
	switch {
	case updating:
		return Condition(o, conditionType, "Unknown", "UpdateInProgress", "Update is in progress")
	case enough:
		return Condition(o, conditionType, "False", "SufficientReadyPods", found)
	default:
		return Condition(o, conditionType, "True", "ScheduledReplicasBelowMinAvailable", found)
	}
}

// found says how many of something there are, and how many there must be.
func found(what string, want, got int64) string {
	return fmt.Sprintf("%s: expected at least: %d, found: %d", what, want, got)
}
