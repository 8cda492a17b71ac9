package adopt

import (
	"io"
	"maps"
	"slices"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
)

// Write the report in a format.
func (r *Report) Write(out io.Writer, format string) error {
	return output.Report(out, format, "the report", r, r.text)
}

// Refused is an error if a graph cannot be adopted.
func (r *Report) Refused() error {
	refused := 0
	for i := range r.Graphs {
		if r.Graphs[i].Problem != "" {
			refused++
		}
	}
	if refused == 0 {
		return nil
	}
	return errors.Errorf("%d of %d graphs cannot be adopted", refused, len(r.Graphs))
}

func (r *Report) text(w *output.Writer) {
	if len(r.Graphs) == 0 {
		w.Printf("There are no graphs of the Dynamo operator.\n")
	}
	for i := range r.Graphs {
		r.Graphs[i].text(w)
	}
}

func (g *Graph) text(w *output.Writer) {
	w.Printf("Graph %s\n", g.id())
	if g.Problem != "" {
		w.Printf("  Cannot be adopted: %s\n", g.Problem)
	}
	list := func(title string, lines []string) {
		if len(lines) == 0 {
			return
		}
		w.Printf("  %s:\n", title)
		for _, line := range lines {
			w.Printf("    %s\n", line)
		}
	}
	if g.replaceable() {
		w.Printf("  Can be replaced while it serves, as step 10 of steps.sh describes\n")
	}
	if g.hasNothing() {
		w.Printf("  Nothing that the operator has made for it was found; files have to contain these objects, too\n")
	}
	list("Is taken over", g.Adopted)
	list("Runs all replicas of a component, and continues to", g.Together)
	var pinned []string
	for _, component := range slices.Sorted(maps.Keys(g.Pinned)) {
		pinned = append(pinned, component+": "+g.Pinned[component])
	}
	list("Stays as it is until the component changes", pinned)
	list("Has an owner reference of the operator that must be removed first", g.Controlled)
	list("Belongs to nobody afterwards", g.Left)
	list("Has an owner reference that the operator cannot have written, which no step removes: look at it, and remove it", g.Mistaken)
}
