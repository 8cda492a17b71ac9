package compare

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
)

// namedObjects is how many objects a line names.
const namedObjects = 4

// impact has one line for each graph, which stays what it is.
func (r *Report) impact(w *output.Writer) {
	for i := range r.Graphs {
		g := &r.Graphs[i]
		w.Printf("%s: %s\n", g.Name, g.Effect.color().Paint(g.impact()))
	}
}

// impact on a graph in one line.
func (g *Graph) impact() string {
	var parts []string
	if g.Effect == Refused {
		parts = append(parts, "is refused")
		for i := range g.Refusals {
			parts = append(parts, fmt.Sprintf("%s [%s]", g.Refusals[i].Text(), g.Refusals[i].Code))
		}
	} else if g.Effect != Nothing {
		parts = append(parts, g.words())
		parts = append(parts, g.changed()...)
	}
	if len(g.Outdated) > 0 {
		parts = append(parts, "other pods at the next edit of "+strings.Join(g.Outdated, ", "))
	}
	for i := range g.Warnings {
		parts = append(parts, fmt.Sprintf("warning: %s [%s]", g.Warnings[i].Text(), g.Warnings[i].Code))
	}
	if g.Note != "" {
		parts = append(parts, "note: "+g.Note)
	}
	if len(parts) == 0 {
		return g.words()
	}
	return strings.Join(parts, "; ")
}

// changed parts of a graph, by their names.
func (g *Graph) changed() []string {
	var all []string
	for i := range g.Components {
		if c := &g.Components[i]; c.Effect != Nothing {
			all = append(all, c.Name+": "+c.Text)
		}
	}
	objects := 0
	for i := range g.Objects {
		o := &g.Objects[i]
		if o.Effect == Nothing || o.Effect == Kept {
			continue
		}
		objects++
		if objects <= namedObjects {
			all = append(all, shortKind(o.Kind)+" "+o.Name+" "+o.Text)
		}
	}
	if objects > namedObjects {
		all = append(all, fmt.Sprintf("and %s", output.Count(objects-namedObjects, "more object")))
	}
	return all
}

// outdatedIn a state are the components whose pods would be others if their user changed them, by name.
func outdatedIn(s *preview.State) []string {
	if s == nil {
		return nil
	}
	var names []string
	for _, form := range []string{"components", "services"} {
		components, _, _ := unstructured.NestedMap(s.CompositeResource.Object, "status", form)
		for name, status := range components {
			fields, _ := status.(map[string]any)
			if outdated, _, _ := unstructured.NestedBool(fields, "revision", "outdated"); outdated {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
