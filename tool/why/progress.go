package why

import (
	"fmt"
	"io"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
)

// Progress of a graph, which is shown until it is ready.
type Progress struct {
	// Out is where it is shown: at a terminal with colors it is redrawn, otherwise there is a line for each change.
	Out io.Writer

	last  map[string]string
	drawn int
}

// width of a bar, in characters.
const width = 30

// Show how far the graph is.
func (p *Progress) Show(d *Diagnosis) error {
	w := output.To(p.Out)
	if w.Colored {
		p.redraw(w, d)
	} else {
		p.changes(w, d)
	}
	return errors.Wrap(w.Err(), "cannot show the progress")
}

// redraw all bars, over those before.
func (p *Progress) redraw(w *output.Writer, d *Diagnosis) {
	w.Rewind(p.drawn)
	longestName := 0
	for i := range d.Components {
		longestName = max(longestName, len(title(&d.Components[i])))
	}
	for i := range d.Components {
		c := &d.Components[i]
		w.Printf("%-*s [%s] %d/%d\n", longestName, title(c), bar(c), c.Ready, c.Pods)
	}
	p.drawn = len(d.Components) + 1
	w.Printf("%s\n", d.line(output.Columns-1))
}

// bar of a component. A component that should have no pods is done.
func bar(c *Component) string {
	done := width
	if c.Pods > 0 {
		done = min(width, width*c.Ready/c.Pods)
	}
	return strings.Repeat("#", done) + strings.Repeat("-", width-done)
}

// changes since the last time, a line each.
func (p *Progress) changes(w *output.Writer, d *Diagnosis) {
	if p.last == nil {
		p.last = map[string]string{}
	}
	say := func(about, text string) {
		if p.last[about] != text {
			p.last[about] = text
			w.Printf("%s\n", text)
		}
	}
	for i := range d.Components {
		c := &d.Components[i]
		text := fmt.Sprintf("%s: %d of %d pods are ready", title(c), c.Ready, c.Pods)
		if c.Problem != "" {
			text += "; " + c.Problem
		}
		say(c.Name, text)
	}
	say("", d.line(longest))
}

// title of a component. Objects whose component is not known have none.
func title(c *Component) string {
	if c.Name == "" {
		return "(others)"
	}
	return oneLine(c.Name)
}

// line with the state of the graph and its cause. At a terminal it fits: a line that wraps would not be redrawn.
func (d *Diagnosis) line(most int) string {
	text := []rune(d.Graph + " " + d.state())
	if len(d.Causes) > 0 {
		text = append(text, []rune(fmt.Sprintf(" [%s]: %s", d.Causes[0].Code, d.Causes[0].Message))...)
	}
	if len(text) > most {
		return string(text[:most-len(" ...")]) + " ..."
	}
	return string(text)
}
