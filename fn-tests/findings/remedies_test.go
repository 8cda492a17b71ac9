// Package findings shows that those who follow what is said about their graphs get what they want: each cause is named once, and each remedy works.
package findings

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/corpus"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/previews"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/check"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/manifest"
)

// An edit of a graph that follows what a finding says. match are the words that the pattern of its remedy took from the finding.
type edit func(d document, f *check.Finding, match []string)

// A remedy is what findings say to do, as a pattern of their codes, fields and messages, and an edit for each way that they offer. If there are fewer,
// there is a reason why no edit of the graph follows the others.
type remedy struct {
	finding string
	edits   []edit
	others  string

	pattern *regexp.Regexp
	used    bool
}

// TestRemedies follows what each finding of the corpus says to do, in each way that it offers. The finding is gone after that, and nothing else is
// refused.
func TestRemedies(t *testing.T) {
	table := remedies()
	for i := range table {
		table[i].pattern = regexp.MustCompile(table[i].finding)
	}
	said := &strings.Builder{}
	for _, p := range corpus.Platforms() {
		c := &check.Checker{Previewer: previews.On(t, p)}
		// Manifests of other platforms have the same findings many times.
		elsewhere := map[string]bool{}
		for _, m := range manifestsOn(t, p) {
			data := harness.File(t, m.Path)
			followed := elsewhere
			if m.Platform.Name == p.Name {
				followed = nil
			}
			t.Run(p.Name+"/"+m.Name, func(t *testing.T) { said.WriteString(textOf(follow(t, c, table, data, followed))) })
		}
	}
	t.Run("said", func(t *testing.T) { everyMessageIsSaid(t, said.String()) })
	for _, r := range table {
		if !r.used && !testing.Short() {
			t.Errorf("no finding matches %s", r.finding)
		}
	}
}

// manifestsOn a platform: those of the corpus for it, and, without -short, the examples and those for other platforms, unless these refuse them,
// or guard rails refuse most of them.
func manifestsOn(t *testing.T, p corpus.Platform) []corpus.Manifest {
	t.Helper()
	all := corpus.Manifests(t)
	for _, e := range harness.Examples(t) {
		if e.Composition == harness.Composition {
			all = append(all, corpus.Manifest{Name: "examples/" + e.Name, Path: e.XR})
		}
	}
	return slices.DeleteFunc(all, func(m corpus.Manifest) bool {
		return m.Platform.Name != p.Name && (m.Refused || p.Name == "guarded" || testing.Short())
	})
}

// follow the remedies for a graph, except those that are followed already. A remedy is always followed where there is no list of them.
// It returns the findings of the graph.
func follow(t *testing.T, c *check.Checker, table []remedy, data []byte, followed map[string]bool) []check.Finding {
	t.Helper()
	before := findingsOf(t, c, data)
	for i := range before {
		f := &before[i]
		text := string(f.Code) + " " + f.Text()
		at := slices.IndexFunc(table, func(r remedy) bool { return r.pattern.MatchString(text) })
		if at < 0 {
			t.Errorf("nothing follows this:\n%s", text)
			continue
		}
		table[at].used = true
		_, offered, _ := strings.Cut(f.Text(), "; ")
		if table[at].others == "" && len(table[at].edits) <= strings.Count(offered, " or ") {
			t.Errorf("not all ways that this offers are followed:\n%s", text)
		}
		if followed[table[at].finding] {
			continue
		}
		if followed != nil {
			followed[table[at].finding] = true
		}
		for n, edit := range table[at].edits {
			d := documentOf(t, data)
			edit(d, f, table[at].pattern.FindStringSubmatch(text))
			after := findingsOf(t, c, d.yaml(t))
			if countOf(after, f) >= countOf(before, f) {
				t.Errorf("is still there after edit %d:\n%s\n%s", n, text, d.yaml(t))
			}
			for j := range after {
				if other := &after[j]; other.Severity == check.Error && countOf(after, other) > countOf(before, other) {
					t.Errorf("edit %d for this is refused:\n%s\n%s %s\n%s", n, text, other.Code, other.Text(), d.yaml(t))
				}
			}
		}
	}
	return before
}

func findingsOf(t *testing.T, c *check.Checker, data []byte) []check.Finding {
	t.Helper()
	files, err := manifest.Reader{In: bytes.NewReader(data)}.Read([]string{manifest.Stdin})
	if err != nil {
		t.Fatal(err)
	}
	report, err := c.Check(t.Context(), files)
	if err != nil {
		t.Fatal(err)
	}
	return report.Findings
}

// index of an item of a list, which changes when an item before it is removed.
var index = regexp.MustCompile(`\[\d+\]`)

// countOf findings of the same severity and rule about the same field.
func countOf(findings []check.Finding, f *check.Finding) int {
	n := 0
	for i := range findings {
		if findings[i].Severity == f.Severity && findings[i].Code == f.Code && index.ReplaceAllString(findings[i].Field, "[]") == index.ReplaceAllString(f.Field, "[]") {
			n++
		}
	}
	return n
}
