package conversion

import "slices"

// alphaOnly returns what has to be kept of a service because a component has no field for it. With splits, or where fields of
// mainContainer would otherwise come back as fields of the service, it also keeps which of the two each field was in.
func alphaOnly(service object, splits bool) object {
	save := object{}
	keep := func(key string, wanted bool) {
		if wanted {
			put(save, key, service[key])
		}
	}
	keep("subComponentType", !isBlank(service["subComponentType"]) && !isPromoted(service))
	for _, key := range []string{"autoscaling", "dynamoNamespace", "envFromSecret", "frontendSidecar", "ingress"} {
		keep(key, has(service, key))
	}
	for _, key := range metadataKeys() {
		keep(key, !isBlank(service[key]))
	}
	keep("resources", areResourcesLost(service["resources"]))
	keep("volumeMounts", manyCaches(items(service, "volumeMounts")))
	keep("sharedMemory", isSharedMemoryLost(service["sharedMemory"]))
	keep("extraPodMetadata", has(service, "extraPodMetadata") && isMetadataBlank(service))
	keep("extraPodSpec", isExtraLost(service))
	for _, feature := range []string{"scalingAdapter", gpuMemoryService, failover} {
		keep(feature, has(service, feature) && !isEnabled(service, feature))
	}
	if splits || len(save) > 0 || isMainLost(service) {
		keepSplits(service, save)
	}
	return save
}

// isSharedMemoryLost reports whether shared memory has neither of its fields, or a size that is not used.
func isSharedMemoryLost(value any) bool {
	memory, ok := value.(object)
	return ok && (memory["disabled"] == true) != isZeroQuantity(memory["size"])
}

func isMetadataBlank(service object) bool {
	metadata := objectAt(service, "extraPodMetadata")
	return isBlank(metadata["annotations"]) && isBlank(metadata["labels"])
}

// isExtraLost reports whether extraPodSpec is empty or only names its main container, or has a container with the name of the frontend sidecar.
func isExtraLost(service object) bool {
	if !has(service, "extraPodSpec") {
		return false
	}
	_, clash := named(items(objectAt(service, "extraPodSpec"), "containers"), sidecarName)
	return isExtraBlank(service) || has(service, "frontendSidecar") && clash >= 0
}

// isMainLost reports whether mainContainer has fields that would come back as fields of the service.
func isMainLost(service object) bool {
	main := objectAt(service, "extraPodSpec", mainContainer)
	return slices.ContainsFunc([]string{"name", "env", "resources", "volumeMounts"}, func(key string) bool { return !isBlank(main[key]) }) ||
		slices.ContainsFunc(probes(), func(key string) bool { return has(main, key) })
}

// splits are the fields of a service and of its mainContainer that become one field of the container.
func splits() []struct{ flat, main string } {
	return []struct{ flat, main string }{
		{"envs", "env"},
		{"envFromSecret", "envFrom"},
		{"resources", "resources"},
		{"volumeMounts", "volumeMounts"},
		{"livenessProbe", "livenessProbe"},
		{"readinessProbe", "readinessProbe"},
	}
}

// keepSplits keeps which values were in fields of the service, and which in fields of mainContainer.
func keepSplits(service, save object) {
	main, ok := objectAt(service, "extraPodSpec")[mainContainer].(object)
	if !ok {
		return
	}
	keep := func() object { return child(child(save, "extraPodSpec"), mainContainer) }
	if name := textAt(main, "name"); name != "" {
		keep()["name"] = name
	}
	for _, split := range splits() {
		if isUnset(service[split.flat]) && isUnset(main[split.main]) {
			continue
		}
		put(save, split.flat, service[split.flat])
		put(keep(), split.main, main[split.main])
	}
}

func isUnset(value any) bool {
	list, isList := value.([]any)
	return value == nil || isList && len(list) == 0
}

// restoreAlphaOnly fills the fields that a component does not have from the service in the annotation.
func restoreAlphaOnly(service, component, kept object) {
	if kept == nil {
		return
	}
	_, hasMain := mainOfComponent(component)
	for _, key := range keptFields() {
		if isBlank(service[key]) {
			put(service, key, kept[key])
		}
	}
	if memory := objectAt(service, "sharedMemory"); isSharedMemoryLost(kept["sharedMemory"]) &&
		(memory == nil || objectAt(kept, "sharedMemory")["disabled"] == true && memory["disabled"] == true) {
		put(service, "sharedMemory", kept["sharedMemory"])
	}
	if hasMain && areResourcesLost(kept["resources"]) &&
		sameResources(resourcesToNative(objectAt(service, "resources")), resourcesToNative(objectAt(kept, "resources"))) {
		put(service, "resources", kept["resources"])
	}
	restoreEnvFromSecret(service, kept, hasMain)
	if !has(service, "extraPodMetadata") && isMetadataBlank(kept) {
		put(service, "extraPodMetadata", kept["extraPodMetadata"])
	}
	restoreExtra(service, kept)
	if hasMain {
		restoreSplits(service, kept)
	}
	if main, ok := objectAt(service, "extraPodSpec")[mainContainer].(object); ok && isBlank(main["name"]) {
		put(main, "name", objectAt(kept, "extraPodSpec", mainContainer)["name"])
	}
	for _, feature := range []string{"scalingAdapter", gpuMemoryService, failover} {
		if !has(service, feature) && !isEnabled(kept, feature) {
			put(service, feature, kept[feature])
		}
	}
}

