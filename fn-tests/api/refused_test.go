package api

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/logging"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

const (
	chain = "compositions/dynamographdeployment.yaml"
	fused = "compositions/dynamographdeployment-fused.yaml"
)

// A graph that runs, with the workload whose pods die.
type graph struct {
	xr, cluster string
	workload    string
	// message says what is wrong while they are dead.
	message string
}

func graphs() map[string]graph {
	return map[string]graph{
		"Deployments": {
			xr: "examples/v1alpha1/agg-vllm.yaml", cluster: "examples/cluster/none.yaml", workload: "deployment-worker",
			message: "Resources not ready: Worker: Deployment agg-vllm-worker: 0 of 2 replicas are available",
		},
		"LeaderWorkerSets": {
			xr: "examples/v1alpha1/trtllm-multinode.yaml", cluster: harness.LWSVolcano, workload: "leaderworkerset-worker-0",
			message: "Resources not ready: Worker: LeaderWorkerSet trtllm-multinode-worker-0: 0 of 1 groups are ready",
		},
		"Grove": {
			xr: "examples/v1alpha1/agg-vllm.yaml", cluster: harness.GroveKAI, workload: "podcliqueset",
			message: "Resources not ready: agg-vllm: Worker: scheduled but ready=0/2 (PodClique agg-vllm-0-worker)",
		},
	}
}

// TestRefusedEdit follows a graph whose pods die and come back after an edit that is refused, until the edit is corrected.
func TestRefusedEdit(t *testing.T) {
	for name, tc := range graphs() {
		for flavour, composition := range map[string]string{"Chain": chain, "Fused": fused} {
			t.Run(name+"/"+flavour, func(t *testing.T) {
				l := newLife(t, tc, composition)
				l.run(t, 3)
				l.is(t, "a graph that runs", want{synced: true, ready: true, accepted: true})
				before := l.objects()

				l.edit(t, "replicaz")
				l.run(t, 1)
				l.is(t, "an edit that is refused", want{ready: true})

				l.pods(t, false)
				l.run(t, 1)
				l.is(t, "its pods died: a run that ends well is what makes Ready False", want{synced: true, message: tc.message})
				l.run(t, 1)
				l.is(t, "the next run says again that the spec is not carried out", want{message: tc.message})
				l.run(t, 2)
				l.is(t, "and so it stays", want{message: tc.message})

				l.pods(t, true)
				l.run(t, 1)
				l.is(t, "its pods are back", want{synced: true, ready: true})
				l.run(t, 2)
				l.is(t, "and the edit is refused still", want{ready: true})

				l.edit(t, "replicas")
				l.run(t, 2)
				l.is(t, "the edit is corrected", want{synced: true, ready: true, accepted: true})
				if diff := cmp.Diff(before, l.objects()); diff != "" {
					t.Errorf("the objects of a graph whose edit was refused: -before, +after:\n%s", diff)
				}
			})
		}
	}
}

// TestGoneWhileRefused follows a graph that loses an object, and one that loses the API of its orchestrator, after an edit that is refused. Neither
// can be held: Crossplane would forget what is not observed. So Ready stays, and ServicesReady tells.
func TestGoneWhileRefused(t *testing.T) {
	for name, tc := range graphs() {
		t.Run(name, func(t *testing.T) {
			l := newLife(t, tc, chain)
			l.run(t, 3)
			before := l.objects()
			l.edit(t, "replicaz")
			lost := l.Remove(tc.workload)
			l.run(t, 3)
			service := map[string]string{"Deployments": "Worker: ", "LeaderWorkerSets": "Worker: "}[name]
			l.is(t, "what ran the graph is gone", want{ready: true, message: "Resources not ready: " + service + lost.GetKind() + " " + lost.GetName() + ": does not exist"})

			l.Restore(tc.workload, lost)
			l.run(t, 1)
			l.edit(t, "replicas")
			l.run(t, 2)
			l.is(t, "all is well again", want{synced: true, ready: true, accepted: true})
			if diff := cmp.Diff(before, l.objects()); diff != "" {
				t.Errorf("the objects of a graph that had lost one: -before, +after:\n%s", diff)
			}
		})
	}
}

// TestServiceLeftOut follows a graph on Grove after an edit that leaves a service out, which is refused: its pods run on, and are judged
// on.
func TestServiceLeftOut(t *testing.T) {
	tc := graphs()["Grove"]
	l := newLife(t, tc, chain)
	l.run(t, 3)
	left := l.editServices(t, func(services map[string]any) map[string]any {
		return map[string]any{"Frontend": services["Frontend"]}
	})
	l.run(t, 2)
	l.is(t, "a service is left out", want{ready: true})
	l.pods(t, false)
	l.run(t, 2)
	l.is(t, "its pods died", want{message: tc.message})
	l.pods(t, true)
	l.run(t, 2)
	l.is(t, "its pods are back", want{ready: true})
	l.editServices(t, func(map[string]any) map[string]any { return left })
	l.run(t, 2)
	l.is(t, "the edit is undone", want{synced: true, ready: true, accepted: true})
}

// life of a graph.
type life struct {
	*crossplane.Graph

	tc        graph
	pipeline  *crossplane.Pipeline
	functions crossplane.Functions
}

