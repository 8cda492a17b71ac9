package scaling_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/grove"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
)

// run step grove.
func run(t *testing.T, req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
	t.Helper()
	return steptest.Run(t, grove.NewFunction(logging.NewNopLogger()), req)
}

// none is a number that is not there.
const none = -1

// state of one component.
type state struct {
	// wanted by the graph, in the observed PodCliqueSet, and of the live child.
	wanted, inSet, child int32
	// helper is the bound of the observed helper.
	helper int32
	// before is the number to which a helper that frees an update returns, and rolls says that the update is not complete.
	before int32
	rolls  bool
	// terminating says that the helper is being deleted.
	terminating bool
	// autoscaling is that of the component, or nil.
	autoscaling *v1alpha1.Autoscaling
	// autoscaler says that one is observed.
	autoscaler bool
	// coherent says that Grove updates the set with strategy Coherent.
	coherent bool
}

// outcome is what becomes of a component.
type outcome struct {
	InSet int32
	// Helper and Autoscaler are the bounds and the target of each, such as "4..4 PodClique llama-0-worker".
	Helper, Autoscaler string
	// Before is the mark of the helper.
	Before string
	// Soon says that Crossplane looks again soon.
	Soon bool
}

// TestOnGrove shows, for a component of one node and for one that spans nodes, what is written in each state of a scaling.
func TestOnGrove(t *testing.T) {
	enabled := &v1alpha1.Autoscaling{Enabled: true, MinReplicas: 2, MaxReplicas: 8}
	cases := map[string]struct {
		reason string
		state  state
		want   outcome
	}{
		"New":             {reason: "A new graph has its numbers at once.", state: state{wanted: 3, inSet: none, child: none, helper: none}, want: outcome{InSet: 3}},
		"Absent":          {reason: "A service without a number has one replica.", state: state{wanted: none, inSet: none, child: none, helper: none}, want: outcome{InSet: 1}},
		"AtRest":          {reason: "Where graph, set and child agree there is nothing to do.", state: state{wanted: 3, inSet: 3, child: 3, helper: none}, want: outcome{InSet: 3}},
		"NumberRemoved":   {reason: "A number that is taken out of the graph is a scaling to one.", state: state{wanted: none, inSet: 3, child: 3, helper: none}, want: outcome{InSet: 3, Helper: "1..1", Soon: true}},
		"Out":             {reason: "Scaling out moves the child; the set stays behind, as the memory that it goes on.", state: state{wanted: 4, inSet: 2, child: 2, helper: none}, want: outcome{InSet: 2, Helper: "4..4", Soon: true}},
		"OutGoesOn":       {reason: "A scale-out goes on until the child has the number.", state: state{wanted: 4, inSet: 2, child: 3, helper: 4}, want: outcome{InSet: 2, Helper: "4..4", Soon: true}},
		"OutDone":         {reason: "When the child has the number the set follows, and the helper goes.", state: state{wanted: 4, inSet: 2, child: 4, helper: 4}, want: outcome{InSet: 4}},
		"In":              {reason: "Scaling in moves the child; the set stays behind, as the memory that it goes on.", state: state{wanted: 1, inSet: 2, child: 2, helper: none}, want: outcome{InSet: 2, Helper: "1..1", Soon: true}},
		"InDone":          {reason: "When the child has the lower number the set follows, and the helper goes.", state: state{wanted: 1, inSet: 2, child: 1, helper: 1}, want: outcome{InSet: 1}},
		"SetWasLeft":      {reason: "Where the helper went and the set was not written, it is written.", state: state{wanted: 4, inSet: 2, child: 4, helper: none}, want: outcome{InSet: 4}},
		"HelperWasLeft":   {reason: "Where the set was written and the helper did not go, it goes.", state: state{wanted: 4, inSet: 4, child: 4, helper: 4}, want: outcome{InSet: 4}},
		"Twice":           {reason: "Another number before the first is reached becomes the aim.", state: state{wanted: 6, inSet: 2, child: 3, helper: 4}, want: outcome{InSet: 2, Helper: "6..6", Soon: true}},
		"TwiceReached":    {reason: "A helper that was told another number may still act upon it, so it is told before it goes.", state: state{wanted: 3, inSet: 2, child: 3, helper: 4}, want: outcome{InSet: 2, Helper: "3..3", Soon: true}},
		"TwiceBack":       {reason: "Back to the number of the set, the helper itself is the memory: the child may have moved.", state: state{wanted: 2, inSet: 2, child: 4, helper: 4}, want: outcome{InSet: 2, Helper: "2..2", Soon: true}},
		"TwiceBackGoesOn": {reason: "The helper stays until the child is back at the number of the set.", state: state{wanted: 2, inSet: 2, child: 4, helper: 2}, want: outcome{InSet: 2, Helper: "2..2", Soon: true}},
		"TwiceBackDone":   {reason: "When the child is back at the number of the set the helper goes.", state: state{wanted: 2, inSet: 2, child: 2, helper: 2}, want: outcome{InSet: 2}},
		"Terminating":     {reason: "A helper that is being deleted is no memory.", state: state{wanted: 2, inSet: 2, child: 5, helper: 2, terminating: true}, want: outcome{InSet: 2}},
		"Undelivered":     {reason: "While the child is unknown, the set and the helper stay as they are.", state: state{wanted: 6, inSet: 2, child: none, helper: 4}, want: outcome{InSet: 2, Helper: "4..4", Soon: true}},
		"UndeliveredBack": {reason: "While the child is unknown, a helper stays although the graph has the number of the set.", state: state{wanted: 2, inSet: 2, child: none, helper: 4}, want: outcome{InSet: 2, Helper: "4..4", Soon: true}},
		"NotCreated":      {reason: "A child that Grove has not created yet gets its number from the set, and is scaled later.", state: state{wanted: 4, inSet: 2, child: none, helper: none}, want: outcome{InSet: 2, Soon: true}},
		"NotCreatedRest":  {reason: "Without a change of the graph there is nothing to wait for.", state: state{wanted: 2, inSet: 2, child: none, helper: none}, want: outcome{InSet: 2}},
		"ScaledByOthers":  {reason: "What an outside autoscaler or kubectl scale made of the child is left alone.", state: state{wanted: 2, inSet: 2, child: 7, helper: none}, want: outcome{InSet: 2}},
		"ScaledToZero":    {reason: "A child that others scaled to zero is left alone.", state: state{wanted: 2, inSet: 2, child: 0, helper: none}, want: outcome{InSet: 2}},
		"ScaledThenGraph": {reason: "A change of the graph counts from then on, also for a child that others scaled.", state: state{wanted: 3, inSet: 2, child: 7, helper: none}, want: outcome{InSet: 2, Helper: "3..3", Soon: true}},
		"ScaledAhead":     {reason: "A child that was scaled by hand to what the graph then says needs no helper.", state: state{wanted: 7, inSet: 2, child: 7, helper: none}, want: outcome{InSet: 7}},
		"Freeing":         {reason: "The number that others have set is remembered while a helper frees a wedged update.", state: state{wanted: 4, inSet: 4, child: 2, helper: 2, before: 1, rolls: true}, want: outcome{InSet: 4, Helper: "1..1", Before: "1", Soon: true}},
		"FreeingUnseen":   {reason: "While the child is unknown, the helper keeps its memory.", state: state{wanted: 4, inSet: 4, child: none, helper: 2, before: 1}, want: outcome{InSet: 4, Helper: "2..2", Before: "1", Soon: true}},
		"FreeingReturned": {reason: "A helper that has returned before the update is complete stays.", state: state{wanted: 4, inSet: 4, child: 1, helper: 1, before: 1, rolls: true}, want: outcome{InSet: 4, Helper: "1..1", Before: "1", Soon: true}},
		"Freed":           {reason: "After the update, the service returns to the number that others have set.", state: state{wanted: 4, inSet: 4, child: 2, helper: 2, before: 1}, want: outcome{InSet: 4, Helper: "1..1", Before: "1", Soon: true}},
		"FreedAndBack":    {reason: "The helper goes when the service has the number that others have set.", state: state{wanted: 4, inSet: 4, child: 1, helper: 1, before: 1}, want: outcome{InSet: 4}},
		"FreedByOthers":   {reason: "A helper that was told more replicas may still act upon it, so it is told before it goes.", state: state{wanted: 4, inSet: 4, child: 1, helper: 2, before: 1}, want: outcome{InSet: 4, Helper: "1..1", Before: "1", Soon: true}},
		"FreedThenGraph":  {reason: "A change of the graph counts from then on, also for a service that was to return to another number.", state: state{wanted: 3, inSet: 4, child: 2, helper: 2, before: 1}, want: outcome{InSet: 4, Helper: "3..3", Soon: true}},
		"AutoscaledNew":   {reason: "A new service with an autoscaler begins within its bounds.", state: state{wanted: 1, inSet: none, child: none, helper: none, autoscaling: enabled}, want: outcome{InSet: 2, Autoscaler: "2..8"}},
		"TurnedOn":        {reason: "An autoscaler takes over from the number that there is; a helper beside it would fight.", state: state{wanted: 4, inSet: 2, child: 3, helper: 4, autoscaling: enabled}, want: outcome{InSet: 2, Autoscaler: "2..8"}},
		"Autoscaled":      {reason: "The set keeps its number, whatever the graph says.", state: state{wanted: 5, inSet: 2, child: 7, helper: none, autoscaling: enabled, autoscaler: true}, want: outcome{InSet: 2, Autoscaler: "2..8"}},
		"TurnedOff":       {reason: "Without the autoscaler the graph's number applies again.", state: state{wanted: 2, inSet: 2, child: 7, helper: none, autoscaler: true}, want: outcome{InSet: 2, Helper: "2..2", Soon: true}},
		"TurnedOffEqual":  {reason: "The autoscaler may change the number until it is gone, so the helper watches over it.", state: state{wanted: 2, inSet: 2, child: 2, helper: none, autoscaler: true}, want: outcome{InSet: 2, Helper: "2..2", Soon: true}},
		"TurnedOffUnseen": {reason: "The helper follows an autoscaler that is turned off while the child is unknown, or nothing would remember the change.", state: state{wanted: 2, inSet: 2, child: none, helper: none, autoscaler: true}, want: outcome{InSet: 2, Helper: "2..2", Soon: true}},
		"Coherent":        {reason: "During a coherent update Grove refuses to scale, so the set keeps its number as the memory.", state: state{wanted: 4, inSet: 2, child: 2, helper: none, coherent: true}, want: outcome{InSet: 2, Soon: true}},
		"CoherentRest":    {reason: "A coherent update without a change of a number scales nothing.", state: state{wanted: 2, inSet: 2, child: 2, helper: none, coherent: true}, want: outcome{InSet: 2}},
		"CoherentOut":     {reason: "A helper that began before the update stops where the child is.", state: state{wanted: 4, inSet: 2, child: 3, helper: 4, coherent: true}, want: outcome{InSet: 2, Helper: "3..3", Soon: true}},
		"CoherentReached": {reason: "The set does not follow a child that has the number before the update is complete.", state: state{wanted: 4, inSet: 2, child: 4, helper: 4, coherent: true}, want: outcome{InSet: 2, Soon: true}},
		"CoherentBack":    {reason: "Where only the helper is the memory, it stays, at the number of the child.", state: state{wanted: 2, inSet: 2, child: 3, helper: 4, coherent: true}, want: outcome{InSet: 2, Helper: "3..3", Soon: true}},
		"CoherentOff":     {reason: "An autoscaler that is turned off leaves a helper as the memory, which does not move the child yet.", state: state{wanted: 2, inSet: 2, child: 7, helper: none, autoscaler: true, coherent: true}, want: outcome{InSet: 2, Helper: "7..7", Soon: true}},
		"CoherentZero":    {reason: "A helper cannot keep a child at zero, and does not move it from there.", state: state{wanted: 2, inSet: 2, child: 0, helper: 4, coherent: true}, want: outcome{InSet: 2, Helper: "2..2", Soon: true}},
		"CoherentUnseen":  {reason: "While the child is unknown, its helper stays as it is.", state: state{wanted: 6, inSet: 2, child: none, helper: 4, coherent: true}, want: outcome{InSet: 2, Helper: "4..4", Soon: true}},
		"AutoscalingOff":  {reason: "A block that is not enabled is none.", state: state{wanted: 2, inSet: 2, child: 2, helper: none, autoscaling: &v1alpha1.Autoscaling{MaxReplicas: 3}}, want: outcome{InSet: 2}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for _, shape := range []shape{oneNode, severalNodes} {
				want := tc.want
				for _, target := range []*string{&want.Helper, &want.Autoscaler} {
					if *target != "" {
						*target += " " + shape.kind + " llama-0-worker"
					}
				}
				if diff := cmp.Diff(want, outcomeOf(t, shape, run(t, requestIn(t, shape, tc.state)))); diff != "" {
					t.Errorf("%s\n%s: -want, +got:\n%s", tc.reason, shape.kind, diff)
				}
			}
		})
	}
}