// restoreEnvFromSecret restores the field if the Secret is still the only source of variables of the container.
func restoreEnvFromSecret(service, kept object, hasMain bool) {
	secret, ok := kept["envFromSecret"].(string)
	if !ok || has(service, "envFromSecret") {
		return
	}
	if secret == "" {
		service["envFromSecret"] = secret
		return
	}
	main := objectAt(service, "extraPodSpec", mainContainer)
	if hasMain && same(main["envFrom"], envFromSecret(secret)) {
		service["envFromSecret"] = secret
		delete(main, "envFrom")
	}
}

// restoreExtra restores an empty extraPodSpec, or the container with the name of the frontend sidecar.
func restoreExtra(service, kept object) {
	if !isExtraLost(kept) {
		return
	}
	if !has(service, "extraPodSpec") {
		put(service, "extraPodSpec", kept["extraPodSpec"])
		return
	}
	containers := items(objectAt(service, "extraPodSpec"), "containers")
	clashing, i := named(items(objectAt(kept, "extraPodSpec"), "containers"), sidecarName)
	if _, j := named(containers, sidecarName); i >= 0 && j < 0 {
		child(service, "extraPodSpec")["containers"] = append(slices.Clone(containers), cloneObject(clashing))
	}
}

// restoreSplits moves values between the fields of the service and those of mainContainer to where they were, unless the values have changed.
func restoreSplits(service, kept object) {
	before, ok := objectAt(kept, "extraPodSpec")[mainContainer].(object)
	if !ok {
		return
	}
	now, then := mainOf(service), mainOf(kept)
	for _, split := range splits() {
		if isUnset(kept[split.flat]) && isUnset(before[split.main]) {
			continue
		}
		switch split.main {
		case "volumeMounts":
			restoreMounts(service, kept, now, then)
			continue
		case "resources":
			if !sameResources(objectAt(now, "resources"), objectAt(then, "resources")) {
				continue
			}
		default:
			if !same(now[split.main], then[split.main]) {
				continue
			}
		}
		if split.main == "envFrom" {
			// What is left of it in mainContainer already is what was written there.
			put(service, split.flat, kept[split.flat])
			continue
		}
		write(service, split.flat, kept[split.flat])
		write(child(child(service, "extraPodSpec"), mainContainer), split.main, before[split.main])
	}
}

// write a value, or remove the key if there is none.
func write(o object, key string, value any) {
	delete(o, key)
	put(o, key, value)
}

// restoreMounts moves mounts to where they were, unless mounts other than those of caches have changed.
func restoreMounts(service, kept, now, then object) {
	mountsNow := places(withoutCaches(items(now, "volumeMounts"), items(service, "volumeMounts")))
	mountsThen := places(withoutCaches(items(then, "volumeMounts"), items(kept, "volumeMounts")))
	if !slices.Equal(mountsNow, mountsThen) {
		return
	}
	native := items(objectAt(kept, "extraPodSpec", mainContainer), "volumeMounts")
	var out []any
	for _, mount := range items(kept, "volumeMounts") {
		if !isCache(mount) {
			out = append(out, clone(mount))
		}
	}
	for _, mount := range items(service, "volumeMounts") {
		i := slices.Index(places(out), placeOf(mount))
		switch {
		case isCache(mount) && i >= 0:
			out[i] = mount
		case isCache(mount):
			out = append(out, mount)
		case i < 0 && !slices.Contains(places(native), placeOf(mount)):
			out = append(out, mount)
		}
	}
	write(service, "volumeMounts", out)
	write(child(child(service, "extraPodSpec"), mainContainer), "volumeMounts", native)
}

// withoutCaches returns the mounts of a container that are not mounts of the compilation caches of a service.
func withoutCaches(native, flat []any) []any {
	var caches []place
	for _, mount := range flat {
		if isCache(mount) {
			caches = append(caches, placeOf(mount))
		}
	}
	return slices.DeleteFunc(slices.Clone(native), func(mount any) bool { return slices.Contains(caches, placeOf(mount)) })
}
