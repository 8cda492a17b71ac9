package validate

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// restart warns of components that are not restarted.
func (w *warnings) restart(g *graph.Graph) {
	if g.Spec.Restart == nil {
		return
	}
	for _, name := range g.ComponentNames() {
		if g.Component(name).OwnsRestarts() {
			w.add(graph.ComponentsPath().Key(name), "spec.restart does not restart the {{component}} while you set annotation %s; remove it from annotations, {{podTemplate.metadata.annotations}} and spec.annotations", metadata.AnnotationRestartAt)
		}
	}
}

func (v *validator) restart() {
	r := v.graph.Spec.Restart
	if r == nil {
		return
	}
	path := specPath().Child("restart")
	if r.ID == "" {
		v.required(path.Child("id"), "specify an ID; a new ID starts a restart")
	}
	if r.Strategy == nil {
		return
	}
	if kind := r.Strategy.Type; kind != "" && kind != v1alpha1.RestartSequential && kind != v1alpha1.RestartParallel {
		v.add(message.NotSupported(path.Child("strategy", "type"), kind, []v1alpha1.RestartStrategyType{v1alpha1.RestartSequential, v1alpha1.RestartParallel}))
	}
	v.restartOrder(path.Child("strategy", "order"), r.Strategy)
}

func (v *validator) restartOrder(path *field.Path, s *v1alpha1.RestartStrategy) {
	if len(s.Order) == 0 {
		return
	}
	if s.Type == v1alpha1.RestartParallel {
		v.forbidden(path, "may not be set when type is Parallel; remove it")
	}
	seen := map[string]bool{}
	for i, name := range s.Order {
		if seen[name] {
			v.duplicate(path.Index(i), name)
		}
		seen[name] = true
		if _, ok := v.graph.Components[name]; !ok {
			v.invalid(path.Index(i), name, "is not a {{component}} of the graph; remove it")
		}
	}
	for _, name := range v.graph.ComponentNames() {
		if !seen[name] {
			v.required(path, "must name every {{component}}; %s is missing", name)
		}
	}
}
