package output

import (
	"io"

	"github.com/crossplane/function-sdk-go/errors"
)

// Formats that several commands have.
const (
	FormatText = "text"
	FormatJSON = "json"
	FormatYAML = "yaml"
)

// Report writes a value in a format: as JSON or YAML, otherwise as text. Only text has colors. An error says what cannot be written.
func Report(out io.Writer, format, what string, value any, text func(w *Writer)) error {
	w := To(out)
	var err error
	switch format {
	case FormatJSON:
		err = w.JSON(value)
	case FormatYAML:
		err = w.YAML(value)
	default:
		text(w)
		err = w.Err()
	}
	return errors.Wrapf(err, "cannot write %s", what)
}
