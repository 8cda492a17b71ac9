package served

import (
	"fmt"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/autoscaling"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
)

// requirementScalingAdapterSchema is the name of the requirement that detects the kind.
const requirementScalingAdapterSchema = "schema-scalingadapter"

// ScalingAdapters are the services that have a DynamoGraphDeploymentScalingAdapter. The graph itself has the same API group, so only the
// kind shows whether it is installed.
func ScalingAdapters(f *subject.Facts) ([]string, subject.Outcome) {
	var enabled, decided []string
	for _, name := range f.Graph.ServiceNames() {
		if service := f.Graph.Spec.Services[name]; autoscaling.AdapterEnabled(&service) {
			enabled = append(enabled, name)
		}
	}
	var outcome subject.Outcome
	if len(enabled) == 0 {
		return nil, outcome
	}
	missing := missingScalingAdapter(f)
	disabled := f.Input.ScalingAdapter.Mode == v1alpha1.ModeDisabled
	for _, name := range enabled {
		// An existing adapter shows that its kind is installed, whatever the lookup returns.
		live := f.Observed.Has(names.KeyScalingAdapter(name)) && !disabled
		if missing != "" && !live {
			outcome.Warnings = append(outcome.Warnings, fmt.Sprintf("spec.services[%s].scalingAdapter: has no effect: %s", name, missing))
			continue
		}
		decided = append(decided, name)
	}
	return decided, outcome
}

// HasScalingAdapters reports whether the cluster has the kind, as far as it is known.
func HasScalingAdapters(f *subject.Facts) bool {
	switch f.Input.ScalingAdapter.Mode {
	case v1alpha1.ModeEnabled:
		return true
	case v1alpha1.ModeDisabled:
		return false
	default:
		served, _, _ := f.Requirements.HasSchema(requirementScalingAdapterSchema, autoscaling.AdapterAPIVersion, autoscaling.KindAdapter)
		return served
	}
}

// missingScalingAdapter is the reason why there are no adapters, with the remedy. Empty: there are.
func missingScalingAdapter(f *subject.Facts) string {
	switch f.Input.ScalingAdapter.Mode {
	case v1alpha1.ModeEnabled:
		return ""
	case v1alpha1.ModeDisabled:
		return "scaling adapters are disabled by the platform; scale with replicas of the service"
	case v1alpha1.ModeAuto:
	}
	served, known, _ := f.Requirements.HasSchema(requirementScalingAdapterSchema, autoscaling.AdapterAPIVersion, autoscaling.KindAdapter)
	switch {
	case !known:
		return fmt.Sprintf("the version of Crossplane cannot detect whether %s is installed; if it is, set scalingAdapter.mode: Enabled in the input of step plan, or scale with replicas of the service", autoscaling.KindAdapter)
	case !served:
		return fmt.Sprintf("%s is not installed; install it together with its controller, or scale with replicas of the service", autoscaling.KindAdapter)
	default:
		return ""
	}
}
