package plan_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step/steptest"
)

// TestScalingAdapters shows where services get the adapter that they ask for.
func TestScalingAdapters(t *testing.T) {
	const (
		elsewhere = "spec.services[Frontend].scalingAdapter: has no effect: "
		kind      = "DynamoGraphDeploymentScalingAdapter"
		missing   = elsewhere + kind + " is not installed; install it (package/scalingadapter-crd.yaml), or scale with replicas of the service"
		unknown   = elsewhere + "it is not known whether " + kind + " is installed, because its schema cannot be looked up: Crossplane does so from version 2.2 on, and a render without a cluster does not; if it is installed, set scalingAdapter.mode: Enabled in the input of step plan, or scale with replicas of the service"
		off       = elsewhere + "scalingAdapter.mode is Disabled in the input of step plan; let the platform set it to Auto, or scale with replicas of the service"
	)
	xr := plantest.Graph(plantest.Frontend, plantest.Changed("Frontend", withScalingAdapter))
	deployed := conditioned("OrchestratorSelected", isTrue, "Selected", "Deployment runs the graph: Grove is not installed, and no service spans several nodes")
	planned := func(adapter bool, replicas *int32) responseOption {
		services := plainServices("Frontend")
		frontend := services["Frontend"]
		frontend.ScalingAdapter, frontend.Replicas = adapter, replicas
		services["Frontend"] = frontend
		return planOf(steptest.PlanOnDeployments(services))
	}
	with := []responseOption{deployed, noQueue(), planned(true, nil)}
	scaled := []responseOption{deployed, noQueue(), planned(true, new(int32(3)))}
	without := func(warning string) []responseOption {
		return []responseOption{conditioned("Accepted", isTrue, "ValidWithWarnings", warning), deployed, noQueue(), planned(false, nil), warningResult(warning)}
	}
	answer := func(asks, more []responseOption) *fnv1.RunFunctionResponse { return want(append(asks, more...)...) }
	groups, schema := []responseOption{asksForGroups()}, []responseOption{asksForGroups(), asksForAdapterSchema()}
	observed := plantest.WithObserved("scalingadapter-frontend", scalingAdapter(3, metav1.ObjectMeta{}))

	compare(t, map[string]responseCase{
		"Asked": {
			reason: "The API group is that of the graph itself, so the kind is asked for, and nothing is decided before the answer.",
			req:    plantest.Request(xr, plantest.WithGroups()),
			want:   want(schema...),
		},
		"Installed": {
			reason: "Where the kind is served, there are adapters.",
			req:    plantest.Request(xr, plantest.WithGroups(), withAdapterSchema(true)),
			want:   answer(schema, append([]responseOption{accepted()}, with...)),
		},
		"NotInstalled": {
			reason: "Where the kind is not served, a warning says so.",
			req:    plantest.Request(xr, plantest.WithGroups(), withAdapterSchema(false)),
			want:   answer(schema, without(missing)),
		},
		"Unknown": {
			reason: "A caller that cannot tell must not be made to fail on a kind that is not there.",
			req:    plantest.Request(xr, plantest.WithGroups(), plantest.WithoutCapabilities()),
			want:   answer(append(groups, inOlderField()), without(unknown)),
		},
		"Enabled": {
			reason: "The platform can say that scaling adapters are installed.",
			req:    plantest.Request(xr, plantest.WithGroups(), plantest.WithoutCapabilities(), plantest.WithInput(inputv1alpha1.Policy{ScalingAdapter: inputv1alpha1.ScalingAdapter{Mode: inputv1alpha1.ModeEnabled}})),
			want:   answer([]responseOption{asksForGroups(), inOlderField()}, append([]responseOption{accepted()}, with...)),
		},
		"Disabled": {
			reason: "The platform can turn scaling adapters off.",
			req:    plantest.Request(xr, plantest.WithGroups(), plantest.WithInput(inputv1alpha1.Policy{ScalingAdapter: inputv1alpha1.ScalingAdapter{Mode: inputv1alpha1.ModeDisabled}})),
			want:   answer([]responseOption{asksForGroups()}, without(off)),
		},
		"LiveUnknown": {
			reason: "An adapter that is there stays where nothing can be looked up.",
			req:    plantest.Request(xr, plantest.WithGroups(), plantest.WithoutCapabilities(), observed),
			want:   answer([]responseOption{asksForGroups(), inOlderField()}, append([]responseOption{accepted()}, scaled...)),
		},
		"LiveNotFound": {
			reason: "An adapter that is there stays where a lookup says that its kind is not served.",
			req:    plantest.Request(xr, plantest.WithGroups(), withAdapterSchema(false), observed),
			want:   answer([]responseOption{asksForGroups(), asksForAdapterSchema()}, append([]responseOption{accepted()}, scaled...)),
		},
		"LiveDisabled": {
			reason: "An adapter that is there stays when the platform turns adapters off, because the graph has its number.",
			req:    plantest.Request(xr, plantest.WithGroups(), plantest.WithInput(inputv1alpha1.Policy{ScalingAdapter: inputv1alpha1.ScalingAdapter{Mode: inputv1alpha1.ModeDisabled}}), observed),
			want:   answer([]responseOption{asksForGroups()}, append([]responseOption{accepted()}, scaled...)),
		},
	})
}

