package compare

import (
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/tool/check"
)

// TestImpactOfGraph shows what the line of a graph says.
func TestImpactOfGraph(t *testing.T) {
	several := func(number int) (all []Object) {
		for _, name := range []string{"a", "b", "c", "d", "e", "f"}[:number] {
			all = append(all, Object{Kind: "Service", Name: name, Effect: Changed, Text: "changes"})
		}
		return append(all, Object{Kind: "Secret", Name: "kept", Effect: Kept}, Object{Kind: "Role", Name: "same", Effect: Nothing})
	}
	cases := map[string]struct {
		reason string
		graph  Graph
		want   string
	}{
		"Nothing": {reason: "A graph that stays as it is has no more to say.", graph: Graph{Effect: Nothing}, want: "nothing changes"},
		"Few": {
			reason: "Objects that change are named.", graph: Graph{Effect: Changed, Objects: several(4)},
			want: (&Graph{Effect: Changed}).words() + "; Service a changes; Service b changes; Service c changes; Service d changes",
		},
		"Many": {
			reason: "The line stays one that can be read.", graph: Graph{Effect: Changed, Objects: several(6)},
			want: (&Graph{Effect: Changed}).words() + "; Service a changes; Service b changes; Service c changes; Service d changes; and 2 more objects",
		},
		"Outdated": {reason: "What the next edit replaces is named.", graph: Graph{Effect: Nothing, Outdated: []string{"Decode", "Prefill"}}, want: "other pods at the next edit of Decode, Prefill"},
		"Refused": {
			reason: "Of a refused graph, only the refusals count.", graph: Graph{Effect: Refused, Objects: several(1), Refusals: []check.Finding{{Code: "DGD310", Message: "cannot run"}}},
			want: "is refused; cannot run [DGD310]",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := tc.graph.impact(); got != tc.want {
				t.Errorf("%s\nimpact(): want %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}
