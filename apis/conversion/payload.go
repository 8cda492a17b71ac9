package conversion

import (
	"maps"

	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// The annotations for what the other version has no fields for, in the operator's format. On an object of one version, they hold fields of the
// other version.
const (
	AnnotationSpec   = "nvidia.com/dgd-spec"
	AnnotationStatus = "nvidia.com/dgd-status"
)

const unreadable = "The annotation cannot be parsed, so the values that it kept are lost. Do not edit it."

// payload of the annotations of an object.
type payload struct {
	// present is whether the object has one of the annotations, and parsed whether that of the spec can be read.
	present, parsed bool
	spec, status    object
	exact           *exact
}

// envelope is the value of the annotation of the spec.
type envelope struct {
	Version int    `json:"version"`
	Spec    object `json:"spec"`
	Exact   *exact `json:"exact,omitempty"`
}

// readPayload of an object. An annotation that cannot be parsed is only a warning: in a conversion webhook, an error for one object fails
// every list of objects.
func readPayload(graph object, warn *warnings) *payload {
	annotations := objectAt(graph, "metadata", "annotations")
	path := field.NewPath("metadata", "annotations")
	kept := &payload{}
	if written, ok := annotations[AnnotationSpec]; ok {
		kept.present = true
		envelope, ok := decoded(written)
		if !ok && written != "" {
			warn.add(ReasonIgnored, path.Key(AnnotationSpec), unreadable)
		}
		kept.parsed = ok
		kept.spec = envelope
		// The first releases wrote the spec without an envelope.
		if inner, hasSpec := envelope["spec"]; hasSpec {
			kept.spec, _ = inner.(object)
			kept.exact = readExact(envelope["exact"])
		}
		kept.strip()
	}
	if written, ok := annotations[AnnotationStatus]; ok {
		kept.present = true
		if kept.status, ok = decoded(written); !ok && written != "" {
			warn.add(ReasonIgnored, path.Key(AnnotationStatus), unreadable)
		}
	}
	return kept
}

func decoded(written any) (object, bool) {
	data, ok := written.(string)
	if !ok {
		return nil, false
	}
	out := object{}
	if err := utiljson.Unmarshal([]byte(data), &out); err != nil || out == nil {
		return nil, false
	}
	return out, true
}

// strip removes empty fields that the operator's Go types always write, so that they do not appear in converted objects.
func (p *payload) strip() {
	for _, value := range objectAt(p.spec, "services") {
		service, _ := value.(object)
		stripContainer(objectAt(service, "extraPodSpec", mainContainer))
	}
	for _, value := range items(p.spec, "components") {
		component, _ := value.(object)
		for _, container := range containersOf(objectAt(component, "podTemplate")) {
			o, _ := container.(object)
			stripContainer(o)
		}
	}
}

func stripContainer(container object) {
	if resources, ok := container["resources"].(object); ok && len(resources) == 0 {
		delete(container, "resources")
	}
	if container["name"] == "" {
		delete(container, "name")
	}
}

// write a value, or remove the key if there is none.
func (p *payload) write(graph object) {
	annotations := object{}
	if len(p.spec) > 0 || p.exact != nil {
		envelope := envelope{Version: 1, Spec: p.spec, Exact: p.exact}
		if envelope.Spec == nil {
			envelope.Spec = object{}
		}
		annotations[AnnotationSpec] = string(encoded(envelope))
	}
	if len(p.status) > 0 {
		annotations[AnnotationStatus] = string(encoded(p.status))
	}
	if len(annotations) == 0 {
		return
	}
	maps.Copy(child(child(graph, "metadata"), "annotations"), annotations)
}

// removeAnnotations of conversion, and the map of annotations if it is then empty.
func removeAnnotations(graph object) {
	metadata := objectAt(graph, "metadata")
	annotations := objectAt(metadata, "annotations")
	before := len(annotations)
	delete(annotations, AnnotationSpec)
	delete(annotations, AnnotationStatus)
	if len(annotations) == 0 && before > 0 {
		delete(metadata, "annotations")
	}
}
