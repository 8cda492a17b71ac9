package subject_test

import (
	"slices"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
)

// TestNameOfPodCliqueSet shows that a new graph has a name that Grove accepts, and that a live one keeps its name.
func TestNameOfPodCliqueSet(t *testing.T) {
	const (
		short = "llama"
		long  = "a-graph-with-a-name-of-forty-characters-x"
		cut   = "a-graph-with-a-name-of-forty-ch-8a1e"
	)
	one := []plantest.GraphChange{plantest.Frontend, plantest.Component("Decode", plantest.ComponentOf("decode"))}
	nodes := slices.Concat(one, []plantest.GraphChange{plantest.Changed("Decode", plantest.WithNodes(2))})
	setCalled := func(name string) plantest.RequestOption {
		return plantest.WithObserved("podcliqueset", plantest.Named("grove.io/v1alpha1", "PodCliqueSet", name))
	}
	cases := map[string]struct {
		reason  string
		name    string
		graph   []plantest.GraphChange
		options []plantest.RequestOption
		want    string
	}{
		"Short": {reason: "A name for which there is room is the name of the graph.", name: short, graph: one},
		"Long":  {reason: "A longer name is cut, so that the longest name of a service fits.", name: long, graph: one, want: "a-graph-with-a-name-of-forty-cha-182d"},
		"Nodes": {reason: "The name of a service that spans nodes is twice in that of its pods.", name: long, graph: nodes, want: "a-graph-with-a-name-of-f-182d"},
		"Observed": {
			reason:  "A live PodCliqueSet keeps its name: one with another name would be a second one.",
			name:    long,
			graph:   nodes,
			options: []plantest.RequestOption{setCalled(cut)},
			want:    cut,
		},
		"ObservedPlain": {
			reason:  "A live PodCliqueSet that is called like the graph stays so, even if a service is added for which there is no room.",
			name:    long,
			graph:   nodes,
			options: []plantest.RequestOption{setCalled(long)},
		},
		"Referred": {
			reason:  "A PodCliqueSet that is not observed keeps the name to which the graph refers, if the status confirms that there was one.",
			name:    long,
			graph:   slices.Concat(nodes, []plantest.GraphChange{plantest.RunningOn("Grove")}),
			options: []plantest.RequestOption{plantest.WithReferences(plantest.ReferenceTo("grove.io/v1alpha1", "PodCliqueSet", cut))},
			want:    cut,
		},
		"MadeUp": {
			reason:  "The user of a new graph cannot choose the name.",
			name:    long,
			graph:   nodes,
			options: []plantest.RequestOption{plantest.WithReferences(plantest.ReferenceTo("grove.io/v1alpha1", "PodCliqueSet", "of-somebody-else"))},
			want:    "a-graph-with-a-name-of-f-182d",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			xr := plantest.Graph(tc.graph...)
			xr.Name = tc.name
			if got := plantest.Facts(t, plantest.Request(xr, tc.options...)).Graph.AdoptedNames.PodCliqueSet; got != tc.want {
				t.Errorf("%s\nGather(...): want PodCliqueSet %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}
