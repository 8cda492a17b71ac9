package graph

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
)

func request(xr string) *fnv1.RunFunctionRequest {
	return &fnv1.RunFunctionRequest{Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: resource.MustStructJSON(xr)}}}
}

// named is what Decode finds out beside the spec.
type named struct {
	Name, Namespace string
	Generation      int64
	Annotations     map[string]string
	Components      []string
}

func TestDecode(t *testing.T) {
	cases := map[string]struct {
		reason string
		xr     string
		want   named
		errs   []string
	}{
		"Namespaced": {
			reason: "A namespaced composite resource is the graph itself.",
			xr: `{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment",
				"metadata":{"name":"llama","namespace":"inference","generation":7,"annotations":{"a":"b"}},
				"spec":{"crossplane":{"compositionRef":{"name":"c"}},"services":{"Worker":{},"Frontend":{}}}}`,
			want: named{
				Name: "llama", Namespace: "inference", Generation: 7, Annotations: map[string]string{"a": "b"},
				Components: []string{"Frontend", "Worker"},
			},
		},
		"ThroughAClaim": {
			reason: "A cluster-scoped composite resource takes the name and the namespace of its claim, and Crossplane's own fields are no fields of the graph.",
			xr: `{"apiVersion":"nvidia.com/v1alpha1","kind":"XDynamoGraphDeployment","metadata":{"name":"llama-x7k2p"},
				"spec":{"claimRef":{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment","name":"llama","namespace":"inference"},
				"compositionRef":{"name":"c"},"compositionRevisionRef":{"name":"r"},"compositionSelector":{},"compositionRevisionSelector":{},
				"compositionUpdatePolicy":"Automatic","publishConnectionDetailsTo":{},"resourceRefs":[],"writeConnectionSecretToRef":{},
				"crossplane":{},"services":{"Frontend":{}}}}`,
			want: named{Name: "llama", Namespace: "inference", Components: []string{"Frontend"}},
		},
		"CompositeWithoutClaim": {
			reason: "Without a claim nothing names the namespace of the objects.",
			xr:     `{"kind":"XDynamoGraphDeployment","metadata":{"name":"llama"},"spec":{"services":{"Frontend":{}}}}`,
			want:   named{Name: "llama", Components: []string{"Frontend"}},
			errs: []string{
				"spec.claimRef: Required value: a cluster-scoped XDynamoGraphDeployment gets its name and namespace from its claim; " +
					"create a DynamoGraphDeployment claim in a namespace instead",
			},
		},
		"ClaimWithoutNamespace": {
			reason: "Half a reference is as bad as none, and is reported beside what else is wrong.",
			xr:     `{"kind":"XDynamoGraphDeployment","metadata":{"name":"llama"},"spec":{"claimRef":{"name":"llama"},"servces":{}}}`,
			want:   named{Name: "llama"},
			errs: []string{
				"spec.claimRef: Required value: a cluster-scoped XDynamoGraphDeployment gets its name and namespace from its claim; " +
					"create a DynamoGraphDeployment claim in a namespace instead",
				`spec.servces: Invalid value: unknown field; did you mean "services"?`,
			},
		},
		"NamespacedDoesNotKnowLegacyFields": {
			reason: "A modern composite resource keeps Crossplane's fields in spec.crossplane: elsewhere they are mistakes.",
			xr:     `{"kind":"DynamoGraphDeployment","metadata":{"name":"llama","namespace":"inference"},"spec":{"resourceRefs":[]}}`,
			want:   named{Name: "llama", Namespace: "inference"},
			errs:   []string{"spec.resourceRefs: Invalid value: unknown field; remove it"},
		},
		"Nulls": {
			reason: "A null counts as absent, as the API server treats it.",
			xr:     `{"kind":"DynamoGraphDeployment","metadata":{"name":"llama","namespace":"inference","annotations":null},"spec":{"pvcs":null,"services":{"Frontend":{"envs":null}}}}`,
			want:   named{Name: "llama", Namespace: "inference", Components: []string{"Frontend"}},
		},
		"WhatTheAPIServerFillsIn": {
			reason: "Offline, the node count is not defaulted, and the main container needs no name.",
			xr: `{"kind":"DynamoGraphDeployment","metadata":{"name":"llama","namespace":"inference"},
				"spec":{"services":{"Worker":{"multinode":{},"extraPodSpec":{"mainContainer":{"image":"i"}}}}}}`,
			want: named{Name: "llama", Namespace: "inference", Components: []string{"Worker"}},
		},
		"AnnotationsAreStrings": {
			reason: "A value without quotes would else be ignored silently offline, where no API server refuses it.",
			xr: `{"kind":"DynamoGraphDeployment","metadata":{"name":"llama","namespace":"inference",
				"annotations":{"nvidia.com/enable-grove":false,"b":"c","n":null}},"spec":{}}`,
			want: named{Name: "llama", Namespace: "inference", Annotations: map[string]string{"b": "c"}},
			errs: []string{"metadata.annotations[nvidia.com/enable-grove]: Invalid value: must be a string; put the value in quotes"},
		},
		"AnnotationsAreAnObject": {
			reason: "Anything else than an object is refused.",
			xr:     `{"kind":"DynamoGraphDeployment","metadata":{"name":"llama","namespace":"inference","annotations":["a"]},"spec":{}}`,
			want:   named{Name: "llama", Namespace: "inference"},
			errs:   []string{`metadata.annotations: Invalid value: must be an object`},
		},
		"SpecIsAnObject": {
			reason: "Anything else than an object is refused without a panic.",
			xr:     `{"kind":"DynamoGraphDeployment","metadata":{"name":"llama","namespace":"inference"},"spec":"none"}`,
			want:   named{Name: "llama", Namespace: "inference"},
			errs:   []string{`spec: Invalid value: must be an object`},
		},
		"Nothing": {
			reason: "An empty request is no reason to panic.",
			xr:     `{}`,
		},
		"EveryErrorAtOnce": {
			reason: "All mistakes are reported in one go.",
			xr: `{"kind":"DynamoGraphDeployment","metadata":{"name":"llama","namespace":"inference"},
				"spec":{"services":{"A":{"replicas":"two"},"B":{"componentTyp":"worker"}}}}`,
			want: named{Name: "llama", Namespace: "inference", Components: []string{"A", "B"}},
			errs: []string{
				`spec.services[A].replicas: Invalid value: must be a whole number, not a string`,
				`spec.services[B].componentTyp: Invalid value: "worker": unknown field; did you mean "componentType"?`,
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			g, errs := Decode(request(tc.xr))
			got := named{Name: g.Name, Namespace: g.Namespace, Generation: g.Generation, Annotations: g.Annotations, Components: g.ComponentNames()}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nDecode(...): -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.errs, errs.Texts(g)); diff != "" {
				t.Errorf("%s\nDecode(...): -want errors, +got errors:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestDecodeSpec(t *testing.T) {
	g, errs := Decode(request(`{"kind":"DynamoGraphDeployment","metadata":{"name":"llama","namespace":"inference"},
		"spec":{"backendFramework":"vllm","services":{"Worker":{"replicas":2,"resources":{"limits":{"gpu":8}}}}}}`))
	if len(errs) > 0 {
		t.Fatalf("Decode(...): %v", errs)
	}
	if got := g.Spec.BackendFramework; got != v1alpha1.BackendVLLM {
		t.Errorf("backendFramework: want vllm, got %q", got)
	}
	worker := g.Components["Worker"]
	if got := worker.Resources.Limits.GPU.String(); got != "8" {
		t.Errorf("a quantity written as a number: want 8, got %s", got)
	}
	if got := g.Names().PodCliqueSet(); got != "llama" {
		t.Errorf("Names(): want those of llama, got those of %s", got)
	}
}

func TestHas(t *testing.T) {
	forms := map[string]string{
		"Services": `{"services":{"Worker":{"replicas":0,"modelRef":null,"multinode":{},
			"extraPodSpec":{"mainContainer":{"livenessProbe":{"periodSeconds":0}}}}}}`,
		"Components": `{"components":[{"name":"Other"},{"name":"Worker","replicas":0,"modelRef":null,"multinode":{},
			"podTemplate":{"spec":{"containers":[{"name":"side","image":"i"},{"name":"main","livenessProbe":{"periodSeconds":0}}]}}}]}`,
	}
	cases := map[string]struct {
		reason    string
		component string
		container string
		path      []string
		want      bool
	}{
		"ExplicitZero":  {reason: "A zero that the user wrote is there.", component: "Worker", path: []string{"replicas"}, want: true},
		"Null":          {reason: "A null is not there.", component: "Worker", path: []string{"modelRef"}},
		"Absent":        {reason: "What is not written is not there.", component: "Worker", path: []string{"minAvailable"}},
		"AbsentService": {reason: "What is below an object that is not written is not there.", component: "Frontend", path: []string{"replicas"}},
		"BelowALeaf":    {reason: "A number has no fields.", component: "Worker", path: []string{"replicas", "x"}},
		"Object":        {reason: "An object is there.", component: "Worker", path: []string{"multinode"}, want: true},
		"Main":          {reason: "The main container is found in either form.", component: "Worker", container: "main", path: []string{"livenessProbe", "periodSeconds"}, want: true},
		"NotInMain":     {reason: "What only another container has is not there.", component: "Worker", container: "main", path: []string{"image"}},
		"NoMain":        {reason: "A service without a main container has none of its fields.", component: "Other", container: "main", path: []string{"livenessProbe"}},
	}
	for form, spec := range forms {
		g, errs := Decode(request(`{"kind":"DynamoGraphDeployment","metadata":{"name":"llama","namespace":"inference"},"spec":` + spec + `}`))
		if len(errs) > 0 {
			t.Fatalf("Decode(...): %v", errs)
		}
		for name, tc := range cases {
			t.Run(form+"/"+name, func(t *testing.T) {
				got := g.Has(tc.component, tc.path...)
				if tc.container != "" {
					got = g.ContainerHas(tc.component, tc.container, tc.path...)
				}
				if got != tc.want {
					t.Errorf("%s\n%v of %s: want %t, got %t", tc.reason, tc.path, tc.component, tc.want, got)
				}
			})
		}
	}
}
