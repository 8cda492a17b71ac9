package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
)

// end of a command: what it has printed, and its exit status.
type end struct {
	out, err string
	code     int
}

// ended command.
func ended(t testing.TB, stdin string, args ...string) end {
	t.Helper()
	var out, stderr bytes.Buffer
	code := run(t.Context(), args, streams{in: strings.NewReader(stdin), out: output.To(&out), err: output.To(&stderr)})
	return end{out: out.String(), err: stderr.String(), code: code}
}

// TestGenerated checks that what make generate writes with this program is up to date.
func TestGenerated(t *testing.T) {
	for path, args := range map[string][]string{
		"docs/cli.md":   {"reference", "cli"},
		"docs/codes.md": {"reference", "codes"},
		"schemas/dynamographdeployment-v1alpha1.json": {"schema", "v1alpha1"},
		"schemas/dynamographdeployment-v1beta1.json":  {"schema"},
	} {
		t.Run(path, func(t *testing.T) {
			got := ended(t, "", args...)
			if got.code != 0 {
				t.Fatalf("got exit status %d: %s", got.code, got.err)
			}
			if diff := cmp.Diff(string(read(t, path)), got.out); diff != "" {
				t.Errorf("%s: -want, +got (make generate writes it):\n%s", path, diff)
			}
		})
	}
}

// TestProgram checks that help and errors have one name, whatever the file of the program is called, unless it is a plugin of kubectl.
func TestProgram(t *testing.T) {
	for program, want := range map[string]string{"/usr/local/bin/kubectl-dgd": "kubectl dgd", "./functions": "dgd", "kubectl-dgd.exe": "kubectl dgd", "": "dgd", "dgd-linux": "dgd"} {
		var out, stderr bytes.Buffer
		code := run(t.Context(), []string{"validate"}, streams{out: output.To(&out), err: output.To(&stderr), program: program})
		if prefix := want + ": error: "; code != exitUsage || !strings.HasPrefix(stderr.String(), prefix) {
			t.Errorf("%s: want %q, got %d and %q", program, prefix, code, stderr.String())
		}
		code = run(t.Context(), []string{"help"}, streams{out: output.To(&out), err: output.To(&stderr), program: program})
		if prefix := "Usage: " + want + " <command>"; code != 0 || !strings.HasPrefix(out.String(), prefix) {
			t.Errorf("%s: want %q, got %d and %q", program, prefix, code, out.String())
		}
	}
}

// TestConventions checks that the program behaves as kubectl does.
func TestConventions(t *testing.T) {
	const fine = "../../examples/agg-vllm.yaml"
	graph := string(read(t, "examples/agg-vllm.yaml"))
	cases := map[string]struct {
		reason string
		args   []string
		stdin  string
		code   int
		out    string
		err    string
	}{
		"Nothing":     {reason: "Without arguments, the help is shown, and nothing is wrong.", out: "Usage: dgd <command>"},
		"Help":        {reason: "Help is a command.", args: []string{"help"}, out: "Usage: dgd <command>"},
		"HelpFlag":    {reason: "Help is a flag.", args: []string{"--help"}, out: "Usage: dgd <command>"},
		"HelpOn":      {reason: "Each command has help.", args: []string{"help", "validate"}, out: "Usage: dgd validate [<path> ...] [flags]"},
		"HelpBelow":   {reason: "Commands below others have it, too.", args: []string{"help", "adopt", "check"}, out: "Usage: dgd adopt check [<path> ...] [flags]"},
		"Group":       {reason: "The name of several commands is a question for its help.", args: []string{"cluster"}, out: "Usage: dgd cluster <command>"},
		"GroupWrong":  {reason: "A command that it does not have is a mistake.", args: []string{"cluster", "watch"}, code: exitUsage, err: "watch"},
		"HelpMissing": {reason: "A command that does not exist has no help, and the error names the nearest one.", args: []string{"help", "validat"}, code: exitUsage, err: `did you mean "validate"?`},
		"Unknown":     {reason: "A word in place of a command is no argument.", args: []string{"unknown"}, code: exitUsage, err: "there is no command unknown; dgd --help lists them"},
		"Argument":    {reason: "After a command it is one.", args: []string{"version", "surplus"}, code: exitUsage, err: "unexpected argument surplus"},
		"AdoptPath":   {reason: "Files may follow adopt check without a flag.", args: []string{"adopt", "check", "../../examples/functions.yaml"}, code: exitUsage, err: "no graph of the Dynamo operator is in the files"},
		"Version":     {reason: "The version is a command.", args: []string{"version"}, out: "release: development\n"},
		"VersionFlag": {reason: "It is a flag as well.", args: []string{"--version", "-o", "json"}, out: `"release": "development"`},
		"Filename":    {reason: "Files may follow -f.", args: []string{"validate", "-f", fine}, err: "1 graph checked"},
		"Filenames":   {reason: "The flag may be repeated, and files may be arguments, too.", args: []string{"validate", "-f", fine, "-f", "../../examples/gb200.yaml", "../../examples/planner.yaml"}, err: "3 graphs checked"},
		"Stdin":       {reason: "A dash is standard input.", args: []string{"validate", "-f", "-"}, stdin: graph, err: "1 graph checked"},
		"Recursive":   {reason: "Folders in folders are read.", args: []string{"validate", "-R", "-f", "testdata/diff", "--ignore=DGD005"}, code: 1, err: "graphs checked"},
		"Explain":     {reason: "Explain reads files after -f, too.", args: []string{"explain", "-f", fine}, out: "inference/agg-vllm: Grove"},
		"Render":      {reason: "Render reads one file after -f.", args: []string{"render", "-f", fine}, out: "kind: PodCliqueSet"},
		"RenderBoth":  {reason: "There is one graph to render.", args: []string{"render", "-f", fine, fine}, code: exitUsage, err: "--filename cannot be combined with arguments"},
		"RenderNone":  {reason: "There has to be one.", args: []string{"render"}, code: exitUsage, err: "expected the path of a graph"},
		"Diff":        {reason: "In a comparison, they are the files after the change.", args: []string{"diff", fine, "-f", fine}, err: "1 graph compared"},
		"DiffBoth":    {reason: "There are two sides.", args: []string{"diff", fine, fine, "-f", fine}, code: exitUsage, err: "got 3 paths"},
		"Convert":     {reason: "Convert reads folders, too.", args: []string{"convert", "-f", "../../examples/v1alpha1/claims", "--to=v1beta1"}, out: "nvidia.com/v1beta1"},
		"ConvertNone": {reason: "A path is needed.", args: []string{"convert"}, code: exitUsage, err: "expected paths of graphs"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := ended(t, tc.stdin, tc.args...)
			if got.code != tc.code || !strings.Contains(got.out, tc.out) || !strings.Contains(got.err, tc.err) {
				t.Errorf("%s\nwant exit status %d, %q and %q, got %d, %q and %q", tc.reason, tc.code, tc.out, tc.err, got.code, got.out, got.err)
			}
		})
	}
}

