package why

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
)

var listPods = preview.ForbiddenError{Verb: "list", Resource: "pods", Namespace: "inference"}

// TestCollectAsks checks what is read: nothing that contains secrets, and only kinds that the graph has objects of, because others may not be
// installed.
func TestCollectAsks(t *testing.T) {
	cases := map[string]struct {
		reason string
		file   string
		want   []string
	}{
		"Deployments": {
			reason: "Deployments have ReplicaSets.", file: "image.yaml",
			want: []string{"get DynamoGraphDeployment", "get Deployment", "list ReplicaSet", "list Pod", "list HorizontalPodAutoscaler", "list Event"},
		},
		"LeaderWorkerSets": {
			reason: "LeaderWorkerSets have StatefulSets and events of their own.", file: "quota-sets.yaml",
			want: []string{
				"get DynamoGraphDeployment", "get Deployment", "get LeaderWorkerSet", "get PodGroup", "list ReplicaSet", "list StatefulSet", "list Pod", "list HorizontalPodAutoscaler", "list Event", "list Event", "list Event",
			},
		},
		"Grove": {
			reason: "A PodCliqueSet has PodCliques, and its pods name the gangs of KAI.", file: "gang.yaml",
			want: []string{
				"get DynamoGraphDeployment", "get PodCliqueSet", "list PodCliqueScalingGroup", "list PodClique", "list PodGang", "list Pod", "list HorizontalPodAutoscaler", "get PodGroup", "list Event",
			},
		},
		"Claim": {
			reason: "Without the composite resource, all kinds of objects are looked up by their labels.", file: "claim.yaml",
			want: []string{
				"get DynamoGraphDeployment", "get XDynamoGraphDeployment", "list PersistentVolumeClaim", "list Deployment", "list HorizontalPodAutoscaler",
				"list PodCliqueSet", "list LeaderWorkerSet", "list PodGroup", "list PodGroup", "list PodGroup", "list ReplicaSet", "list Pod", "list HorizontalPodAutoscaler", "list Event",
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := clusterIn(t, tc.file)
			graph := graphIn(t, r.Objects)
			if _, err := Collect(r, graph.GetNamespace(), graph.GetName()); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, r.Asked); diff != "" {
				t.Errorf("%s\nasked: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestCollectFails checks that a cluster that cannot be reached is not taken for an empty one.
func TestCollectFails(t *testing.T) {
	for _, file := range []string{"gang.yaml", "quota-sets.yaml", "claim.yaml"} {
		for _, kind := range []string{
			"DynamoGraphDeployment", "XDynamoGraphDeployment", "PodCliqueSet", "PodClique", "PodGang", "PodGroup", "Deployment", "ReplicaSet", "LeaderWorkerSet", "StatefulSet", "Pod", "Event", "Function",
		} {
			r := clusterIn(t, file)
			graph := graphIn(t, r.Objects)
			if _, err := Collect(r, graph.GetNamespace(), graph.GetName()); err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(r.Asked, func(asked string) bool { return strings.HasSuffix(asked, " "+kind) }) {
				continue
			}
			r.Failing = kind
			if _, err := Collect(r, graph.GetNamespace(), graph.GetName()); err == nil || !strings.Contains(err.Error(), "refused") {
				t.Errorf("%s: %s: want the error of the cluster, got %v", file, kind, err)
			}
		}
	}
}

// TestFunctions shows when it is looked up whether functions run, and what is said if none does.
func TestFunctions(t *testing.T) {
	graph := func(seen int64) unstructured.Unstructured {
		o := object(t, `{apiVersion: nvidia.com/v1beta1, kind: DynamoGraphDeployment, metadata: {name: llama, namespace: inference, generation: 5}}`)
		if seen > 0 {
			conditions := []any{
				map[string]any{"type": "Synced", "status": "True", "observedGeneration": seen},
				map[string]any{"type": "Ready", "status": "True", "observedGeneration": seen},
			}
			if err := unstructured.SetNestedSlice(o.Object, conditions, "status", "conditions"); err != nil {
				t.Fatal(err)
			}
		}
		return o
	}
	const name = "dynamo-crossplane-function-dynamo-graph"
	function := object(t, `{apiVersion: pkg.crossplane.io/v1, kind: Function, metadata: {name: `+name+`}}`)
	other := object(t, `{apiVersion: pkg.crossplane.io/v1, kind: Function, metadata: {name: function-auto-ready}}`)
	pod := func(ready string) unstructured.Unstructured {
		return object(t, `{apiVersion: v1, kind: Pod, metadata: {name: graph-0a, labels: {pkg.crossplane.io/function: `+name+`}}, spec: {nodeName: a}, status: {phase: Running, conditions: [{type: Ready, status: "`+ready+`"}]}}`)
	}
	const late = "Crossplane has not looked at the latest change of the graph yet: its conditions are of generation 4, and its generation is 5."
	const idle = " No pod of function " + name + " is ready. When a pod is ready, Crossplane may take minutes to try again."
	const pods = "kubectl get pods --selector=pkg.crossplane.io/function=" + name + " --namespace=crossplane-system"
	const describe = "kubectl describe dgd llama --namespace=inference"
	cases := map[string]struct {
		reason    string
		objects   []unstructured.Unstructured
		forbidden []string
		want      said
		asks      bool
	}{
		"Seen":      {reason: "While Crossplane looks at a graph, functions are not read.", objects: []unstructured.Unstructured{graph(5), function}},
		"NoPod":     {reason: "Conditions are of before an edit while no function runs.", objects: []unstructured.Unstructured{graph(4), function, other}, want: said{NotReconciled, late + idle, pods}, asks: true},
		"NoneReady": {reason: "A pod that is not ready answers no call.", objects: []unstructured.Unstructured{graph(4), function, pod("False")}, want: said{NotReconciled, late + idle, pods}, asks: true},
		"Late":      {reason: "Crossplane may be late although its functions run.", objects: []unstructured.Unstructured{graph(4), function, pod("True")}, want: said{NotReconciled, late, describe}, asks: true},
		"Forbidden": {reason: "Most users may not read functions, and are told what else is known.", objects: []unstructured.Unstructured{graph(4), function}, forbidden: []string{"Function"}, want: said{NotReconciled, late, describe}, asks: true},
		"New":       {reason: "A new graph waits for functions too.", objects: []unstructured.Unstructured{graph(0), function}, want: said{NotReconciled, "Crossplane has not looked at the graph yet: it has no conditions." + idle, pods}, asks: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := clusterWith(tc.objects...)
			r.Forbidden = tc.forbidden
			f, err := Collect(r, "inference", "llama")
			if err != nil {
				t.Fatal(err)
			}
			d := Diagnose(f, "kubectl")
			if diff := cmp.Diff(tc.want, saidBy(d)); diff != "" {
				t.Errorf("%s\nDiagnose(...): -want, +got:\n%s", tc.reason, diff)
			}
			if slices.Contains(r.Asked, "list Function") != tc.asks || len(d.Forbidden) > 0 {
				t.Errorf("%s\nwant functions to be read: %t, and nothing that is forbidden, got %v and %v", tc.reason, tc.asks, r.Asked, d.Forbidden)
			}
		})
	}
}

func TestCollectNotFound(t *testing.T) {
	if _, err := Collect(clusterWith(), "inference", "llama"); !errors.Is(err, ErrNotFound) {
		t.Errorf("want %v, got %v", ErrNotFound, err)
	}
	r := clusterWith()
	r.Forbidden = []string{"DynamoGraphDeployment"}
	_, err := Collect(r, "inference", "llama")
	if _, forbidden := preview.IsForbidden(err); !forbidden {
		t.Errorf("want a missing permission, got %v", err)
	}
}

// TestCollectOthers checks that an object of the same name that belongs to somebody else is none of the graph.
func TestCollectOthers(t *testing.T) {
	graph := object(t, `{apiVersion: nvidia.com/v1beta1, kind: DynamoGraphDeployment, metadata: {name: llama, namespace: inference, uid: graph},
spec: {crossplane: {resourceRefs: [{apiVersion: apps/v1, kind: Deployment, name: llama-decode}, {apiVersion: apps/v1, kind: Deployment, name: llama-other}]}}}`)
	r := clusterWith(
		graph,
		object(t, `{apiVersion: apps/v1, kind: Deployment, metadata: {name: llama-decode, namespace: inference, ownerReferences: [{uid: other, controller: true}]}}`),
	)
	f, err := Collect(r, "inference", "llama")
	if err != nil {
		t.Fatal(err)
	}
	deployment := preview.Reference{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "inference"}
	decode, other := deployment, deployment
	decode.Name, other.Name = "llama-decode", "llama-other"
	want := &Facts{Graph: &graph, Absent: []preview.Reference{decode, other}}
	if diff := cmp.Diff(want, f); diff != "" {
		t.Errorf("Collect(...): -want, +got:\n%s", diff)
	}
	if got := saidBy(Diagnose(f, "kubectl")); got.Code != NotReconciled {
		t.Errorf("want a graph without conditions, got %v", got)
	}
}
