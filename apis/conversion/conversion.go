// Package conversion converts graphs between nvidia.com/v1alpha1 and v1beta1 by the rules of the Dynamo operator, so that objects can be
// exchanged with it: https://github.com/ai-dynamo/dynamo/blob/main/deploy/operator/api/CONVERSION.md
//
// Fields of the live object take precedence. Values that the other version has no field for are kept in the operator's annotations, and
// only fill fields that the live object cannot have. The package works on unstructured objects, so fields that neither version has, such as
// spec.crossplane, are preserved.
//
// A conversion there and back is the identity. The operator's rules alone do not ensure that: every conversion is therefore also done
// backwards, and what differs from the original is recorded in the annotation, under a key that the operator ignores.
package conversion

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// The versions.
const (
	V1alpha1 = group + "v1alpha1"
	V1beta1  = group + "v1beta1"

	group = "nvidia.com/"
)

// Reason of a warning.
type Reason string

// Reasons of a warning.
const (
	// ReasonKept is a value that the other version has no field for. It is kept in an annotation.
	ReasonKept Reason = "Kept"
	// ReasonRefused is a value that the other version does not accept.
	ReasonRefused Reason = "Refused"
	// ReasonIgnored is an annotation that cannot be parsed.
	ReasonIgnored Reason = "Ignored"
)

// A Warning about a field of the object that is converted.
type Warning struct {
	Reason Reason
	// Field is its path in the version that is converted from.
	Field *field.Path
	// Detail says in whole sentences what happens to it.
	Detail string
}

func (w Warning) String() string {
	return w.Field.String() + ": " + w.Detail
}

// ToV1beta1 converts a graph to v1beta1 and does not change its argument. A graph that already has components only gets the apiVersion. It never
// fails: values that cannot be converted are kept in an annotation or left where they are, with a warning.
func ToV1beta1(graph map[string]any) (map[string]any, []Warning) {
	return convert(graph, beta())
}

// ToV1alpha1 converts a graph to v1alpha1, in the same way as ToV1beta1.
func ToV1alpha1(graph map[string]any) (map[string]any, []Warning) {
	return convert(graph, alpha())
}

// convert an object by the rules, then back again to find what the rules alone would lose.
func convert(graph object, to form) (object, []Warning) {
	if formOf(graph) == to {
		return withVersion(graph, to), nil
	}
	warn := &warnings{}
	kept := readPayload(graph, warn)
	out, saved := byRules(graph, to, kept, warn)
	saved.strip()
	kept.exact.restore(out, graph)

	again, _ := byRules(out, to.other(), saved, &warnings{})
	saved.exact = exactly(graph, again, out)
	warn.lost(saved.exact, to)
	saved.write(out)
	return out, warn.list
}

// byRules converts an object by the operator's rules alone. The result has no annotations of conversion yet; what they have to keep is
// returned with it.
func byRules(graph object, to form, kept *payload, warn *warnings) (object, *payload) {
	out := withVersion(graph, to)
	removeAnnotations(out)
	saved := &payload{}
	spec, hasSpec := out["spec"].(object)
	status, hasStatus := out["status"].(object)
	switch {
	case hasSpec && to == beta():
		out["spec"], saved.spec = specToBeta(spec, kept, warn)
	case hasSpec:
		out["spec"], saved.spec = specToAlpha(spec, kept, warn)
	}
	switch {
	case hasStatus && to == beta():
		out["status"], saved.status = statusToBeta(status)
	case hasStatus:
		out["status"] = statusToAlpha(status, kept.status)
	}
	return out, saved
}

func withVersion(graph object, to form) object {
	out := cloneObject(graph)
	out["apiVersion"] = to.version
	return out
}

// warnings while an object is converted.
type warnings struct {
	list []Warning
}

func (w *warnings) add(reason Reason, path *field.Path, detail string) {
	w.list = append(w.list, Warning{Reason: reason, Field: path, Detail: detail})
}

// lost adds a warning for each field that the rules alone would lose.
func (w *warnings) lost(kept *exact, to form) {
	if kept == nil {
		return
	}
	detail := noField + strings.TrimPrefix(to.version, group) + ". Its value is kept in annotation " + AnnotationSpec + " until the rest is edited."
	// A serviceName that is the name of the service says nothing. What is no component has had its warning.
	add := func(path *field.Path, r *remainder) {
		if r == nil {
			return
		}
		for _, c := range r.Fields {
			if c.lost && !isBlank(c.Value) && !slices.Contains([]string{"serviceName", alpha().list, beta().list}, c.Path[0]) {
				w.add(ReasonKept, c.pathFrom(path), detail)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(kept.Components)) {
		add(to.other().path(name), kept.Components[name])
	}
	add(field.NewPath("spec"), kept.Spec)
	add(field.NewPath("status"), kept.Status)
}
