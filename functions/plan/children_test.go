package plan_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest/whole"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

func TestChildren(t *testing.T) {
	observedWithGroup := plantest.PodCliqueSet(plantest.Clique("frontend"), plantest.Clique("worker-ldr"), plantest.Clique("worker-wkr"))
	observedWithGroup.Spec.Template.ScalingGroups = []grovev1alpha1.ScalingGroup{
		{Name: "worker", CliqueNames: []string{"worker-ldr", "worker-wkr"}, Replicas: 2, MinAvailable: 1},
	}
	clique := &grovev1alpha1.PodClique{
		ObjectMeta: metav1.ObjectMeta{Name: "llama-0-frontend", Generation: 3}, Spec: grovev1alpha1.PodCliqueSpec{Replicas: 2},
		Status: grovev1alpha1.PodCliqueStatus{ObservedGeneration: new(int64(2)), Replicas: 3, UpdatedReplicas: 1, ReadyReplicas: 2, ScheduledReplicas: 3},
	}
	inGroup := &grovev1alpha1.PodClique{ObjectMeta: metav1.ObjectMeta{Name: "llama-0-worker-0-worker-ldr", Generation: 1}, Spec: grovev1alpha1.PodCliqueSpec{Replicas: 1}}
	group := &grovev1alpha1.PodCliqueScalingGroup{
		ObjectMeta: metav1.ObjectMeta{Name: "llama-0-worker", Generation: 1}, Spec: grovev1alpha1.PodCliqueScalingGroupSpec{Replicas: 2},
		Status: grovev1alpha1.PodCliqueScalingGroupStatus{ObservedGeneration: new(int64(1)), Replicas: 2, UpdatedReplicas: 2, AvailableReplicas: 2, ScheduledReplicas: 2},
	}
	others := &grovev1alpha1.PodCliqueScalingGroup{ObjectMeta: metav1.ObjectMeta{Name: "llama-1-worker", Generation: 1}, Spec: grovev1alpha1.PodCliqueScalingGroupSpec{Replicas: 2}}

	children := map[string]graphplan.Child{
		"Frontend": {
			Kind: "PodClique", Name: "llama-0-frontend", Generation: 3, ObservedGeneration: new(int64(2)), SpecReplicas: 2,
			Replicas: 3, UpdatedReplicas: 1, ReadyReplicas: 2, ScheduledReplicas: 3,
		},
		"Worker": {
			Kind: "PodCliqueScalingGroup", Name: "llama-0-worker", Generation: 1, ObservedGeneration: new(int64(1)), SpecReplicas: 2,
			Replicas: 2, UpdatedReplicas: 2, AvailableReplicas: 2, ScheduledReplicas: 2,
		},
	}
	unreadable := map[string]graphplan.Child{"Frontend": {
		Kind: "PodClique", Name: "llama-0-frontend", Generation: 1, SpecReplicas: 2,
		Problem: "cannot be read: cannot read PodClique llama-0-frontend: status.replicas: Invalid value: must be a whole number, not a string",
	}}
	xr := plantest.Graph(plantest.Frontend, plantest.Multinode)
	planned := func(children map[string]graphplan.Child) responseOption {
		return planOf(steptest.PlanOnGrove(vllmComponents("Frontend"), withGPUTotal(32), func(p *graphplan.Plan) { p.Children = children }))
	}
	live := func(more ...plantest.RequestOption) []plantest.RequestOption {
		return append([]plantest.RequestOption{plantest.WithGroups("grove"), plantest.WithObserved("podcliqueset", observedWithGroup)}, more...)
	}
	asked := []responseOption{asksForGroups(), asksForChildren("frontend"), asksForScalingGroups("worker"), accepted(), onGrove(), noQueue()}
	undelivered := plantest.Request(xr, live()...)
	delete(undelivered.GetRequiredResources(), "podcliquescalinggroup-worker")
	compare(t, map[string]responseCase{
		"BothKinds": {
			reason: "A single-node service is its PodClique and a multinode one its PodCliqueScalingGroup; the PodCliques of a scaling group are not even asked for.",
			req:    plantest.Request(xr, live(plantest.WithChildren(clique, inGroup, group, others))...),
			want:   want(append(asked, planned(children))...),
		},
		"NoneYet": {
			reason: "Grove may not have created PodCliques and PodCliqueScalingGroups yet.",
			req:    plantest.Request(xr, live()...),
			want:   want(append(asked, planned(nil))...),
		},
		"Undelivered": {
			reason: "What has not been looked up is unknown: there is no plan before it has.",
			req:    undelivered,
			want:   want(asksForGroups(), asksForChildren("frontend"), asksForScalingGroups("worker")),
		},
		"NoSetYet": {
			reason: "Before there is a PodCliqueSet nothing is missed.",
			req:    plantest.Request(xr, plantest.WithGroups("grove")),
			want:   want(asksForGroups(), accepted(), onGrove(), noQueue(), planned(nil)),
		},
		"Odd": {
			reason: "A child that cannot be read is reported with what can be read of it, and does not stop the graph.",
			req: plantest.Request(xr, live(plantest.WithChildren(`{"kind":"PodClique","metadata":{"name":"llama-0-frontend","generation":1},"spec":{"replicas":2},"status":{"replicas":"two"}}`,
				`{"kind":"PodCliqueScalingGroup"}`, `{"metadata":"x"}`))...),
			want: want(append(asked, planned(unreadable))...),
		},
	})
}