// shape of a component.
type shape struct {
	kind      string
	multinode *v1alpha1.Multinode
	// template of a PodCliqueSet with a number of replicas.
	template func(replicas int32) grovev1alpha1.PodCliqueSetTemplate
	// number in a PodCliqueSet.
	number func(*grovev1alpha1.PodCliqueSetTemplate) int32
}

var (
	oneNode = shape{
		kind: "PodClique",
		template: func(replicas int32) grovev1alpha1.PodCliqueSetTemplate {
			return grovev1alpha1.PodCliqueSetTemplate{Cliques: []grovev1alpha1.Clique{cliqueOf("worker", replicas)}}
		},
		number: func(t *grovev1alpha1.PodCliqueSetTemplate) int32 { return t.Cliques[0].Spec.Replicas },
	}
	severalNodes = shape{
		kind:      "PodCliqueScalingGroup",
		multinode: &v1alpha1.Multinode{NodeCount: 3},
		template: func(replicas int32) grovev1alpha1.PodCliqueSetTemplate {
			return grovev1alpha1.PodCliqueSetTemplate{
				Cliques:       []grovev1alpha1.Clique{cliqueOf("worker-ldr", 1), cliqueOf("worker-wkr", 2)},
				ScalingGroups: []grovev1alpha1.ScalingGroup{{Name: "worker", CliqueNames: []string{"worker-ldr", "worker-wkr"}, Replicas: replicas}},
			}
		},
		number: func(t *grovev1alpha1.PodCliqueSetTemplate) int32 { return t.ScalingGroups[0].Replicas },
	}
)

