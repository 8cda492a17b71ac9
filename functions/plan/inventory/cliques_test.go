package inventory

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
)

// onGrove is a graph with these components, of which those with a trailing * span nodes.
func onGrove(name string, components ...string) *graph.Graph {
	g := &graph.Graph{Name: name, Namespace: "inference"}
	for _, s := range components {
		service := v1alpha1.Service{Replicas: ptr.To[int32](3)}
		if multinode, ok := strings.CutSuffix(s, "*"); ok {
			s, service.Multinode = multinode, &v1alpha1.Multinode{NodeCount: 2}
		}
		g.Add(s, service)
	}
	return g
}

func TestMeet(t *testing.T) {
	cases := map[string]struct {
		reason string
		a, b   *graph.Graph
		want   bool
	}{
		"Unrelated":   {reason: "Names that have nothing to do with each other do not meet.", a: onGrove("a", "x"), b: onGrove("b", "x")},
		"Prefix":      {reason: "What begins alike need not end alike.", a: onGrove("a", "b-c"), b: onGrove("a-b", "c")},
		"Cliques":     {reason: "Both cliques are PodClique a-0-0-x.", a: onGrove("a", "0-x"), b: onGrove("a-0", "x"), want: true},
		"OtherClique": {reason: "Neighbours may live side by side.", a: onGrove("a", "0-x"), b: onGrove("a-0", "y")},
		"Groups":      {reason: "Both scaling groups are PodCliqueScalingGroup a-0-0-x.", a: onGrove("a", "0-x*"), b: onGrove("a-0", "x*"), want: true},
		"Kinds":       {reason: "A clique and a scaling group of one name are two objects.", a: onGrove("a", "0-x"), b: onGrove("a-0", "x*")},
		"Replica":     {reason: "The leaders of replica 0 of x of a are PodClique a-0-x-0-x-ldr.", a: onGrove("a", "x*"), b: onGrove("a-0-x", "x-ldr"), want: true},
		"Gang":        {reason: "The gang of a-0-x may have the name of one of a replica of x of a.", a: onGrove("a", "x*"), b: onGrove("a-0-x", "y"), want: true},
		"NoReplica":   {reason: "Where x spans no nodes it has no replicas that are objects.", a: onGrove("a", "x"), b: onGrove("a-0-x", "x-ldr")},
		"NoNumber":    {reason: "What follows a group has to be a number.", a: onGrove("a", "x*"), b: onGrove("a-0-x-y", "z")},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for _, pair := range [][2]*graph.Graph{{tc.a, tc.b}, {tc.b, tc.a}} {
				if got := CliquesOf(pair[0]).Meet(CliquesOf(pair[1])); got != tc.want {
					t.Errorf("%s\n%s and %s: want %t, got %t", tc.reason, pair[0].Name, pair[1].Name, tc.want, got)
				}
			}
		})
	}
}

// TestNeighboursOfReplicas shows that only names which can be those of a set are looked for among replicas.
func TestNeighboursOfReplicas(t *testing.T) {
	cases := map[string]struct {
		reason string
		graph  *graph.Graph
		want   []string
	}{
		"Single":    {reason: "A clique of an ordinary name is no neighbour's.", graph: onGrove("a", "b")},
		"Multinode": {reason: "Whatever number it is scaled to, one set is looked for.", graph: onGrove("a", "b*"), want: []string{"a-0-b"}},
		"Numbered": {
			reason: "Where the name of the service has the number of a set in it, each replica may be a neighbour's.",
			graph:  onGrove("a", "b-0-c*"),
			want:   []string{"a-0-b", "a-0-b-0-c", "a-0-b-0-c-0-b", "a-0-b-0-c-1-b", "a-0-b-0-c-2-b"},
		},
		"Graph": {reason: "Where the name of the graph has the number of a set in it, the graph may be a neighbour's.", graph: onGrove("a-0-b-0", "c"), want: []string{"a", "a-0-b"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Neighbours(tc.graph, 3)); diff != "" {
				t.Errorf("%s\nNeighbours(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestNeighbours makes graphs of few words, so that their names meet often, and plays what Grove makes of them: where two of
// them share an object, each finds the other.
func TestNeighbours(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // The same graphs every time.
	word := func(most int) string {
		parts := make([]string, 1+random.IntN(most))
		for i := range parts {
			parts[i] = []string{"a", "0", "b", "ldr"}[random.IntN(4)]
		}
		return strings.Join(parts, "-")
	}
	newGraph := func() *graph.Graph {
		var components []string
		for range 1 + random.IntN(2) {
			components = append(components, word(3)+[]string{"", "*"}[random.IntN(2)])
		}
		return onGrove("a-"+word(4), components...)
	}
	shared := 0
	for range 200_000 {
		a, b := newGraph(), newGraph()
		objects := objectsOfGrove(a)
		if a.Name == b.Name || !slices.ContainsFunc(objectsOfGrove(b), func(o string) bool { return slices.Contains(objects, o) }) {
			continue
		}
		shared++
		if !slices.Contains(Neighbours(a, 3), b.Name) || !slices.Contains(Neighbours(b, 3), a.Name) || !CliquesOf(a).Meet(CliquesOfSet(setOf(b))) {
			t.Fatalf("%s %v and %s %v share an object; neighbours %v and %v", a.Name, a.ComponentNames(), b.Name, b.ComponentNames(), Neighbours(a, 3), Neighbours(b, 3))
		}
	}
	if shared < 100 {
		t.Errorf("want many pairs that share an object, got %d", shared)
	}
}

// objectsOfGrove are the objects of kinds that only Grove makes, by kind and name.
func objectsOfGrove(g *graph.Graph) []string {
	all := []string{"PodGang " + g.Name + "-0"}
	for _, name := range g.ComponentNames() {
		component := g.Component(name)
		child := g.Name + "-0-" + name
		if component.Multinode == nil {
			all = append(all, "PodClique "+child)
			continue
		}
		all = append(all, "PodCliqueScalingGroup "+child)
		for i := range component.Replicas() {
			all = append(all, fmt.Sprintf("PodGang %s-%d", child, i), fmt.Sprintf("PodClique %s-%d-%s-ldr", child, i, name), fmt.Sprintf("PodClique %s-%d-%s-wkr", child, i, name))
		}
	}
	return all
}

// setOf a graph, as it is in the cluster.
func setOf(g *graph.Graph) *grovev1alpha1.PodCliqueSet {
	set := &grovev1alpha1.PodCliqueSet{}
	set.Name = g.Name
	template := &set.Spec.Template
	for _, name := range g.ComponentNames() {
		if g.Component(name).Multinode == nil {
			template.Cliques = append(template.Cliques, grovev1alpha1.Clique{Name: name})
			continue
		}
		members := []string{name + "-ldr", name + "-wkr"}
		template.Cliques = append(template.Cliques, grovev1alpha1.Clique{Name: members[0]}, grovev1alpha1.Clique{Name: members[1]})
		template.ScalingGroups = append(template.ScalingGroups, grovev1alpha1.ScalingGroup{Name: name, CliqueNames: members})
	}
	return set
}
