package compare

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
)

// color of an effect.
func (v Effect) color() output.Color {
	switch v {
	case Refused, Deleted:
		return output.Red
	case Restarts:
		return output.Yellow
	case Scales, Created:
		return output.Green
	default:
		return output.Plain
	}
}

// text has a line for each graph, and below it one for each component and object to which something happens.
func (r *Report) text(w *output.Writer, o Options) {
	for i := range r.Graphs {
		g := &r.Graphs[i]
		w.Printf("%s: %s\n", g.Name, g.Effect.color().Paint(g.words()))
		if g.Note != "" {
			w.Printf("  note: %s\n", g.Note)
		}
		for _, l := range g.lines() {
			w.Printf("  %s%s\n", l.effect.color().Paint(l.name), l.separated())
			if !o.Fields {
				continue
			}
			for _, f := range l.fields {
				w.Printf("      %s\n", f)
			}
		}
	}
}

// separated text of a line. What happens to an object is a sentence with its name; what happens to a component follows a colon.
func (l *line) separated() string {
	if strings.HasPrefix(l.text, "is ") || strings.HasPrefix(l.text, "changes ") {
		return " " + l.text
	}
	return ": " + l.text
}

// longest value that is shown.
const longest = 100

// String is the field with its values in one line.
func (f Field) String() string {
	switch {
	case f.Before == nil:
		return fmt.Sprintf("%s: added %s", f.Path, shown(f.After))
	case f.After == nil:
		return fmt.Sprintf("%s: removed %s", f.Path, shown(f.Before))
	case reflect.DeepEqual(f.Before, f.After):
		return f.Path + ": changes, values are not shown"
	default:
		return fmt.Sprintf("%s: %s -> %s", f.Path, shown(f.Before), shown(f.After))
	}
}

// shown value, as JSON that is not too long for a line.
func shown(value any) string {
	// Values are from JSON.
	data, _ := json.Marshal(value) //nolint:errchkjson // See above.
	text := []rune(string(data))
	if len(text) > longest {
		return string(text[:longest]) + "..."
	}
	return string(text)
}
