package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"mvdan.cc/sh/v3/syntax"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// injections are texts that a shell would run unless they are quoted: with either kind of quotes around them, without any, and in a comment of an
// interactive shell that does not know comments.
func injections() []string {
	return []string{
		"; touch pwned #",
		`'"; touch pwned; $(touch pwned)` + "`touch pwned`\ntouch pwned\n|touch pwned",
		"\u2028touch pwned\r`touch pwned`\"'; touch pwned",
	}
}

// TestAdoptShell shows that nothing of a cluster becomes a command of the person who takes the steps: every text in a cluster is replaced by one
// that a shell would run, both where it stands alone and wherever it is repeated, as the name of a graph is.
func TestAdoptShell(t *testing.T) {
	shell := newStubShell(t)
	for _, cluster := range []string{"cmd/dgd/testdata/adopt/cluster.yaml", "cmd/dgd/testdata/adopt/others.yaml"} {
		objects := harness.Read(t, cluster)
		for i, text := range textsOf(objects) {
			if !harness.Sampled(i, 10) {
				continue
			}
			t.Run(filepath.Base(cluster)+"/"+text.String(), func(t *testing.T) {
				for _, injection := range injections() {
					shell.take(t, stepsFor(t, text.replacedIn(objects, text.value+injection)))
				}
			})
		}
	}
	if shell.steps == 0 {
		t.Error("no injection is in the steps")
	}
}

// TestAdoptShellRuns shows that the shell of the tests finds what it has to: a step that is not quoted.
func TestAdoptShellRuns(t *testing.T) {
	shell := newStubShell(t)
	for _, step := range []string{"disown a b $(touch pwned)", "finish a; touch pwned", "#   own a '{'$(touch pwned)'}'", "# Graph a: $(touch pwned)"} {
		if shell.isSafe(t, step+"\n") {
			t.Errorf("want a command to be found in %q", step)
		}
	}
}

// stepsFor objects of a cluster.
func stepsFor(t *testing.T, objects []*unstructured.Unstructured) string {
	t.Helper()
	folder := t.TempDir()
	got := ended(t, string(harness.Format(t, objects...)), "adopt", "-f", "-", "-d", folder)
	steps, err := os.ReadFile(filepath.Join(folder, "steps.sh"))
	if err != nil && got.code == 0 {
		t.Fatal("there are no steps, and no error")
	}
	return string(steps)
}

// A stubShell runs steps with programs that do nothing, except that touch is as good as real.
type stubShell struct {
	bash, folder string
	// steps that were taken because an injection is in them.
	steps int
}

func newStubShell(t *testing.T) *stubShell {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal(err)
	}
	s := &stubShell{bash: bash, folder: t.TempDir()}
	for _, program := range []string{"kubectl", "grep", "diff"} {
		if err := os.WriteFile(filepath.Join(s.folder, program), []byte("#!/bin/sh\nexit 0\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(s.folder, "touch"), []byte("#!/bin/sh\n: >"+filepath.Join(s.folder, "pwned")+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return s
}

// take the steps, and those to go back, as a person does who copies them into a shell.
func (s *stubShell) take(t *testing.T, steps string) {
	t.Helper()
	if !s.isSafe(t, steps) {
		t.Errorf("what a cluster contains becomes a command:\n%s", strings.Join(slices.DeleteFunc(strings.Split(steps, "\n"),
			func(line string) bool { return !strings.Contains(line, "touch") }), "\n"))
	}
}

// toGoBack are steps that are in comments.
var toGoBack = regexp.MustCompile(`(?m)^# {3}(disown|own|finish|kubectl) `)

// isSafe reports whether a shell takes steps without a command that is none of them.
func (s *stubShell) isSafe(t *testing.T, steps string) bool {
	t.Helper()
	if !strings.Contains(steps, "pwned") {
		return true
	}
	s.steps++
	steps = strings.Replace(steps, "; exit 1\n", "\n", 1)
	taken := toGoBack.ReplaceAllString(steps, "$1 ")
	if _, err := syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Parse(strings.NewReader(taken), ""); err != nil {
		t.Logf("the steps are no shell script: %v", err)
		return false
	}
	for line := range strings.Lines(taken) {
		// A shell such as zsh takes comments that are pasted for commands.
		if comment, ok := strings.CutPrefix(line, "#"); ok && strings.Contains(withoutQuoted(comment), "pwned") {
			t.Logf("a comment is not quoted: %s", line)
			return false
		}
	}
	command := exec.Command(s.bash)
	command.Stdin, command.Dir, command.Env = strings.NewReader(taken), s.folder, []string{"PATH=" + s.folder}
	if out, err := command.CombinedOutput(); strings.Contains(string(out), "syntax error") {
		t.Logf("bash: %v: %s", err, out)
		return false
	}
	return os.Remove(filepath.Join(s.folder, "pwned")) != nil
}

// withoutQuoted is a line without what quotes of a shell surround.
func withoutQuoted(line string) string {
	var out strings.Builder
	quote := rune(0)
	for _, r := range line {
		switch {
		case quote == 0 && (r == '\'' || r == '"'):
			quote = r
		case r == quote:
			quote = 0
		case quote == 0 || quote == '"' && (r == '$' || r == '`'):
			out.WriteRune(r)
		}
	}
	return out.String()
}

// A text of a cluster: where it is, and what it says.
type text struct {
	// path without the indices of lists. An empty text stands for any place.
	path, value string
}

func (s text) String() string { return fmt.Sprintf("%s=%.40s", s.path, s.value) }

// textsOf objects: each path, and each value.
func textsOf(objects []*unstructured.Unstructured) []text {
	var all []text
	for _, o := range objects {
		mapTexts("", o.Object, func(path, value string) string {
			for _, found := range []text{{path, value}, {"", value}} {
				if !slices.Contains(all, found) {
					all = append(all, found)
				}
			}
			return value
		})
	}
	return all
}

// replacedIn objects by another text.
func (s text) replacedIn(objects []*unstructured.Unstructured, by string) []*unstructured.Unstructured {
	var all []*unstructured.Unstructured
	for _, o := range objects {
		replaced, _ := mapTexts("", o.Object, func(path, value string) string {
			if value == s.value && (s.path == "" || path == s.path) {
				return by
			}
			return value
		}).(map[string]any)
		all = append(all, &unstructured.Unstructured{Object: replaced})
	}
	return all
}

// mapTexts of a tree, keys of objects too.
func mapTexts(path string, value any, replace func(path, value string) string) any {
	switch value := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, nested := range value {
			out[replace(path+".(key)", key)] = mapTexts(path+"."+key, nested, replace)
		}
		return out
	case []any:
		out := make([]any, 0, len(value))
		for _, nested := range value {
			out = append(out, mapTexts(path+"[]", nested, replace))
		}
		return out
	case string:
		return replace(path, value)
	default:
		return value
	}
}
