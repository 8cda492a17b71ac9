package conversion

import "slices"

// statusToBeta converts a status, and returns what has to be kept of it: the name of a service's workload if that is not the last of its names.
func statusToBeta(status object) (out, save object) {
	out = rename(status, "services", "components")
	if update, ok := out["rollingUpdate"].(object); ok {
		out["rollingUpdate"] = rename(update, "updatedServices", "updatedComponents")
	}
	if _, both := out["services"]; both {
		return out, nil
	}
	components, _ := out["components"].(object)
	converted, saved := object{}, object{}
	for name, value := range components {
		service, ok := value.(object)
		if !ok {
			converted[name] = value
			continue
		}
		component := without(service, "componentName")
		workload, workloads := textAt(service, "componentName"), items(service, "componentNames")
		if len(workloads) == 0 && workload != "" {
			component["componentNames"] = []any{workload}
		}
		if len(workloads) == 0 && workload != "" || len(workloads) > 0 && workloads[len(workloads)-1] != workload {
			saved[name] = object{"componentName": workload}
			put(child(saved, name), "componentNames", workloads)
		}
		converted[name] = component
	}
	if components != nil {
		out["components"] = converted
	}
	if len(saved) > 0 {
		save = object{"services": saved}
	}
	return out, save
}

// statusToAlpha converts a status, given the status in the annotation.
func statusToAlpha(status, kept object) object {
	out := rename(status, "components", "services")
	if update, ok := out["rollingUpdate"].(object); ok {
		out["rollingUpdate"] = rename(update, "updatedComponents", "updatedServices")
	}
	if _, both := out["components"]; both {
		return out
	}
	services, _ := out["services"].(object)
	converted := object{}
	for name, value := range services {
		component, ok := value.(object)
		if !ok {
			converted[name] = value
			continue
		}
		service := without(component)
		workloads := items(component, "componentNames")
		if len(workloads) > 0 {
			service["componentName"] = workloads[len(workloads)-1]
		}
		before := objectAt(kept, "services", name)
		if slices.EqualFunc(workloads, workloadsOf(before), unchanged) && len(workloads) > 0 {
			delete(service, "componentNames")
			service["componentName"] = textAt(before, "componentName")
			put(service, "componentNames", before["componentNames"])
		}
		converted[name] = service
	}
	if services != nil {
		out["services"] = converted
	}
	return out
}

// workloadsOf a service are the names of its workloads in v1beta1.
func workloadsOf(service object) []any {
	workloads := items(service, "componentNames")
	if workload := textAt(service, "componentName"); len(workloads) == 0 && workload != "" {
		return []any{workload}
	}
	return workloads
}
