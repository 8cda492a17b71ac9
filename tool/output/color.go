package output

import (
	"io"
	"os"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/strict"
)

// A Color of terminals: the sequence that selects it. Without one, text is not painted.
type Color string

// Colors, those of what is important in bold.
const (
	Plain  Color = ""
	Red    Color = "\x1b[31;1m"
	Yellow Color = "\x1b[33;1m"
	Green  Color = "\x1b[32m"
)

// reset is the sequence that ends a color.
const reset = "\x1b[0m"

// Painted text, where a Writer has colors.
type Painted struct {
	color Color
	text  string
}

// Paint text.
func (c Color) Paint(text string) Painted { return Painted{color: c, text: text} }

// on a writer.
func (p Painted) on(w *Writer) string {
	text := strict.Visible(p.text)
	if p.color == Plain || !w.Colored {
		return text
	}
	return string(p.color) + text + reset
}

// isColored reports whether output is for a person at a terminal that shows colors.
// https://no-color.org
func isColored(out io.Writer) bool {
	return isTerminal(out) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

func isTerminal(out io.Writer) bool {
	f, isFile := out.(*os.File)
	if !isFile {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
