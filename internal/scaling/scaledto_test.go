package scaling_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest/whole"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
)

// TestScaledByAdapters shows how many replicas a component with a scaling adapter gets, and what its user is told.
func TestScaledByAdapters(t *testing.T) {
	adapter := func(replicas int32, changes ...func(*metav1.ObjectMeta)) plantest.RequestOption {
		meta := metav1.ObjectMeta{}
		for _, change := range changes {
			change(&meta)
		}
		return plantest.WithObserved("scalingadapter-frontend", plantest.ScalingAdapter(replicas, meta))
	}
	began := func(meta *metav1.ObjectMeta) {
		meta.Annotations = map[string]string{"dynamo.nvidia.com/graph-replicas": "2"}
	}
	deleting := func(meta *metav1.ObjectMeta) {
		meta.DeletionTimestamp = new(metav1.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC))
	}
	byCrossplane := func(meta *metav1.ObjectMeta) {
		meta.ManagedFields = []metav1.ManagedFieldsEntry{{
			Manager: "apiextensions.crossplane.io/composed/a", Operation: metav1.ManagedFieldsOperationApply, FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:replicas":{}}}`),
		}}
	}
	four := plantest.FrontendDeployment()
	four.Spec.Replicas = new(int32(4))
	deployment := plantest.WithObserved("deployment-frontend", four)
	onGrove := plantest.WithObserved("podcliqueset", plantest.PodCliqueSet(plantest.Clique("frontend", func(c *grovev1alpha1.Clique) { c.Spec.Replicas = 6 })))
	reference := plantest.WithReferences(plantest.ReferenceTo("nvidia.com/v1beta1", "DynamoGraphDeploymentScalingAdapter", "llama-frontend"))
	// graph with a scaling adapter and two replicas.
	graph := func(changes ...plantest.ComponentChange) *v1alpha1.DynamoGraphDeployment {
		return plantest.Graph(plantest.Frontend, plantest.Changed("Frontend", plantest.WithScalingAdapter, plantest.WithReplicas(2)), plantest.Changed("Frontend", changes...))
	}
	unset := func(s *v1alpha1.Service) { s.Replicas = nil }
	twoAvailable := func(s *v1alpha1.Service) { s.MinAvailable = new(int32(2)) }
	// together has units of two replicas, which are scaled with others.
	together := func(changes ...plantest.ComponentChange) *v1alpha1.DynamoGraphDeployment {
		xr := plantest.Graph(plantest.Frontend, plantest.Changed("Frontend", plantest.WithReplicas(4)), plantest.Changed("Frontend", changes...))
		xr.Annotations = map[string]string{"dynamo.nvidia.com/scale-together": "Frontend=2"}
		return xr
	}
	units := func(number int32) plantest.RequestOption {
		return plantest.WithObserved("scalingadapter", plantest.ScalingAdapter(number, metav1.ObjectMeta{Annotations: map[string]string{"dynamo.nvidia.com/graph-replicas": "2"}}))
	}
	referenceToUnits := plantest.WithReferences(plantest.ReferenceTo("nvidia.com/v1alpha1", "DynamoGraphDeploymentScalingAdapter", "llama"))
	five := plantest.FrontendDeployment()
	five.Spec.Replicas = new(int32(5))
	referenceToDeployment := plantest.WithReferences(plantest.ReferenceTo("apps/v1", "Deployment", four.Name))
	missing := plantest.Warned(rule.NotServed, "spec.components[Frontend].replicas")
	turnedOff := func(s *v1alpha1.Service) { s.ScalingAdapter.Enabled = false }

	cases := map[string]struct {
		reason string
		req    *fnv1.RunFunctionRequest

		// want replicas in the plan. nil: the number of the graph counts.
		want *int32
		said []plantest.Said
	}{
		"None":     {reason: "Until the adapter exists, the number of the graph counts.", req: plantest.Request(graph(), plantest.WithGroups(), deployment, referenceToDeployment)},
		"Lost":     {reason: "If references were lost, nothing tells that there was no adapter, so what runs stays.", req: plantest.Request(graph(), plantest.WithGroups(), deployment), want: new(int32(4)), said: missing},
		"Scaled":   {reason: "The number of the adapter counts, and a graph that was not edited gets no warning.", req: plantest.Request(graph(), plantest.WithGroups(), adapter(5, began)), want: new(int32(5))},
		"Preview":  {reason: "The number counts in previews as well, whose objects have no managers.", req: plantest.Request(graph(unset), plantest.WithGroups(), adapter(5)), want: new(int32(5))},
		"Deleting": {reason: "An adapter that is being deleted is created again afterwards, so its number still counts.", req: plantest.Request(graph(), plantest.WithGroups(), adapter(5, began, deleting)), want: new(int32(5))},
		"Edited": {
			reason: "Who changes the number of the graph is told that the adapter counts.",
			req:    plantest.Request(graph(plantest.WithReplicas(3)), plantest.WithGroups(), adapter(5, began)),
			want:   new(int32(5)), said: plantest.Warned(rule.NotServed, "spec.components[Frontend].replicas"),
		},
		"Copied": {
			reason: "A controller that copies the number of the adapter to the graph is no contradiction.",
			req:    plantest.Request(graph(plantest.WithReplicas(5)), plantest.WithGroups(), adapter(5, began)),
			want:   new(int32(5)),
		},
		"BeganUnknown": {reason: "Of an adapter without a record, any other number in the graph is a contradiction.", req: plantest.Request(graph(), plantest.WithGroups(), adapter(5)), want: new(int32(5)), said: plantest.Warned(rule.NotServed, "spec.components[Frontend].replicas")},
		"WithoutEffect": {
			reason: "An adapter that was created before adapters had an effect and that was never scaled does not scale a live graph.",
			req:    plantest.Request(graph(), plantest.WithGroups(), adapter(5, byCrossplane)),
		},
		"Zero":        {reason: "Deployments scale to zero.", req: plantest.Request(graph(), plantest.WithGroups(), adapter(0, began), deployment), want: new(int32(0))},
		"ZeroOnGrove": {reason: "Grove would run one replica for zero, so it gets one, with a warning.", req: plantest.Request(graph(), plantest.WithGroups("grove"), adapter(0, began), onGrove), want: new(int32(1)), said: plantest.Warned(rule.NotServed, "spec.components[Frontend].scalingAdapter")},
		"MinAvailable": {
			reason: "A number below the limit of the service is raised instead of refusing the graph.",
			req:    plantest.Request(graph(twoAvailable), plantest.WithGroups(), adapter(1, began)),
			want:   new(int32(2)), said: slices.Concat(plantest.Warned(rule.OffGrove, "spec.components[Frontend].minAvailable"), plantest.Warned(rule.NotServed, "spec.components[Frontend].scalingAdapter")),
		},
		"TooMany": {
			reason: "A number that no cluster has is refused, with the name of the adapter.",
			req:    plantest.Request(graph(), plantest.WithGroups(), adapter(100001, began)),
			said:   plantest.Refused(subject.Mistake, rule.Replicas, "spec.components[Frontend].replicas"),
		},
		"Deleted":        {reason: "A deleted adapter does not scale the graph: the number of running replicas stays.", req: plantest.Request(graph(), reference, plantest.WithGroups(), plantest.WithAdapterSchema(true), deployment), want: new(int32(4)), said: missing},
		"DeletedOnGrove": {reason: "On Grove, the PodCliqueSet has the number that runs.", req: plantest.Request(graph(), reference, plantest.WithGroups("grove"), plantest.WithAdapterSchema(true), onGrove), want: new(int32(6)), said: missing},
		"Gone":           {reason: "If the kind of an adapter is gone, the graph stays as it is.", req: plantest.Request(graph(), reference, plantest.WithGroups(), plantest.WithAdapterSchema(false), deployment), said: plantest.Refused(subject.APIGone, rule.NotSupportedHere, "spec.components[Frontend].scalingAdapter")},
		"Units":          {reason: "An adapter of several components counts units.", req: plantest.Request(together(), plantest.WithGroups(), units(3)), want: new(int32(6))},
		"UnitsEdited": {
			reason: "Its number counts as that of any adapter, and the number in the graph need not be one of units any more.", req: plantest.Request(together(plantest.WithReplicas(3)), plantest.WithGroups(), units(3)),
			want: new(int32(6)), said: plantest.Warned(rule.NotServed, "spec.components[Frontend].replicas"),
		},
		"NoUnits":        {reason: "All components scale to zero.", req: plantest.Request(together(), plantest.WithGroups(), units(0)), want: new(int32(0))},
		"NoUnitsOnGrove": {reason: "The least number on Grove is one unit, because the ratio stays.", req: plantest.Request(together(), plantest.WithGroups("grove"), units(0), onGrove), want: new(int32(2)), said: plantest.Warned(rule.NotServed, "metadata.annotations[dynamo.nvidia.com/scale-together]")},
		"MinAvailableUnits": {
			reason: "The least number has at least minAvailable of each component, in whole units.",
			req:    plantest.Request(together(func(s *v1alpha1.Service) { s.MinAvailable = new(int32(3)) }), plantest.WithGroups(), units(1)),
			want:   new(int32(4)), said: slices.Concat(plantest.Warned(rule.NotServed, "metadata.annotations[dynamo.nvidia.com/scale-together]"), plantest.Warned(rule.OffGrove, "spec.components[Frontend].minAvailable")),
		},
		"TooManyUnits": {reason: "A number that overflows is refused as one that is too large.", req: plantest.Request(together(), plantest.WithGroups(), units(2147483647)), said: plantest.Refused(subject.Mistake, rule.Replicas, "spec.components[Frontend].replicas")},
		"UnitsDeleted": {reason: "If the adapter is deleted, no running replica goes, also if there are no whole units.", req: plantest.Request(together(), referenceToUnits, plantest.WithGroups(), plantest.WithAdapterSchema(true), plantest.WithObserved("deployment-frontend", five)), want: new(int32(6)), said: missing},
		"UnitsGone":    {reason: "The graph stays as it is, as with any adapter whose kind is gone.", req: plantest.Request(together(), referenceToUnits, plantest.WithGroups(), plantest.WithAdapterSchema(false), deployment), said: plantest.Refused(subject.APIGone, rule.NotSupportedHere, "metadata.annotations[dynamo.nvidia.com/scale-together]")},
		"TurnedOff":    {reason: "Without an adapter, the number of the graph counts again.", req: plantest.Request(graph(turnedOff), reference, plantest.WithGroups(), adapter(5, began))},
	}
	words := &plantest.Words{}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if _, asked := tc.req.GetRequiredSchemas()["schema-scalingadapter"]; !asked {
				plantest.WithAdapterSchema(true)(tc.req)
			}
			out := whole.RunAsIs(t, resolved(t, tc.req))
			words.Add(name, out.Texts...)
			if diff := cmp.Diff(tc.said, out.Said); diff != "" {
				t.Errorf("%s\nRunFunction(...): -want, +got:\n%s", tc.reason, diff)
			}
			var got *int32
			if out.Plan != nil {
				got = out.Plan.Components["Frontend"].Replicas
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nreplicas in the plan: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
	words.Golden(t, len(cases))
}

// resolved is a request as Crossplane makes it last. Nothing that the step asks for exists.
func resolved(t *testing.T, req *fnv1.RunFunctionRequest) *fnv1.RunFunctionRequest {
	t.Helper()
	for {
		before := len(req.GetRequiredResources())
		for name := range whole.RunAsIs(t, req).Response.GetRequirements().GetResources() {
			if _, delivered := req.GetRequiredResources()[name]; !delivered {
				req.RequiredResources[name] = &fnv1.Resources{}
			}
		}
		if len(req.GetRequiredResources()) == before {
			return req
		}
	}
}
