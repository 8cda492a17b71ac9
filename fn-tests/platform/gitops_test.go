package platform

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	apiextensionsv1 "github.com/crossplane/crossplane/apis/v2/apiextensions/v1"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
)

// A state of a graph, and what GitOps tools make of it.
type state struct {
	reason string
	// example and cluster of the graph. Empty: one whose pods run in Deployments.
	example, cluster string
	// graph leads the life of the graph up to its state. nil: it was only applied.
	graph func(l *life)
	// claim is the generation of the claim, if that is looked at in place of the graph.
	claim  int64
	argoCD health
	flux   string
}

func states() map[string]state {
	return map[string]state{
		"NoStatus": {
			reason: "A graph that was just applied is progressing. Flux cannot evaluate an expression about a status that does not exist, and waits.",
			argoCD: health{Status: "Progressing", Message: "the graph has not been reconciled yet"},
			flux:   unknown,
		},
		"Progressing": {
			reason: "A graph whose pods start is progressing, and Argo CD shows what it waits for.",
			graph:  func(l *life) { l.run(1) },
			argoCD: health{Status: "Progressing", Message: "ServicesReady: some_resources_are_not_ready: Resources not ready: Frontend: Deployment agg-vllm-frontend: its controller has not observed the latest change yet; Worker: Deployment agg-vllm-worker: its controller has not observed the latest change yet"},
			flux:   inProgress,
		},
		"Ready": {
			reason: "A graph is healthy if all of its objects are.",
			graph:  func(l *life) { l.run(3) },
			argoCD: health{Status: "Healthy"},
			flux:   current,
		},
		"ReadyV1alpha1": {
			reason:  "The version in which a graph was written does not matter.",
			example: "examples/v1alpha1/agg-vllm.yaml",
			graph:   func(l *life) { l.run(3) },
			argoCD:  health{Status: "Healthy"},
			flux:    current,
		},
		"Warned": {
			reason: "A graph that is ready is healthy, and Argo CD shows its warnings.",
			graph: func(l *life) {
				l.set(map[string]any{"nvidia.com/enable-grov": "false"}, "metadata", "annotations").run(3)
			},
			argoCD: health{Status: "Healthy", Message: `Accepted: ValidWithWarnings: metadata.annotations[nvidia.com/enable-grov]: is not a known annotation; did you mean "nvidia.com/enable-grove"?`},
			flux:   current,
		},
		"Edited": {
			reason: "A graph that was just edited is not ready, although its conditions still are those of before.",
			graph:  func(l *life) { l.run(3).set("sglang", "spec", "backendFramework") },
			argoCD: health{Status: "Progressing", Message: "generation 2 has not been reconciled yet"},
			flux:   inProgress,
		},
		"Refused": {
			reason: "A refused edit leaves Ready as it was. Argo CD shows the errors. Flux waits for the generation, and reports its timeout.",
			graph:  func(l *life) { l.run(3).refuse().run(1) },
			argoCD: health{Status: "Degraded", Message: `Accepted: Invalid: spec.backendFramwork: Invalid value: "vllm": unknown field; did you mean "backendFramework"?`},
			flux:   inProgress,
		},
		"RefusedNew": {
			reason: "A new graph that is refused has no generation that was applied, so that Flux fails at once too.",
			graph:  func(l *life) { l.refuse().run(1) },
			argoCD: health{Status: "Degraded", Message: `Accepted: Invalid: spec.backendFramwork: Invalid value: "vllm": unknown field; did you mean "backendFramework"?`},
			flux:   failed,
		},
		"RefusedAndCorrected": {
			reason: "The errors of an earlier generation are not those of a correction that has not been reconciled yet.",
			graph:  func(l *life) { l.run(3).refuse().run(1).set(nil, "spec", "backendFramwork") },
			argoCD: health{Status: "Progressing", Message: "generation 3 has not been reconciled yet"},
			flux:   inProgress,
		},
		"Held": {
			reason: "While a spec is refused, a reconcile that updates Ready succeeds. The graph is degraded all the same.",
			graph:  func(l *life) { l.run(3).refuse().run(1).deployment(down).run(1) },
			argoCD: health{Status: "Degraded", Message: `Accepted: Invalid: spec.backendFramwork: Invalid value: "vllm": unknown field; did you mean "backendFramework"?`},
			flux:   inProgress,
		},
		"NotSupportedHere": {
			reason:  "A graph that the cluster cannot run is degraded until the platform or the graph changes.",
			example: "examples/sglang-multinode.yaml",
			graph:   func(l *life) { l.run(1) },
			argoCD:  health{Status: "Degraded", Message: "Accepted: NotSupportedHere: components Decode, Prefill span several nodes, but no orchestrator that can run them is installed; install Grove (API group grove.io), or LeaderWorkerSet (leaderworkerset.x-k8s.io) together with Volcano (scheduling.volcano.sh), KAI (scheduling.run.ai) or gangs of Kubernetes 1.37 (scheduling.k8s.io/v1beta1)"},
			flux:    failed,
		},
		"WaitingForDeletion": {
			reason: "A graph that waits until an older object of the same name is gone is progressing: nobody has to do anything.",
			graph: func(l *life) {
				older := &unstructured.Unstructured{}
				older.SetAPIVersion("apps/v1")
				older.SetKind("Deployment")
				older.SetNamespace("inference")
				older.SetName("agg-vllm-worker")
				older.SetDeletionTimestamp(&metav1.Time{Time: time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)})
				l.Put(older)
				l.run(1)
			},
			argoCD: health{Status: "Progressing", Message: "Accepted: WaitingForDeletion: waiting for the deletion of Deployment agg-vllm-worker to complete"},
			flux:   inProgress,
		},
		"PodsDown": {
			reason: "A graph whose pods die is progressing, not degraded: nobody has to do anything as long as Kubernetes replaces them.",
			graph:  func(l *life) { l.run(3).deployment(down).run(1) },
			argoCD: health{Status: "Progressing", Message: "ServicesReady: some_resources_are_not_ready: Resources not ready: Worker: Deployment agg-vllm-worker: 0 of 2 replicas are available"},
			flux:   inProgress,
		},
		"Failed": {
			reason: "A graph that does not recover by itself is degraded.",
			graph:  func(l *life) { l.run(3).deployment(stuck).run(2) },
			argoCD: health{Status: "Degraded", Message: "ServicesReady: rolling_update_in_progress: Rolling update in progress: Worker: Deployment agg-vllm-worker: its progress deadline was exceeded, 1 of 2 replicas are updated"},
			flux:   failed,
		},
		"NoQueue": {
			reason:  "A new graph whose queue does not exist is degraded: nothing is applied until it does.",
			cluster: "examples/cluster/grove-kai.yaml",
			graph: func(l *life) {
				l.set(map[string]any{"nvidia.com/kai-scheduler-queue": "research"}, "metadata", "annotations").run(1)
			},
			argoCD: health{Status: "Degraded", Message: `Accepted: Invalid: metadata.annotations[nvidia.com/kai-scheduler-queue]: Invalid value: "research": this KAI Queue does not exist; create it, specify another queue, or remove the annotation to use the platform's default, which is dynamo`},
			flux:   failed,
		},
		"NoCapacity": {
			reason:  "A graph whose pods wait for nodes is progressing.",
			example: "examples/topology-graph.yaml", cluster: "examples/cluster/grove-kai.yaml",
			graph:  func(l *life) { l.run(1).unscheduled().run(2) },
			argoCD: health{Status: "Progressing", Message: "ServicesReady: pods_not_ready: Resources not ready: topology-graph: Frontend: schedule-gated replicas: 1 when Grove last counted them (PodClique topology-graph-0-frontend); Worker: schedule-gated replicas: 4 when Grove last counted them (PodClique topology-graph-0-worker)"},
			flux:   inProgress,
		},
		"TopologyGone": {
			reason:  "A graph that runs is healthy without its topology, and Argo CD shows that new pods could not be placed.",
			example: "examples/topology-graph.yaml", cluster: "examples/cluster/grove-kai.yaml",
			graph:  func(l *life) { l.run(3).without("ClusterTopologyBinding").run(2) },
			argoCD: health{Status: "Healthy", Message: "TopologyLevelsAvailable: TopologyDefinitionNotFound: topology my-cluster-topology does not exist"},
			flux:   current,
		},
		"Deleted": {
			reason: "A graph that is being deleted is neither ready nor degraded.",
			graph: func(l *life) {
				l.run(3)
				l.Composite().SetDeletionTimestamp(&metav1.Time{Time: time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)})
				l.write(xpv2.Deleting())
			},
			argoCD: health{Status: "Progressing", Message: "the graph is being deleted"},
			flux:   inProgress,
		},
		"NotSynced": {
			reason: "An edit that the API server refuses is not carried out. It may succeed later, so Flux waits.",
			graph: func(l *life) {
				l.run(3).set("vllm", "spec", "backendFramework")
				l.write(xpv2.ReconcileError(errors.New("cannot apply composed resource: exceeded quota: gpus")))
			},
			argoCD: health{Status: "Degraded", Message: "Synced: ReconcileError: cannot apply composed resource: exceeded quota: gpus"},
			flux:   inProgress,
		},
		"NotSyncedAtRest": {
			reason: "Without an edit, an error means that changes of the cluster are not followed.",
			graph: func(l *life) {
				l.run(3).write(xpv2.ReconcileError(errors.New("cannot run function: no healthy endpoint")))
			},
			argoCD: health{Status: "Degraded", Message: "Synced: ReconcileError: cannot run function: no healthy endpoint"},
			flux:   inProgress,
		},
		"Paused": {
			reason: "A graph whose reconciliation is paused is suspended. Flux has no such status.",
			graph:  func(l *life) { l.run(3).write(xpv2.ReconcilePaused()) },
			argoCD: health{Status: "Suspended", Message: "Synced: ReconcilePaused"},
			flux:   inProgress,
		},
		"BreakerOpen": {
			reason: "A graph whose circuit breaker is open is as healthy as before, and Argo CD shows the breaker.",
			graph:  func(l *life) { l.run(3).write(apiextensionsv1.WatchCircuitOpen("Deployment/agg-vllm-worker")) },
			argoCD: health{Status: "Healthy", Message: "Responsive: WatchCircuitOpen: Too many watch events from Deployment/agg-vllm-worker. Allowing events periodically."},
			flux:   current,
		},
		"BreakerOpenEdited": {
			reason: "While the breaker is open, an edit may not be seen for a while. The generation shows it.",
			graph: func(l *life) {
				l.run(3).write(apiextensionsv1.WatchCircuitOpen("Deployment/agg-vllm-worker")).set("vllm", "spec", "backendFramework")
			},
			argoCD: health{Status: "Progressing", Message: "generation 2 has not been reconciled yet; Responsive: WatchCircuitOpen: Too many watch events from Deployment/agg-vllm-worker. Allowing events periodically."},
			flux:   inProgress,
		},
		"Claim": {
			reason: "A claim is as healthy as its composite resource. Flux compares generations of two objects, and never finds it ready.",
			claim:  3,
			graph:  func(l *life) { l.run(3) },
			argoCD: health{Status: "Healthy"},
			flux:   inProgress,
		},
		"ClaimRefused": {
			reason: "A claim has the conditions of its composite resource, so that Argo CD shows the errors.",
			claim:  4,
			graph:  func(l *life) { l.run(3).refuse().run(1) },
			argoCD: health{Status: "Degraded", Message: `Accepted: Invalid: spec.backendFramwork: Invalid value: "vllm": unknown field; did you mean "backendFramework"?`},
			flux:   inProgress,
		},
	}
}