// TestScaledByAdapters shows how many replicas a service with a scaling adapter gets, and what its user is told.
func TestScaledByAdapters(t *testing.T) {
	const (
		edited = "spec.services[Frontend].replicas: has no effect, because scaling adapter llama-frontend determines the number of replicas; scale the adapter"
		gone   = "spec.services[Frontend].scalingAdapter: the graph has the number of replicas of its scaling adapter, but DynamoGraphDeploymentScalingAdapter is not installed; " +
			"install it (package/scalingadapter-crd.yaml), or scale with replicas of the service; or set replicas of the service, and remove scalingAdapter"
	)
	few := func(least string) string {
		return "spec.services[Frontend].scalingAdapter: scaling adapter llama-frontend asks for fewer replicas than the service can have, so it has " + least + "; scale the adapter to at least " + least
	}
	adapter := func(replicas int32, changes ...func(*metav1.ObjectMeta)) plantest.RequestOption {
		meta := metav1.ObjectMeta{}
		for _, change := range changes {
			change(&meta)
		}
		return plantest.WithObserved("scalingadapter-frontend", scalingAdapter(replicas, meta))
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
	reference := plantest.WithReferences(plantest.ReferenceTo("nvidia.com/v1alpha1", "DynamoGraphDeploymentScalingAdapter", "llama-frontend"))
	// graph with a scaling adapter and two replicas.
	graph := func(changes ...plantest.ServiceChange) *v1alpha1.DynamoGraphDeployment {
		return plantest.Graph(plantest.Frontend, plantest.Changed("Frontend", withScalingAdapter, plantest.WithReplicas(2)), plantest.Changed("Frontend", changes...))
	}
	unset := func(s *v1alpha1.Service) { s.Replicas = nil }
	twoAvailable := func(s *v1alpha1.Service) { s.MinAvailable = new(int32(2)) }
	turnedOff := func(s *v1alpha1.Service) { s.ScalingAdapter.Enabled = false }

	cases := map[string]struct {
		reason string
		req    *fnv1.RunFunctionRequest

		// want replicas in the plan. nil: the number of the graph counts.
		want *int32
		// message of condition Accepted.
		message string
	}{
		"None":     {reason: "Until the adapter exists, the number of the graph counts.", req: plantest.Request(graph(), plantest.WithGroups(), deployment)},
		"Scaled":   {reason: "The number of the adapter counts, and a graph that was not edited gets no warning.", req: plantest.Request(graph(), plantest.WithGroups(), adapter(5, began)), want: new(int32(5))},
		"Preview":  {reason: "The number counts in previews as well, whose objects have no managers.", req: plantest.Request(graph(unset), plantest.WithGroups(), adapter(5)), want: new(int32(5))},
		"Deleting": {reason: "An adapter that is being deleted is created again afterwards, so its number still counts.", req: plantest.Request(graph(), plantest.WithGroups(), adapter(5, began, deleting)), want: new(int32(5))},
		"Edited": {
			reason: "Who changes the number of the graph is told that the adapter counts.",
			req:    plantest.Request(graph(plantest.WithReplicas(3)), plantest.WithGroups(), adapter(5, began)),
			want:   new(int32(5)), message: edited,
		},
		"Copied": {
			reason: "A controller that copies the number of the adapter to the graph is no contradiction.",
			req:    plantest.Request(graph(plantest.WithReplicas(5)), plantest.WithGroups(), adapter(5, began)),
			want:   new(int32(5)),
		},
		"BeganUnknown": {reason: "Of an adapter without a record, any other number in the graph is a contradiction.", req: plantest.Request(graph(), plantest.WithGroups(), adapter(5)), want: new(int32(5)), message: edited},
		"WithoutEffect": {
			reason: "An adapter that was created before adapters had an effect and that was never scaled does not scale a live graph.",
			req:    plantest.Request(graph(), plantest.WithGroups(), adapter(5, byCrossplane)),
		},
		"Zero":        {reason: "Deployments scale to zero.", req: plantest.Request(graph(), plantest.WithGroups(), adapter(0, began), deployment), want: new(int32(0))},
		"ZeroOnGrove": {reason: "Grove would run one replica for zero, so it gets one, with a warning.", req: plantest.Request(graph(), plantest.WithGroups("grove"), adapter(0, began), onGrove), want: new(int32(1)), message: few("1")},
		"MinAvailable": {
			reason: "A number below the limit of the service is raised instead of refusing the graph.",
			req:    plantest.Request(graph(twoAvailable), plantest.WithGroups(), adapter(1, began)),
			want:   new(int32(2)), message: "spec.services[Frontend].minAvailable: has no effect on Deployment: each replica is scheduled separately\n" + few("2"),
		},
		"TooMany": {
			reason:  "A number that no cluster has is refused, with the name of the adapter.",
			req:     plantest.Request(graph(), plantest.WithGroups(), adapter(100001, began)),
			message: "spec.services[Frontend].replicas: Invalid value: 100001: must be at most 100000; scaling adapter llama-frontend asks for this number: scale the adapter",
		},
		"Deleted":        {reason: "A deleted adapter does not scale the graph: the number of running replicas stays.", req: plantest.Request(graph(), reference, plantest.WithGroups(), withAdapterSchema(true), deployment), want: new(int32(4))},
		"DeletedOnGrove": {reason: "On Grove, the PodCliqueSet has the number that runs.", req: plantest.Request(graph(), reference, plantest.WithGroups("grove"), withAdapterSchema(true), onGrove), want: new(int32(6))},
		"Gone":           {reason: "If the kind of an adapter is gone, the graph stays as it is.", req: plantest.Request(graph(), reference, plantest.WithGroups(), withAdapterSchema(false), deployment), message: gone},
		"TurnedOff":      {reason: "Without an adapter, the number of the graph counts again.", req: plantest.Request(graph(turnedOff), reference, plantest.WithGroups(), adapter(5, began))},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if _, asked := tc.req.GetRequiredSchemas()["schema-scalingadapter"]; !asked {
				withAdapterSchema(true)(tc.req)
			}
			rsp := runUntilResolved(t, tc.req)
			var message string
			for _, c := range rsp.GetConditions() {
				if c.GetType() == "Accepted" {
					message = c.GetMessage()
				}
			}
			if diff := cmp.Diff(tc.message, message); diff != "" {
				t.Errorf("%s\ncondition Accepted: -want, +got:\n%s", tc.reason, diff)
			}
			var got *int32
			if p, err := graphplan.Read(&fnv1.RunFunctionRequest{Context: rsp.GetContext()}); err == nil {
				got = p.Services["Frontend"].Replicas
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nreplicas in the plan: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// runUntilResolved runs the step as Crossplane does. Nothing that it asks for exists.
func runUntilResolved(t *testing.T, req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
	t.Helper()
	for {
		rsp, err := plan.NewFunction(logging.NewNopLogger()).RunFunction(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		resolved := true
		for name := range rsp.GetRequirements().GetResources() {
			if _, delivered := req.GetRequiredResources()[name]; !delivered {
				req.RequiredResources[name], resolved = &fnv1.Resources{}, false
			}
		}
		if resolved {
			return rsp
		}
	}
}

func withAdapterSchema(served bool) plantest.RequestOption {
	return plantest.WithSchemaOf("schema-scalingadapter", served)
}

func withScalingAdapter(s *v1alpha1.Service) {
	s.ScalingAdapter = &v1alpha1.ScalingAdapter{Enabled: true}
}

// scalingAdapter of service Frontend, as it is observed.
func scalingAdapter(replicas int32, meta metav1.ObjectMeta) any {
	return map[string]any{
		"apiVersion": "nvidia.com/v1alpha1", "kind": "DynamoGraphDeploymentScalingAdapter", "metadata": meta,
		"spec": map[string]any{"replicas": replicas},
	}
}

func asksForAdapterSchema() responseOption {
	return func(rsp *fnv1.RunFunctionResponse) {
		requirements(rsp)
		rsp.Requirements.Schemas = map[string]*fnv1.SchemaSelector{
			"schema-scalingadapter": {ApiVersion: "nvidia.com/v1alpha1", Kind: "DynamoGraphDeploymentScalingAdapter"},
		}
	}
}
