package plan

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/metadata"
)

// Values of annotation grove.io/auto-mnnvl.
const (
	mnnvlEnabled  = "enabled"
	mnnvlDisabled = "disabled"
)

// said is the value of an annotation, and where it stands.
type said struct {
	path  *field.Path
	value string

	// given is false where there is no such annotation.
	given bool

	// service that says it. Empty: the graph does.
	service string
}

func sayOf(path *field.Path, annotations map[string]string, key string) said {
	value, given := annotations[key]
	return said{path: path.Key(key), value: value, given: given}
}

// mnnvlWish is what the user says of multi-node NVLink by annotation grove.io/auto-mnnvl. Empty: nothing.
type mnnvlWish struct {
	graph    said
	services map[string]said
}

// readMNNVLWish of a graph and of its services.
func readMNNVLWish(g *graph.Graph) (mnnvlWish, field.ErrorList) {
	var errs field.ErrorList
	wish := mnnvlWish{services: map[string]said{}}
	wish.graph, errs = ofGraph(g, metadata.AnnotationAutoMNNVL)
	errs = append(errs, checkSwitch(wish.graph)...)
	for _, name := range g.ServiceNames() {
		service := ofService(g, name, metadata.AnnotationAutoMNNVL)
		errs = append(errs, checkSwitch(service)...)
		if wish.graph.value == mnnvlDisabled && service.value == mnnvlEnabled {
			errs = append(errs, field.Invalid(service.path, service.value,
				fmt.Sprintf("the whole graph is %s by %s: remove this one, or remove that one and disable single services", mnnvlDisabled, wish.graph.path)))
		}
		wish.services[name] = service
	}
	return wish, errs
}

// ofGraph reads an annotation that a graph can carry in two places: its own metadata, and those that its objects get.
func ofGraph(g *graph.Graph, key string) (said, field.ErrorList) {
	own := sayOf(field.NewPath("metadata", "annotations"), g.Annotations, key)
	ofSpec := sayOf(field.NewPath("spec", "annotations"), g.Spec.Annotations, key)
	switch {
	case own.given && ofSpec.given && own.value != ofSpec.value:
		return own, field.ErrorList{field.Invalid(ofSpec.path, ofSpec.value, fmt.Sprintf("differs from %s, which is %q: remove one of the two", own.path, own.value))}
	case ofSpec.given && !own.given:
		return ofSpec, nil
	default:
		return own, nil
	}
}

func ofService(g *graph.Graph, name, key string) said {
	s := sayOf(field.NewPath("spec", "services").Key(name).Child("annotations"), g.Spec.Services[name].Annotations, key)
	s.service = name
	return s
}

func ofPods(g *graph.Graph, name, key string) said {
	path := field.NewPath("spec", "services").Key(name).Child("extraPodMetadata", "annotations")
	if extra := g.Spec.Services[name].ExtraPodMetadata; extra != nil {
		return sayOf(path, extra.Annotations, key)
	}
	return said{path: path.Key(key)}
}

func checkSwitch(s said) field.ErrorList {
	if !s.given || s.value == mnnvlEnabled || s.value == mnnvlDisabled {
		return nil
	}
	return field.ErrorList{field.NotSupported(s.path, s.value, []string{mnnvlDisabled, mnnvlEnabled})}
}

// enabled are the places that ask for a domain, the graph's first.
func (w *mnnvlWish) enabled(g *graph.Graph) []said {
	var all []said
	if w.graph.value == mnnvlEnabled {
		all = append(all, w.graph)
	}
	for _, name := range g.ServiceNames() {
		if w.services[name].value == mnnvlEnabled {
			all = append(all, w.services[name])
		}
	}
	return all
}

// disabled reports whether a service takes no part.
func (w *mnnvlWish) disabled(service string) bool {
	return w.graph.value == mnnvlDisabled || w.services[service].value == mnnvlDisabled
}

// warnMisplaced names annotations among those of the pods, where nothing reads them.
func warnMisplaced(g *graph.Graph) []string {
	var warnings []string
	for _, name := range g.ServiceNames() {
		if s := ofPods(g, name, metadata.AnnotationAutoMNNVL); s.given {
			warnings = append(warnings, s.path.String()+": has no effect on pods; set it in annotations of the service")
		}
	}
	return warnings
}