// TestCandidates completes words as kubectl asks for those of a plugin, and as the scripts of shells do. Commands that are hidden are no candidates.
func TestCandidates(t *testing.T) {
	for program, args := range map[string][]string{"/usr/local/bin/kubectl_complete-dgd": {"re"}, "dgd": {"__complete", "re"}} {
		var out, stderr bytes.Buffer
		code := run(t.Context(), args, streams{out: output.To(&out), err: output.To(&stderr), program: program})
		if want := "render\tRender a composite resource with the functions of this program, without a cluster.\n:4\n"; code != 0 || out.String() != want {
			t.Errorf("%s: want %q, got %d, %q and %q", program, want, code, out.String(), stderr.String())
		}
	}
}

func TestVersion(t *testing.T) {
	info := &debug.BuildInfo{GoVersion: "go1.26", Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}}}
	got := versionsOf(info, true)
	for _, v := range []string{"1.0.0", "1.2.0", "1.5.0", runtime.NewestWithRules().String()} {
		if !slices.Contains(got.Dynamo, v) {
			t.Errorf("versionsOf(...): want release %s of Dynamo, with which pods change, got %v", v, got.Dynamo)
		}
	}
	want := versions{Release: "development", Commit: "abc", Go: "go1.26", Dynamo: got.Dynamo}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("versionsOf(...): -want, +got:\n%s", diff)
	}
	if got := versionsOf(nil, false); got.Go != "" || len(got.Dynamo) == 0 {
		t.Errorf("want the releases of Dynamo even if the build is not known, got %+v", got)
	}
	for format, want := range map[string]string{"text": "release: development\n", "json": "{\n  \"release\": \"development\",\n"} {
		var out bytes.Buffer
		if code := run(t.Context(), []string{"version", "-o", format}, streams{out: output.To(&out), err: output.To(&out)}); code != 0 || !strings.HasPrefix(out.String(), want) {
			t.Errorf("%s: want %q, got %d and %q", format, want, code, out.String())
		}
	}
}

func TestCompletionCommand(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		var out bytes.Buffer
		code := run(t.Context(), []string{"completion", shell}, streams{out: output.To(&out), err: output.To(&out), program: "kubectl-dgd"})
		if code != 0 || !strings.Contains(out.String(), "kubectl-dgd __complete ") {
			t.Errorf("%s: want a script that asks the program, got %d and\n%s", shell, code, out.String())
		}
	}
}

// TestClustersAreCompleted completes the names of all clusters that are embedded, and of the live one, wherever there is a flag for a cluster.
func TestClustersAreCompleted(t *testing.T) {
	for _, command := range []string{"validate", "diff", "explain", "render"} {
		var out bytes.Buffer
		run(t.Context(), []string{command, "--cluster="}, streams{out: output.To(&out), err: output.To(&out), program: "kubectl_complete-dgd"})
		for _, name := range append(preview.Clusters(), liveCluster) {
			if !strings.Contains(out.String(), "--cluster="+name+"\n") {
				t.Errorf("%s: want cluster %s among what completes --cluster=, got\n%s", command, name, out.String())
			}
		}
	}
}

func TestManCommand(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "man1")
	var out bytes.Buffer
	if code := run(t.Context(), []string{"man", folder}, streams{out: output.To(&out), err: output.To(&out), program: "kubectl-dgd"}); code != 0 {
		t.Fatalf("got exit status %d: %s", code, out.String())
	}
	page, err := os.ReadFile(filepath.Join(folder, "kubectl-dgd-validate.1"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "kubectl dgd validate deploy/") {
		t.Errorf("want a page with examples, got\n%s", page)
	}
}
