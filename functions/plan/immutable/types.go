package immutable

import (
	"slices"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// checkTypes refuses another type of a component than its pods have in their labels. A component without a type may get one. If the
// pods of any replica have the type of the graph, somebody else has changed the others, and they are changed back.
func checkTypes(f *subject.Facts) message.List {
	var errs message.List
	for _, component := range f.Graph.ComponentsByName() {
		live := typesOf(f, names.Lower(component.Name))
		kept := func(was *graph.Component) bool { return keepsType(f.Graph, was, component) }
		if len(live) > 0 && !slices.ContainsFunc(live, kept) {
			errs = append(errs, message.Invalid(graph.ComponentPath(component.Name, "type"), typeIn(f.Graph, component),
				"%s; it was %s: %s", subject.NoChange, typeIn(f.Graph, live[0]), subject.PutBack))
		}
	}
	return errs
}

// typesOf the live pods of a component, as a component has them.
func typesOf(f *subject.Facts, lower string) []*graph.Component {
	var types []*graph.Component
	add := func(labels map[string]string) {
		types = append(types, new(graph.Graph).Add(lower, v1alpha1.Service{
			ComponentType: labels[metadata.LabelComponentType], SubComponentType: labels[metadata.LabelSubComponentType],
		}))
	}
	for i := range f.Observed.Pods[lower] {
		add(f.Observed.Pods[lower][i].Labels)
	}
	for i := range f.Observed.LeaderWorkerSets {
		if set := &f.Observed.LeaderWorkerSets[i]; set.Component == lower {
			add(set.Worker.Labels)
		}
	}
	return types
}

// keepsType reports whether a component has the type of its live pods. The two ways to write that a worker is only for one phase of inference
// are the same type. Services can get another phase, which v1alpha1 does not fix. A type of the user's own has no meaning, so
// that it may be replaced by one with a meaning, as components need it.
func keepsType(g *graph.Graph, was, is *graph.Component) bool {
	before, phase := was.Types()
	after, wanted := is.Types()
	switch {
	case !slices.Contains(knownTypes(), before):
		return true
	case before != after:
		return false
	default:
		return g.Form == graph.Services || !was.IsPhase() || phase == wanted
	}
}

// knownTypes are those that pods get defaults from.
func knownTypes() []string {
	return []string{v1alpha1.ComponentFrontend, v1alpha1.ComponentWorker, v1alpha1.ComponentPlanner, v1alpha1.ComponentEPP}
}

// typeIn the form of a graph.
func typeIn(g *graph.Graph, s *graph.Component) string {
	component, phase := s.Types()
	if g.Form == graph.Components && s.IsPhase() {
		return phase
	}
	return component
}
