package scheduling

import (
	"slices"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
)

// ModeWarnings list what a running graph keeps although the modes of the input would give a new graph something else.
func ModeWarnings(f *subject.Facts) []string {
	var warnings []string
	for _, m := range []struct {
		setting string
		mode    v1alpha1.Mode
		against v1alpha1.Mode
		keeps   bool
		current string
	}{
		{"grove.mode", f.Input.Grove.Mode, v1alpha1.ModeDisabled, f.Memory.Orchestrator == graphplan.Grove, "Grove"},
		{"lws.mode", f.Input.LWS.Mode, v1alpha1.ModeDisabled, f.Memory.Orchestrator == graphplan.LeaderWorkerSet, "LeaderWorkerSet"},
		{"volcano.mode", f.Input.Volcano.Mode, v1alpha1.ModeDisabled, f.Memory.Gangs.Scheduler == graphplan.VolcanoScheduler, graphplan.VolcanoScheduler},
		{"volcano.mode", f.Input.Volcano.Mode, v1alpha1.ModeEnabled, f.Memory.Gangs.Scheduler == graphplan.KAIScheduler, graphplan.KAIScheduler},
		{"kai.mode", f.Input.KAI.Mode, v1alpha1.ModeDisabled, f.Memory.OnKAI(), graphplan.KAIScheduler},
		{"kai.mode", f.Input.KAI.Mode, v1alpha1.ModeEnabled, leavesScheduler(f) && !f.Memory.OnKAI(), "the scheduler that its pods have"},
	} {
		if m.keeps && m.mode == m.against {
			warnings = append(warnings, subject.Keeps{
				Setting: m.setting, Value: string(m.mode), Keeper: "this graph keeps", Current: m.current, Remedy: subject.Recreate,
			}.String())
		}
	}
	return warnings
}

// leavesScheduler reports whether a running graph on Grove has a service without a schedulerName.
func leavesScheduler(f *subject.Facts) bool {
	return f.Memory.OnGrove && slices.ContainsFunc(f.Graph.ServiceNames(), func(name string) bool {
		service := f.Graph.Spec.Services[name]
		return pod.SchedulerName(&service) == ""
	})
}
