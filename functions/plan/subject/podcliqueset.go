package subject

import (
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/validate"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// nameOfPodCliqueSet is the name that the PodCliqueSet of a graph has. A live one keeps its name, because another name would be another set: it is
// the one that is observed, or the one to which the graph refers. Empty if it is the name of the graph.
func nameOfPodCliqueSet(g *graph.Graph, o *observed.State) string {
	name := names.FitPodCliqueSet(g.Name, validate.RoomForPodCliqueSet(g))
	for _, refs := range o.References {
		for _, ref := range refs {
			if ref.Kind == observed.KindPodCliqueSet && ref.Name != "" {
				name = ref.Name
			}
		}
	}
	if live := tree.Text(o.Object(names.KeyPodCliqueSet), "name", "metadata"); live != "" {
		name = live
	}
	if name == g.Name {
		return ""
	}
	return name
}
