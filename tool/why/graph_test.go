package why

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestGraphs(t *testing.T) {
	const (
		describe = "kubectl describe dgd llama --namespace=inference"
		accepted = "Accepted=True"
		synced   = "Synced=True"
		notReady = "Ready=False"
	)
	unscheduled := podWith(t, `status: {phase: Pending, conditions: [{type: PodScheduled, status: "False", reason: Unschedulable, message: no room}]}`)
	crashed := podWith(t, `{spec: {nodeName: node-1}, status: {phase: Running, containerStatuses: [{name: main, state: {terminated: {exitCode: 1}}}]}}`)
	deleted := graphWith(t, accepted, synced, "Ready=True")
	deleted.SetFinalizers([]string{"composite.apiextensions.crossplane.io"})
	deleted.SetDeletionTimestamp(&metav1.Time{Time: time.Unix(0, 0)})
	unseen := graphWith(t, accepted, synced, "Ready=True")
	if err := unstructured.SetNestedSlice(unseen.Object, []any{map[string]any{"type": "Ready", "status": "True", "observedGeneration": int64(1)}}, "status", "conditions"); err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		reason    string
		graph     *unstructured.Unstructured
		pods      []unstructured.Unstructured
		forbidden bool
		ready     bool
		want      said
	}{
		"Ready":        {reason: "A graph that is ready has no cause.", graph: graphWith(t, accepted, synced, "Ready=True"), ready: true},
		"New":          {reason: "A graph that Crossplane has not seen has no conditions.", graph: graphWith(t), want: said{NotReconciled, "Crossplane has not looked at the graph yet: it has no conditions.", "kubectl get configurations.pkg.crossplane.io,functions.pkg.crossplane.io --namespace=crossplane-system"}},
		"Unseen":       {reason: "The conditions of an earlier generation say nothing of the latest change.", graph: unseen, want: said{NotReconciled, "Crossplane has not looked at the latest change of the graph yet: its conditions are of generation 1, and its generation is 2.", describe}},
		"Deleted":      {reason: "A graph that is being deleted waits for its finalizers.", graph: deleted, want: said{Deleting, "The graph is being deleted, and waits for composite.apiextensions.crossplane.io.", describe}},
		"Paused":       {reason: "A graph that is paused is not changed.", graph: graphWith(t, accepted, "Synced=False/ReconcilePaused", notReady), want: said{Paused, "The graph is paused, so that nothing is changed: annotation crossplane.io/paused is true.", describe}},
		"Refused":      {reason: "A graph that is refused says why.", graph: graphWith(t, "Accepted=False/Invalid: spec.components: Required value", "Synced=False: fatal", notReady), want: said{GraphRefused, "The graph is refused, and nothing is changed: spec.components: Required value.", describe}},
		"NameTaken":    {reason: "A name that is taken is told apart.", graph: graphWith(t, "Accepted=False/NameTaken: Service a", notReady), want: said{GraphRefused, "The graph is refused, because a name is taken: Service a.", describe}},
		"Deletion":     {reason: "A graph may only have to wait.", graph: graphWith(t, "Accepted=False/WaitingForDeletion: PVC a", notReady), want: said{GraphRefused, "The graph waits for the deletion of an object: PVC a.", describe}},
		"Checkpoint":   {reason: "A graph may wait for a checkpoint.", graph: graphWith(t, "Accepted=False/WaitingForCheckpoint: a", notReady), want: said{GraphRefused, "The graph waits for a checkpoint: a.", describe}},
		"Policy":       {reason: "A graph cannot help it if the policy is wrong.", graph: graphWith(t, "Accepted=False/PolicyInvalid: a", notReady), want: said{GraphRefused, "The policy of the platform cannot be read: a.", describe}},
		"NotApplied":   {reason: "Crossplane says what it cannot apply.", graph: graphWith(t, accepted, "Synced=False: cannot compose resources: a.", notReady), want: said{NotApplied, "Crossplane cannot apply the graph: cannot compose resources: a.", describe}},
		"Orchestrator": {reason: "Without an orchestrator nothing runs.", graph: graphWith(t, accepted, synced, "OrchestratorSelected=False: install Grove", notReady), want: said{NoOrchestrator, "Nothing in the cluster can run the graph: install Grove.", describe}},
		"Queue":        {reason: "Pods without a queue are not scheduled, which they do not know.", graph: graphWith(t, accepted, synced, "QueueAvailable=False: Queue a does not exist", notReady), pods: []unstructured.Unstructured{unscheduled}, want: said{QueueUnavailable, "The pods have no queue: Queue a does not exist.", describe}},
		"Topology":     {reason: "A level that is missing explains pods without a place.", graph: graphWith(t, accepted, synced, "TopologyLevelsAvailable=False: level rack", notReady), pods: []unstructured.Unstructured{unscheduled}, want: said{TopologyUnavailable, "A topology level of the graph does not exist: level rack.", describe}},
		"NotTopology":  {reason: "A level that is missing does not concern pods that have a place.", graph: graphWith(t, accepted, synced, "TopologyLevelsAvailable=False: level rack", notReady), pods: []unstructured.Unstructured{crashed}, want: said{Crash, "Pod llama-decode-0 of Decode is not ready: container main crashed with exit code 1.", logs}},
		"Responsive":   {reason: "A circuit breaker that is open delays everything.", graph: graphWith(t, accepted, synced, "Responsive=False: too many events", "ServicesReady=False: a", notReady), want: said{NotReconciled, "Crossplane reacts late to changes of the graph and its objects: too many events.", describe}},
		"Services":     {reason: "What is not in any object is in the message of the services.", graph: graphWith(t, accepted, synced, "ServicesReady=False: Decode: is scaling", notReady), want: said{Updating, "The graph is not ready: Decode: is scaling.", describe}},
		"Late":         {reason: "Crossplane writes Ready a little later than the functions.", graph: graphWith(t, accepted, synced, "ServicesReady=True", "Ready=False: Unready resources: a"), want: said{Unknown, "All pods are ready, and Crossplane has not said so yet: Unready resources: a.", describe}},
		"Forbidden":    {reason: "Nothing can be said of what may not be read.", graph: graphWith(t, accepted, synced, notReady), forbidden: true, want: said{Unknown, "Nothing that may be read explains why the graph is not ready: ask somebody with the permissions above.", describe}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := &Facts{Graph: tc.graph, Objects: tc.pods}
			if tc.forbidden {
				f.Forbidden = append(f.Forbidden, listPods)
			}
			d := Diagnose(f, "kubectl")
			if diff := cmp.Diff(tc.want, saidBy(d)); diff != "" || d.Ready != tc.ready {
				t.Errorf("%s\nwant ready %t, got %t; -want, +got:\n%s", tc.reason, tc.ready, d.Ready, diff)
			}
		})
	}
}
