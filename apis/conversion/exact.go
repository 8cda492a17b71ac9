package conversion

import (
	"crypto/sha256"
	"encoding/hex"
	"reflect"
	"slices"

	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// exact records how an object was written where the rules alone would not restore it: a number that became a string, two spellings of one
// type, a field that the other version does not have. Each part only applies while the live object is as the conversion left it, so that edits
// take precedence. The operator ignores this part of its annotation.
type exact struct {
	Components map[string]*remainder `json:"components,omitempty"`
	Spec       *remainder            `json:"spec,omitempty"`
	Status     *remainder            `json:"status,omitempty"`
}

// A remainder of a part of the object.
type remainder struct {
	// Of is the hash of the part in the live object.
	Of     string   `json:"of"`
	Fields []change `json:"fields"`
}

// readExact parses the part of an annotation. Nil if it cannot be parsed: the operator's rules still apply.
func readExact(value any) *exact {
	out := &exact{}
	if value == nil || utiljson.Unmarshal(encoded(value), out) != nil {
		return nil
	}
	for _, component := range out.Components {
		component.normalize()
	}
	out.Spec.normalize()
	out.Status.normalize()
	return out
}

// normalize numbers to the types that Kubernetes decodes them to.
func (r *remainder) normalize() {
	if r == nil {
		return
	}
	for i := range r.Fields {
		tree := object{}
		if utiljson.Unmarshal(encoded(object{"": r.Fields[i].Value}), &tree) == nil {
			r.Fields[i].Value = tree[""]
		}
	}
}

// exactly compares an object with what the rules restore from the object that it was converted to, and records the differences. Nil if there
// are none.
func exactly(was, back, live object) *exact {
	from, to := formOf(was), formOf(was).other()
	out := &exact{Components: map[string]*remainder{}}
	spec, specBack, specLive := objectAt(was, "spec"), objectAt(back, "spec"), objectAt(live, "spec")
	byName, order, ok := from.components(spec)
	byNameBack, orderBack, okBack := from.components(specBack)
	byNameLive, _, okLive := to.components(specLive)

	if ok && okBack && okLive && slices.Equal(order, orderBack) {
		for name := range byName {
			out.Components[name] = remainderOf(byNameLive[name], changes(nil, byNameBack[name], byName[name]))
			if out.Components[name] == nil {
				delete(out.Components, name)
			}
		}
		spec, specBack, specLive = without(spec, from.list), without(specBack, from.list), without(specLive, to.list)
	}
	out.Spec = remainderOf(specLive, changes(nil, specBack, spec))
	out.Status = remainderOf(live["status"], changes(nil, back["status"], was["status"]))
	if len(out.Components) == 0 && out.Spec == nil && out.Status == nil {
		return nil
	}
	return out
}

func remainderOf(live any, fields []change) *remainder {
	if len(fields) == 0 {
		return nil
	}
	return &remainder{Of: hash(live), Fields: fields}
}

// restore applies what was recorded to a converted object. The live object is the one that it was converted from.
func (e *exact) restore(out, live object) {
	if e == nil {
		return
	}
	from, to := formOf(live), formOf(live).other()
	spec, specLive := objectAt(out, "spec"), objectAt(live, "spec")
	byNameLive, _, okLive := from.components(specLive)
	byName, _, ok := to.components(spec)
	if e.Spec != nil && slices.Contains([]string{hash(specLive), hash(without(specLive, from.list))}, e.Spec.Of) {
		e.Spec.apply(spec)
	}
	if e.Status != nil && e.Status.Of == hash(live["status"]) {
		e.Status.apply(objectAt(out, "status"))
	}
	if !ok || !okLive {
		return
	}
	for name, component := range e.Components {
		if before, isObject := byName[name].(object); isObject && component != nil && component.Of == hash(byNameLive[name]) {
			component.apply(before)
		}
	}
}

func (r *remainder) apply(o object) {
	if o == nil {
		return
	}
	for _, c := range r.Fields {
		c.apply(o)
	}
}

func hash(value any) string {
	sum := sha256.Sum256(encoded(value))
	return hex.EncodeToString(sum[:8])
}

// unchanged reports whether two values are equal, whatever types their numbers have.
func unchanged(a, b any) bool {
	return reflect.DeepEqual(a, b) || isScalar(a) && isScalar(b) && a != nil && b != nil && sameScalars(a, b)
}

func isScalar(value any) bool {
	switch value.(type) {
	case object, []any:
		return false
	default:
		return true
	}
}
