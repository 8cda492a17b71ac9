package why

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	conditions "github.com/dynamo-crossplane/configuration-dynamo/internal/report/condition"
)

// ofGraph are the causes that its conditions tell, given what was found in the objects that run it.
func (d *Diagnosis) ofGraph(f *Facts, found []Cause) []Cause {
	var causes []Cause
	graph := f.Graph
	add := func(code Code, next, format string, args ...any) {
		text := strings.TrimSuffix(fmt.Sprintf(format, args...), ".") + "."
		causes = append(causes, Cause{Code: code, Kind: "dgd", Name: graph.GetName(), Message: text, Next: next})
	}
	accepted, synced := d.condition(conditions.TypeAccepted), d.condition("Synced")
	if deletion := graph.GetDeletionTimestamp(); deletion != nil {
		add(Deleting, "", "The graph is being deleted%s", finalizers(graph))
	}
	switch {
	case synced.Reason == "ReconcilePaused":
		add(Paused, "", "The graph is paused, so that nothing is changed: annotation crossplane.io/paused is true")
	case accepted.Status == "False":
		add(GraphRefused, "", "%s: %s", refusedBecause(accepted.Reason), accepted.Message)
	case synced.Status == "False":
		add(NotApplied, "", "Crossplane cannot apply the graph: %s", applyRefusal(synced.Message))
	case len(d.Conditions) == 0, !isObserved(graph):
		next, message := d.notReconciled(f.Idle)
		add(NotReconciled, next, "%s", message)
	}
	if c := d.condition(conditions.TypeOrchestratorSelected); c.Status == "False" {
		add(NoOrchestrator, "", "Nothing in the cluster can run the graph: %s", c.Message)
	}
	if c := d.condition(conditions.TypeQueueAvailable); c.Status == "False" {
		add(QueueUnavailable, "", "The pods have no queue: %s", c.Message)
	}
	waits := slices.ContainsFunc(found, func(c Cause) bool { return c.Code == Unschedulable || c.Code == WaitingForGang })
	if c := d.condition(conditions.TypeTopologyLevelsAvailable); c.Status == "False" && (waits || len(found) == 0) {
		add(TopologyUnavailable, "", "A topology level of the graph does not exist: %s", c.Message)
	}
	if c := d.condition("Responsive"); c.Status == "False" && len(causes)+len(found) == 0 {
		add(NotReconciled, "", "Crossplane reacts late to changes of the graph and its objects: %s", c.Message)
	}
	if len(causes)+len(found) > 0 {
		return causes
	}
	if c := d.condition(conditions.TypeServicesReady); c.Status == "False" {
		add(Updating, "", "The graph is not ready: %s", c.Message)
		return causes
	}
	if len(d.Forbidden) > 0 {
		add(Unknown, "", "Nothing that may be read explains why the graph is not ready: ask somebody with the permissions above")
		return causes
	}
	add(Unknown, "", "All pods are ready, and Crossplane has not said so yet: %s", d.condition("Ready").Message)
	return causes
}

// finalizers that hold a graph that is being deleted.
func finalizers(graph *unstructured.Unstructured) string {
	if list := graph.GetFinalizers(); len(list) > 0 {
		return ", and waits for " + oneLine(strings.Join(list, ", "))
	}
	return ""
}

// refusedBecause of a reason of condition Accepted.
func refusedBecause(reason string) string {
	switch reason {
	case conditions.ReasonWaitingForDeletion:
		return "The graph waits for the deletion of an object"
	case conditions.ReasonWaitingForCheckpoint:
		return "The graph waits for a checkpoint"
	case conditions.ReasonPolicyInvalid:
		return "The policy of the platform cannot be read"
	case conditions.ReasonNameTaken:
		return "The graph is refused, because a name is taken"
	default:
		return "The graph is refused, and nothing is changed"
	}
}
