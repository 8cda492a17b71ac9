package plan

import (
	"fmt"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/autoscaling"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
)

// requirementScalingAdapterSchema is the name of the requirement by which the kind is found.
const requirementScalingAdapterSchema = "schema-scalingadapter"

// decideScalingAdapters decides which services have a DynamoGraphDeploymentScalingAdapter. Its API group is that of the
// graph itself, so only the kind tells whether it is installed.
func (d *decider) decideScalingAdapters(out *decision, p *graphplan.Plan) {
	var enabled []string
	for _, name := range d.graph.ServiceNames() {
		if service := d.graph.Spec.Services[name]; autoscaling.AdapterEnabled(&service) {
			enabled = append(enabled, name)
		}
	}
	if len(enabled) == 0 {
		return
	}
	missing := d.missingScalingAdapter()
	disabled := d.input.ScalingAdapter.Mode == v1alpha1.ModeDisabled
	for _, name := range enabled {
		// An adapter that is there shows that its kind is, whatever a lookup says.
		live := d.memory.composed[string(names.KeyScalingAdapter(name))] && !disabled
		if missing != "" && !live {
			out.warnings = append(out.warnings, fmt.Sprintf("spec.services[%s].scalingAdapter: has no effect: %s", name, missing))
			continue
		}
		decided := p.Services[name]
		decided.ScalingAdapter = true
		p.Services[name] = decided
	}
}

// missingScalingAdapter says why there are no adapters here, and what to do about it. Empty: there are.
func (d *decider) missingScalingAdapter() string {
	const otherwise = ", or scale by replicas of the service"
	switch d.input.ScalingAdapter.Mode {
	case v1alpha1.ModeEnabled:
		return ""
	case v1alpha1.ModeDisabled:
		return "the platform has turned scaling adapters off; scale by replicas of the service"
	case v1alpha1.ModeAuto:
	}
	served, known, _ := d.requirements.HasSchema(requirementScalingAdapterSchema, autoscaling.AdapterAPIVersion, autoscaling.KindAdapter)
	switch {
	case !known:
		return "it cannot be found out here whether " + autoscaling.KindAdapter + " is installed; where it is, set scalingAdapter.mode: Enabled in the input of step plan" + otherwise
	case !served:
		return autoscaling.KindAdapter + " is not installed; install it together with its controller" + otherwise
	default:
		return ""
	}
}
