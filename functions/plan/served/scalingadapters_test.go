package served_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest/whole"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
)

// TestScalingAdapters shows where components get the adapter that they ask for.
func TestScalingAdapters(t *testing.T) {
	xr := plantest.Graph(plantest.Frontend, plantest.Changed("Frontend", plantest.WithScalingAdapter))
	observed := plantest.WithObserved("scalingadapter-frontend", plantest.ScalingAdapter(3, metav1.ObjectMeta{}))

	compare(t, map[string]whole.Row[decision]{
		"Asked": {
			Reason:  "The API group is that of the graph itself, so the kind is asked for, and nothing is decided before the answer.",
			Request: plantest.Request(xr, plantest.WithGroups()),
			Want:    decision{Asked: []string{"schema-scalingadapter"}},
		},
		"Installed": {
			Reason:  "Where the kind is served, there are adapters.",
			Request: plantest.Request(xr, plantest.WithGroups(), plantest.WithAdapterSchema(true)),
			Want:    decision{Asked: []string{"schema-scalingadapter"}, Adapter: true},
		},
		"NotInstalled": {
			Reason:  "Where the kind is not served, a warning says so.",
			Request: plantest.Request(xr, plantest.WithGroups(), plantest.WithAdapterSchema(false)),
			Want:    decision{Asked: []string{"schema-scalingadapter"}, Said: plantest.Warned(rule.NotServed, "spec.components[Frontend].scalingAdapter")},
		},
		"Unknown": {
			Reason:  "A caller that cannot tell must not be made to fail on a kind that is not there.",
			Request: plantest.Request(xr, plantest.WithGroups(), plantest.WithoutCapabilities()),
			Want:    decision{Said: plantest.Warned(rule.NotServed, "spec.components[Frontend].scalingAdapter")},
		},
		"Enabled": {
			Reason:  "The platform can say that scaling adapters are installed.",
			Request: plantest.Request(xr, plantest.WithGroups(), plantest.WithoutCapabilities(), plantest.WithInput(inputv1alpha1.Policy{ScalingAdapter: inputv1alpha1.ScalingAdapter{Mode: inputv1alpha1.ModeEnabled}})),
			Want:    decision{Adapter: true},
		},
		"Disabled": {
			Reason:  "The platform can turn scaling adapters off.",
			Request: plantest.Request(xr, plantest.WithGroups(), plantest.WithInput(inputv1alpha1.Policy{ScalingAdapter: inputv1alpha1.ScalingAdapter{Mode: inputv1alpha1.ModeDisabled}})),
			Want:    decision{Said: plantest.Warned(rule.NotServed, "spec.components[Frontend].scalingAdapter")},
		},
		"LiveUnknown": {
			Reason:  "An adapter that is there stays where nothing can be looked up.",
			Request: plantest.Request(xr, plantest.WithGroups(), plantest.WithoutCapabilities(), observed),
			Want:    decision{Adapter: true, Replicas: new(int32(3))},
		},
		"LiveNotFound": {
			Reason:  "An adapter that is there stays where a lookup says that its kind is not served.",
			Request: plantest.Request(xr, plantest.WithGroups(), plantest.WithAdapterSchema(false), observed),
			Want:    decision{Asked: []string{"schema-scalingadapter"}, Adapter: true, Replicas: new(int32(3))},
		},
		"LiveDisabled": {
			Reason:  "An adapter that is there stays when the platform turns adapters off, because the graph has its number.",
			Request: plantest.Request(xr, plantest.WithGroups(), plantest.WithInput(inputv1alpha1.Policy{ScalingAdapter: inputv1alpha1.ScalingAdapter{Mode: inputv1alpha1.ModeDisabled}}), observed),
			Want:    decision{Adapter: true, Replicas: new(int32(3))},
		},
	})
}