// TestExpectedChildren shows that the first response to Crossplane already requires what those after it do, so that Crossplane remembers it.
func TestExpectedChildren(t *testing.T) {
	live := plantest.WithObserved("podcliqueset", plantest.PodCliqueSet(plantest.Clique("frontend"), plantest.Clique("other")))
	both := want(asksForChildren("frontend"), asksForScalingGroups("worker"))
	for name, tc := range map[string]struct {
		reason string
		req    *fnv1.RunFunctionRequest
		// preview says that it is not Crossplane that calls.
		preview bool
		want    *fnv1.RunFunctionResponse
	}{
		"New":     {reason: "The children of a new graph are those of its components.", req: plantest.Request(plantest.Graph(plantest.Frontend, plantest.Multinode), plantest.WithGroups("grove")), want: both},
		"Live":    {reason: "The children of a live graph are those of its PodCliqueSet.", req: plantest.Request(plantest.Graph(plantest.Frontend), plantest.WithGroups("grove"), live), want: want(asksForChildren("frontend", "other"))},
		"Preview": {reason: "No reconcile follows a preview.", req: plantest.Request(plantest.Graph(plantest.Frontend, plantest.Multinode), plantest.WithGroups("grove")), preview: true, want: want()},
		"OnLWS":   {reason: "What does not run on Grove has none.", req: plantest.Request(plantest.Graph(plantest.Frontend, plantest.Multinode), plantest.WithGroups("lws", "volcano")), want: want()},
		"Refused": {reason: "A graph that is refused gets none.", req: plantest.Request(plantest.Graph(plantest.Multinode, plantest.Changed("Worker", plantest.WithReplicas(0))), plantest.WithGroups("grove")), want: want()},
	} {
		t.Run(name, func(t *testing.T) {
			if !tc.preview {
				metadata := tree.At(tc.req.GetObserved().GetComposite().GetResource(), "metadata")
				metadata.Fields["finalizers"] = structpb.NewListValue(&structpb.ListValue{Values: []*structpb.Value{structpb.NewStringValue("composite.apiextensions.crossplane.io")}})
			}
			got := requirements(respond(t, whole.WithFreeNames(t, tc.req)))
			maps.DeleteFunc(got, func(name string, _ *fnv1.ResourceSelector) bool { return !strings.HasPrefix(name, "podclique") })
			if diff := cmp.Diff(requirements(tc.want), got, protocmp.Transform()); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
