package platform

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/crossplane/function-sdk-go/logging"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/apiserver"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

const composition = "compositions/dynamographdeployment-fused.yaml"

// A life of a graph: its functions run in this process, and Crossplane and the API server are simulated.
type life struct {
	*crossplane.Graph

	t         *testing.T
	pipeline  *crossplane.Pipeline
	functions crossplane.Functions
}

// begin the life of an example that was just applied to a cluster.
func begin(t *testing.T, example, cluster string) *life {
	t.Helper()
	p, err := crossplane.ReadPipeline(filepath.Join(harness.Root(), composition))
	if err != nil {
		t.Fatal(err)
	}
	graph := crossplane.NewLiveGraph(harness.Read(t, example)[0], harness.Read(t, cluster))
	return &life{Graph: graph, t: t, pipeline: p, functions: crossplane.InProcess(crossplane.Servers(logging.NewNopLogger()))}
}

// run the pipeline some times, as Crossplane does.
func (l *life) run(times int) *life {
	l.t.Helper()
	for range times {
		if _, err := l.pipeline.Run(l.t.Context(), l.Graph, l.functions); err != nil {
			l.t.Fatal(err)
		}
	}
	return l
}

// set a field of the graph, as its user would.
func (l *life) set(value any, path ...string) *life {
	l.t.Helper()
	l.Edit(func(xr *unstructured.Unstructured) {
		if err := unstructured.SetNestedField(xr.Object, value, path...); err != nil {
			l.t.Fatal(err)
		}
	})
	return l
}

// refuse the graph: its user misspells a field.
func (l *life) refuse() *life {
	l.t.Helper()
	return l.set("vllm", "spec", "backendFramwork")
}

// deployment of the worker gets another status.
func (l *life) deployment(change func(status map[string]any)) *life {
	l.t.Helper()
	object := l.Object("deployment-worker")
	status, _, err := unstructured.NestedMap(object.Object, "status")
	if err != nil {
		l.t.Fatal(err)
	}
	change(status)
	object.Object["status"] = status
	return l
}

// unscheduled makes the PodCliques of Grove, whose pods all wait for a place.
func (l *life) unscheduled() *life {
	l.t.Helper()
	set := l.Object("podcliqueset")
	cliques, _, err := unstructured.NestedSlice(set.Object, "spec", "template", "cliques")
	if err != nil {
		l.t.Fatal(err)
	}
	for _, value := range cliques {
		clique, _ := value.(map[string]any)
		spec, _ := clique["spec"].(map[string]any)
		l.Put(&unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "grove.io/v1alpha1", "kind": "PodClique",
			"metadata": map[string]any{
				"name": fmt.Sprintf("%s-0-%s", set.GetName(), clique["name"]), "namespace": set.GetNamespace(), "generation": int64(1),
				"labels": map[string]any{"app.kubernetes.io/part-of": set.GetName()},
			},
			"spec": map[string]any{"replicas": spec["replicas"]},
			"status": map[string]any{
				"observedGeneration": int64(1), "replicas": spec["replicas"], "updatedReplicas": spec["replicas"], "scheduleGatedReplicas": spec["replicas"],
			},
		}})
	}
	return l
}

// without the objects of a kind in the cluster.
func (l *life) without(kind string) *life {
	l.SetCluster(slices.DeleteFunc(slices.Clone(l.Cluster()), func(o *unstructured.Unstructured) bool { return o.GetKind() == kind }))
	return l
}

// write a condition as Crossplane does: with the generation that it has observed.
func (l *life) write(c xpv2.Condition) *life {
	l.t.Helper()
	c.ObservedGeneration = l.Composite().GetGeneration()
	c.LastTransitionTime = metav1.Time{}
	content, err := json.Marshal(c)
	if err != nil {
		l.t.Fatal(err)
	}
	var written map[string]any
	if err := json.Unmarshal(content, &written); err != nil {
		l.t.Fatal(err)
	}
	written["lastTransitionTime"] = apiserver.Created
	l.setConditions(func(conditions []any) []any {
		out := []any{written}
		for _, other := range conditions {
			if other, ok := other.(map[string]any); ok && other["type"] != string(c.Type) {
				out = append(out, other)
			}
		}
		return out
	})
	return l
}

func (l *life) setConditions(change func(conditions []any) []any) {
	l.t.Helper()
	xr := l.Composite()
	conditions, _, err := unstructured.NestedSlice(xr.Object, "status", "conditions")
	if err != nil {
		l.t.Fatal(err)
	}
	if err := unstructured.SetNestedSlice(xr.Object, change(conditions), "status", "conditions"); err != nil {
		l.t.Fatal(err)
	}
}

// record the graph as the API server returns it.
func (l *life) record() *unstructured.Unstructured {
	l.t.Helper()
	return decoded(l.t, l.Composite())
}

// claim of the graph. The status of its composite resource is copied, and Crossplane writes conditions with the generation of the claim.
// https://github.com/crossplane/crossplane/blob/v2.4.0/internal/controller/apiextensions/claim/reconciler.go
func (l *life) claim(generation int64) *unstructured.Unstructured {
	l.t.Helper()
	claim := l.record()
	claim.SetGeneration(generation)
	unstructured.RemoveNestedField(claim.Object, "spec", "crossplane")
	reference := map[string]any{"apiVersion": "nvidia.com/v1beta1", "kind": "XDynamoGraphDeployment", "name": claim.GetName() + "-x7k2p"}
	if err := unstructured.SetNestedField(claim.Object, reference, "spec", "resourceRef"); err != nil {
		l.t.Fatal(err)
	}
	conditions, _, err := unstructured.NestedSlice(claim.Object, "status", "conditions")
	if err != nil {
		l.t.Fatal(err)
	}
	for _, c := range conditions {
		if c, ok := c.(map[string]any); ok {
			c["observedGeneration"] = generation
			if c["type"] == "Synced" {
				c["status"], c["reason"] = "True", "ReconcileSuccess"
				delete(c, "message")
			}
		}
	}
	if err := unstructured.SetNestedSlice(claim.Object, conditions, "status", "conditions"); err != nil {
		l.t.Fatal(err)
	}
	return claim
}

// decoded is an object with the types of numbers that clients decode.
func decoded(t *testing.T, object *unstructured.Unstructured) *unstructured.Unstructured {
	t.Helper()
	content, err := object.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	out := &unstructured.Unstructured{}
	if err := out.UnmarshalJSON(content); err != nil {
		t.Fatal(err)
	}
	return out
}
