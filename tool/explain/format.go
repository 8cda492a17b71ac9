package explain

import (
	"io"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
)

// Formats that only explanations have.
const (
	Mermaid = "mermaid"
	Dot     = "dot"
	SVG     = "svg"
)

// IsPicture reports whether a format is that of a picture, which is of one graph.
func IsPicture(format string) bool { return format == Mermaid || format == Dot || format == SVG }

// Write explanations. Only the first one is drawn.
func Write(out io.Writer, format string, all []*Explanation) error {
	var trees []string
	for _, e := range all {
		trees = append(trees, e.Text()+e.Commands())
	}
	text := strings.Join(trees, "\n")
	if IsPicture(format) {
		var err error
		if text, err = pictured(format, all[0]); err != nil {
			return err
		}
	}
	return output.Report(out, format, "the explanations", all, func(w *output.Writer) { w.Printf("%s", text) })
}

// pictured is the picture of a graph.
func pictured(format string, e *Explanation) (string, error) {
	if e.Refused {
		return "", errors.Errorf("graph %s is refused, so there is nothing to draw; validate says why", e.Name)
	}
	p := draw(e)
	switch format {
	case Mermaid:
		return p.mermaid(), nil
	case Dot:
		return p.dot(), nil
	default:
		return p.svg(), nil
	}
}
