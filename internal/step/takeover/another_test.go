package takeover_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/kinds"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step/takeover"
)

const graphLabel = "nvidia.com/dynamo-graph-deployment-name"

// anothers are the forms in which an object says that it belongs to graph llama-b, by what the message names.
func anothers() map[string]struct {
	reason, want string
	// add the evidence to an object.
	add func(object map[string]any)
} {
	label := func(path ...string) func(map[string]any) {
		return func(object map[string]any) {
			_ = unstructured.SetNestedField(object, "llama-b", append(path, graphLabel)...)
		}
	}
	owner := func(apiVersion, kind string) func(map[string]any) {
		return func(object map[string]any) {
			owners, _, _ := unstructured.NestedSlice(object, "metadata", "ownerReferences")
			owners = append(owners, map[string]any{"apiVersion": apiVersion, "kind": kind, "name": "llama-b", "uid": "u2"})
			_ = unstructured.SetNestedSlice(object, owners, "metadata", "ownerReferences")
		}
	}
	list := func(value map[string]any, path ...string) func(map[string]any) {
		return func(object map[string]any) { _ = unstructured.SetNestedSlice(object, []any{value}, path...) }
	}
	return map[string]struct {
		reason, want string
		add          func(object map[string]any)
	}{
		"Owner":        {reason: "The operator writes the reference.", want: "owner reference of DynamoGraphDeployment llama-b", add: owner("nvidia.com/v1alpha1", "DynamoGraphDeployment")},
		"OwnerVersion": {reason: "The version of the API says nothing about the graph.", want: "owner reference of DynamoGraphDeployment llama-b", add: owner("nvidia.com/v1beta1", "DynamoGraphDeployment")},
		"OwnerOfClaim": {reason: "A graph of a claim owns its objects by its composite resource.", want: "owner reference of XDynamoGraphDeployment llama-b", add: owner("nvidia.com/v1alpha1", "XDynamoGraphDeployment")},
		"Released": {
			reason: "The record of a reference that was removed is as good as the reference.", want: "annotation dynamo.nvidia.com/released-from",
			add: func(object map[string]any) {
				_ = unstructured.SetNestedField(object, "llama-b", "metadata", "annotations", "dynamo.nvidia.com/released-from")
			},
		},
		"Composed": {reason: "Crossplane labels objects with their composite resource.", want: "label crossplane.io/composite", add: func(object map[string]any) {
			_ = unstructured.SetNestedField(object, "llama-b", "metadata", "labels", "crossplane.io/composite")
		}},
		"Label":         {reason: "The operator labels objects with the graph.", want: "label " + graphLabel, add: label("metadata", "labels")},
		"Selector":      {reason: "A Service selects the pods of its graph.", want: "label " + graphLabel, add: label("spec", "selector")},
		"MatchLabels":   {reason: "Workloads and pools select pods of their graph, too.", want: "label " + graphLabel, add: label("spec", "selector", "matchLabels")},
		"Pods":          {reason: "The pods of a workload are of its graph.", want: "label " + graphLabel, add: label("spec", "template", "metadata", "labels")},
		"PodsOfLeaders": {reason: "A LeaderWorkerSet has a template of its own for leaders.", want: "label " + graphLabel, add: label("spec", "leaderWorkerTemplate", "leaderTemplate", "metadata", "labels")},
		"Cliques": {
			reason: "A PodCliqueSet has labels in its cliques.", want: "label " + graphLabel,
			add: list(map[string]any{"name": "a", "labels": map[string]any{graphLabel: "llama-b"}}, "spec", "template", "cliques"),
		},
		"MatchExpressions": {
			reason: "A selector has expressions, too.", want: "label " + graphLabel,
			add: list(map[string]any{"key": graphLabel, "operator": "In", "values": []any{"llama-b"}}, "spec", "selector", "matchExpressions"),
		},
	}
}

// proven is an object of graph llama with all proofs that there are, and with the field managers of the operator.
func proven(k kinds.Kind) map[string]any {
	object := map[string]any{
		"apiVersion": k.GroupVersion().String(), "kind": k.Kind,
		"metadata": map[string]any{
			"name":            "llama-k8s-service-discovery-binding",
			"labels":          map[string]any{graphLabel: "llama"},
			"annotations":     map[string]any{"dynamo.nvidia.com/released-from": "llama"},
			"ownerReferences": []any{map[string]any{"apiVersion": "nvidia.com/v1alpha1", "kind": "DynamoGraphDeployment", "name": "llama", "uid": "u1"}},
			"managedFields": []any{map[string]any{"manager": "manager", "fieldsV1": map[string]any{
				"f:metadata": map[string]any{}, "f:spec": map[string]any{}, "f:data": map[string]any{}, "f:rules": map[string]any{}, "f:roleRef": map[string]any{},
			}}},
		},
	}
	if k.Kind == "RoleBinding" {
		object["roleRef"] = map[string]any{"apiGroup": k.Group, "kind": "Role", "name": "llama-k8s-service-discovery-role"}
	}
	return object
}

