package output

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/strict"
)

// A Writer is where a command prints: a terminal, a pipe or a file. It replaces what a terminal would act on rather than show, because names, messages
// and values of one user are printed for another. Only what is painted, and a rewind, is more than text.
type Writer struct {
	Out io.Writer

	// Colored says that a terminal shows colors.
	Colored bool

	err error
}

// To is a Writer to what may be one already.
func To(out io.Writer) *Writer {
	if w, ok := out.(*Writer); ok {
		return w
	}
	return &Writer{Out: out, Colored: isColored(out)}
}

// Write text or data. Data is encoded so that nothing in it has to be replaced.
func (w *Writer) Write(data []byte) (int, error) {
	w.write(escaped(string(data), func(rune) string { return "?" }))
	return len(data), w.err
}

// Document prints what a user has written to the letter, except at a terminal.
func (w *Writer) Document(data []byte) error {
	if !isTerminal(w.Out) {
		w.write(string(data))
		return w.err
	}
	_, err := w.Write(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")))
	return err
}

// Printf text in which credentials are masked.
func (w *Writer) Printf(format string, args ...any) {
	shown := make([]any, len(args))
	for i, arg := range args {
		switch arg := arg.(type) {
		case Painted:
			shown[i] = arg.on(w)
		case int:
			shown[i] = arg
		default:
			shown[i] = visible{arg}
		}
	}
	w.write(fmt.Sprintf(format, shown...))
}

// JSON of a value.
func (w *Writer) JSON(value any) error {
	text, err := JSON(value, "  ")
	if err != nil {
		return err
	}
	w.write(text)
	return w.err
}

// YAML of a value.
func (w *Writer) YAML(value any) error {
	data, err := YAML(value)
	if err != nil {
		return err
	}
	w.write(string(data))
	return w.err
}

// Rewind to the beginning of a line above, and clear what is below.
func (w *Writer) Rewind(lines int) {
	if w.Colored && lines > 0 {
		w.write(fmt.Sprintf("\x1b[%dA\x1b[J", lines))
	}
}

// Err is the first error of writing.
func (w *Writer) Err() error { return w.err }

func (w *Writer) write(text string) {
	if w.err == nil {
		_, w.err = io.WriteString(w.Out, text)
	}
}

// WriteFile writes text or data to a file, which somebody will show at a terminal.
func WriteFile(path string, data []byte, mode os.FileMode) error {
	var out bytes.Buffer
	if _, err := To(&out).Write(data); err != nil {
		return err
	}
	return os.WriteFile(path, out.Bytes(), mode) //nolint:wrapcheck // It names the path.
}

// visible is a value that is formatted without what a terminal would act on.
type visible struct{ value any }

// Format the value as its verb says.
func (v visible) Format(state fmt.State, verb rune) {
	_, _ = io.WriteString(state, strict.Visible(fmt.Sprintf(fmt.FormatString(state, verb), v.value)))
}
