package explain

import (
	"strings"

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

// Format explanations. Only the first one is drawn.
func Format(format string, all []*Explanation) (string, error) {
	switch format {
	case JSON:
		return output.JSON(all, "  ")
	case Mermaid, Dot, SVG:
		return pictured(format, all[0])
	default:
		trees := make([]string, 0, len(all))
		for _, e := range all {
			trees = append(trees, e.Text()+e.Commands())
		}
		return strings.Join(trees, "\n"), nil
	}
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
