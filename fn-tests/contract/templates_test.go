package contract

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/corpus"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/shared"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/templates"
)

// acceptTemplatesEnv is the environment variable that, set to 1, has the outlines written though live graphs get other pods. It is not
// harness.UpdateEnv, with which everything is regenerated: this must not happen beside something else.
const acceptTemplatesEnv = "CONFIGURATION_DYNAMO_TEMPLATES"

// namedChanges is how many changes a message names.
const namedChanges = 5

// outlineSource is a manifest to render on a platform.
type outlineSource struct {
	name, path, platform string
	render               harness.Render
}

// outlineSet of manifests whose outlines are in one file.
type outlineSet struct {
	file    string
	sources []outlineSource
	// whole outlines have objects without pods too, and warnings.
	whole bool
}

// TestTemplatesOfExamples pins what the examples become.
func TestTemplatesOfExamples(t *testing.T) {
	s := outlineSet{file: "examples.outline", whole: true}
	for _, e := range harness.ExamplesV1alpha1(t) {
		s.add(e.Name, e.XR, e.Composition)
	}
	s.pin(t)
}

// TestTemplatesOfOwnManifests pins what the manifests of the corpus become, each on its platform, and why they are refused.
func TestTemplatesOfOwnManifests(t *testing.T) {
	s := outlineSet{file: "corpus.outline", whole: true}
	manifests := corpus.Manifests(t)
	for i, render := range corpus.Renders(t, manifests) {
		name := strings.TrimSuffix(filepath.Base(manifests[i].Path), ".yaml")
		s.sources = append(s.sources, outlineSource{name, manifests[i].Path, manifests[i].Platform.Name, render})
	}
	s.pin(t)
}

// TestTemplatesOfCorpus pins the pod templates of manifests outside of the repository. Where there are none, nothing is checked.
func TestTemplatesOfCorpus(t *testing.T) {
	s := outlineSet{file: "outside.outline"}
	for _, m := range shared.Corpus(t) {
		if m.Valid {
			s.add(m.Name, m.Path, harness.Composition)
		}
	}
	s.pin(t)
}

// add a manifest on Grove and on LeaderWorkerSets.
func (s *outlineSet) add(name, path, composition string) {
	for _, cluster := range []string{harness.GroveKAI, harness.LWSVolcano} {
		platform := strings.TrimSuffix(filepath.Base(cluster), ".yaml")
		s.sources = append(s.sources, outlineSource{name, path, platform, harness.Render{XR: path, Composition: composition, Cluster: cluster}})
	}
}

// pin the outlines of the manifests in the file.
func (s *outlineSet) pin(t *testing.T) {
	t.Helper()
	path := filepath.Join("testdata", "outlines", s.file)
	text, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	older, err := templates.Parse(string(text))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	newer := s.outlines(t)
	changes := templates.Changes(older, newer)
	if accepted := harness.Accepts(t, acceptTemplatesEnv); len(changes) > 0 && !accepted {
		t.Fatal(s.unwanted(changes))
	}
	t.Logf("%d changes", len(changes))
	harness.Golden(t, path, []byte(templates.Format(newer)))
}

// outlines of what the manifests become.
func (s *outlineSet) outlines(t *testing.T) []templates.Outline {
	t.Helper()
	renders := make([]harness.Render, len(s.sources))
	for i := range s.sources {
		renders[i] = s.sources[i].render
	}
	outlines := make([]templates.Outline, len(renders))
	for i, out := range harness.New(t).RenderAll(t, renders) {
		from := &s.sources[i]
		if out.Err != nil && !strings.Contains(out.Stderr, "fatal result") {
			t.Errorf("%s on %s: %v: %s", from.name, from.platform, out.Err, out.Stderr)
		}
		outline, err := templates.OutlineOf(from.name, from.platform, harness.Read(t, from.path)[0], out.Composed)
		if err != nil {
			t.Fatalf("%s on %s: %v", from.name, from.platform, err)
		}
		outline.Messages = out.Refusals()
		if s.whole {
			outline.Messages = append(outline.Messages, out.Warnings()...)
		} else {
			outline = outline.WithPods()
		}
		outlines[i] = outline
	}
	if t.Failed() {
		// Without what failed, workloads would seem to be gone.
		t.FailNow()
	}
	return outlines
}

// unwanted is the message about changes that nobody asked for.
func (s *outlineSet) unwanted(changes []templates.Change) string {
	manifests := map[string]bool{}
	for _, c := range changes {
		manifests[c.Manifest] = true
	}
	var message strings.Builder
	fmt.Fprintf(&message, "An upgrade would replace or refuse pods of graphs that nobody changed: %d changes in %d manifests of %s, such as\n",
		len(changes), len(manifests), s.file)
	for _, c := range changes[:min(namedChanges, len(changes))] {
		fmt.Fprintf(&message, "  %s\n", c)
	}
	fmt.Fprintf(&message, "To see what changes in the first of them:\n%s", s.difference(changes[0]))
	message.WriteString("If it is wanted, describe it in a file changelog.d/NAME.running-graphs.md, and then run: make templates")
	return message.String()
}

// difference is the commands that show a change.
func (s *outlineSet) difference(c templates.Change) string {
	i := slices.IndexFunc(s.sources, func(from outlineSource) bool { return from.name == c.Manifest && from.platform == c.Platform })
	r := s.sources[i].render
	return fmt.Sprintf(`  git worktree add --detach _output/before HEAD    # or the commit before the change
  render() { (cd "$1" && go run ./cmd/dgd render %s %s %s -e %s); }
  diff -u <(render _output/before) <(render .)
  git worktree remove _output/before
`, r.XR, r.Composition, harness.Functions, r.Cluster)
}