// cliqueOf a name with a number of replicas.
func cliqueOf(name string, replicas int32) grovev1alpha1.Clique {
	return grovev1alpha1.Clique{Name: name, Spec: grovev1alpha1.CliqueSpec{Replicas: replicas}}
}

// bounded is an autoscaler, or a helper.
func bounded(least, most int32) *autoscalingv2.HorizontalPodAutoscaler {
	return &autoscalingv2.HorizontalPodAutoscaler{Spec: autoscalingv2.HorizontalPodAutoscalerSpec{MinReplicas: &least, MaxReplicas: most}}
}

// childOfWorker is the live child of component Worker.
func childOfWorker(kind string, replicas int32) map[string]graphplan.Child {
	return map[string]graphplan.Child{"Worker": {Kind: kind, Name: "llama-0-worker", Generation: 1, SpecReplicas: replicas}}
}

// requestIn a state of a component.
func requestIn(t *testing.T, s shape, in state) *fnv1.RunFunctionRequest {
	t.Helper()
	service := v1alpha1.Service{Multinode: s.multinode, Autoscaling: in.autoscaling}
	if in.wanted != none {
		service.Replicas = &in.wanted
	}
	plan := steptest.OnGrove(t, steptest.Components("etcd", "Worker"), func(p *graphplan.Plan) {
		if in.child != none {
			p.Children = childOfWorker(s.kind, in.child)
		}
		if in.rolls {
			child := p.Children["Worker"]
			child.Update = &graphplan.ChildUpdate{}
			p.Children["Worker"] = child
		}
	})
	req := steptest.Request(steptest.Spec(t, map[string]v1alpha1.Service{"Worker": service}), plan)
	observed := map[string]any{}
	if in.inSet != none {
		set := &grovev1alpha1.PodCliqueSet{
			TypeMeta: metav1.TypeMeta{Kind: "PodCliqueSet"}, Spec: grovev1alpha1.PodCliqueSetSpec{Template: s.template(in.inSet)},
		}
		if in.coherent {
			set.Spec.UpdateStrategy = &grovev1alpha1.UpdateStrategy{Type: "Coherent"}
			set.Status.UpdateProgress = &grovev1alpha1.UpdateProgress{UpdateStartedAt: &metav1.Time{Time: time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)}}
		}
		observed["podcliqueset"] = set
	}
	if in.helper != none {
		helper := bounded(in.helper, in.helper)
		if in.before > 0 {
			helper.Annotations = map[string]string{"dynamo.nvidia.com/replicas-before-update": strconv.Itoa(int(in.before))}
		}
		if in.terminating {
			helper.DeletionTimestamp = &metav1.Time{Time: time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)}
		}
		observed["replicas-worker"] = helper
	}
	if in.autoscaler {
		observed["autoscaler-worker"] = bounded(2, 8)
	}
	req.Observed.Resources = steptest.State(observed).GetResources()
	return req
}

