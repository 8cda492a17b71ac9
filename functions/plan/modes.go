package plan

import (
	"slices"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
)

// warnOfModes names what a live graph keeps although a mode of the input would have a new one do without it, or with
// something else.
func (d *decider) warnOfModes() []string {
	var warnings []string
	for _, m := range []struct {
		setting string
		mode    v1alpha1.Mode
		against v1alpha1.Mode
		keeps   bool
		kept    string
	}{
		{"grove.mode", d.input.Grove.Mode, v1alpha1.ModeDisabled, d.memory.orchestrator == graphplan.Grove, "Grove"},
		{"lws.mode", d.input.LWS.Mode, v1alpha1.ModeDisabled, d.memory.orchestrator == graphplan.LeaderWorkerSet, "LeaderWorkerSet"},
		{"volcano.mode", d.input.Volcano.Mode, v1alpha1.ModeDisabled, d.memory.gangs.scheduler == volcanoScheduler, volcanoScheduler},
		{"volcano.mode", d.input.Volcano.Mode, v1alpha1.ModeEnabled, d.memory.gangs.scheduler == kaiScheduler, kaiScheduler},
		{"kai.mode", d.input.KAI.Mode, v1alpha1.ModeDisabled, d.memory.onKAI(), kaiScheduler},
		{"kai.mode", d.input.KAI.Mode, v1alpha1.ModeEnabled, d.leavesScheduler() && !d.memory.onKAI(), "the scheduler that its pods have"},
	} {
		if m.keeps && m.mode == m.against {
			warnings = append(warnings, keeps{
				setting: m.setting, value: string(m.mode), keeper: "this one keeps", kept: m.kept, remedy: recreateToChange,
			}.String())
		}
	}
	return warnings
}

// leavesScheduler reports whether a live graph on Grove has a service that names no scheduler.
func (d *decider) leavesScheduler() bool {
	return d.memory.podCliqueSet != nil && slices.ContainsFunc(d.graph.ServiceNames(), func(name string) bool {
		service := d.graph.Spec.Services[name]
		return pod.SchedulerName(&service) == ""
	})
}
