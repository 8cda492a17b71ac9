package conversion

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// specToBeta converts a spec, given the annotations of the graph, and returns what has to be kept of it.
func specToBeta(spec object, kept *payload, warn *warnings) (out, save object) {
	out, save = rename(spec, "envs", "env"), object{}
	if topology, ok := out["topologyConstraint"].(object); ok {
		out["topologyConstraint"] = rename(topology, "topologyProfile", "clusterTopologyName")
	}
	if claims, ok := out["pvcs"].([]any); ok && len(claims) > 0 {
		warn.add(ReasonKept, field.NewPath("spec", "pvcs"), noField+"v1beta1"+keptThere)
		move(out, "pvcs", save, "pvcs")
	}
	services, ok := out["services"].(object)
	if !ok {
		return out, save
	}
	delete(out, "services")
	if has(out, "components") {
		warn.add(ReasonKept, field.NewPath("spec", "components"), "A graph has either services or components. Only the services are converted.")
	}

	saved := object{}
	components := []any{}
	hubs := firstOfEachName(items(kept.spec, "components"))
	for _, name := range orderOf(services, items(kept.spec, "components")) {
		service, isObject := services[name].(object)
		if !isObject {
			// Only null can be kept as the operator does.
			if services[name] == nil {
				saved[name] = nil
			}
			warn.add(ReasonKept, alpha().path(name), "A service must be an object. This service is left out, and kept in annotation "+AnnotationSpec+".")
			continue
		}
		component, saveService := serviceToComponent(name, service, hubs[name], kept.parsed, warn)
		components = append(components, component)
		if len(saveService) > 0 {
			saved[name] = saveService
		}
	}
	out["components"] = components
	if len(saved) > 0 {
		save["services"] = saved
	}
	return out, save
}

// orderOf services: by name, or the order that the components had before. New services are last.
func orderOf(services object, kept []any) []string {
	sorted := sortedKeys(services)
	before := names(kept)
	if slices.IsSorted(before) {
		return sorted
	}
	var order []string
	placed := map[string]bool{}
	for _, name := range before {
		if _, ok := services[name]; ok && !placed[name] {
			placed[name] = true
			order = append(order, name)
		}
	}
	return append(order, slices.DeleteFunc(sorted, func(name string) bool { return placed[name] })...)
}

// specToAlpha converts a spec, given the annotations of the graph, and returns what has to be kept of it.
func specToAlpha(spec object, kept *payload, warn *warnings) (out, save object) {
	out, save = rename(spec, "env", "envs"), object{}
	if topology, ok := out["topologyConstraint"].(object); ok {
		out["topologyConstraint"] = rename(topology, "clusterTopologyName", "topologyProfile")
	}
	if !has(out, "pvcs") {
		put(out, "pvcs", kept.spec["pvcs"])
	}
	components, isList := out["components"].([]any)
	if !isList {
		return out, save
	}
	delete(out, "components")
	if has(out, "services") {
		warn.add(ReasonKept, field.NewPath("spec", "services"), "A graph has either services or components. Only the components are converted.")
	}
	services := object{}
	for name, service := range objectAt(kept.spec, "services") {
		if service == nil {
			services[name] = nil
		}
	}
	byName, order, regular := beta().components(object{"components": components})
	if !regular {
		warn.add(ReasonKept, field.NewPath("spec", "components"), "Components must be objects with unique names. Only the first component of each name is converted.")
	}

	var saved []any
	sorted := slices.IsSorted(order)
	for _, name := range order {
		component, _ := byName[name].(object)
		before := objectAt(kept.spec, "services", name)
		service, saveComponent := componentToService(name, component, before, warn)
		services[name] = service
		origin := !kept.present && has(component, "podTemplate")
		if !sorted || len(saveComponent) > 0 || origin {
			saveComponent["name"] = name
			saved = append(saved, saveComponent)
		}
	}
	out["services"] = services
	put(save, "components", saved)
	return out, save
}

// rename a field, unless the new name is taken. The result is a shallow copy.
func rename(o object, from, to string) object {
	out := without(o)
	if value, ok := o[from]; ok {
		if _, taken := o[to]; !taken {
			delete(out, from)
			out[to] = value
		}
	}
	return out
}
