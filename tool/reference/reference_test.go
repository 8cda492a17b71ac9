package reference

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"
)

// tool is a program.
type tool struct {
	Adopt struct {
		Write struct {
			Directory string `default:"out" help:"A folder." placeholder:"PATH" short:"d"`
			Verbose   bool   `help:"Print more."`
		} `cmd:"" help:"Write."`
	} `cmd:"" help:"Adopt."`
	Check check `cmd:"" help:"Check | test."`
}

type check struct {
	Path    []string `arg:""         optional:""`
	Output  string   `default:"text" enum:"text,json"    env:"OUTPUT"      help:"The format, text | json." short:"o"`
	Cluster string   `help:"A cluster." placeholder:"NAME" values:"all,none"`
	Strict  bool     `help:"It's strict."`
	Verbose bool     `help:"Print more."`
	Hidden  bool     `help:"Nobody knows."  hidden:""`
}

// Help of the command.
func (check) Help() string { return "Examples:\n\n  .tool check -\n" }

// modelOf a program without a flag for help.
func modelOf(program any) *kong.Application {
	return kong.Must(program, kong.Name("tool"), kong.Description("A program."), kong.NoDefaultHelp()).Model
}

func TestMarkdown(t *testing.T) {
	const want = "# The command line\n\nIntroduction.\n" +
		"\n## adopt\n\nAdopt.\n\n`tool adopt COMMAND`\n" +
		"\n## adopt write\n\nWrite.\n\n`tool adopt write [FLAGS]`\n\n- `-d, --directory=PATH`: A folder. The default is out.\n" +
		"\n[Shared flags](#shared-flags): `--verbose`.\n" +
		"\n## check\n\nCheck | test.\n\n`tool check [<path> ...] [FLAGS]`\n\n```text\nExamples:\n\n  .tool check -\n```\n" +
		"\n- `-o, --output=OUTPUT`: The format, text | json. The default is text. Set by OUTPUT, too.\n- `--cluster=NAME`: A cluster.\n- `--strict`: It's strict.\n" +
		"\n[Shared flags](#shared-flags): `--verbose`.\n" +
		"\n## Shared flags\n\n- `--verbose`: Print more.\n" +
		"\nAppendix.\n"
	if diff := cmp.Diff(want, Markdown("tool", "Introduction.\n", "\nAppendix.\n", modelOf(&tool{}))); diff != "" {
		t.Errorf("Markdown(...): -want, +got:\n%s", diff)
	}
}

// TestEveryFlag checks that the page has each flag of each command, also if several commands have flags of that name that differ.
func TestEveryFlag(t *testing.T) {
	type one struct {
		Context string `help:"One context."`
	}
	type another struct {
		Context string `help:"Another context."`
	}
	app := modelOf(&struct {
		tool

		One   one     `cmd:""`
		Two   one     `cmd:""`
		Three another `cmd:""`
		Four  another `cmd:""`
	}{})
	page := Markdown("tool", "", "", app)
	for _, node := range commandsOf(app.Node) {
		for _, f := range flagsOf(node) {
			if !strings.Contains(page, f.describe()) {
				t.Errorf("the page does not have %s of %s", f.name(), node.Path())
			}
		}
	}
	if want, got := 2, strings.Count(page, "Another context."); want != got {
		t.Errorf("a name in the list of shared flags stands for one flag, so others are in the lists of their commands: want %d, got %d", want, got)
	}
}

func TestMan(t *testing.T) {
	pages := Man("tool", "v1", modelOf(&tool{}))
	const want = ".TH \"TOOL-CHECK\" 1 \"\" \"configuration-dynamo v1\"\n.SH NAME\ntool\\-check \\- Check | test.\n.SH SYNOPSIS\n.B tool check [<path> ...] [FLAGS]\n" +
		".SH DESCRIPTION\n.nf\nExamples:\n\n  .tool check \\-\n.fi\n.SH OPTIONS\n.TP\n.B \\-o, \\-\\-output=OUTPUT\nThe format, text | json. The default is text. Set by OUTPUT, too.\n" +
		".TP\n.B \\-\\-cluster=NAME\nA cluster.\n.TP\n.B \\-\\-strict\nIt's strict.\n.TP\n.B \\-\\-verbose\nPrint more.\n"
	if diff := cmp.Diff(want, pages["tool-check.1"]); diff != "" {
		t.Errorf("tool-check.1: -want, +got:\n%s", diff)
	}
	if len(pages) != 4 || !strings.Contains(pages["tool.1"], ".BR tool\\-adopt (1),\n.BR tool\\-check (1)\n") {
		t.Errorf("want a page for each command, and references to those below it, got %v", pages)
	}
	if got := roff(".request\n'too \\ "); got != "\\&.request\n\\&'too \\e " {
		t.Errorf("text of a user is no request: got %q", got)
	}
}

// TestMain is also the program that is completed.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == Complete {
		fmt.Print(Candidates(modelOf(&tool{}), os.Args[2:])) //nolint:forbidigo // The script reads what the program prints.
		return
	}
	os.Exit(m.Run())
}

