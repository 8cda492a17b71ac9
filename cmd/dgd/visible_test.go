package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/strict"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
)

// escapes that a terminal acts on: a color, the direction of text, a control character of eight bits, a bell, and the return to the beginning of a
// line.
const escapes = "\x1b[31;1m\u202e\u009b\a\rx"

// A reader is a command with the objects that it reads, from standard input or with kubectl.
type reader struct {
	args    []string
	objects string
	kubectl func(t *testing.T, objects []*unstructured.Unstructured)
	// words are said to the command in place of an object.
	words bool
}

// readers are ways to call each command. Each is tried in every format that the command has.
func readers() map[string][]reader {
	const (
		graph      = "examples/agg-vllm.yaml"
		components = "examples/v1alpha1/pvc-compilation-cache.yaml"
		operator   = "cmd/dgd/testdata/adopt/others.yaml"
		crashing   = recorded + "crash.yaml"
		installed  = "tool/doctor/testdata/cluster.yaml"
	)
	example := filepath.Join(harness.Root(), graph)
	live := func(t *testing.T, objects []*unstructured.Unstructured) {
		t.Helper()
		newCluster(t).serve(t, objects)
	}
	recordedCluster := func(t *testing.T, objects []*unstructured.Unstructured) { t.Helper(); newCluster(t).put(t, objects...) }
	of := func(objects string, calls ...string) []reader {
		var all []reader
		for _, call := range calls {
			all = append(all, reader{args: strings.Fields(call), objects: objects})
		}
		return all
	}
	through := func(kubectl func(*testing.T, []*unstructured.Unstructured), all []reader) []reader {
		for i := range all {
			all[i].kubectl = kubectl
		}
		return all
	}
	words := []reader{{words: true}}
	return map[string][]reader{
		"validate":       of(graph, "validate -"),
		"diff":           of(graph, "diff "+example+" - --fields", "diff - "+example+" --fields"),
		"explain":        of(graph, "explain - --commands"),
		"render":         of(graph, "render - --include-full-xr --include-function-results --include-context"),
		"convert":        slices.Concat(of(graph, "convert - --to=v1alpha1"), of(components, "convert -")),
		"adopt check":    of(operator, "adopt check -f -"),
		"adopt write":    of(operator, "adopt write -f - -d adoption"),
		"why":            through(recordedCluster, of(crashing, "why image-deployments-crashing -n inference --logs", "why -A")),
		"doctor":         through(live, of(installed, "doctor")),
		"cluster record": through(live, of(installed, "cluster record")),
		"schema":         words,
		"completion":     words,
		"man":            words,
		"reference":      words,
		"help":           words,
		"version":        words,
		"serve":          words,
	}
}

// TestVisible shows that what one user writes cannot make the terminal of another do something, whatever command reads it and wherever it is.
func TestVisible(t *testing.T) {
	app, err := kong.New(&commands{})
	if err != nil {
		t.Fatal(err)
	}
	all := readers()
	for _, leaf := range app.Model.Leaves(false) {
		name := strings.TrimPrefix(leaf.Path(), app.Model.Name+" ")
		calls, ok := all[name]
		if !ok {
			t.Errorf("no test sends escapes through command %s: add it to readers", name)
		}
		delete(all, name)
		for _, call := range calls {
			if call.words {
				call.args = strings.Fields(name)
			}
			for _, format := range formatsOf(leaf) {
				call := call
				call.args = append(slices.Clone(call.args), format...)
				t.Run(strings.Join(call.args, " "), func(t *testing.T) { call.read(t) })
			}
		}
	}
	for name := range all {
		t.Errorf("there is no command %s", name)
	}
}

// formatsOf a command, each as the arguments that choose it.
func formatsOf(command *kong.Node) [][]string {
	for _, flag := range command.Flags {
		if flag.Name == "output" && flag.Enum != "" {
			var all [][]string
			for _, format := range flag.EnumSlice() {
				all = append(all, []string{"--output=" + format})
			}
			return all
		}
	}
	return [][]string{nil}
}

