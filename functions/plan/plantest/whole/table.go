package whole

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/forms"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
)

// Table runs the cases of a table, each with its graph in both forms. What a subject decides is compared with what the case wants. The words in
// which the user is told, and those of some conditions, are in one golden file, where they can be read together.
func Table[Case, Decision any](
	t *testing.T, cases map[string]Case, parts func(Case) (reason string, req *fnv1.RunFunctionRequest, want Decision), decided func(*Outcome) Decision, conditions ...string,
) {
	t.Helper()
	words := &strings.Builder{}
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		t.Run(name, func(t *testing.T) {
			reason, req, want := parts(cases[name])
			inServices, inComponents := Run(t, req), Run(t, plantest.InComponents(t, req))
			if diff := cmp.Diff(want, decided(inServices)); diff != "" {
				t.Errorf("%s\nRunFunction(...): -want, +got:\n%s", reason, diff)
			}
			if diff := cmp.Diff(want, decided(inComponents)); diff != "" {
				t.Errorf("%s\nRunFunction(...), converted to v1beta1: -want, +got:\n%s", reason, diff)
			}
			said, converted := inServices.words(conditions), inComponents.words(conditions)
			if len(said) == 0 {
				return
			}
			fmt.Fprintf(words, "%s\n  %s\n", name, strings.Join(said, "\n  "))
			for _, text := range converted {
				if of := forms.OfServices(text); len(of) > 0 {
					t.Errorf("the message has %q, which a graph with components does not have: %s", of, text)
				}
				if !slices.Contains(said, text) {
					fmt.Fprintf(words, "  in components: %s\n", text)
				}
			}
		})
	}
	if words.Len() > 0 {
		harness.Golden(t, filepath.Join("testdata", "words", t.Name()+".txt"), []byte(words.String()))
	}
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
