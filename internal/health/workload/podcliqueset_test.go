package workload

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
)

func TestPodCliqueSetOf(t *testing.T) {
	terminating, old := cliqueSetUp(), observedSet(1)
	deleted(&terminating.ObjectMeta)
	old.ObservedGeneration = new(int64(2))
	unseen := func(changes ...func(*grovev1alpha1.PodCliqueSetStatus)) grovev1alpha1.PodCliqueSetStatus {
		status := observedSet(1, changes...)
		status.ObservedGeneration = new(int64(2))
		return status
	}
	cases := map[string]struct {
		reason   string
		observed any
		want     PodCliqueSet
	}{
		"Ready":      {reason: "A PodCliqueSet that is seen, updated and available is available.", observed: cliqueSetUp(), want: PodCliqueSet{Settled: true, Available: true}},
		"NotCreated": {reason: "A PodCliqueSet that does not exist is not available.", want: PodCliqueSet{Message: "not created yet"}},
		"NotSeen":    {reason: "A PodCliqueSet whose status contains no generation has not been seen.", observed: podCliqueSetOf(grovev1alpha1.PodCliqueSetStatus{AvailableReplicas: 1}), want: PodCliqueSet{Message: "Grove has not observed it yet"}},
		"NoStatus":   {reason: "A PodCliqueSet without a status has not been seen.", observed: podCliqueSetOf(grovev1alpha1.PodCliqueSetStatus{}), want: PodCliqueSet{Message: "Grove has not observed it yet"}},
		"Begun":      {reason: "Grove writes a hash of the templates before it creates pods, and the generation after that.", observed: podCliqueSetOf(grovev1alpha1.PodCliqueSetStatus{CurrentGenerationHash: "a"}), want: PodCliqueSet{Message: "Grove has begun to create its objects"}},
		"BegunBadly": {
			reason:   "An error that keeps Grove from completing a set is told, although it has observed no generation.",
			observed: podCliqueSetOf(grovev1alpha1.PodCliqueSetStatus{CurrentGenerationHash: "a", LastErrors: []grovev1alpha1.LastError{{Description: "cannot create PodClique"}}}),
			want:     PodCliqueSet{Message: "Grove reports an error: cannot create PodClique"},
		},
		"OldStatus":    {reason: "A status of an earlier generation is of other pods.", observed: podCliqueSetOf(old), want: PodCliqueSet{Message: "Grove has not completed its latest change yet"}},
		"BeingDeleted": {reason: "A PodCliqueSet that is being deleted is not available, although its replica still is.", observed: terminating, want: PodCliqueSet{Message: "is being deleted"}},
		"Error": {
			reason:   "The message contains the description of Grove's first error.",
			observed: podCliqueSetOf(observedSet(0, reporting(grovev1alpha1.LastError{Code: "ERR_X", Description: "cannot create pods"}, grovev1alpha1.LastError{Description: "more"}))),
			want:     PodCliqueSet{Message: "Grove reports an error: cannot create pods"},
		},
		"ErrorCode":   {reason: "The message contains the code of an error without a description.", observed: podCliqueSetOf(observedSet(0, reporting(grovev1alpha1.LastError{Code: "ERR_X"}))), want: PodCliqueSet{Message: "Grove reports an error: ERR_X"}},
		"ErrorAlone":  {reason: "The message says that an error without description and code is unknown.", observed: podCliqueSetOf(observedSet(0, reporting(grovev1alpha1.LastError{}))), want: PodCliqueSet{Message: "Grove reports an error: unknown"}},
		"ErrorOver":   {reason: "Grove does not take an error back when it succeeds.", observed: podCliqueSetOf(observedSet(1, reporting(grovev1alpha1.LastError{Code: "ERR_X"}))), want: PodCliqueSet{Settled: true, Available: true}},
		"Updating":    {reason: "A PodCliqueSet has not settled during a rolling update.", observed: podCliqueSetOf(observedSet(1, updating)), want: PodCliqueSet{Message: "a rolling update is in progress", Reason: "updating"}},
		"UpdatingOld": {reason: "A PodCliqueSet has not settled during a rolling update that is shown under its name before alpha.7.", observed: podCliqueSetOf(observedSet(1, updatingBefore)), want: PodCliqueSet{Message: "a rolling update is in progress", Reason: "updating"}},
		"UpdatingUnseen": {
			reason:   "From alpha.12 on, the generation of a change is observed when its rolling update ends. Until then, the update is known by its progress.",
			observed: podCliqueSetOf(unseen(updating)),
			want:     PodCliqueSet{Message: "a rolling update is in progress", Reason: "updating"},
		},
		"ErrorUnseen": {
			reason:   "An error of Grove during a rolling update is told, although the generation is not observed.",
			observed: podCliqueSetOf(unseen(updating, reporting(grovev1alpha1.LastError{Description: "cannot create pods"}))),
			want:     PodCliqueSet{Message: "Grove reports an error: cannot create pods"},
		},
		"UpdatedUnseen": {
			reason:   "An update that has ended is one of an earlier change.",
			observed: podCliqueSetOf(unseen(updated)),
			want:     PodCliqueSet{Message: "Grove has not completed its latest change yet"},
		},
		"Updated":    {reason: "A PodCliqueSet has settled after a rolling update.", observed: podCliqueSetOf(observedSet(1, updated)), want: PodCliqueSet{Settled: true, Available: true}},
		"Starting":   {reason: "A PodCliqueSet without its replica is not available.", observed: cliqueSetStarting(), want: PodCliqueSet{Settled: true, Message: "0 of 1 replicas are available"}},
		"Unreadable": {reason: "A PodCliqueSet that cannot be read is not available.", observed: fields{"kind": "PodCliqueSet", "status": fields{"availableReplicas": "one"}}, want: PodCliqueSet{Message: "cannot be read: cannot read PodCliqueSet: status.availableReplicas: Invalid value: must be a whole number, not a string"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, PodCliqueSetOf(encoded(t, tc.observed))); diff != "" {
				t.Errorf("%s\nPodCliqueSetOf(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestRolls(t *testing.T) {
	type status = grovev1alpha1.PodCliqueSetStatus
	set := func(generation int64, s status) *grovev1alpha1.PodCliqueSet {
		object := podCliqueSetOf(s)
		object.Generation = generation
		return object
	}
	seen := func(generation int64) status {
		return status{ObservedGeneration: &generation, CurrentGenerationHash: "a"}
	}
	cases := map[string]struct {
		reason       string
		observed     any
		rolls, might bool
	}{
		"Seen":       {reason: "A change that Grove has carried out replaces no pods.", observed: set(3, seen(3))},
		"NotSeen":    {reason: "A change that Grove has not seen may replace pods.", observed: set(3, seen(2)), might: true},
		"NeverSeen":  {reason: "One of the changes of a set that Grove has never completed may replace pods.", observed: set(3, status{CurrentGenerationHash: "a"}), might: true},
		"First":      {reason: "A set that has not changed since its creation has no earlier pods.", observed: set(1, status{CurrentGenerationHash: "a"})},
		"NoHash":     {reason: "Grove takes the first templates that it sees for those of all pods.", observed: set(3, status{})},
		"HashUnsaid": {reason: "A Grove that records no hash may replace pods after each change.", observed: set(3, status{ObservedGeneration: new(int64(2))}), might: true},
		"Preview":    {reason: "An object of a preview, which no server has written, has no change to see.", observed: set(0, status{})},
		"Started":    {reason: "An update that has begun replaces pods.", observed: podCliqueSetOf(observedSet(0, updating)), rolls: true},
		"StartedOld": {reason: "An update that has begun replaces pods under its former name as well.", observed: podCliqueSetOf(observedSet(0, updatingBefore)), rolls: true},
		"Ended":      {reason: "An update that has ended replaces no pods.", observed: podCliqueSetOf(observedSet(0, updated))},
		"Unreadable": {reason: "A PodCliqueSet that cannot be read may replace pods.", observed: fields{"kind": "PodCliqueSet", "metadata": fields{"generation": "three"}}, rolls: true, might: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			object := encoded(t, tc.observed)
			if diff := cmp.Diff([]bool{tc.rolls, tc.might}, []bool{Rolls(object), MayRoll(object)}); diff != "" {
				t.Errorf("%s\nRolls(...), MayRoll(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
