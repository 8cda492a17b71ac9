package served_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
)

// TestScalingAdapters shows where components get the adapter that they ask for.
func TestScalingAdapters(t *testing.T) {
	xr := plantest.Graph(plantest.Frontend, plantest.Changed("Frontend", plantest.WithScalingAdapter))
	observed := plantest.WithObserved("scalingadapter-frontend", plantest.ScalingAdapter(3, metav1.ObjectMeta{}))

	compare(t, map[string]servedCase{
		"Asked": {
			reason: "The API group is that of the graph itself, so the kind is asked for, and nothing is decided before the answer.",
			req:    plantest.Request(xr, plantest.WithGroups()),
			want:   decision{Asked: []string{"schema-scalingadapter"}},
		},
		"Installed": {
			reason: "Where the kind is served, there are adapters.",
			req:    plantest.Request(xr, plantest.WithGroups(), plantest.WithAdapterSchema(true)),
			want:   decision{Asked: []string{"schema-scalingadapter"}, Adapter: true},
		},
		"NotInstalled": {
			reason: "Where the kind is not served, a warning says so.",
			req:    plantest.Request(xr, plantest.WithGroups(), plantest.WithAdapterSchema(false)),
			want:   decision{Asked: []string{"schema-scalingadapter"}, Said: plantest.Warned(rule.NotServed, "spec.components[Frontend].scalingAdapter")},
		},
		"Unknown": {
			reason: "A caller that cannot tell must not be made to fail on a kind that is not there.",
			req:    plantest.Request(xr, plantest.WithGroups(), plantest.WithoutCapabilities()),
			want:   decision{Said: plantest.Warned(rule.NotServed, "spec.components[Frontend].scalingAdapter")},
		},
		"Enabled": {
			reason: "The platform can say that scaling adapters are installed.",
			req:    plantest.Request(xr, plantest.WithGroups(), plantest.WithoutCapabilities(), plantest.WithInput(inputv1alpha1.Policy{ScalingAdapter: inputv1alpha1.ScalingAdapter{Mode: inputv1alpha1.ModeEnabled}})),
			want:   decision{Adapter: true},
		},
		"Disabled": {
			reason: "The platform can turn scaling adapters off.",
			req:    plantest.Request(xr, plantest.WithGroups(), plantest.WithInput(inputv1alpha1.Policy{ScalingAdapter: inputv1alpha1.ScalingAdapter{Mode: inputv1alpha1.ModeDisabled}})),
			want:   decision{Said: plantest.Warned(rule.NotServed, "spec.components[Frontend].scalingAdapter")},
		},
		"LiveUnknown": {
			reason: "An adapter that is there stays where nothing can be looked up.",
			req:    plantest.Request(xr, plantest.WithGroups(), plantest.WithoutCapabilities(), observed),
			want:   decision{Adapter: true, Replicas: new(int32(3))},
		},
		"LiveNotFound": {
			reason: "An adapter that is there stays where a lookup says that its kind is not served.",
			req:    plantest.Request(xr, plantest.WithGroups(), plantest.WithAdapterSchema(false), observed),
			want:   decision{Asked: []string{"schema-scalingadapter"}, Adapter: true, Replicas: new(int32(3))},
		},
		"LiveDisabled": {
			reason: "An adapter that is there stays when the platform turns adapters off, because the graph has its number.",
			req:    plantest.Request(xr, plantest.WithGroups(), plantest.WithInput(inputv1alpha1.Policy{ScalingAdapter: inputv1alpha1.ScalingAdapter{Mode: inputv1alpha1.ModeDisabled}}), observed),
			want:   decision{Adapter: true, Replicas: new(int32(3))},
		},
	})
}
