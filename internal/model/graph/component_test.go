package graph

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// decodedFrom a spec, JSON.
func decodedFrom(t *testing.T, spec string) *Graph {
	t.Helper()
	g, errs := Decode(request(`{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment","metadata":{"name":"llama","namespace":"inference"},"spec":` + spec + `}`))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return g
}

// TestCounts shows the numbers of a service with and without the user's.
func TestCounts(t *testing.T) {
	type counts struct {
		Replicas, MinAvailable, NodeCount int32
		Multinode                         bool
	}
	cases := map[string]struct {
		reason string
		body   string
		want   counts
	}{
		"Absent":        {reason: "A service exists once, on one node.", body: `{}`, want: counts{Replicas: 1, MinAvailable: 1, NodeCount: 1}},
		"Given":         {reason: "The user's numbers count.", body: `{"replicas":4,"minAvailable":2,"multinode":{"nodeCount":3}}`, want: counts{Replicas: 4, MinAvailable: 2, NodeCount: 3, Multinode: true}},
		"ZeroReplicas":  {reason: "No replicas are not one replica.", body: `{"replicas":0}`, want: counts{MinAvailable: 1, NodeCount: 1}},
		"NoNodeCount":   {reason: "A multinode block without a count has the API's default, which is not set offline.", body: `{"multinode":{}}`, want: counts{Replicas: 1, MinAvailable: 1, NodeCount: 2, Multinode: true}},
		"NullMultinode": {reason: "A null block is none.", body: `{"multinode":null}`, want: counts{Replicas: 1, MinAvailable: 1, NodeCount: 1}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := decodedFrom(t, `{"services":{"S":`+tc.body+`}}`).Component("S")
			got := counts{Replicas: s.Replicas(), MinAvailable: s.MinAvailable(), NodeCount: s.Nodes(), Multinode: s.IsMultinode()}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestOwnsRestarts(t *testing.T) {
	cases := map[string]struct {
		reason string
		spec   string
		want   bool
	}{
		"Nothing":       {reason: "Most users leave the annotation of a restart to the graph.", spec: `{"services":{"S":{"annotations":{"a":"b"},"extraPodMetadata":{}}}}`},
		"OnTheService":  {reason: "Some users set the annotation of a restart on the service.", spec: `{"services":{"S":{"annotations":{"nvidia.com/restartAt":"x"}}}}`, want: true},
		"OnThePods":     {reason: "Some users set the annotation of a restart on the pods of a service.", spec: `{"services":{"S":{"extraPodMetadata":{"annotations":{"nvidia.com/restartAt":""}}}}}`, want: true},
		"OnTheGraph":    {reason: "Some users set the annotation of a restart on the graph.", spec: `{"annotations":{"nvidia.com/restartAt":"x"},"services":{"S":{}}}`, want: true},
		"OnAnotherOnly": {reason: "The annotation of one service says nothing of another.", spec: `{"services":{"S":{},"T":{"annotations":{"nvidia.com/restartAt":"x"}}}}`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := decodedFrom(t, tc.spec).Component("S").OwnsRestarts(); got != tc.want {
				t.Errorf("%s\nOwnsRestarts(...): want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}

// TestClone shows that a clone has components of its own, which answer by the clone.
func TestClone(t *testing.T) {
	original := decodedFrom(t, `{"services":{"S":{"replicas":3}}}`)
	clone := original.Clone()
	clone.Component("S").Component.Replicas = nil
	clone.RunWeightServers("S")
	type seen struct {
		Replicas  int32
		HasLeader bool
	}
	of := func(g *Graph) seen {
		return seen{Replicas: g.Component("S").Replicas(), HasLeader: g.Component("S").HasLeader()}
	}
	want := map[string]seen{"original": {Replicas: 3}, "clone": {Replicas: 1, HasLeader: true}}
	if diff := cmp.Diff(want, map[string]seen{"original": of(original), "clone": of(clone)}); diff != "" {
		t.Errorf("What changes in a clone stays in it: -want, +got:\n%s", diff)
	}
}

// TestComponent shows that a component that the graph does not have can be asked like any other.
func TestComponent(t *testing.T) {
	g := decodedFrom(t, `{"annotations":{"a":"b"},"services":{}}`)
	absent := g.Component("S")
	if got := absent.AllAnnotations()["a"]; got != "b" || absent.Name != "S" || absent.Replicas() != 1 {
		t.Errorf("want component S with the annotations of the graph and one replica, got %q with annotation %q and %d replicas", absent.Name, got, absent.Replicas())
	}
	if len(g.Components) > 0 {
		t.Errorf("want nothing added to the graph, got %v", g.ComponentNames())
	}
}