func outcomeOf(t *testing.T, s shape, rsp *fnv1.RunFunctionResponse) outcome {
	t.Helper()
	if results := rsp.GetResults(); len(results) > 0 {
		t.Fatalf("RunFunction(...): want no results, got %v", results)
	}
	into := func(key string, out any) bool {
		object, ok := rsp.GetDesired().GetResources()[key]
		if !ok {
			return false
		}
		encoded, err := object.GetResource().MarshalJSON()
		if err == nil {
			err = json.Unmarshal(encoded, out)
		}
		if err != nil {
			t.Fatal(err)
		}
		return true
	}
	helper := &autoscalingv2.HorizontalPodAutoscaler{}
	into("replicas-worker", helper)
	bounds := func(key string) string {
		scaler := &autoscalingv2.HorizontalPodAutoscaler{}
		if !into(key, scaler) {
			return ""
		}
		spec := scaler.Spec
		return fmt.Sprintf("%d..%d %s %s", *spec.MinReplicas, spec.MaxReplicas, spec.ScaleTargetRef.Kind, spec.ScaleTargetRef.Name)
	}
	set := &grovev1alpha1.PodCliqueSet{}
	if !into("podcliqueset", set) {
		t.Fatal("there is no PodCliqueSet")
	}
	return outcome{
		InSet:      s.number(&set.Spec.Template),
		Helper:     bounds("replicas-worker"),
		Autoscaler: bounds("autoscaler-worker"),
		Before:     helper.Annotations["dynamo.nvidia.com/replicas-before-update"],
		Soon:       rsp.GetMeta().GetTtl().AsDuration() == step.PendingTTL,
	}
}

