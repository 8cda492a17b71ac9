package plan_test

import (
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step/steptest"
)

// TestPVCs shows which claims belong to a graph: composing one of another owner would take it over, and delete it with the
// graph; not composing one of its own would delete its data.
func TestPVCs(t *testing.T) {
	create := plantest.Graph(plantest.Frontend, creatingClaim)
	named := plantest.Graph(plantest.Frontend, func(xr *v1alpha1.DynamoGraphDeployment) { xr.Spec.PVCs = []v1alpha1.PVC{{Name: "cache"}} })
	document := func(changes ...steptest.Change) responseOption {
		return planOf(steptest.PlanOnGrove(plainServices("Frontend"), changes...))
	}
	const (
		leaving = "waiting for the deletion of PersistentVolumeClaim cache to complete"
		used    = "spec.pvcs[0].create: has no effect: PersistentVolumeClaim cache already exists and has no controller; it is used as it is, and is kept when the graph is deleted"
	)
	observed := plantest.WithObserved("pvc-cache", plantest.Named("v1", "PersistentVolumeClaim", "cache"))
	compare(t, map[string]responseCase{
		"NotThere": {
			reason: "A claim that does not exist is created.",
			req:    plantest.Request(create, plantest.WithGroups("grove"), plantest.WithoutObject("pvc-cache")),
			want:   want(asksForGroups(), asksForPVC(), accepted(), onGrove(), noQueue(), document(withClaim)),
		},
		"Unknown": {
			reason: "A claim that has not been looked up yet is not taken to be absent.",
			req:    plantest.Request(create, plantest.WithGroups("grove")),
			want:   want(asksForGroups(), asksForPVC()),
		},
		"OfAnotherOwner": {
			reason: "A claim that another graph controls goes with that graph, and its data with it.",
			req:    plantest.Request(create, plantest.WithGroups("grove"), plantest.WithObject("pvc-cache", existing("v1", "PersistentVolumeClaim", "cache", byOther))),
			want: want(asksForGroups(), asksForPVC(), refusal("NameTaken", `spec.pvcs[0].create: Invalid value: true: PersistentVolumeClaim cache already exists and belongs to DynamoGraphDeployment other; `+
				`set create to false to use it as it is, or choose another name`)),
		},
		"Terminating": {
			reason: "No pod starts with a claim that is being deleted, whoever has it.",
			req: plantest.Request(create, plantest.WithGroups("grove"),
				plantest.WithObject("pvc-cache", existing("v1", "PersistentVolumeClaim", "cache", byOther, beingDeleted))),
			want: want(asksForGroups(), asksForPVC(), refusal("WaitingForDeletion", leaving)),
		},
		"OwnTerminating": {
			reason: "No pod starts with a claim of the graph's own that is being deleted, so a live graph stays as it is.",
			req: plantest.Request(create, plantest.WithGroups("grove"),
				plantest.WithObserved("pvc-cache", existing("v1", "PersistentVolumeClaim", "cache", byGraph, beingDeleted))),
			want: want(asksForGroups(), refusal("WaitingForDeletion", leaving)),
		},
		"Earlier": {
			reason: "A claim of an earlier graph of this name is about to be deleted.",
			req: plantest.Request(create, plantest.WithGroups("grove"),
				plantest.WithObject("pvc-cache", existing("v1", "PersistentVolumeClaim", "cache", byEarlier))),
			want: want(asksForGroups(), asksForPVC(), refusal("WaitingForDeletion",
				"waiting for the deletion of PersistentVolumeClaim cache, which belongs to an earlier graph of the same name")),
		},
		"Orphan": {
			reason: "A claim without a controller is used and never composed, and the user is told that the graph did not create it.",
			req:    plantest.Request(create, plantest.WithGroups("grove"), plantest.WithObject("pvc-cache", existing("v1", "PersistentVolumeClaim", "cache"))),
			want: want(asksForGroups(), asksForPVC(), conditioned("Accepted", isTrue, "ValidWithWarnings", used),
				onGrove(), noQueue(), document(), warningResult(used)),
		},
		"Own": {
			reason: "A claim that this graph controls stays composed, also while Crossplane does not observe it yet.",
			req: plantest.Request(create, plantest.WithGroups("grove"),
				plantest.WithObject("pvc-cache", existing("v1", "PersistentVolumeClaim", "cache", byGraph))),
			want: want(asksForGroups(), asksForPVC(), accepted(), onGrove(), noQueue(), document(withClaim)),
		},
		"NotToCreate": {
			reason: "A claim that is only named is the user's.",
			req:    plantest.Request(named, plantest.WithGroups("grove")),
			want:   want(asksForGroups(), accepted(), onGrove(), noQueue(), document()),
		},
		"Observed": {
			reason: "A claim that is observed is the graph's, and is not looked up.",
			req:    plantest.Request(create, plantest.WithGroups("grove"), observed),
			want:   want(asksForGroups(), accepted(), onGrove(), noQueue(), document(withClaim)),
		},
		"EntryGone": {
			reason: "A claim that the graph created stays composed when its entry goes.",
			req:    plantest.Request(plantest.Graph(plantest.Frontend), plantest.WithGroups("grove"), observed),
			want:   want(asksForGroups(), accepted(), onGrove(), noQueue(), document(withClaim)),
		},
		"CreateTakenBack": {
			reason: "A claim that the graph created stays composed when its entry no longer asks for it.",
			req:    plantest.Request(named, plantest.WithGroups("grove"), observed),
			want:   want(asksForGroups(), accepted(), onGrove(), noQueue(), document(withClaim)),
		},
	})
}
