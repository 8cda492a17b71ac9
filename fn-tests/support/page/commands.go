package page

import (
	"fmt"
	"strings"
)

// A Command of a console, and the output that the page shows after it.
type Command struct {
	Line   string
	Output []string
	// Interrupted is true if the page shows that the reader presses Ctrl-C after the output.
	Interrupted bool
}

// interrupt is what a terminal shows when Ctrl-C is pressed.
const interrupt = "^C"

// Commands of a block of a console. A line that ends in | or \ goes on in the next; a # begins a comment.
func (b Block) Commands() []Command {
	var commands []Command
	open := false
	for line := range strings.Lines(b.Text) {
		line = strings.TrimSpace(line)
		next, isCommand := strings.CutPrefix(line, "$ ")
		switch {
		case isCommand:
			commands = append(commands, Command{Line: strings.TrimSpace(strings.SplitN(next, " #", 2)[0])})
		case open:
			commands[len(commands)-1].Line += "\n" + line
		case len(commands) > 0 && line == interrupt:
			commands[len(commands)-1].Interrupted = true
		case len(commands) > 0:
			commands[len(commands)-1].Output = append(commands[len(commands)-1].Output, line)
		}
		open = (isCommand || open) && (strings.HasSuffix(line, "|") || strings.HasSuffix(line, `\`))
	}
	return commands
}

// Fails reports whether the page shows that the command fails: an error, a graph that is not ready, or Ctrl-C.
func (c Command) Fails() bool {
	shown := strings.Join(c.Output, "\n")
	return c.Interrupted || strings.Contains(shown, "error:") || strings.Contains(shown, " is not ready")
}

// Printed holds what the command has printed to what the page shows, apart from spaces: ... stands for anything.
func (c Command) Printed(out string) error {
	rest := spaced(out)
	for part := range strings.SplitSeq(strings.Join(c.Output, " "), "...") {
		_, after, found := strings.Cut(rest, spaced(part))
		if !found {
			return fmt.Errorf("%s\nthe output lacks %q, or it is not where the page shows it:\n%s", c.Line, spaced(part), out)
		}
		rest = after
	}
	return nil
}

// spaced is a text with one space between words.
func spaced(text string) string { return strings.Join(strings.Fields(text), " ") }