// down is the status of a Deployment whose pods have died.
func down(status map[string]any) {
	status["readyReplicas"], status["availableReplicas"] = int64(0), int64(0)
}

// stuck is the status of a Deployment whose new pods do not become ready before its deadline.
func stuck(status map[string]any) {
	status["updatedReplicas"] = int64(1)
	status["conditions"] = []any{
		map[string]any{"type": "Available", "status": "True", "reason": "MinimumReplicasAvailable"},
		map[string]any{"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded"},
	}
}

// TestGitOpsHealth runs both checks on a graph in each state.
func TestGitOpsHealth(t *testing.T) {
	text, all := script(t), checks(t)
	if len(all) != 1 || all[0].Kind != "DynamoGraphDeployment" || all[0].APIVersion != "nvidia.com/v1beta1" {
		t.Fatalf("want one check, of graphs: Flux uses it for all versions of a kind: %v", all)
	}
	for name, s := range states() {
		t.Run(name, func(t *testing.T) {
			if s.example == "" {
				s.example = "examples/agg-vllm.yaml"
			}
			if s.cluster == "" {
				s.cluster = "examples/cluster/none.yaml"
			}
			l := begin(t, s.example, s.cluster)
			if s.graph != nil {
				s.graph(l)
			}
			graph := l.record()
			if s.claim > 0 {
				graph = l.claim(s.claim)
			}
			argoCD, err := inArgoCD(text, graph)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(s.argoCD, argoCD); diff != "" {
				t.Errorf("%s\nArgo CD: -want, +got:\n%s\nstatus: %v", s.reason, diff, graph.Object["status"])
			}
			flux, err := inFlux(all[0], graph)
			if err != nil {
				t.Fatal(err)
			}
			if flux != s.flux {
				t.Errorf("%s\nFlux: want %s, got %s\nstatus: %v", s.reason, s.flux, flux, graph.Object["status"])
			}
		})
	}
}
