package whole

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/forms"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
)

// A Row of a table: a request, and what a subject decides about its graph.
type Row[Decision any] struct {
	Reason  string
	Request *fnv1.RunFunctionRequest
	Want    Decision

	// Otherwise says that it is decided otherwise once the graph is converted to v1beta1, which cannot say the same.
	Otherwise bool
}

// Rows of cases that say something else than a request.
func Rows[Case, Decision any](cases map[string]Case, row func(Case) Row[Decision]) map[string]Row[Decision] {
	rows := map[string]Row[Decision]{}
	for name, tc := range cases {
		rows[name] = row(tc)
	}
	return rows
}

// Table runs the rows of a table, each with its graph in both forms. What a subject decides is compared with what the row wants. The words in
// which the user is told, and those of some conditions, are in one golden file, where they can be read together.
func Table[Decision any](t *testing.T, rows map[string]Row[Decision], decided func(*Outcome) Decision, conditions ...string) {
	t.Helper()
	words := &plantest.Words{}
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		t.Run(name, func(t *testing.T) {
			r := rows[name]
			inServices, inComponents := Run(t, r.Request), Run(t, plantest.InComponents(t, r.Request))
			if diff := cmp.Diff(r.Want, decided(inServices)); diff != "" {
				t.Errorf("%s\nRunFunction(...): -want, +got:\n%s", r.Reason, diff)
			}
			if diff := cmp.Diff(r.Want, decided(inComponents)); (diff != "") != r.Otherwise {
				t.Errorf("%s\nRunFunction(...), converted to v1beta1 (otherwise: %t): -want, +got:\n%s", r.Reason, r.Otherwise, diff)
			}
			words.Add(name, inBoth(t, inServices.words(conditions), inComponents.words(conditions))...)
		})
	}
	words.Golden(t, len(rows))
}

// inBoth forms of a graph, what its user is told. What is the same in both is there once.
func inBoth(t *testing.T, inServices, inComponents []string) []string {
	t.Helper()
	all := slices.Clone(inServices)
	for _, text := range inComponents {
		if found := forms.OfServices(text); len(found) > 0 {
			t.Errorf("the message has %q, which a graph with components does not have: %s", found, text)
		}
		if !slices.Contains(inServices, text) {
			all = append(all, "in components: "+text)
		}
	}
	return all
}

// words of what is said, and of some conditions.
func (o *Outcome) words(conditions []string) []string {
	all := slices.Clone(o.Texts)
	for _, conditionType := range conditions {
		if text := o.Condition(conditionType).GetMessage(); text != "" {
			all = append(all, text)
		}
	}
	return all
}
