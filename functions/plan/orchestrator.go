package plan

import (
	"strings"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	schedulingv1beta1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/scheduling/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
)

// selection is the orchestrator of a graph, or the reason why there is none. A graph that is refused because of its orchestrator is still
// checked against the rules of that orchestrator, so that the user sees all errors at once.
type selection struct {
	orchestrator graphplan.Orchestrator
	reason       string
	message      message.Text
	refused      bool

	// missing is the API group that the orchestrator needs and that the cluster no longer serves, so that none of its objects can be looked up. Empty
	// means none.
	missing string
}

// selectOrchestrator decides what runs the graph. A live graph keeps its orchestrator.
func selectOrchestrator(f *subject.Facts) (selection, subject.Outcome) {
	var o subject.Outcome
	selectFor := chooseOrchestrator
	if f.Live() {
		selectFor = keepOrchestrator
	}
	s := selectFor(f, &o.Requirements)
	if s.refused {
		o.Refuse(subject.NotSupported, message.Because("%s", s.message))
	}
	return s, o
}

// chooseOrchestrator for a new graph.
func chooseOrchestrator(f *subject.Facts, r *require.Requirements) selection {
	provider := f.Graph.Annotations[metadata.AnnotationWorkloadProvider]
	if provider == metadata.ProviderGrove && !f.Cluster.Grove {
		return selection{
			reason:  condition.ReasonNoOrchestrator,
			message: message.Format("annotation %s requests Grove, which is not installed; install it (API group grove.io), or remove the annotation", metadata.AnnotationWorkloadProvider),
			refused: true,
		}
	}
	if f.Cluster.Grove && wantsGrove(f.Graph) {
		return selected(graphplan.Grove, message.Format("Grove is installed"))
	}
	if len(pod.MultinodeComponents(f.Graph)) == 0 {
		return selected(graphplan.Deployment, message.Format("%s, and no {{component}} spans several nodes", whyNotGrove(f)))
	}
	if f.Cluster.LWS && f.KueueQueue() != "" {
		return selected(graphplan.LeaderWorkerSet, message.Format("%s, LeaderWorkerSet is installed, and Kueue admits gangs", whyNotGrove(f)))
	}
	if f.Cluster.LWS && f.Input.LWS.GangProvider == v1alpha1.GangProviderKubernetes && !f.ServesGangs(r) {
		return selection{reason: condition.ReasonNoOrchestrator, message: unservedGangs(f), refused: true}
	}
	if f.Cluster.LWS && (f.Cluster.Volcano || f.Cluster.KAI) {
		return selected(graphplan.LeaderWorkerSet, message.Format("%s, and LeaderWorkerSet and a gang scheduler are installed", whyNotGrove(f)))
	}
	if f.Cluster.LWS && f.GangScheduler(r) == graphplan.KubernetesScheduler && f.ServesGangs(r) {
		return selected(graphplan.LeaderWorkerSet, message.Format("%s, LeaderWorkerSet is installed, and Kubernetes schedules gangs", whyNotGrove(f)))
	}
	if f.Cluster.Grove && provider == "" {
		return selected(graphplan.Grove, message.Format("annotation %s requests another orchestrator, but only Grove can run {{components}} that span several nodes in this cluster", metadata.AnnotationEnableGrove))
	}
	return selection{
		reason: condition.ReasonNoOrchestrator,
		message: message.Format("{{components}} %s span several nodes, but no orchestrator that can run them is installed; install Grove (API group grove.io), or LeaderWorkerSet (leaderworkerset.x-k8s.io) together with Volcano (scheduling.volcano.sh), KAI (scheduling.run.ai) or gangs of Kubernetes 1.37 (scheduling.k8s.io/v1beta1)",
			strings.Join(pod.MultinodeComponents(f.Graph), ", ")),
		refused: true,
	}
}

// keepOrchestrator keeps the orchestrator of a live graph, and refuses the graph rather than start a second copy of it.
func keepOrchestrator(f *subject.Facts, r *require.Requirements) selection {
	current := f.Memory.Orchestrator
	if refused := refuseChange(f, r, current); !refused.IsZero() {
		return selection{orchestrator: current, reason: condition.ReasonOrchestratorFixed, message: refused, refused: true}
	}
	if gone := missingGroup(f, r, current); gone != "" {
		return selection{
			orchestrator: current,
			reason:       condition.ReasonOrchestratorGone,
			message: message.Format("the graph runs on %s, but API group %s is no longer served by the cluster; nothing is changed until it is served again; to move the graph to another orchestrator, delete and recreate it",
				current, gone),
			refused: true,
			missing: gone,
		}
	}
	if chosen := chooseOrchestrator(f, r); chosen.orchestrator == current {
		// The message of the first reconcile is repeated as long as it is true. A different message would write the status again in the
		// second reconcile of every graph.
		return chosen
	}
	return selection{orchestrator: current, reason: condition.ReasonRemembered, message: message.Format("the graph has run on %s since it was created", current)}
}

