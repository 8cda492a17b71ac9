package conversion

// KeptServices returns what the annotation of a graph with components keeps of it in v1alpha1 that components have no fields for: a spec with
// pvcs, and with the fields of the services that are still components. It is empty if there is nothing, or if the annotation cannot be parsed,
// of which there is a warning.
func KeptServices(graph map[string]any) (map[string]any, []Warning) {
	warn := &warnings{}
	kept := readPayload(graph, warn)
	out := object{}
	if !has(objectAt(graph, "spec"), "pvcs") {
		put(out, "pvcs", kept.spec["pvcs"])
	}
	byName, order, _ := beta().components(objectAt(graph, "spec"))
	services := object{}
	for _, name := range order {
		before := objectAt(kept.spec, alpha().list, name)
		service := object{}
		for _, key := range keptFields() {
			put(service, key, before[key])
		}
		if component, _ := byName[name].(object); component["type"] == prefill || component["type"] == decode {
			delete(service, "subComponentType")
		}
		if len(service) > 0 {
			services[name] = service
		}
	}
	if len(services) > 0 {
		out[alpha().list] = services
	}
	return out, warn.list
}

// Plain is a converted graph whose annotation only keeps what takes effect. Without the rest, a conversion back does not find the place that each value
// had: whether a variable was written in a service or in its main container.
func Plain(graph map[string]any) map[string]any {
	out := cloneObject(graph)
	var spec object
	if formOf(graph) == beta() {
		spec, _ = KeptServices(graph)
		for _, service := range objectAt(spec, alpha().list) {
			if kept, ok := service.(object); ok {
				delete(kept, "dynamoNamespace")
			}
		}
		if isBlank(spec[alpha().list]) {
			delete(spec, alpha().list)
		}
	} else if components, _ := KeptComponents(graph); len(components) > 0 {
		return out
	}
	removeAnnotations(out)
	(&payload{spec: spec}).write(out)
	return out
}

// keptFields of a service are those that a component has no field for, so that those in the annotation always apply.
func keptFields() []string {
	return []string{"subComponentType", "dynamoNamespace", "autoscaling", "ingress", "annotations", "labels"}
}

// KeptComponents returns the components of a graph with services that its annotation says more of than the services: as they are converted.
func KeptComponents(graph map[string]any) ([]any, []Warning) {
	warn := &warnings{}
	kept := readPayload(graph, warn)
	with, _ := byRules(graph, beta(), kept, &warnings{})
	without, _ := byRules(graph, beta(), &payload{parsed: kept.parsed}, &warnings{})
	plain, _, _ := beta().components(objectAt(without, "spec"))

	var more []any
	for _, component := range items(objectAt(with, "spec"), beta().list) {
		if !same(component, plain[itemName(component)]) {
			more = append(more, component)
		}
	}
	return more, warn.list
}
