// Package docs holds what people read to what is true. Users find blocks in the README and in docs/ that work: those that need no cluster are
// run here, and those for one by fn-tests/e2e. Links lead somewhere, and the objects beside the examples fit them. Contributors find files
// where the page on the design says that they are, and whole sentences in failures of tests.
package docs

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/page"
)

// A command of a page, and the output that it shows.
type command struct {
	line   string
	output []string
}

// TestCommands runs the commands of each block of a console.
func TestCommands(t *testing.T) {
	harness.WatchSources(t)
	ran := 0
	for _, b := range blocks(t) {
		if b.Language != page.Console || b.NotRun != "" {
			continue
		}
		for _, c := range commandsOf(b.Text) {
			ran++
			t.Run(b.String(), func(t *testing.T) { c.run(t, harness.Root()) })
		}
	}
	// Fewer would mean that the pages are no longer read right.
	if ran < 3 {
		t.Errorf("the pages have %d commands that can be run, want at least 3", ran)
	}
}

// run a command. One that shows an error must fail, and what it shows must be in its output.
func (c command) run(t *testing.T, root string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "bash", "-eu", "-o", "pipefail", "-c", c.line)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	shown := strings.Join(c.output, " ")
	if fails := strings.Contains(shown, "error:"); fails != (err != nil) {
		t.Fatalf("%s\ngot error %v, the page shows %q\n%s", c.line, err, shown, out)
	}
	got := strings.Join(strings.Fields(string(out)), " ")
	for part := range strings.SplitSeq(shown, "...") {
		if part = strings.Join(strings.Fields(part), " "); !strings.Contains(got, part) {
			t.Errorf("the output lacks %q:\n%s", part, out)
		}
	}
}

// commandsOf a block of a console. A line that ends in | or \ goes on in the next; a # begins a comment.
func commandsOf(block string) []command {
	var commands []command
	open := false
	for line := range strings.Lines(block) {
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
	return commands
}
