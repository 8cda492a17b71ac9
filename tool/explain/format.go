package explain

import (
	"io"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
)

// Formats of explanations.
const (
	Text    = "text"
	JSON    = "json"
	Mermaid = "mermaid"
	Dot     = "dot"
	SVG     = "svg"
)

// IsPicture reports whether a format is that of a picture, which is of one graph.
func IsPicture(format string) bool { return format == Mermaid || format == Dot || format == SVG }

// Write explanations. Only the first one is drawn.
func Write(out io.Writer, format string, all []*Explanation) error {
	w := output.To(out)
	switch format {
	case JSON:
		return errors.Wrap(w.JSON(all), "cannot write the explanations")
	case Mermaid, Dot, SVG:
		text, err := pictured(format, all[0])
		if err != nil {
			return err
		}
		w.Printf("%s", text)
	default:
		for i, e := range all {
			if i > 0 {
				w.Printf("\n")
			}
			w.Printf("%s%s", e.Text(), e.Commands())
		}
	}
	return errors.Wrap(w.Err(), "cannot write the explanations")
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
