package output

import (
	"io"
	"os"
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

// Paint text.
func (c Color) Paint(text string) string {
	if c == Plain {
		return text
	}
	return string(c) + text + reset
}

// IsColored reports whether output is for a person at a terminal that shows colors.
// https://no-color.org
func IsColored(out io.Writer) bool {
	f, isFile := out.(*os.File)
	if !isFile || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
