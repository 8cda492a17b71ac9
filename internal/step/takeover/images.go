package takeover

import (
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// Images are why a graph has other images than those of the pods that it is about to adopt. The templates of these pods are recorded as
// what the user has written, so the change would never take effect.
func Images(g *graph.Graph, o *observed.State) message.List {
	var errs message.List
	for _, component := range g.ComponentsByName() {
		asked := component.Main().Image
		for _, template := range o.Pods[names.Lower(component.Name)] {
			live := ""
			if main := pod.MainOfPod(&template.Spec); main != nil {
				live = main.Image
			}
			if asked != "" && live != "" && asked != live {
				path := graph.MainPath(graph.ComponentPath(component.Name), "image")
				errs = append(errs, message.Invalid(path, asked, "cannot be changed together with an adoption: the pods run %s; adopt the graph with that image, and change it afterwards", live))
				break
			}
		}
	}
	return errs
}
