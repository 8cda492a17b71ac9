package templates

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/shared"
)

// wantedEnv is the environment variable that, set to 1, has the tables written though live graphs get other pods. It is not
// harness.UpdateEnv, with which everything is regenerated: this must not happen beside something else.
const wantedEnv = "CONFIGURATION_DYNAMO_TEMPLATES"

// named is how many changes a message names.
const named = 5

// source is a manifest to render.
type source struct{ name, path, composition string }

// TestExamples pins the pod templates of the examples.
func TestExamples(t *testing.T) {
	var sources []source
	for _, e := range harness.Examples(t) {
		sources = append(sources, source{e.Name, e.XR, e.Composition})
	}
	pin(t, "examples.tsv", sources)
}

// TestCorpus pins those of real manifests. Where there are none, nothing is checked.
func TestCorpus(t *testing.T) {
	var sources []source
	for _, m := range shared.Corpus(t) {
		if m.Valid {
			sources = append(sources, source{m.Name, m.Path, harness.Composition})
		}
	}
	pin(t, "corpus.tsv", sources)
}

// pin the pod templates of manifests in a table.
func pin(t *testing.T, file string, sources []source) {
	t.Helper()
	path := filepath.Join("testdata", file)
	text, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	older, err := ParseTable(string(text))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	newer := render(t, sources)
	changes := Changes(older, newer)
	wanted := os.Getenv(wantedEnv) == "1"
	if len(changes) > 0 && !wanted {
		t.Fatal(unwanted(changes, newer, sources))
	}
	if wanted {
		t.Logf("%d changes", len(changes))
	}
	if wanted || harness.Update() {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(newer.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if newer.String() != string(text) {
		t.Errorf("%s: manifests were added, removed or edited: run make golden", path)
	}
}

// render manifests on Grove and on LeaderWorkerSets.
func render(t *testing.T, sources []source) Table {
	t.Helper()
	clusters := []string{harness.GroveKAI, harness.LWSVolcano}
	var renders []harness.Render
	for _, s := range sources {
		for _, cluster := range clusters {
			renders = append(renders, harness.Render{XR: s.path, Composition: s.composition, Cluster: cluster})
		}
	}
	var table Table
	for i, out := range harness.New(t).RenderAll(t, renders) {
		s, cluster := sources[i/len(clusters)], strings.TrimSuffix(filepath.Base(renders[i].Cluster), ".yaml")
		if out.Err != nil && !strings.Contains(out.Stderr, "fatal result") {
			t.Errorf("%s on %s: %v: %s", s.name, cluster, out.Err, out.Stderr)
		}
		rows, err := RowsOf(s.name, cluster, harness.Read(t, s.path)[0], out.Composed)
		if err != nil {
			t.Fatalf("%s on %s: %v", s.name, cluster, err)
		}
		table = append(table, rows...)
	}
	if t.Failed() {
		// A table without what failed would tell of workloads that are gone.
		t.FailNow()
	}
	return table
}

// unwanted is the message about changes that nobody asked for.
func unwanted(changes []Change, newer Table, sources []source) string {
	manifests := map[string]bool{}
	for _, c := range changes {
		manifests[c.Manifest] = true
	}
	var message strings.Builder
	fmt.Fprintf(&message, "An upgrade would replace or refuse pods of graphs that nobody changed: %d changes in %d of %d manifests, such as\n",
		len(changes), len(manifests), len(newer.graphs()))
	for _, c := range changes[:min(named, len(changes))] {
		fmt.Fprintf(&message, "  %s\n", c)
	}
	fmt.Fprintf(&message, "To see what changes in the first of them:\n%s", difference(changes[0], sources))
	message.WriteString("If it is wanted, list it in docs/upgrading.md under the next version, and then run: make templates")
	return message.String()
}

// difference is the commands that show a change.
func difference(c Change, sources []source) string {
	path, composition := c.Manifest, harness.Composition
	for _, s := range sources {
		if s.name == c.Manifest {
			path, composition = s.path, s.composition
		}
	}
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	return fmt.Sprintf(`  git worktree add --detach _output/before HEAD    # or the commit before the change
  render() { (cd "$1" && go run ./functions render %s %s %s -e examples/cluster/%s.yaml); }
  diff -u <(render _output/before) <(render .)
  git worktree remove _output/before
`, path, composition, harness.Functions, c.Cluster)
}
