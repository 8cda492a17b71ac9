package observed

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// childStatus is what the status of a PodClique and that of a PodCliqueScalingGroup have in common.
type childStatus struct {
	// up are the replicas that are ready or available.
	up         int32
	observed   *int64
	conditions []metav1.Condition
	errors     []grovev1alpha1.LastError
	// update is in progress; olderUpdate has its name before v0.1.0-alpha.7.
	update, olderUpdate *grovev1alpha1.UpdateProgress
	// pods that the update of a PodClique has selected.
	pods *grovev1alpha1.PodsSelectedToUpdate
}

// childrenOf a status: a PodClique and a PodCliqueScalingGroup, of two replicas each.
func childrenOf(meta metav1.ObjectMeta, status childStatus) (clique, group graphplan.Child) {
	meta.Name = "x"
	ofClique := func(update *grovev1alpha1.UpdateProgress) *grovev1alpha1.PodCliqueUpdateProgress {
		if update == nil {
			return nil
		}
		return &grovev1alpha1.PodCliqueUpdateProgress{UpdateProgress: *update, ReadyPodsSelectedToUpdate: status.pods}
	}
	clique = podClique("x", steptest.Struct(&grovev1alpha1.PodClique{
		ObjectMeta: meta, Spec: grovev1alpha1.PodCliqueSpec{Replicas: 2},
		Status: grovev1alpha1.PodCliqueStatus{
			ReadyReplicas: status.up, ObservedGeneration: status.observed, Conditions: status.conditions, LastErrors: status.errors,
			UpdateProgress: ofClique(status.update), RollingUpdateProgress: ofClique(status.olderUpdate),
		},
	}))
	group = podCliqueScalingGroup("x", steptest.Struct(&grovev1alpha1.PodCliqueScalingGroup{
		ObjectMeta: meta, Spec: grovev1alpha1.PodCliqueScalingGroupSpec{Replicas: 2},
		Status: grovev1alpha1.PodCliqueScalingGroupStatus{
			AvailableReplicas: status.up, ObservedGeneration: status.observed, Conditions: status.conditions, LastErrors: status.errors,
			UpdateProgress: status.update, RollingUpdateProgress: status.olderUpdate,
		},
	}))
	return clique, group
}

// minute of the hour in which everything happens in these tests.
func minute(minute int) *metav1.Time {
	return &metav1.Time{Time: time.Date(2026, time.January, 1, 0, minute, 0, 0, time.UTC)}
}

// TestUpdates shows what is told of rolling updates, of which Grove has written the status at some time.
func TestUpdates(t *testing.T) {
	started := &grovev1alpha1.UpdateProgress{UpdateStartedAt: minute(0)}
	ended := &grovev1alpha1.UpdateProgress{UpdateStartedAt: minute(0), UpdateEndedAt: minute(1)}
	written := []metav1.ManagedFieldsEntry{
		{Manager: "grove", Subresource: "status", Time: minute(2)},
		{Manager: "grove", Subresource: "status", Time: minute(3)},
		{Manager: "grove", Subresource: "status"},
		{Manager: "hpa", Subresource: "scale", Time: minute(4)},
		{Manager: "grove", Time: minute(5)},
	}
	cases := map[string]struct {
		reason         string
		status         childStatus
		managed        []metav1.ManagedFieldsEntry
		clique, scaled *graphplan.ChildUpdate
	}{
		"None":    {reason: "Most children are not updated."},
		"Ended":   {reason: "An update that has ended is none.", status: childStatus{update: ended}},
		"Started": {reason: "An update that has begun is under way.", status: childStatus{update: started}, clique: &graphplan.ChildUpdate{}, scaled: &graphplan.ChildUpdate{}},
		"Before": {
			reason: "Before v0.1.0-alpha.7 the update of a child has another name.", status: childStatus{olderUpdate: started},
			clique: &graphplan.ChildUpdate{}, scaled: &graphplan.ChildUpdate{},
		},
		"Selected": {
			reason: "The pods of a PodClique are counted that it has replaced, and the one that it replaces.",
			status: childStatus{update: started, pods: &grovev1alpha1.PodsSelectedToUpdate{Current: "c", Completed: []string{"a", "b"}}},
			clique: &graphplan.ChildUpdate{Selected: 3}, scaled: &graphplan.ChildUpdate{},
		},
		"NoneSelected": {
			reason: "A PodClique that has selected no pod to replace waits for none.",
			status: childStatus{update: started, pods: &grovev1alpha1.PodsSelectedToUpdate{}},
			clique: &graphplan.ChildUpdate{}, scaled: &graphplan.ChildUpdate{},
		},
		"Written": {
			reason: "Only what writes the status of a child tells how old it is.", status: childStatus{update: started}, managed: written,
			clique: &graphplan.ChildUpdate{Written: "2026-01-01T00:03:00Z"}, scaled: &graphplan.ChildUpdate{Written: "2026-01-01T00:03:00Z"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			clique, scaled := childrenOf(metav1.ObjectMeta{ManagedFields: tc.managed}, tc.status)
			if diff := cmp.Diff(tc.clique, clique.Update); diff != "" {
				t.Errorf("%s\nthe update of a PodClique: -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.scaled, scaled.Update); diff != "" {
				t.Errorf("%s\nthe update of a PodCliqueScalingGroup: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
