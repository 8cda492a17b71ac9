package explain

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"
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
		return asJSON(all)
	case Mermaid, Dot, SVG:
		return pictured(format, all[0])
	default:
		trees := make([]string, 0, len(all))
		for _, e := range all {
			trees = append(trees, e.Text())
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

// asJSON is a list of explanations.
func asJSON(all []*Explanation) (string, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(all); err != nil {
		return "", errors.Wrap(err, "cannot encode the explanations")
	}
	return out.String(), nil
}
