package graph_test

import (
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
)

// TestScale shows what counts and what was written once a component is scaled.
func TestScale(t *testing.T) {
	cases := map[string]struct {
		reason string
		spec   string

		want    int32
		written bool
	}{
		"Services":   {reason: "What the user wrote is still known.", spec: `{"services":{"A":{"replicas":2}}}`, want: 2, written: true},
		"One":        {reason: "In the form with services nothing adds the default, so it is what the user wrote.", spec: `{"services":{"A":{"replicas":1}}}`, want: 1, written: true},
		"Absent":     {reason: "A service without a number has one replica, which the user did not write.", spec: `{"services":{"A":{}}}`, want: 1},
		"Components": {reason: "The number of a component is found by its name.", spec: `{"components":[{"name":"B"},{"name":"A","replicas":2}]}`, want: 2, written: true},
		"Default":    {reason: "The API server adds the default to components, so it says nothing about the user.", spec: `{"components":[{"name":"A","replicas":1}]}`, want: 1},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			g, errs := graph.Decode(&fnv1.RunFunctionRequest{Observed: &fnv1.State{Composite: &fnv1.Resource{
				Resource: resource.MustStructJSON(`{"metadata":{"name":"llama","namespace":"inference"},"spec":` + tc.spec + `}`),
			}}})
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			g.Scale("A", 5)
			g.Scale("Absent", 5)
			if got := g.Component("A").Replicas(); got != 5 || g.Scaled["A"] != 5 {
				t.Errorf("%s\nScale(...): want 5 replicas, got %d in the spec, %d recorded", tc.reason, got, g.Scaled["A"])
			}
			if _, added := g.Components["Absent"]; added {
				t.Errorf("%s\nScale(...): want no service added", tc.reason)
			}
			if got, written := g.WrittenReplicas("A"); got != tc.want || written != tc.written {
				t.Errorf("%s\nWrittenReplicas(...): want %d, %t, got %d, %t", tc.reason, tc.want, tc.written, got, written)
			}
		})
	}
}
