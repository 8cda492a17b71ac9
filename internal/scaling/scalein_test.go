package scaling

import (
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"
	"github.com/crossplane/function-sdk-go/response"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/graphtest"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

const (
	clock   = "2026-03-01T12:00:00Z"
	longAgo = "2026-03-01T11:55:00Z"
)

// rolling is the progress of an update, which may have ended.
func rolling(ended bool) *grovev1alpha1.UpdateProgress {
	progress := &grovev1alpha1.UpdateProgress{UpdateStartedAt: new(metav1.Date(2026, time.March, 1, 11, 0, 0, 0, time.UTC))}
	if ended {
		progress.UpdateEndedAt = new(metav1.Date(2026, time.March, 1, 11, 30, 0, 0, time.UTC))
	}
	return progress
}

// A setChange of a PodCliqueSet.
type setChange func(*grovev1alpha1.PodCliqueSet)

// Statuses of the observed PodCliqueSet.
func rolls(set *grovev1alpha1.PodCliqueSet)  { set.Status.UpdateProgress = rolling(false) }
func rolled(set *grovev1alpha1.PodCliqueSet) { set.Status.UpdateProgress = rolling(true) }

// rollsOld has an update in the field of Grove before v0.1.0-alpha.7.
func rollsOld(set *grovev1alpha1.PodCliqueSet) { set.Status.RollingUpdateProgress = rolling(false) }

// notSeen by Grove in its present generation.
func notSeen(set *grovev1alpha1.PodCliqueSet) { set.Status.ObservedGeneration = new(int64(1)) }

// notSeenAsMarked by Grove in its present generation, but the templates are marked as those that are desired.
func notSeenAsMarked(set *grovev1alpha1.PodCliqueSet) {
	notSeen(set)
	markedFor(podCliqueSet(nil))(set)
}

// notSeenOtherwise than with templates that are no longer desired.
func notSeenOtherwise(set *grovev1alpha1.PodCliqueSet) {
	notSeen(set)
	markedFor(podCliqueSet(withImage("old")))(set)
}

// markedFor the templates of a PodCliqueSet, which Grove has observed.
func markedFor(other *fnv1.Resource) setChange {
	return func(set *grovev1alpha1.PodCliqueSet) {
		set.Annotations = map[string]string{"dynamo.nvidia.com/pod-template-hash": hashOf(other.GetResource())}
	}
}

// created and never seen by Grove, in its first generation.
func created(set *grovev1alpha1.PodCliqueSet) {
	set.Generation, set.Status = 1, grovev1alpha1.PodCliqueSetStatus{CurrentGenerationHash: "a"}
}

// byOthers is written by others than Crossplane.
func byOthers(set *grovev1alpha1.PodCliqueSet) {
	set.ManagedFields = []metav1.ManagedFieldsEntry{{
		Manager: "velero", Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: grovev1alpha1.APIVersion, FieldsV1: metav1.NewFieldsV1(`{"f:spec":{}}`),
	}}
}

func withImage(image string) setChange {
	return func(set *grovev1alpha1.PodCliqueSet) {
		set.Spec.Template.Cliques[0].Spec.PodSpec.Containers[0].Image = image
	}
}

// frontend has another image than the one that is desired.
func frontend(set *grovev1alpha1.PodCliqueSet) {
	set.Spec.Template.Cliques[1].Spec.PodSpec.Containers[0].Image = "old"
}

func frontendRolls(set *grovev1alpha1.PodCliqueSet) {
	frontend(set)
	rolls(set)
}

func labelled(set *grovev1alpha1.PodCliqueSet) { set.Spec.Template.Cliques[0].Labels["a"] = "old" }

func annotated(set *grovev1alpha1.PodCliqueSet) {
	set.Spec.Template.Cliques[0].Annotations["b"] = "old"
}

func prioritized(set *grovev1alpha1.PodCliqueSet) { set.Spec.Template.PriorityClassName = "old" }

// podCliqueSet that Grove has seen, with a change unless it is nil.
func podCliqueSet(change setChange) *fnv1.Resource {
	set := &grovev1alpha1.PodCliqueSet{
		TypeMeta:   metav1.TypeMeta{APIVersion: grovev1alpha1.APIVersion, Kind: grovev1alpha1.KindPodCliqueSet},
		ObjectMeta: metav1.ObjectMeta{Name: "llama", Generation: 2, ManagedFields: []metav1.ManagedFieldsEntry{}},
		Spec: grovev1alpha1.PodCliqueSetSpec{Template: grovev1alpha1.PodCliqueSetTemplate{Cliques: []grovev1alpha1.Clique{
			{
				Name: "worker", Labels: map[string]string{"a": ""}, Annotations: map[string]string{"b": ""},
				Spec: grovev1alpha1.CliqueSpec{Replicas: 4, PodSpec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main"}}}},
			},
			{Name: "frontend", Spec: grovev1alpha1.CliqueSpec{Replicas: 1, PodSpec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main"}}}}},
		}}},
		Status: grovev1alpha1.PodCliqueSetStatus{ObservedGeneration: new(int64(2))},
	}
	if change != nil {
		change(set)
	}
	return resourceOf(set)
}

func resourceOf(object any) *fnv1.Resource {
	text, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	return &fnv1.Resource{Resource: resource.MustStructJSON(string(text))}
}

// child of component Worker with as many pods as it is to have.
func child(replicas int32, update *graphplan.ChildUpdate) graphplan.Child {
	return graphplan.Child{Kind: "PodClique", Name: "llama-0-worker", SpecReplicas: replicas, Replicas: replicas, Update: update}
}

// outcome is what becomes of the helper, and what the component waits for.
type outcome struct {
	Helper, Wait string
}

func TestDelayScaleIns(t *testing.T) {
	const held = "the scale-in is delayed until Grove's rolling update is complete"
	freed := func(replicas int) string {
		return fmt.Sprintf("Grove's rolling update is waiting for pods that a scale-in deleted, so the component is scaled to %d replicas until the update is complete", replicas)
	}
	marked := ` for ` + hashOf(podCliqueSet(nil).GetResource(), "worker")
	of := func(replicas, updated int32, update graphplan.ChildUpdate) graphplan.Child {
		c := child(replicas, &update)
		c.UpdatedReplicas = updated
		return c
	}
	group := of(1, 0, graphplan.ChildUpdate{Selected: 1, Written: longAgo})
	group.Kind = "PodCliqueScalingGroup"
	counting := of(4, 2, graphplan.ChildUpdate{Selected: 4, Written: longAgo})
	counting.Replicas = 3
	cases := map[string]struct {
		reason   string
		child    *graphplan.Child
		observed setChange
		// unsynced says that Crossplane could not apply all objects.
		unsynced    bool
		autoscaling bool
		// helper that is desired, and the one that is observed: the number, and the hash it is marked with.
		helper, observedHelper int32
		// before is the number to which the desired helper returns.
		before int32
		mark   string
		want   outcome
	}{
		"AtRest":         {reason: "Without a helper there is nothing to hold back.", child: new(child(4, nil))},
		"In":             {reason: "Nothing holds back a scale-in while no pods are replaced.", child: new(child(4, nil)), helper: 1, want: outcome{Helper: "1..1" + marked}},
		"InAfterUpdate":  {reason: "An update that has ended holds back nothing.", child: new(child(4, nil)), observed: rolled, helper: 1, want: outcome{Helper: "1..1" + marked}},
		"ChildRolls":     {reason: "While Grove replaces pods of the child its helper keeps it at its number.", child: new(child(4, &graphplan.ChildUpdate{})), helper: 1, want: outcome{Helper: "4..4" + marked, Wait: held}},
		"SetRolls":       {reason: "An update of the set reaches the child sooner or later.", child: new(child(4, nil)), observed: rolls, helper: 1, want: outcome{Helper: "4..4" + marked, Wait: held}},
		"SetRollsOld":    {reason: "Before v0.1.0-alpha.7 the update of the set has another name.", child: new(child(4, nil)), observed: rollsOld, helper: 1, want: outcome{Helper: "4..4" + marked, Wait: held}},
		"NotSeen":        {reason: "A change of the set that Grove has not seen may be one of its pods.", child: new(child(4, nil)), observed: notSeen, helper: 1, want: outcome{Helper: "4..4" + marked, Wait: held}},
		"SeenAsMarked":   {reason: "A change that Grove has not seen is none of templates that it had seen before.", child: new(child(4, nil)), observed: notSeenAsMarked, helper: 1, want: outcome{Helper: "1..1" + marked}},
		"SeenOthers":     {reason: "That Grove had seen other templates before tells nothing.", child: new(child(4, nil)), observed: notSeenOtherwise, helper: 1, want: outcome{Helper: "4..4" + marked, Wait: held}},
		"Created":        {reason: "A set that has not changed since its creation replaces no pods.", child: new(child(4, nil)), observed: created, helper: 1, want: outcome{Helper: "1..1" + marked}},
		"Image":          {reason: "A new image in this very call begins an update.", child: new(child(4, nil)), observed: withImage("old"), helper: 1, want: outcome{Helper: "4..4" + marked, Wait: held}},
		"Label":          {reason: "Another label of the pods begins an update.", child: new(child(4, nil)), observed: labelled, helper: 1, want: outcome{Helper: "4..4" + marked, Wait: held}},
		"Annotation":     {reason: "Another annotation of the pods, such as that of a restart, begins an update.", child: new(child(4, nil)), observed: annotated, helper: 1, want: outcome{Helper: "4..4" + marked, Wait: held}},
		"PriorityClass":  {reason: "Another priority class begins an update.", child: new(child(4, nil)), observed: prioritized, helper: 1, want: outcome{Helper: "4..4" + marked, Wait: held}},
		"Untold":         {reason: "Where nothing tells what Crossplane applied, the next call can tell.", child: new(child(4, nil)), observed: byOthers, helper: 1, want: outcome{Helper: "4..4" + marked, Wait: held}},
		"Rewritten":      {reason: "What was applied and does not look it has been rewritten by a webhook, and holds back nothing.", child: new(child(4, nil)), observed: withImage("rewritten"), helper: 1, observedHelper: 4, mark: marked, want: outcome{Helper: "1..1" + marked}},
		"NotApplied":     {reason: "What may not have been applied still holds back.", child: new(child(4, nil)), observed: withImage("old"), unsynced: true, helper: 1, observedHelper: 4, mark: marked, want: outcome{Helper: "4..4" + marked, Wait: held}},
		"HeldForOthers":  {reason: "A helper that was held back for other pod templates is held back again.", child: new(child(4, nil)), observed: withImage("old"), helper: 1, observedHelper: 4, mark: " for others", want: outcome{Helper: "4..4" + marked, Wait: held}},
		"OtherService":   {reason: "An update of another service has no pods of this one to replace.", child: new(child(4, nil)), observed: frontend, helper: 1, want: outcome{Helper: "1..1" + marked}},
		"OtherRolls":     {reason: "A scale-in that began while the pods of its service were up to date goes on while Grove updates other services.", child: new(child(4, &graphplan.ChildUpdate{})), observed: frontendRolls, helper: 1, observedHelper: 1, mark: marked, want: outcome{Helper: "1..1" + marked}},
		"OtherNumber":    {reason: "A scale-in to another number than the one that began waits for the update.", child: new(child(4, nil)), observed: rolls, helper: 1, observedHelper: 2, mark: marked, want: outcome{Helper: "4..4" + marked, Wait: held}},
		"OwnRolls":       {reason: "A scale-in that began is stopped by an update of the pods of its own service.", child: new(child(4, nil)), observed: withImage("old"), helper: 1, observedHelper: 1, mark: " for others", want: outcome{Helper: "4..4" + marked, Wait: held}},
		"Stopped":        {reason: "A helper that was told the lower number and has not acted upon it is stopped.", child: new(child(4, &graphplan.ChildUpdate{})), helper: 1, observedHelper: 1, want: outcome{Helper: "4..4" + marked, Wait: held}},
		"TooLate":        {reason: "A helper that has acted upon the lower number is not taken back: the pods are gone.", child: new(child(1, &graphplan.ChildUpdate{})), helper: 1, observedHelper: 1, want: outcome{Helper: "1..1"}},
		"Out":            {reason: "Pods that are added are of the new template, and an update counts them as replaced.", child: new(child(4, &graphplan.ChildUpdate{})), observed: rolls, helper: 6, want: outcome{Helper: "6..6"}},
		"Unknown":        {reason: "A child that is not known is left as it is.", observed: rolls, helper: 1, want: outcome{Helper: "1..1"}},
		"Wedged":         {reason: "An update that waits for two pods where one can be gets the second.", child: new(of(1, 0, graphplan.ChildUpdate{Selected: 1, Written: longAgo})), want: outcome{Helper: "2..2 before 1", Wait: freed(2)}},
		"WedgedAgain":    {reason: "A helper that is to return the service to its number goes on until the update is over, and does not forget the number.", child: new(of(2, 1, graphplan.ChildUpdate{Selected: 2, Written: longAgo})), helper: 1, before: 1, observedHelper: 2, want: outcome{Helper: "3..3 before 1", Wait: freed(3)}},
		"WedgedLater":    {reason: "A wedged update gets as many pods as it has replaced, beside those that it has yet to replace.", child: new(of(2, 1, graphplan.ChildUpdate{Selected: 3, Written: longAgo})), helper: 1, observedHelper: 1, want: outcome{Helper: "4..4", Wait: freed(4)}},
		"WedgedAndOut":   {reason: "A scale-out that goes further frees a wedged update by itself.", child: new(of(1, 0, graphplan.ChildUpdate{Selected: 1, Written: longAgo})), helper: 5, want: outcome{Helper: "5..5"}},
		"Freed":          {reason: "The child keeps what it got until the update is over.", child: new(of(2, 1, graphplan.ChildUpdate{Selected: 1, Written: longAgo})), observed: rolls, helper: 1, observedHelper: 2, want: outcome{Helper: "2..2" + marked, Wait: held}},
		"SoundMoment":    {reason: "For a moment a sound update looks like a wedged one: a pod is marked before it is deleted.", child: new(of(4, 1, graphplan.ChildUpdate{Selected: 2, Written: "2026-03-01T11:55:01Z"}))},
		"Sound":          {reason: "An update that takes long is not wedged while the pods that it waits for can be.", child: new(of(4, 2, graphplan.ChildUpdate{Selected: 2, Written: longAgo}))},
		"NothingWritten": {reason: "Without a time it is unknown how long an update has been blocked.", child: new(of(1, 0, graphplan.ChildUpdate{Selected: 1}))},
		"NoneSelected":   {reason: "An update that waits for no pod is not wedged.", child: new(of(1, 0, graphplan.ChildUpdate{Written: longAgo}))},
		"Counting":       {reason: "As long as pods are missing the counts tell nothing.", child: &counting},
		"ScalingGroup":   {reason: "A scaling group counts no pods.", child: &group},
		"Autoscaled":     {reason: "A helper beside an autoscaler would fight with it.", child: new(of(1, 0, graphplan.ChildUpdate{Selected: 1, Written: longAgo})), autoscaling: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			g := graphWith(tc.autoscaling)
			p := &graphplan.Plan{Orchestrator: graphplan.Grove}
			if tc.child != nil {
				p.Children = map[string]graphplan.Child{"Worker": *tc.child}
			}
			composite := &v1alpha1.DynamoGraphDeployment{}
			if tc.unsynced {
				composite.Status.Conditions = []metav1.Condition{{Type: "Synced", Status: metav1.ConditionFalse}}
			}
			req := &fnv1.RunFunctionRequest{
				Observed: &fnv1.State{
					Composite: resourceOf(composite),
					Resources: map[string]*fnv1.Resource{"podcliqueset": podCliqueSet(tc.observed)},
				},
				Desired: &fnv1.State{Resources: map[string]*fnv1.Resource{"podcliqueset": podCliqueSet(nil)}},
			}
			if tc.helper != 0 {
				req.Desired.Resources["replicas-worker"] = helper(tc.helper, "")
				if tc.before != 0 {
					tree.At(req.GetDesired().GetResources()["replicas-worker"].GetResource(), "metadata", "annotations").
						Fields["dynamo.nvidia.com/replicas-before-update"] = structpb.NewStringValue(strconv.Itoa(int(tc.before)))
				}
			}
			if tc.observedHelper != 0 {
				req.Observed.Resources["replicas-worker"] = helper(tc.observedHelper, strings.TrimPrefix(tc.mark, " for "))
			}
			rsp := response.To(req, response.DefaultTTL)
			rsp.Desired = &fnv1.State{Resources: maps.Clone(req.GetDesired().GetResources())}
			before := proto.CloneOf(req)
			now, err := time.Parse(time.RFC3339, clock)
			if err != nil {
				t.Fatal(err)
			}
			waits, err := delayScaleIns(req, rsp, g, p, now)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, outcome{Helper: described(rsp), Wait: waits["Worker"]}); diff != "" {
				t.Errorf("%s\ndelayScaleIns(...): -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(before, req, protocmp.Transform()); diff != "" {
				t.Errorf("delayScaleIns(...) changed the request: -before, +after:\n%s", diff)
			}
		})
	}
}

// TestMarkObserved shows when a PodCliqueSet is marked with the hash of templates that Grove has observed.
func TestMarkObserved(t *testing.T) {
	replicas := func(n int32) setChange {
		return func(set *grovev1alpha1.PodCliqueSet) { set.Spec.Template.Cliques[0].Spec.Replicas = n }
	}
	both := func(changes ...setChange) setChange {
		return func(set *grovev1alpha1.PodCliqueSet) {
			for _, change := range changes {
				change(set)
			}
		}
	}
	old := hashOf(podCliqueSet(withImage("old")).GetResource())
	now := hashOf(podCliqueSet(nil).GetResource())
	cases := map[string]struct {
		reason            string
		observed, desired setChange
		absent            bool
		want              string
	}{
		"AtRest":    {reason: "A set that does not change needs no mark."},
		"New":       {reason: "A new set needs no mark.", absent: true, desired: replicas(6)},
		"Scaled":    {reason: "Templates that Grove has observed are marked before the numbers change.", desired: replicas(6), want: now},
		"Kept":      {reason: "The mark stays as long as the templates.", observed: both(notSeen, markedFor(podCliqueSet(nil))), want: now},
		"ScaledOn":  {reason: "The mark stays if the numbers change again.", observed: both(notSeen, markedFor(podCliqueSet(nil))), desired: replicas(6), want: now},
		"Image":     {reason: "The mark goes with the templates.", observed: markedFor(podCliqueSet(nil)), desired: withImage("new")},
		"ImageToo":  {reason: "Numbers that change together with templates are not marked, because Grove has to observe these.", desired: both(replicas(6), withImage("new"))},
		"NotSeen":   {reason: "Templates of which it is not known whether Grove has observed them are not marked.", observed: notSeen, desired: replicas(6)},
		"OtherMark": {reason: "A mark of other templates is replaced once Grove has observed these.", observed: both(markedFor(podCliqueSet(withImage("old")))), desired: replicas(6), want: now},
		"Reverted":  {reason: "Templates that somebody has changed are new for Grove when they are put back.", observed: both(withImage("edited"), markedFor(podCliqueSet(nil)))},
		"MarkReturns": {
			reason:   "Templates of before that come back are new for Grove.",
			observed: both(notSeen, withImage("new"), markedFor(podCliqueSet(withImage("new")))), desired: both(replicas(6), withImage("old")),
		},
		"Created": {reason: "A set in its first generation has no templates that Grove would replace.", observed: created, desired: replicas(6), want: now},
		"Untold":  {reason: "Where nothing tells what Crossplane applied, nothing is marked.", observed: byOthers, desired: replicas(6)},
	}
	if old == now {
		t.Fatal("want the hash to depend on the image")
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := &fnv1.RunFunctionRequest{
				Observed: &fnv1.State{Resources: map[string]*fnv1.Resource{"podcliqueset": podCliqueSet(tc.observed)}},
				Desired:  &fnv1.State{Resources: map[string]*fnv1.Resource{"podcliqueset": podCliqueSet(tc.desired)}},
			}
			if tc.absent {
				req.Observed.Resources = nil
			}
			req.Desired.Resources["podcliqueset"].Ready = fnv1.Ready_READY_TRUE
			rsp := response.To(req, response.DefaultTTL)
			rsp.Desired = &fnv1.State{Resources: maps.Clone(req.GetDesired().GetResources())}
			before := proto.CloneOf(req)
			markObserved(req, rsp)
			got := rsp.GetDesired().GetResources()["podcliqueset"]
			if mark := observedTemplates(got.GetResource()); mark != tc.want || got.GetReady() != fnv1.Ready_READY_TRUE {
				t.Errorf("%s\nmarkObserved(...): want mark %q and the readiness of before, got %q and %s", tc.reason, tc.want, mark, got.GetReady())
			}
			if diff := cmp.Diff(before, req, protocmp.Transform()); diff != "" {
				t.Errorf("markObserved(...) changed the request: -before, +after:\n%s", diff)
			}
		})
	}
}

// TestOtherOrchestrators shows that nothing is held back where Grove does not run the graph.
func TestOtherOrchestrators(t *testing.T) {
	req := &fnv1.RunFunctionRequest{Desired: &fnv1.State{Resources: map[string]*fnv1.Resource{"replicas-worker": helper(1, "")}}}
	rsp := response.To(req, response.DefaultTTL)
	p := &graphplan.Plan{Orchestrator: graphplan.LeaderWorkerSet, Children: map[string]graphplan.Child{"Worker": child(4, &graphplan.ChildUpdate{})}}
	waits, err := Pace(req, rsp, graphWith(false), p, time.Time{})
	if err != nil || len(waits) > 0 || described(rsp) != "1..1" {
		t.Errorf("Pace(...): want 1..1 and nothing to wait for, got %s, %v, %v", described(rsp), waits, err)
	}
}

func graphWith(autoscaled bool) *graph.Graph {
	return graphtest.Of(&graph.Graph{Name: "llama", Namespace: "inference"}, v1alpha1.DynamoGraphDeploymentSpec{Services: map[string]v1alpha1.Service{
		"Worker": {Autoscaling: &v1alpha1.Autoscaling{Enabled: autoscaled}},
	}})
}

func helper(replicas int32, mark string) *fnv1.Resource {
	return resourceOf(&autoscalingv2.HorizontalPodAutoscaler{
		TypeMeta:   metav1.TypeMeta{APIVersion: "autoscaling/v2", Kind: "HorizontalPodAutoscaler"},
		ObjectMeta: metav1.ObjectMeta{Name: "llama-worker-replicas", Annotations: map[string]string{"dynamo.nvidia.com/pod-template-hash": mark}},
		Spec:       autoscalingv2.HorizontalPodAutoscalerSpec{MinReplicas: &replicas, MaxReplicas: replicas},
	})
}

// described is the desired helper: its bounds, and what it is marked with.
func described(rsp *fnv1.RunFunctionResponse) string {
	object := rsp.GetDesired().GetResources()["replicas-worker"].GetResource()
	most, ok := observed.MaxReplicas(object)
	if !ok {
		return ""
	}
	text := fmt.Sprintf("%v..%d", object.GetFields()["spec"].GetStructValue().GetFields()["minReplicas"].GetNumberValue(), most)
	annotations := object.GetFields()["metadata"].GetStructValue().GetFields()["annotations"].GetStructValue()
	if mark := annotations.GetFields()["dynamo.nvidia.com/pod-template-hash"].GetStringValue(); mark != "" {
		text += " for " + mark
	}
	if before := annotations.GetFields()["dynamo.nvidia.com/replicas-before-update"].GetStringValue(); before != "" {
		text += " before " + before
	}
	return text
}
