package crossplane

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"
)

func TestRequired(t *testing.T) {
	queue := `{"apiVersion":"v2","kind":"Queue","metadata":{"name":"dynamo"}}`
	clique := `{"apiVersion":"v1","kind":"PodClique","metadata":{"name":"a","namespace":"ours","labels":{"of":"llama"}}}`
	other := `{"apiVersion":"v1","kind":"PodClique","metadata":{"name":"a","namespace":"theirs","labels":{"of":"llama"}}}`
	w := world{parsed(queue), parsed(clique), parsed(other)}

	byName := func(kind, namespace, name string) *fnv1.ResourceSelector {
		s := &fnv1.ResourceSelector{ApiVersion: "v2", Kind: kind, Match: &fnv1.ResourceSelector_MatchName{MatchName: name}}
		if namespace != "" {
			s.Namespace = &namespace
		}
		return s
	}
	byLabels := func(namespace string, labels map[string]string) *fnv1.ResourceSelector {
		return &fnv1.ResourceSelector{
			ApiVersion: "v1", Kind: "PodClique", Namespace: &namespace,
			Match: &fnv1.ResourceSelector_MatchLabels{MatchLabels: &fnv1.MatchLabels{Labels: labels}},
		}
	}
	cases := map[string]struct {
		reason   string
		selector *fnv1.ResourceSelector
		want     []string
	}{
		"Name":           {reason: "An object is found by its name.", selector: byName("Queue", "", "dynamo"), want: []string{queue}},
		"OtherName":      {reason: "One that is not there is an entry without items.", selector: byName("Queue", "", "other")},
		"OtherNamespace": {reason: "A name is one of its namespace.", selector: byName("Queue", "ours", "dynamo")},
		"OtherKind":      {reason: "And of its kind.", selector: byName("Topology", "", "dynamo")},
		"Labels":         {reason: "Objects are found by their labels, in the namespace.", selector: byLabels("ours", map[string]string{"of": "llama"}), want: []string{clique}},
		"OtherLabels":    {reason: "All labels have to match.", selector: byLabels("ours", map[string]string{"of": "llama", "a": "b"})},
		"AllNamespaces":  {reason: "Without a namespace they are found in all.", selector: byLabels("", map[string]string{"of": "llama"}), want: []string{clique, other}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := w.required(map[string]*fnv1.ResourceSelector{"it": tc.selector})
			if err != nil {
				t.Fatal(err)
			}
			items := &fnv1.Resources{}
			for _, item := range tc.want {
				items.Items = append(items.Items, &fnv1.Resource{Resource: resource.MustStructJSON(item)})
			}
			if diff := cmp.Diff(map[string]*fnv1.Resources{"it": items}, got, protocmp.Transform()); diff != "" {
				t.Errorf("%s\nrequired(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestSchemas(t *testing.T) {
	w := world{parsed(`{"apiVersion":"v2","kind":"Queue","metadata":{"name":"dynamo"}}`)}
	want := map[string]*fnv1.Schema{
		"served":   {OpenapiV3: resource.MustStructJSON(`{"type":"object"}`)},
		"unserved": {},
	}
	got := w.schemas(map[string]*fnv1.SchemaSelector{
		"served":   {ApiVersion: "v2", Kind: "Queue"},
		"unserved": {ApiVersion: "v3", Kind: "Queue"},
	})
	if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
		t.Errorf("schemas(...): -want, +got:\n%s", diff)
	}
}

func parsed(text string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: resource.MustStructJSON(text).AsMap()}
}
