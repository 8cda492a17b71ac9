package scheduling

import (
	"cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// ModeWarnings list what a running graph keeps although the modes of the platform would give a new graph something else.
func ModeWarnings(f *subject.Facts) message.List {
	var warnings message.List
	for _, m := range []struct {
		setting string
		mode    v1alpha1.Mode
		against v1alpha1.Mode
		keeps   bool
		current string
	}{
		{"grove.mode", f.Input.Grove.Mode, v1alpha1.ModeDisabled, f.Memory.Orchestrator == graphplan.Grove, "Grove"},
		{"lws.mode", f.Input.LWS.Mode, v1alpha1.ModeDisabled, f.Memory.Orchestrator == graphplan.LeaderWorkerSet, "LeaderWorkerSet"},
		{"volcano.mode", f.Input.Volcano.Mode, v1alpha1.ModeDisabled, f.Memory.OnVolcano(), graphplan.VolcanoScheduler},
		{"volcano.mode", f.Input.Volcano.Mode, v1alpha1.ModeEnabled, f.Memory.Gangs.Scheduler == graphplan.KAIScheduler, graphplan.KAIScheduler},
		{"kai.mode", f.Input.KAI.Mode, v1alpha1.ModeDisabled, f.Memory.OnKAI(), graphplan.KAIScheduler},
		{"kai.mode", f.Input.KAI.Mode, v1alpha1.ModeEnabled, leavesScheduler(f) && !f.Memory.OnKAI() && !f.Memory.OnVolcano(), "the scheduler that its pods have"},
		{"kueue.mode", f.Input.Kueue.Mode, v1alpha1.ModeDisabled, f.Memory.KueueQueue != "", "its queue of Kueue"},
		{"volcano.mode", f.Input.Volcano.Mode, v1alpha1.ModeEnabled, keepsNative(f), graphplan.KubernetesScheduler},
		{"kai.mode", f.Input.KAI.Mode, v1alpha1.ModeEnabled, keepsNative(f), graphplan.KubernetesScheduler},
	} {
		if m.keeps && m.mode == m.against {
			warnings = append(warnings, keeps(f, m.setting, string(m.mode), m.current))
		}
	}
	if requested := f.Input.LWS.GangProvider; requested == v1alpha1.GangProviderKubernetes && f.Memory.Gangs.Scheduler == graphplan.KAIScheduler {
		warnings = append(warnings, keeps(f, "lws.gangProvider", string(requested), graphplan.KAIScheduler))
	}
	return append(warnings, schedulerWarnings(f)...)
}

// keepsNative reports whether a running graph keeps gangs of Kubernetes that the platform would not give a new graph.
func keepsNative(f *subject.Facts) bool {
	return f.Memory.Gangs.Scheduler == graphplan.KubernetesScheduler && f.Input.LWS.GangProvider != v1alpha1.GangProviderKubernetes
}

// schedulerWarnings are about a running graph on Grove whose scheduler is not the one that a new graph would get from the platform.
func schedulerWarnings(f *subject.Facts) message.List {
	setting := cmp.Or(f.Input.Grove.Scheduler, v1alpha1.GroveSchedulerAuto)
	onVolcano := f.Memory.VolcanoQueue != ""
	if !leavesScheduler(f) || onVolcano == (setting == v1alpha1.GroveSchedulerVolcano) {
		return nil
	}
	current := "the scheduler that its pods have"
	switch {
	case onVolcano:
		current = graphplan.VolcanoScheduler
	case f.Memory.OnKAI():
		current = graphplan.KAIScheduler
	}
	return message.List{keeps(f, "grove.scheduler", string(setting), current)}
}

func keeps(f *subject.Facts, setting, value, current string) *message.Message {
	return f.Keeps(subject.Keeps{Setting: setting, Value: value, Keeper: "this graph keeps", Current: current, Remedy: subject.Recreate})
}

// leavesScheduler reports whether a running graph on Grove has a component without a schedulerName.
func leavesScheduler(f *subject.Facts) bool {
	return f.Memory.OnGrove && pod.LeavesScheduler(f.Graph)
}
