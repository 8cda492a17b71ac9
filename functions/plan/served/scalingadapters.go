package served

import (
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/compatibility"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/scaling"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
)

// ScalingAdapters are the components that a DynamoGraphDeploymentScalingAdapter scales.
func ScalingAdapters(f *subject.Facts) ([]string, subject.Outcome) {
	var decided []string
	var outcome subject.Outcome
	adapters := f.Graph.Adapters()
	if len(adapters) == 0 {
		return nil, outcome
	}
	missing, gone := missingScalingAdapter(f, &outcome.Requirements)
	for i := range adapters {
		adapter := &adapters[i]
		// An existing adapter shows that its kind is installed, whatever the lookup returns. The graph has its number, so it stays even if the
		// platform no longer wants adapters.
		exists := f.Observed.Has(adapter.Key)
		switch live := exists || scaling.RefersToAdapter(adapter, f.Observed); {
		case live && gone && !exists:
			outcome.Refuse(subject.APIGone, message.About(adapter.Field,
				"the graph has the number of replicas of its scaling adapter, but %s; or set replicas of the {{component}}, and remove what asks for the adapter", missing))
		case live || missing.IsZero():
			for _, share := range adapter.Unit {
				decided = append(decided, share.Component)
			}
			outcome.Warnings = append(outcome.Warnings, scaling.AdapterWarnings(adapter, f.Observed, f.Memory.Orchestrator)...)
		default:
			outcome.Warnings = append(outcome.Warnings, message.About(adapter.Field, "has no effect: %s", missing))
		}
	}
	return decided, outcome
}

// HasScalingAdapters reports whether the cluster has the kind, as far as it is known. If the platform wants no new adapters, there may be old ones.
func HasScalingAdapters(s *subject.Seen, r *require.Requirements) bool {
	if s.Input.ScalingAdapter.Mode == v1alpha1.ModeEnabled {
		return true
	}
	served, _ := s.ServesAdapters(r)
	return served
}

// missingScalingAdapter is the reason why there are no new adapters, with the remedy. It is 0 if there are. gone says that the cluster certainly
// does not serve their kind.
func missingScalingAdapter(f *subject.Facts, r *require.Requirements) (reason message.Text, gone bool) {
	switch f.Input.ScalingAdapter.Mode {
	case v1alpha1.ModeEnabled:
		return message.Text{}, false
	case v1alpha1.ModeDisabled:
		return message.Format("scalingAdapter.mode is Disabled %s; let the platform set it to Auto, or scale with replicas of the {{component}}", f.Sources.In("scalingAdapter.mode")), false
	case v1alpha1.ModeAuto:
	}
	served, known := f.ServesAdapters(r)
	switch {
	case !known:
		return message.Format("it is not known whether %s is installed, because its schema cannot be looked up: Crossplane does so from version 2.2 on, and a render without a cluster does not; if it is installed, set scalingAdapter.mode: Enabled %s, or scale with replicas of the {{component}}",
			scaling.KindAdapter, f.Sources.In("scalingAdapter.mode")), false
	case !served:
		return message.Format("%s is not installed; install it as %s describes, or scale with replicas of the {{component}}", scaling.KindAdapter, compatibility.Page("install.md#scaling-adapters")), true
	default:
		return message.Text{}, false
	}
}