// TestBash runs the script for bash as bash does when its user presses the tab key.
func TestBash(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("there is no bash")
	}
	folder, programs := t.TempDir(), t.TempDir()
	if err := os.Symlink(os.Args[0], filepath.Join(programs, "tool")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", programs+":"+os.Getenv("PATH"))
	for name, text := range map[string]string{"script": Completion("bash", "tool"), "notes": ""} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cases := map[string]struct {
		reason string
		words  string
		want   string
	}{
		"Commands": {reason: "The first word is a command.", words: "tool ''", want: "adopt check"},
		"Begun":    {reason: "Only what fits is offered.", words: "tool ch", want: "check"},
		"Below":    {reason: "Commands may have commands.", words: "tool adopt wr", want: "write"},
		"Flags":    {reason: "Flags follow a command.", words: "tool check --", want: "--output= --cluster= --strict --verbose"},
		"Nested":   {reason: "A command below another has flags of its own.", words: "tool adopt write --", want: "--directory= --verbose"},
		"Value":    {reason: "The values of some flags are known.", words: "tool check --output = j", want: "json"},
		"AnyValue": {reason: "All values are offered at first.", words: "tool check --output =", want: "text json"},
		"Joined":   {reason: "Other shells do not split flags from their values.", words: "tool check --output=j", want: "--output=json"},
		"Open":     {reason: "Where a file is a value, too, files are offered beside the known values.", words: "tool check --cluster = n", want: "none notes"},
		"Separate": {reason: "A value may be a word of its own.", words: "tool check --output t", want: "text"},
		"Files":    {reason: "Arguments are files.", words: "tool check scr", want: "script"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			command := "source ./script; COMP_WORDS=(" + tc.words + "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _tool; echo ${COMPREPLY[*]}"
			cmd := exec.CommandContext(t.Context(), "bash", "--norc", "-u", "-c", command)
			cmd.Dir = folder
			out, err := cmd.CombinedOutput()
			if got := strings.TrimSpace(string(out)); err != nil || got != tc.want {
				t.Errorf("%s\nwant %q, got %q (%v)", tc.reason, tc.want, got, err)
			}
		})
	}
}

func TestOtherShells(t *testing.T) {
	zsh := Completion("zsh", "kubectl-dgd")
	if !strings.HasPrefix(zsh, "#compdef kubectl-dgd\n") || !strings.Contains(zsh, "complete -o filenames -F _kubectl_dgd kubectl-dgd\n") {
		t.Errorf("want a script that registers a function for bash, got\n%s", zsh)
	}
	const want = `# Completion of kubectl-dgd for fish.
function _kubectl_dgd
  kubectl-dgd __complete (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null | string match -v ':*'
end
complete -c kubectl-dgd -a '(_kubectl_dgd)'
`
	if diff := cmp.Diff(want, Completion("fish", "kubectl-dgd")); diff != "" {
		t.Errorf("fish: -want, +got:\n%s", diff)
	}
}

// TestCandidates asks as kubectl does when the user of a plugin presses the tab key.
func TestCandidates(t *testing.T) {
	cases := map[string]struct {
		reason string
		words  []string
		want   string
	}{
		"Commands": {reason: "The first word is a command, and no file.", words: []string{""}, want: "adopt\tAdopt.\ncheck\tCheck | test.\n:4\n"},
		"None":     {reason: "Kubectl may ask without a word.", want: "adopt\tAdopt.\ncheck\tCheck | test.\n:4\n"},
		"Begun":    {reason: "Only what fits is offered.", words: []string{"ch"}, want: "check\tCheck | test.\n:4\n"},
		"Below":    {reason: "Commands may have commands.", words: []string{"adopt", "wr"}, want: "write\tWrite.\n:4\n"},
		"Flags":    {reason: "A value follows its flag without a space.", words: []string{"check", "--"}, want: "--output=\tThe format, text | json.\n--cluster=\tA cluster.\n--strict\tIt's strict.\n--verbose\tPrint more.\n:6\n"},
		"Nested":   {reason: "A command below another has flags of its own.", words: []string{"adopt", "write", "--"}, want: "--directory=\tA folder.\n--verbose\tPrint more.\n:6\n"},
		"Value":    {reason: "The values of some flags are known.", words: []string{"check", "--output=j"}, want: "--output=json\n:4\n"},
		"Separate": {reason: "A value may be a word of its own.", words: []string{"check", "-o", ""}, want: "text\njson\n:4\n"},
		"Path":     {reason: "The value of other flags may be a file.", words: []string{"adopt", "write", "-d", ""}, want: ":0\n"},
		"Files":    {reason: "Arguments are files.", words: []string{"check", "scr"}, want: ":0\n"},
		"Switch":   {reason: "What follows a switch is an argument.", words: []string{"check", "--strict", ""}, want: ":0\n"},
		"Unknown":  {reason: "A flag that does not exist has no values.", words: []string{"check", "--other="}, want: ":0\n"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Candidates(modelOf(&tool{}), tc.words)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
