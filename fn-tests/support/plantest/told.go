package plantest

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
)

// Said is a refusal or a warning without its words.
type Said struct {
	// Kind of a refusal. A warning has none.
	Kind  subject.Kind
	Code  rule.Code
	Field string
}

// Refused is why a graph is refused: for fields of a rule.
func Refused(kind subject.Kind, code rule.Code, fields ...string) []Said {
	var said []Said
	for _, field := range fields {
		said = append(said, Said{Kind: kind, Code: code, Field: field})
	}
	return said
}

// Warned is what the user of a graph is warned of: fields of a rule.
func Warned(code rule.Code, fields ...string) []Said { return Refused("", code, fields...) }

// Told is what the user of a graph is told, without words and in words.
type Told struct {
	Said  []Said
	Texts []string
}

// Tell what an outcome says.
func Tell(o subject.Outcome, words message.Words) Told {
	var told Told
	for _, r := range o.Refusals {
		told.Said = append(told.Said, Said{Kind: r.Kind, Code: r.Code, Field: r.Field})
		told.Texts = append(told.Texts, r.In(words))
	}
	for _, m := range o.Warnings {
		told.Said = append(told.Said, Said{Code: m.Code, Field: m.Field})
		told.Texts = append(told.Texts, m.In(words))
	}
	slices.SortFunc(told.Said, func(a, b Said) int {
		return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Kind, b.Kind))
	})
	told.Said = slices.Compact(told.Said)
	slices.Sort(told.Texts)
	told.Texts = slices.Compact(told.Texts)
	return told
}

// Words in which users are told what the cases of a table are about. They are in one golden file, where they can be read together.
type Words struct{ ofCases map[string][]string }

// Add the words of a case, which may be none.
func (w *Words) Add(name string, texts ...string) {
	if w.ofCases == nil {
		w.ofCases = map[string][]string{}
	}
	w.ofCases[name] = texts
}

// Golden compares the words of all cases with the golden file of a table, unless only some of the cases were run.
func (w *Words) Golden(t *testing.T, cases int) {
	t.Helper()
	if len(w.ofCases) < cases {
		return
	}
	all := &strings.Builder{}
	for _, name := range slices.Sorted(maps.Keys(w.ofCases)) {
		if texts := w.ofCases[name]; len(texts) > 0 {
			all.WriteString(strings.Join(append([]string{name}, texts...), "\n  ") + "\n")
		}
	}
	if all.Len() == 0 {
		return
	}
	harness.Golden(t, filepath.Join("testdata", "words", t.Name()+".txt"), []byte(all.String()))
}
