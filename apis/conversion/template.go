package conversion

import "slices"

// mainName is the name of the main container of a component in v1beta1.
const mainName = "main"

// templateOf a service is the pod template of the component, nil if the service has no fields about pods.
func templateOf(service object, hubHasTemplate bool) object {
	if !saysPods(service) && !hubHasTemplate {
		return nil
	}
	extra := objectAt(service, "extraPodSpec")
	metadata := object{}
	for _, key := range metadataKeys() {
		put(metadata, key, blankObjectToNil(objectAt(service, "extraPodMetadata")[key]))
	}
	template, spec := object{}, without(extra, mainContainer)
	if len(metadata) > 0 {
		template["metadata"] = metadata
	}
	containers := []any{mainOf(service)}
	for _, container := range items(extra, "containers") {
		// v1beta1 has one container of the name: that of mainContainer and the fields of the service.
		if c, ok := container.(object); !ok || textAt(c, "name") != mainName {
			containers = append(containers, container)
		}
	}
	if sidecar, ok := service["frontendSidecar"].(object); ok {
		if _, i := named(containers, sidecarName); i < 0 {
			containers = append(containers, sidecarContainer(sidecar))
		}
	}
	spec["containers"] = containers
	template["spec"] = spec
	return template
}

const mainContainer = "mainContainer"

func metadataKeys() []string {
	return []string{"annotations", "labels"}
}

func blankObjectToNil(value any) any {
	if isBlank(value) {
		return nil
	}
	return value
}

// saysPods reports whether a service has fields about its pods.
func saysPods(service object) bool {
	for _, key := range []string{"resources", "envFromSecret", "livenessProbe", "readinessProbe", "extraPodMetadata", "frontendSidecar"} {
		if has(service, key) {
			return true
		}
	}
	isPlain := func(mount any) bool { return !isCache(mount) }
	return len(items(service, "envs")) > 0 || slices.ContainsFunc(items(service, "volumeMounts"), isPlain) || !isExtraBlank(service)
}

// isExtraBlank reports whether extraPodSpec is empty but for the name of its main container.
func isExtraBlank(service object) bool {
	extra := objectAt(service, "extraPodSpec")
	return areFieldsBlank(without(extra, mainContainer)) && isContainerBlank(objectAt(extra, mainContainer))
}

// isContainerBlank reports whether a container has no fields but its name.
func isContainerBlank(container object) bool {
	return areFieldsBlank(without(container, "name"))
}

// areFieldsBlank reports whether no field is set. An empty object counts as set where the Go type has a pointer.
func areFieldsBlank(o object) bool {
	for key, value := range o {
		if nested, ok := value.(object); ok && len(nested) == 0 && !slices.Contains([]string{"resources", "nodeSelector", "overhead"}, key) {
			return false
		}
		if !isBlank(value) {
			return false
		}
	}
	return true
}

// takeTemplateApart sets the fields of a service from the pod template of a component.
func takeTemplateApart(service, component, kept object) {
	template, ok := component["podTemplate"].(object)
	if !ok {
		if sidecar := keptSidecar(component, kept); sidecar != nil {
			service["frontendSidecar"] = cloneObject(sidecar)
		}
		return
	}
	metadata := object{}
	for _, key := range metadataKeys() {
		put(metadata, key, blankObjectToNil(objectAt(template, "metadata")[key]))
	}
	if len(metadata) > 0 {
		service["extraPodMetadata"] = metadata
	}

	containers := items(objectAt(template, "spec"), "containers")
	main, i := named(containers, mainName)
	others := slices.Clone(containers)
	if i >= 0 {
		others = slices.Delete(others, i, i+1)
	}
	others = takeSidecarApart(service, component, kept, others)
	extra := without(objectAt(template, "spec"), "containers", mainContainer)
	put(extra, "containers", others)
	if areFieldsBlank(extra) {
		extra = object{}
	}
	if rest := takeMainApart(service, cloneObject(main)); !isContainerBlank(rest) {
		extra[mainContainer] = rest
	}
	if len(extra) > 0 {
		service["extraPodSpec"] = extra
	}
}

// pruneExtraPodSpec removes an empty extraPodSpec, unless the service in the annotation has one.
func pruneExtraPodSpec(service, kept object) {
	extra := objectAt(service, "extraPodSpec")
	if extra == nil {
		return
	}
	before, hadExtra := kept["extraPodSpec"].(object)
	if isContainerBlank(objectAt(extra, mainContainer)) && (textAt(objectAt(before, mainContainer), "name") == "" || !isExtraBlank(kept)) {
		delete(extra, mainContainer)
	}
	if isExtraBlank(service) && (!hadExtra || !isExtraBlank(kept)) {
		delete(service, "extraPodSpec")
	}
}