// TestAnother shows for all kinds that the functions compose that no proof counts if anything in the object says that it belongs to another graph.
func TestAnother(t *testing.T) {
	xr := plantest.Graph(plantest.Frontend)
	xr.Name = "llama"
	f := plantest.Facts(t, plantest.Request(xr))
	for _, k := range kinds.Composed() {
		t.Run(k.Group+"/"+k.Kind, func(t *testing.T) {
			if got := takeover.Unproven(f.Graph, f.Observed, plantest.Struct(proven(k))).In(&graph.Graph{}); got != "" {
				t.Errorf("All says that it is one of the graph: want no problem, got %q", got)
			}
			for name, tc := range anothers() {
				object := proven(k)
				tc.add(object)
				want := "cannot adopt " + k.Kind + " llama-k8s-service-discovery-binding: it belongs to graph llama-b, as its " + tc.want + " says; rename this graph or its service"
				if got := takeover.Unproven(f.Graph, f.Observed, plantest.Struct(object)).In(&graph.Graph{}); !strings.Contains(got, want) {
					t.Errorf("%s: %s\nUnproven(...): want %q, got %q", name, tc.reason, want, got)
				}
			}
		})
	}
}

// TestOwn shows what names graphs and says nothing about the owner of an object.
func TestOwn(t *testing.T) {
	long := strings.Repeat("llama-", 11) + "70b"
	cases := map[string]struct {
		reason, graph, rest string
	}{
		"Affinity": {
			reason: "Pods may run beside those of another graph, or apart from them.", graph: "llama",
			rest: `"spec":{"template":{"spec":{"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"labelSelector":{
				"matchLabels":{"` + graphLabel + `":"llama-b"}}}]}}}}}`,
		},
		"Spread": {
			reason: "Pods may be spread together with those of another graph.", graph: "llama",
			rest: `"spec":{"template":{"spec":{"topologySpreadConstraints":[{"labelSelector":{"matchExpressions":[{"key":"` + graphLabel + `","operator":"In","values":["llama-b"]}]}}]}}}`,
		},
		"LongName": {
			reason: "Labels have the beginning of a name that is too long for them.", graph: long,
			rest: `"spec":{"selector":{"` + graphLabel + `":"` + strings.TrimRight(long[:63], "-") + `"}}`,
		},
		"Status":     {reason: "The status is what somebody else reports.", graph: "llama", rest: `"status":{"` + graphLabel + `":"llama-b"}`},
		"Expression": {reason: "A selector may exclude the pods of another graph.", graph: "llama", rest: `"spec":{"selector":{"matchExpressions":[{"key":"` + graphLabel + `","operator":"NotIn","values":["llama-b"]}]}}`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			xr := plantest.Graph(plantest.Frontend)
			xr.Name = tc.graph
			object := `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a","annotations":{"dynamo.nvidia.com/released-from":"` + tc.graph + `"}},` + tc.rest + `}`
			f := plantest.Facts(t, plantest.Request(xr))
			if got := takeover.Unproven(f.Graph, f.Observed, plantest.Struct(object)).In(&graph.Graph{}); got != "" {
				t.Errorf("%s\nUnproven(...): want no problem, got %q", tc.reason, got)
			}
		})
	}
}

// TestGlobal shows which Services in the Dynamo namespace that graphs share lead to pods of the graph: its label is on none of the pods that an early
// version of the operator selects.
func TestGlobal(t *testing.T) {
	global := func(name string) plantest.GraphChange {
		service := plantest.ComponentOf("frontend")
		service.GlobalDynamoNamespace = true
		return plantest.Component(name, service)
	}
	xr := plantest.Graph(global("B-C"), global("C"), plantest.Component("Local", plantest.ComponentOf("worker")))
	xr.Name = "llama"
	f := plantest.Facts(t, plantest.Request(xr))
	const operators = `"managedFields":[{"manager":"manager","fieldsV1":{"f:spec":{}}}]`
	cases := map[string]struct {
		reason, name, component string
		want                    bool
	}{
		"Own":        {reason: "The Service of a service is called like it.", name: "llama-b-c", component: "B-C", want: true},
		"Generation": {reason: "That of a worker ends with its generation.", name: "llama-b-c-1f2e3d4c", component: "B-C", want: true},
		"None":       {reason: "Without a service it is for the pods of all graphs.", name: "llama-b-c"},
		"Another":    {reason: "Graph llama-b may have a service that this graph does not have.", name: "llama-b-c", component: "c"},
		"SameName":   {reason: "Graph llama-b may have a service of the same name as this graph.", name: "llama-b-c", component: "C"},
		"Local":      {reason: "A service in the namespace of the graph has no pods there.", name: "llama-local", component: "Local"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			object := `{"apiVersion":"v1","kind":"Service","metadata":{"name":"` + tc.name + `",` + operators + `},
				"spec":{"selector":{"nvidia.com/dynamo-namespace":"dynamo","nvidia.com/dynamo-component":"` + tc.component + `"}}}`
			if got := takeover.Unproven(f.Graph, f.Observed, plantest.Struct(object)).In(&graph.Graph{}); (got == "") != tc.want {
				t.Errorf("%s\nUnproven(...): want it proven: %t, got %q", tc.reason, tc.want, got)
			}
		})
	}
}