// refuseChange refuses an annotation that requests a different orchestrator than the one that runs the graph. If a new graph could not get
// that orchestrator in this cluster either, the annotation has no effect: the graph may have had it from the start.
func refuseChange(f *subject.Facts, r *require.Requirements, current graphplan.Orchestrator) message.Text {
	name := choiceOf(f.Graph)
	value, ok := f.Graph.Annotations[name]
	if !ok || wantsGrove(f.Graph) == (current == graphplan.Grove) {
		return message.Text{}
	}
	if chosen := chooseOrchestrator(f, r); chosen.refused || chosen.orchestrator == current {
		return message.Text{}
	}
	// An upgrade of Kubernetes alone makes no mistake of an annotation that had no effect.
	if current == graphplan.Grove && !f.Cluster.Volcano && !f.Cluster.KAI && len(pod.MultinodeComponents(f.Graph)) > 0 {
		return message.Text{}
	}
	return message.Format("annotation %s: %q requests an orchestrator other than %s, which runs the graph; undo the change or remove the annotation, or delete and recreate the graph",
		name, value, current)
}

// choiceOf is the annotation with which the user chooses between Grove and other orchestrators. The one by which the Dynamo operator
// remembers the choice has priority.
func choiceOf(g *graph.Graph) string {
	if _, ok := g.Annotations[metadata.AnnotationWorkloadProvider]; ok {
		return metadata.AnnotationWorkloadProvider
	}
	return metadata.AnnotationEnableGrove
}

// missingGroup is the API group that an orchestrator needs and that the cluster does not serve. Without Volcano its PodGroups cannot be
// applied, and a different scheduler would replace all pods. KAI needs no composed objects, so without it only its queue is missing.
func missingGroup(f *subject.Facts, r *require.Requirements, o graphplan.Orchestrator) string {
	switch {
	case o == graphplan.Grove && !f.Cluster.Grove:
		return "grove.io"
	case o == graphplan.LeaderWorkerSet && !f.Cluster.LWS:
		return "leaderworkerset.x-k8s.io"
	case o == graphplan.LeaderWorkerSet && !f.Cluster.Volcano && f.GangScheduler(r) == graphplan.VolcanoScheduler:
		return "scheduling.volcano.sh"
	case o == graphplan.LeaderWorkerSet && f.GangScheduler(r) == graphplan.KubernetesScheduler && !f.ServesGangs(r):
		return schedulingv1beta1.APIVersion
	default:
		return ""
	}
}

// unservedGangs is why the gangs that the platform asks for cannot be made.
func unservedGangs(f *subject.Facts) message.Text {
	const setting = "lws.gangProvider"
	return message.Format("{{components}} %s span several nodes, and %s is Kubernetes %s, but the cluster does not serve PodGroups of %s; let the platform turn on feature gate %s and this API in Kubernetes 1.37 or later, or remove the setting",
		strings.Join(pod.MultinodeComponents(f.Graph), ", "), setting, f.Sources.In(setting), schedulingv1beta1.APIVersion, schedulingv1beta1.GateGangs)
}

func selected(o graphplan.Orchestrator, why message.Text) selection {
	return selection{orchestrator: o, reason: condition.ReasonSelected, message: message.Format("%s runs the graph: %s", o, why)}
}

// wantsGrove reports whether the user allows Grove.
func wantsGrove(g *graph.Graph) bool {
	if provider, ok := g.Annotations[metadata.AnnotationWorkloadProvider]; ok {
		return provider == metadata.ProviderGrove
	}
	return !strings.EqualFold(g.Annotations[metadata.AnnotationEnableGrove], "false")
}

func whyNotGrove(f *subject.Facts) string {
	if !f.Cluster.Grove {
		return "Grove is not installed"
	}
	return "annotation " + choiceOf(f.Graph) + " is " + f.Graph.Annotations[choiceOf(f.Graph)]
}
