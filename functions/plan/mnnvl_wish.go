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
	metadataPath, specPath := field.NewPath("metadata", "annotations").Key(key), field.NewPath("spec", "annotations").Key(key)
	own, ok := g.Annotations[key]
	ofSpec, also := g.Spec.Annotations[key]
	switch {
	case ok && also && own != ofSpec:
		return said{metadataPath, own}, field.ErrorList{field.Invalid(specPath, ofSpec, fmt.Sprintf("differs from %s, which is %q: remove one of the two", metadataPath, own))}
	case ok:
		return present(metadataPath, own)
	case also:
		return present(specPath, ofSpec)
	default:
		return said{path: metadataPath}, nil
	}
}

// present refuses an empty value: what it is meant to say cannot be told.
func present(path *field.Path, value string) (said, field.ErrorList) {
	if value == "" {
		return said{path: path}, field.ErrorList{field.Required(path, "must have a value: give it one, or remove the annotation")}
	}
	return said{path, value}, nil
}

func ofService(g *graph.Graph, name, key string) said {
	return said{field.NewPath("spec", "services").Key(name).Child("annotations").Key(key), g.Spec.Services[name].Annotations[key]}
}

func checkSwitch(s said) field.ErrorList {
	switch s.value {
	case "", mnnvlEnabled, mnnvlDisabled:
		return nil
	default:
		return field.ErrorList{field.NotSupported(s.path, s.value, []string{mnnvlDisabled, mnnvlEnabled})}
	}
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
		extra := g.Spec.Services[name].ExtraPodMetadata
		if extra == nil || extra.Annotations[metadata.AnnotationAutoMNNVL] == "" {
			continue
		}
		warnings = append(warnings, fmt.Sprintf("%s: has no effect on pods; set it in annotations of the service",
			field.NewPath("spec", "services").Key(name).Child("extraPodMetadata", "annotations").Key(metadata.AnnotationAutoMNNVL)))
	}
	return warnings
}
