// Package readme runs the commands of the README as it shows them.
package readme

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A command of the README, and the output that it shows.
type command struct {
	line   string
	output []string
}

// needsOthers are commands that clone the repository, run for ever, or need Crossplane's CLI, which the parity tests run.
var needsOthers = regexp.MustCompile(`^(git clone|go run ./functions serve|crossplane )`)

func TestCommands(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, c := range commandsOf(string(text)) {
		if needsOthers.MatchString(c.line) {
			continue
		}
		ran++
		t.Run(c.line, func(t *testing.T) { c.run(t, root) })
	}
	// Fewer would mean that the README is no longer read right.
	if ran < 3 {
		t.Errorf("README.md has %d commands that can be run, want at least 3", ran)
	}
}

// run a command. One that shows an error must fail, and what it shows must be in its output.
func (c command) run(t *testing.T, root string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "bash", "-o", "pipefail", "-c", c.line)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	shown := strings.Join(c.output, " ")
	if fails := strings.Contains(shown, "error:"); fails != (err != nil) {
		t.Fatalf("got error %v, README shows %q\n%s", err, shown, out)
	}
	got := strings.Join(strings.Fields(string(out)), " ")
	for part := range strings.SplitSeq(shown, "...") {
		if part = strings.Join(strings.Fields(part), " "); !strings.Contains(got, part) {
			t.Errorf("the output lacks %q:\n%s", part, out)
		}
	}
}

// commandsOf the console blocks of a page. A line that ends in | or \ goes on in the next; a # begins a comment.
func commandsOf(page string) []command {
	var commands []command
	for _, block := range regexp.MustCompile("(?s)```console\n(.*?)```").FindAllStringSubmatch(page, -1) {
		open := false
		for line := range strings.Lines(block[1]) {
			line = strings.TrimSpace(line)
			next, isCommand := strings.CutPrefix(line, "$ ")
			switch {
			case isCommand:
				commands = append(commands, command{line: strings.TrimSpace(strings.SplitN(next, " #", 2)[0])})
			case open:
				commands[len(commands)-1].line += "\n" + line
			case len(commands) > 0:
				commands[len(commands)-1].output = append(commands[len(commands)-1].output, line)
			}
			open = (isCommand || open) && (strings.HasSuffix(line, "|") || strings.HasSuffix(line, `\`))
		}
	}
	return commands
}