func (r reader) read(t *testing.T) {
	t.Helper()
	// Every command is told what does not exist, and has flags that it does not know. A command may create a file of that name.
	t.Chdir(t.TempDir())
	for _, word := range []string{escapes, "--" + escapes, "--output=" + escapes, "--namespace=" + escapes, "--cluster=" + escapes} {
		r.isVisible(t, ended(t, "", append(slices.Clone(r.args), word)...))
	}
	if r.words {
		return
	}
	objects := harness.Read(t, r.objects)
	for i, found := range textsOf(objects) {
		if !harness.Sampled(i, 40) {
			continue
		}
		t.Run(found.String(), func(t *testing.T) {
			for _, by := range []string{found.value + escapes, escapes} {
				r.isVisible(t, r.of(t, found.replacedIn(objects, by)))
			}
		})
	}
}

// of objects, a command prints something or writes files.
func (r reader) of(t *testing.T, objects []*unstructured.Unstructured) end {
	t.Helper()
	args, stdin, folder := slices.Clone(r.args), "", t.TempDir()
	if r.kubectl != nil {
		r.kubectl(t, objects)
	} else {
		stdin = stream(t, objects)
	}
	if i := slices.Index(args, "adoption"); i >= 0 {
		args[i] = folder
	}
	got := ended(t, stdin, args...)
	if err := fs.WalkDir(os.DirFS(folder), ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			data, _ := os.ReadFile(filepath.Join(folder, path))
			got.out += string(data)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return got
}

// isVisible checks that nothing printed is more than text.
func (r reader) isVisible(t *testing.T, got end) {
	t.Helper()
	for line := range strings.Lines(got.out + got.err) {
		if strings.ContainsFunc(line, func(r rune) bool { return !strict.IsVisible(r) }) {
			t.Fatalf("want nothing that a terminal acts on, got %q", line)
		}
	}
}

// stream of documents, as data that itself is visible.
func stream(t *testing.T, objects []*unstructured.Unstructured) string {
	t.Helper()
	var documents [][]byte
	for _, o := range objects {
		data, err := output.YAML(o.Object)
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, data)
	}
	return string(bytes.Join(documents, []byte("---\n")))
}

// TestVisibleKubectl shows the same for what kubectl says if it fails.
func TestVisibleKubectl(t *testing.T) {
	newCluster(t).write(t, "failure", escapes+"\n")
	for _, call := range []string{
		"why llama", "doctor", "cluster record", "adopt check", "adopt write", "validate --cluster=live ../../examples/agg-vllm.yaml",
		"diff --cluster=live live ../../examples/agg-vllm.yaml",
	} {
		t.Run(call, func(t *testing.T) {
			got := ended(t, "", strings.Fields(call)...)
			if got.code == 0 {
				t.Errorf("want an error, got %q", got.out)
			}
			reader{}.isVisible(t, got)
		})
	}
}

// TestForged shows that nothing in a manifest can look like a message about another field, or like a verdict, in the review of a change.
func TestForged(t *testing.T) {
	const forged = "forged: nothing is wrong"
	for _, graph := range []string{"examples/agg-vllm.yaml", "examples/v1alpha1/pvc-compilation-cache.yaml"} {
		objects := harness.Read(t, graph)
		for i, found := range textsOf(objects) {
			if !harness.Sampled(i, 40) {
				continue
			}
			got := reader{args: []string{"validate", "-"}}.of(t, found.replacedIn(objects, found.value+"\n"+forged))
			unknown := map[string]bool{}
			for line := range strings.Lines(got.out + got.err) {
				if strings.HasPrefix(strings.TrimSpace(line), forged) {
					t.Errorf("%s: a message of the user:\n%s", found, got.out+got.err)
				}
				// The API server's validation and ours find the same field, which has to have the same path in both.
				_, finding, _ := strings.Cut(line, ": error: ")
				if path, rest, ok := strings.Cut(finding, forged); ok && strings.Contains(rest, "unknown field") {
					path = strings.TrimRight(path, " ?")
					if unknown[path] {
						t.Errorf("%s: want unknown field %s said once, got:\n%s", found, path, got.out)
					}
					unknown[path] = true
				}
			}
		}
	}
}