func newLife(t *testing.T, tc graph, composition string) *life {
	t.Helper()
	p, err := crossplane.ReadPipeline(filepath.Join(harness.Root(), composition))
	if err != nil {
		t.Fatal(err)
	}
	l := &life{
		Graph: crossplane.NewLiveGraph(harness.Read(t, tc.xr)[0], harness.Read(t, tc.cluster)), tc: tc, pipeline: p,
		functions: crossplane.InProcess(crossplane.Servers(logging.NewNopLogger())),
	}
	return l
}

// run the pipeline some times, as Crossplane does.
func (l *life) run(t *testing.T, times int) {
	t.Helper()
	for range times {
		keys := l.Composed()
		if _, err := l.pipeline.Run(t.Context(), l.Graph, l.functions); err != nil {
			t.Fatal(err)
		}
		for _, key := range keys {
			if l.Object(key) == nil {
				t.Fatalf("%s was deleted", key)
			}
		}
		if set := l.Object("podcliqueset"); set != nil && len(keys) == 0 {
			l.children(t, set, true)
		}
	}
}

// edit the graph: each service gets a field of this name.
func (l *life) edit(t *testing.T, field string) {
	t.Helper()
	l.editServices(t, func(services map[string]any) map[string]any {
		for _, value := range services {
			service, _ := value.(map[string]any)
			delete(service, "replicaz")
			if field != "replicas" {
				service[field] = int64(1)
			}
		}
		return services
	})
}

// editServices of the graph, and return what they were.
func (l *life) editServices(t *testing.T, change func(services map[string]any) map[string]any) map[string]any {
	t.Helper()
	before := nested(t, l.Composite(), "spec", "services")
	l.Edit(func(xr *unstructured.Unstructured) {
		if err := unstructured.SetNestedMap(xr.Object, change(nested(t, xr, "spec", "services")), "spec", "services"); err != nil {
			t.Fatal(err)
		}
	})
	return before
}

// pods of the worker are all up, or all down.
func (l *life) pods(t *testing.T, up bool) {
	t.Helper()
	object := l.Object(l.tc.workload)
	if object.GetKind() == "PodCliqueSet" {
		l.children(t, object, up)
		return
	}
	status := nested(t, object, "status")
	ready := status["replicas"]
	if !up {
		ready = int64(0)
	}
	status["readyReplicas"] = ready
	if object.GetKind() == "Deployment" {
		status["availableReplicas"] = ready
	}
	object.Object["status"] = status
}

// children of a PodCliqueSet, as Grove makes them: all of them are up, or all but those of the worker.
func (l *life) children(t *testing.T, set *unstructured.Unstructured, workersUp bool) {
	t.Helper()
	cliques, _ := nested(t, set, "spec", "template")["cliques"].([]any)
	for _, value := range cliques {
		clique, _ := value.(map[string]any)
		spec, _ := clique["spec"].(map[string]any)
		ready := spec["replicas"]
		if clique["name"] == "worker" && !workersUp {
			ready = int64(0)
		}
		l.Put(&unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "grove.io/v1alpha1", "kind": "PodClique",
			"metadata": map[string]any{
				"name": fmt.Sprintf("%s-0-%s", set.GetName(), clique["name"]), "namespace": set.GetNamespace(), "generation": int64(1),
				"labels": map[string]any{"app.kubernetes.io/part-of": set.GetName()},
			},
			"spec": map[string]any{"replicas": spec["replicas"]},
			"status": map[string]any{
				"observedGeneration": int64(1), "replicas": spec["replicas"], "updatedReplicas": spec["replicas"],
				"scheduledReplicas": spec["replicas"], "readyReplicas": ready,
			},
		}})
	}
}

func nested(t *testing.T, object *unstructured.Unstructured, path ...string) map[string]any {
	t.Helper()
	fields, ok, err := unstructured.NestedMap(object.Object, path...)
	if err != nil || !ok {
		t.Fatalf("%s %s has no %v: %v", object.GetKind(), object.GetName(), path, err)
	}
	return fields
}

// want of the conditions of a graph.
type want struct {
	synced, ready, accepted bool
	// message of ServicesReady; empty while they are.
	message string
}

func (l *life) is(t *testing.T, reason string, w want) {
	t.Helper()
	got := want{
		synced: l.Condition("Synced")["status"] == "True", ready: l.Condition("Ready")["status"] == "True", accepted: l.Condition("Accepted")["status"] == "True",
	}
	services := l.Condition("ServicesReady")
	if services["status"] == "False" {
		got.message, _ = services["message"].(string)
	}
	if diff := cmp.Diff(w, got, cmp.AllowUnexported(want{})); diff != "" {
		t.Errorf("%s: -want, +got:\n%s\nconditions: %v", reason, diff, l.Composite().Object["status"])
	}
}

// objects of the graph without what controllers write, and the status but for its conditions and generation.
func (l *life) objects() map[string]any {
	all := map[string]any{}
	for _, key := range l.Composed() {
		object := l.Object(key).DeepCopy()
		delete(object.Object, "status")
		all[key] = object.Object
	}
	status, _, _ := unstructured.NestedMap(l.Composite().Object, "status")
	delete(status, "conditions")
	delete(status, "observedGeneration")
	all["status"] = status
	refs, _, _ := unstructured.NestedSlice(l.Composite().Object, "spec", "crossplane", "resourceRefs")
	all["references"] = refs
	return all
}
