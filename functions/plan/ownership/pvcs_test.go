package ownership_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest/whole"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
)

// creatingClaim lists claim cache, which the graph creates.
func creatingClaim(xr *v1alpha1.DynamoGraphDeployment) {
	xr.Spec.PVCs = []v1alpha1.PVC{{
		Name: "cache", Create: new(true), Size: resource.MustParse("1Gi"), StorageClass: "fast", VolumeAccessMode: corev1.ReadWriteMany,
	}}
}

// claims that a graph composes, and whether claim cache is looked up.
type claims struct {
	Asked    bool
	Said     []plantest.Said
	Composed []string
}

// TestPVCs shows which claims belong to a graph: composing one of another owner would take it over, and delete it with the
// graph; not composing one of its own would delete its data.
func TestPVCs(t *testing.T) {
	create := plantest.Graph(plantest.Frontend, creatingClaim)
	named := plantest.Graph(plantest.Frontend, func(xr *v1alpha1.DynamoGraphDeployment) { xr.Spec.PVCs = []v1alpha1.PVC{{Name: "cache"}} })
	observed := plantest.WithObserved("pvc-cache", plantest.Named("v1", "PersistentVolumeClaim", "cache"))
	whole.Table(t, map[string]whole.Row[claims]{
		"NotThere": {
			Reason:  "A claim that does not exist is created.",
			Request: plantest.Request(create, plantest.WithGroups("grove"), plantest.WithoutObject("pvc-cache")),
			Want:    claims{Asked: true, Composed: []string{"cache"}},
		},
		"Unknown": {
			Reason:  "A claim that has not been looked up yet is not taken to be absent.",
			Request: plantest.Request(create, plantest.WithGroups("grove")),
			Want:    claims{Asked: true},
		},
		"OfAnotherOwner": {
			Reason:  "A claim that another graph controls goes with that graph, and its data with it.",
			Request: plantest.Request(create, plantest.WithGroups("grove"), plantest.WithObject("pvc-cache", existing("v1", "PersistentVolumeClaim", "cache", byOther))),
			Want:    claims{Asked: true, Said: plantest.Refused(subject.NameTaken, rule.Claims, "spec.pvcs[0].create")},
		},
		"Terminating": {
			Reason: "No pod starts with a claim that is being deleted, whoever has it.",
			Request: plantest.Request(create, plantest.WithGroups("grove"),
				plantest.WithObject("pvc-cache", existing("v1", "PersistentVolumeClaim", "cache", byOther, beingDeleted))),
			Want: claims{Asked: true, Said: plantest.Refused(subject.AwaitsDeletion, rule.NotSupportedHere, "")},
		},
		"OwnTerminating": {
			Reason: "No pod starts with a claim of the graph's own that is being deleted, so a live graph stays as it is.",
			Request: plantest.Request(create, plantest.WithGroups("grove"),
				plantest.WithObserved("pvc-cache", existing("v1", "PersistentVolumeClaim", "cache", byGraph, beingDeleted))),
			Want: claims{Said: plantest.Refused(subject.AwaitsDeletion, rule.NotSupportedHere, "")},
		},
		"Earlier": {
			Reason: "A claim of an earlier graph of this name is about to be deleted.",
			Request: plantest.Request(create, plantest.WithGroups("grove"),
				plantest.WithObject("pvc-cache", existing("v1", "PersistentVolumeClaim", "cache", byEarlier))),
			Want: claims{Asked: true, Said: plantest.Refused(subject.AwaitsDeletion, rule.NotSupportedHere, "")},
		},
		"Orphan": {
			Reason:  "A claim without a controller is used and never composed, and the user is told that the graph did not create it.",
			Request: plantest.Request(create, plantest.WithGroups("grove"), plantest.WithObject("pvc-cache", existing("v1", "PersistentVolumeClaim", "cache"))),
			Want:    claims{Asked: true, Said: plantest.Warned(rule.Claims, "spec.pvcs[0].create")},
		},
		"Own": {
			Reason: "A claim that this graph controls stays composed, also while Crossplane does not observe it yet.",
			Request: plantest.Request(create, plantest.WithGroups("grove"),
				plantest.WithObject("pvc-cache", existing("v1", "PersistentVolumeClaim", "cache", byGraph))),
			Want: claims{Asked: true, Composed: []string{"cache"}},
		},
		"NotToCreate": {
			Reason:  "A claim that is only named is the user's.",
			Request: plantest.Request(named, plantest.WithGroups("grove")),
			Want:    claims{},
		},
		"Observed": {
			Reason:  "A claim that is observed is the graph's, and is not looked up.",
			Request: plantest.Request(create, plantest.WithGroups("grove"), observed),
			Want:    claims{Composed: []string{"cache"}},
		},
		"EntryGone": {
			Reason:  "A claim that the graph created stays composed when its entry goes.",
			Request: plantest.Request(plantest.Graph(plantest.Frontend), plantest.WithGroups("grove"), observed),
			Want:    claims{Composed: []string{"cache"}},
		},
		"CreateTakenBack": {
			Reason:  "A claim that the graph created stays composed when its entry no longer asks for it.",
			Request: plantest.Request(named, plantest.WithGroups("grove"), observed),
			Want:    claims{Composed: []string{"cache"}},
		},
	}, func(of *whole.Outcome) claims {
		out := claims{Asked: len(of.Asked("pvc-cache")) > 0, Said: of.Said}
		if of.Plan != nil {
			out.Composed = of.Plan.ComposedPVCs
		}
		return out
	})
}
