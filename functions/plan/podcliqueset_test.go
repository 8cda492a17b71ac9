package plan

import (
	"strings"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
)

// TestNameOfPodCliqueSet shows that a new graph has a name that Grove accepts, and that a live one keeps its name.
func TestNameOfPodCliqueSet(t *testing.T) {
	const (
		short = "llama"
		long  = "a-graph-with-a-name-of-forty-characters-x"
		cut   = "a-graph-with-a-name-of-forty-ch-8a1e"
		one   = `{"services":{"Frontend":{},"Decode":{}}}`
		nodes = `{"services":{"Frontend":{},"Decode":{"multinode":{"nodeCount":2}}}}`
	)
	cases := map[string]struct {
		reason  string
		name    string
		spec    string
		refs    string
		options []plantest.RequestOption
		want    string
	}{
		"Short": {reason: "A name for which there is room is the name of the graph.", name: short, spec: one},
		"Long":  {reason: "A longer name is cut, so that the longest name of a service fits.", name: long, spec: one, want: "a-graph-with-a-name-of-forty-cha-182d"},
		"Nodes": {reason: "The name of a service that spans nodes is twice in that of its pods.", name: long, spec: nodes, want: "a-graph-with-a-name-of-f-182d"},
		"Observed": {
			reason:  "A live PodCliqueSet keeps its name: one with another name would be a second one.",
			name:    long,
			spec:    nodes,
			options: []plantest.RequestOption{plantest.WithObserved("podcliqueset", `{"apiVersion":"grove.io/v1alpha1","kind":"PodCliqueSet","metadata":{"name":"`+cut+`"}}`)},
			want:    cut,
		},
		"ObservedPlain": {
			reason:  "A live PodCliqueSet that is called like the graph stays so, even if a service is added for which there is no room.",
			name:    long,
			spec:    nodes,
			options: []plantest.RequestOption{plantest.WithObserved("podcliqueset", `{"apiVersion":"grove.io/v1alpha1","kind":"PodCliqueSet","metadata":{"name":"`+long+`"}}`)},
		},
		"Referred": {
			reason: "A PodCliqueSet that is not observed yet keeps the name to which the graph refers.",
			name:   long,
			spec:   nodes,
			refs:   `[{"apiVersion":"grove.io/v1alpha1","kind":"PodCliqueSet","name":"` + cut + `"}]`,
			want:   cut,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			xr := strings.Replace(plantest.GraphOf(tc.spec), `"name":"llama"`, `"name":"`+tc.name+`"`, 1)
			if tc.refs != "" {
				xr = plantest.WithRefs(xr, false, tc.refs)
			}
			req := plantest.Request(xr, tc.options...)
			g, errs := graph.Decode(req)
			if len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}
			state, err := observed.Of(req)
			if err != nil {
				t.Fatal(err)
			}
			if got := nameOfPodCliqueSet(g, state); got != tc.want {
				t.Errorf("%s\nnameOfPodCliqueSet(...): want %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}
