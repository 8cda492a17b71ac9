package ownership_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

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

type claimsCase struct {
	reason string
	req    *fnv1.RunFunctionRequest
	want   claims
}

// TestPVCs shows which claims belong to a graph: composing one of another owner would take it over, and delete it with the
// graph; not composing one of its own would delete its data.
func TestPVCs(t *testing.T) {
	create := plantest.Graph(plantest.Frontend, creatingClaim)
	named := plantest.Graph(plantest.Frontend, func(xr *v1alpha1.DynamoGraphDeployment) { xr.Spec.PVCs = []v1alpha1.PVC{{Name: "cache"}} })
	observed := plantest.WithObserved("pvc-cache", plantest.Named("v1", "PersistentVolumeClaim", "cache"))
	whole.Table(t, map[string]claimsCase{
		"NotThere": {
			reason: "A claim that does not exist is created.",
			req:    plantest.Request(create, plantest.WithGroups("grove"), plantest.WithoutObject("pvc-cache")),
			want:   claims{Asked: true, Composed: []string{"cache"}},
		},
		"Unknown": {
			reason: "A claim that has not been looked up yet is not taken to be absent.",
			req:    plantest.Request(create, plantest.WithGroups("grove")),
			want:   claims{Asked: true},
		},
		"OfAnotherOwner": {
			reason: "A claim that another graph controls goes with that graph, and its data with it.",
			req:    plantest.Request(create, plantest.WithGroups("grove"), plantest.WithObject("pvc-cache", existing("v1", "PersistentVolumeClaim", "cache", byOther))),
			want:   claims{Asked: true, Said: plantest.Refused(subject.NameTaken, rule.Claims, "spec.pvcs[0].create")},
		},
		"Terminating": {
			reason: "No pod starts with a claim that is being deleted, whoever has it.",
			req: plantest.Request(create, plantest.WithGroups("grove"),
				plantest.WithObject("pvc-cache", existing("v1", "PersistentVolumeClaim", "cache", byOther, beingDeleted))),
			want: claims{Asked: true, Said: plantest.Refused(subject.AwaitsDeletion, rule.NotSupportedHere, "")},
		},
		"OwnTerminating": {
			reason: "No pod starts with a claim of the graph's own that is being deleted, so a live graph stays as it is.",
			req: plantest.Request(create, plantest.WithGroups("grove"),
				plantest.WithObserved("pvc-cache", existing("v1", "PersistentVolumeClaim", "cache", byGraph, beingDeleted))),
			want: claims{Said: plantest.Refused(subject.AwaitsDeletion, rule.NotSupportedHere, "")},
		},
		"Earlier": {
			reason: "A claim of an earlier graph of this name is about to be deleted.",
			req: plantest.Request(create, plantest.WithGroups("grove"),
				plantest.WithObject("pvc-cache", existing("v1", "PersistentVolumeClaim", "cache", byEarlier))),
			want: claims{Asked: true, Said: plantest.Refused(subject.AwaitsDeletion, rule.NotSupportedHere, "")},
		},
		"Orphan": {
			reason: "A claim without a controller is used and never composed, and the user is told that the graph did not create it.",
			req:    plantest.Request(create, plantest.WithGroups("grove"), plantest.WithObject("pvc-cache", existing("v1", "PersistentVolumeClaim", "cache"))),
			want:   claims{Asked: true, Said: plantest.Warned(rule.Claims, "spec.pvcs[0].create")},
		},
		"Own": {
			reason: "A claim that this graph controls stays composed, also while Crossplane does not observe it yet.",
			req: plantest.Request(create, plantest.WithGroups("grove"),
				plantest.WithObject("pvc-cache", existing("v1", "PersistentVolumeClaim", "cache", byGraph))),
			want: claims{Asked: true, Composed: []string{"cache"}},
		},
		"NotToCreate": {
			reason: "A claim that is only named is the user's.",
			req:    plantest.Request(named, plantest.WithGroups("grove")),
			want:   claims{},
		},
		"Observed": {
			reason: "A claim that is observed is the graph's, and is not looked up.",
			req:    plantest.Request(create, plantest.WithGroups("grove"), observed),
			want:   claims{Composed: []string{"cache"}},
		},
		"EntryGone": {
			reason: "A claim that the graph created stays composed when its entry goes.",
			req:    plantest.Request(plantest.Graph(plantest.Frontend), plantest.WithGroups("grove"), observed),
			want:   claims{Composed: []string{"cache"}},
		},
		"CreateTakenBack": {
			reason: "A claim that the graph created stays composed when its entry no longer asks for it.",
			req:    plantest.Request(named, plantest.WithGroups("grove"), observed),
			want:   claims{Composed: []string{"cache"}},
		},
	}, func(tc claimsCase) whole.Row[claims] {
		return whole.Row[claims]{Reason: tc.reason, Request: tc.req, Want: tc.want}
	}, func(of *whole.Outcome) claims {
		out := claims{Asked: len(of.Asked("pvc-cache")) > 0, Said: of.Said}
		if of.Plan != nil {
			out.Composed = of.Plan.ComposedPVCs
		}
		return out
	})
}