// TestOnGroveOthers shows that scaling one component leaves the others and the nodes of a replica alone.
func TestOnGroveOthers(t *testing.T) {
	req := steptest.Request(`{"services":{"Frontend":{"replicas":2},"Worker":{"replicas":3,"multinode":{"nodeCount":4},"minAvailable":2}}}`,
		steptest.OnGrove(t, steptest.Components("etcd", "Frontend", "Worker"), func(p *graphplan.Plan) { p.Children = childOfWorker("PodCliqueScalingGroup", 2) }))
	req.Observed.Resources = map[string]*fnv1.Resource{"podcliqueset": {Resource: resource.MustStructJSON(`{"spec":{"template":{
		"cliques":[{"name":"frontend","spec":{"replicas":2}},{"name":"worker-ldr","spec":{"replicas":1}},{"name":"worker-wkr","spec":{"replicas":3}}],
		"podCliqueScalingGroups":[{"name":"worker","replicas":2}]}}}`)}}
	rsp := run(t, req)
	encoded, err := rsp.GetDesired().GetResources()["podcliqueset"].GetResource().MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	set := &grovev1alpha1.PodCliqueSet{}
	if err := json.Unmarshal(encoded, set); err != nil {
		t.Fatal(err)
	}
	got := map[string][2]int32{}
	for _, clique := range set.Spec.Template.Cliques {
		got[clique.Name] = [2]int32{clique.Spec.Replicas, clique.Spec.MinAvailable}
	}
	for _, group := range set.Spec.Template.ScalingGroups {
		got[group.Name] = [2]int32{group.Replicas, group.MinAvailable}
	}
	want := map[string][2]int32{"frontend": {2, 1}, "worker-ldr": {1, 1}, "worker-wkr": {3, 3}, "worker": {2, 2}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("replicas and minAvailable: -want, +got:\n%s", diff)
	}
	if _, ok := rsp.GetDesired().GetResources()["replicas-worker"]; !ok {
		t.Error("want a helper for the worker")
	}
	if _, ok := rsp.GetDesired().GetResources()["replicas-frontend"]; ok {
		t.Error("want no helper for the frontend")
	}
}

// TestUnreadablePodCliqueSet shows that a set which cannot be read is not taken for a new one.
func TestUnreadablePodCliqueSet(t *testing.T) {
	req := requestIn(t, oneNode, state{wanted: 4, inSet: none, child: none, helper: none})
	req.Observed.Resources["podcliqueset"] = &fnv1.Resource{Resource: resource.MustStructJSON(`{"spec":{"template":{"cliques":"none"}}}`)}
	results := run(t, req).GetResults()
	if len(results) != 1 || !strings.HasPrefix(results[0].GetMessage(), "cannot read the observed PodCliqueSet: ") {
		t.Errorf("RunFunction(...): want one result that says so, got %v", results)
	}
}
