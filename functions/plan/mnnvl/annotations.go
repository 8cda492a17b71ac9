package mnnvl

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// Values of annotation grove.io/auto-mnnvl.
const (
	enabled  = "enabled"
	disabled = "disabled"
)

// annotation is the value of an annotation, and where it was found.
type annotation struct {
	path  *field.Path
	value string

	// given is false if the annotation does not exist.
	given bool

	// component that has the annotation. Empty if the graph has it.
	component string
}

func annotationOf(path *field.Path, annotations map[string]string, key string) annotation {
	value, given := annotations[key]
	return annotation{path: path.Key(key), value: value, given: given}
}

// switches are the values of annotation grove.io/auto-mnnvl, with which users enable and disable multi-node NVLink. Empty values do
// neither.
type switches struct {
	graph      annotation
	components map[string]annotation
}

// readSwitches of a graph and of its components.
func readSwitches(g *graph.Graph) (switches, message.List) {
	var errs message.List
	all := switches{components: map[string]annotation{}}
	all.graph, errs = annotationOfGraph(g, metadata.AnnotationAutoMNNVL)
	errs = append(errs, checkSwitch(all.graph)...)
	for _, name := range g.ComponentNames() {
		component := annotationOfComponent(g, name, metadata.AnnotationAutoMNNVL)
		errs = append(errs, checkSwitch(component)...)
		if all.graph.value == disabled && component.value == enabled {
			errs = append(errs, message.Invalid(component.path, component.value,
				"the whole graph is %s by %s; remove this annotation, or remove the annotation of the graph and disable individual {{components}}", disabled, all.graph.path))
		}
		all.components[name] = component
	}
	return all, errs
}

// annotationOfGraph reads an annotation that a graph can have in two places: its metadata, and the annotations for its objects.
func annotationOfGraph(g *graph.Graph, key string) (annotation, message.List) {
	own := annotationOf(field.NewPath("metadata", "annotations"), g.Annotations, key)
	ofSpec := annotationOf(field.NewPath("spec", "annotations"), g.Spec.Annotations, key)
	switch {
	case own.given && ofSpec.given && own.value != ofSpec.value:
		return own, message.List{message.Invalid(ofSpec.path, ofSpec.value, "differs from %s, which is %q; remove one of the two", own.path, own.value)}
	case ofSpec.given && !own.given:
		return ofSpec, nil
	default:
		return own, nil
	}
}

func annotationOfComponent(g *graph.Graph, name, key string) annotation {
	s := annotationOf(graph.ComponentPath(name, "annotations"), g.Component(name).Annotations, key)
	s.component = name
	return s
}

func annotationOfPods(g *graph.Graph, name, key string) annotation {
	path := graph.PodMetadataPath(graph.ComponentPath(name), "annotations")
	return annotationOf(path, g.Component(name).PodMetadata().Annotations, key)
}

func checkSwitch(s annotation) message.List {
	if !s.given || s.value == enabled || s.value == disabled {
		return nil
	}
	return message.List{message.NotSupported(s.path, s.value, []string{disabled, enabled})}
}

// enabled are the annotations that request a domain, those of the graph first.
func (s *switches) enabled(g *graph.Graph) []annotation {
	var all []annotation
	if s.graph.value == enabled {
		all = append(all, s.graph)
	}
	for _, name := range g.ComponentNames() {
		if s.components[name].value == enabled {
			all = append(all, s.components[name])
		}
	}
	return all
}

// disabled reports whether a component is opted out.
func (s *switches) disabled(component string) bool {
	return s.graph.value == disabled || s.components[component].value == disabled
}

// misplaced names annotations in the metadata of pods, where they have no effect.
func misplaced(g *graph.Graph) message.List {
	var warnings message.List
	for _, name := range g.ComponentNames() {
		if s := annotationOfPods(g, name, metadata.AnnotationAutoMNNVL); s.given {
			warnings = append(warnings, message.About(s.path, "has no effect on pods; set it in the {{annotations of podTemplate}}"))
		}
	}
	return warnings
}
