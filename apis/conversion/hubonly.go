package conversion

import (
	"slices"
)

// hubOnly returns what has to be kept of a component because the service that it was converted to has no field for it.
func hubOnly(component, service object) object {
	save := object{}
	if reference := component["frontendSidecar"]; reference != nil && !has(service, "frontendSidecar") {
		save["frontendSidecar"] = reference
	}
	if template, ok := component["podTemplate"].(object); ok {
		projected := templateOf(service, false)
		if kept := templateRemainder(template, projected, textAt(save, "frontendSidecar")); kept != nil {
			save["podTemplate"] = kept
		}
	}
	if experimental, ok := component["experimental"].(object); ok {
		rest := without(experimental, sharedExperiments()...)
		if len(rest) > 0 || len(experimental) == 0 {
			save["experimental"] = cloneObject(rest)
		}
	}
	return save
}

// templateRemainder returns the part of a pod template that is not in the one that the service would be converted to, nil if there is none.
// An empty remainder means that the template had no main container.
func templateRemainder(template, projected object, sidecar string) object {
	containers, back := containersOf(template), containersOf(projected)
	_, main := named(containers, mainName)
	_, mainBack := named(back, mainName)
	order := names(back)
	if main < 0 {
		order = slices.DeleteFunc(order, func(name string) bool { return name == mainName })
	}
	_, sidecarAt := named(containers, sidecar)

	metadata := without(objectAt(template, "metadata"), metadataKeys()...)
	ordered := projected != nil && !slices.Equal(names(containers), order)
	marks := main < 0 && mainBack >= 0 || projected == nil && isBlank(template)
	out := object{}
	if !isBlank(metadata) {
		out["metadata"] = cloneObject(metadata)
	}
	if ordered || sidecar != "" && sidecarAt >= 0 || !slices.EqualFunc(containers, back, sameContainer) {
		var kept []any
		for _, item := range containers {
			if container, ok := item.(object); ok {
				kept = append(kept, containerRemainder(container, back, ordered || textAt(container, "name") == sidecar)...)
			}
		}
		if len(kept) > 0 {
			out["spec"] = object{"containers": kept}
		}
	}
	if len(out) == 0 && !marks {
		return nil
	}
	return out
}

func containersOf(template object) []any {
	return items(objectAt(template, "spec"), "containers")
}

// sameContainer reports whether two containers are equal. Quantities are compared by value.
func sameContainer(a, b any) bool {
	left, leftOK := a.(object)
	right, rightOK := b.(object)
	return leftOK && rightOK && same(without(left, "resources"), without(right, "resources")) &&
		sameResources(objectAt(left, "resources"), objectAt(right, "resources"))
}

// containerRemainder returns the part of a container that is not in the one that the service would be converted to. It may only be a name,
// which records the order of containers, or that there was a container.
func containerRemainder(container object, projected []any, keepName bool) []any {
	kept := object{"name": container["name"]}
	back, i := named(projected, textAt(container, "name"))
	isMain := textAt(container, "name") == mainName
	switch {
	case i < 0:
		kept = cloneObject(container)
		keepName = keepName || isMain
	case !isMain && !sameContainer(container, back):
		kept = cloneObject(without(container, "image", "args", "env"))
		if same(container["envFrom"], back["envFrom"]) {
			delete(kept, "envFrom")
		}
	case isMain:
		if mounts := items(container, "volumeMounts"); len(mounts) > 0 {
			kept["volumeMounts"] = mountRemainders(mounts, items(back, "volumeMounts"))
		}
		isMore := func(mount any) bool {
			_, ok := findMount(items(container, "volumeMounts"), mount)
			return !ok
		}
		keepName = keepName || isContainerBlank(container) || slices.ContainsFunc(items(back, "volumeMounts"), isMore)
	}
	if !keepName && isContainerBlank(kept) {
		return nil
	}
	return []any{kept}
}

// mountRemainders are all mounts by name and path, with their other fields if the service has no fields for these.
func mountRemainders(mounts, projected []any) []any {
	out := make([]any, 0, len(mounts))
	for _, mount := range mounts {
		back, ok := findMount(projected, mount)
		if ok && same(mount, back) {
			out = append(out, object{"name": placeOf(mount).name, "mountPath": placeOf(mount).path})
			continue
		}
		out = append(out, clone(mount))
	}
	return out
}

// restoreHubOnly fills the fields that a service does not have from the component in the annotation.
func restoreHubOnly(component, hub, service object) {
	if hub == nil {
		return
	}
	if kept, ok := hub["podTemplate"].(object); ok {
		restoreTemplate(component, kept, service)
	}
	restoreSidecarReference(component, hub)
	if kept, ok := hub["experimental"].(object); ok {
		rest := without(kept, sharedExperiments()...)
		switch {
		case len(rest) > 0:
			component["experimental"] = overlay(cloneObject(rest), objectAt(component, "experimental"))
		case len(kept) == 0 && !has(component, "experimental"):
			component["experimental"] = object{}
		}
	}
}

// restoreSidecarReference restores the name of the frontend sidecar, unless its container has been deleted.
func restoreSidecarReference(component, hub object) {
	reference := textAt(hub, "frontendSidecar")
	_, kept := named(containersOf(objectAt(hub, "podTemplate")), reference)
	_, live := named(containersOf(objectAt(component, "podTemplate")), reference)
	if has(hub, "frontendSidecar") && !has(component, "frontendSidecar") && (kept < 0 || live >= 0) {
		component["frontendSidecar"] = hub["frontendSidecar"]
	}
}

// restoreTemplate fills the pod template field by field, because the fields of the service take precedence.
func restoreTemplate(component, kept, service object) {
	template := child(component, "podTemplate")
	containers := containersOf(template)
	cache := objectAt(component, "compilationCache")
	containers = dropCacheMount(containers, kept, cache, service)
	containers = dropMain(containers, kept, cache, service)
	containers = restoreContainers(containers, kept, service)
	containers = inOrder(containers, containersOf(kept))
	restoreMountFields(containers, kept, service)

	if metadata := without(objectAt(kept, "metadata"), metadataKeys()...); len(metadata) > 0 {
		template["metadata"] = overlay(metadata, objectAt(template, "metadata"))
	}
	spec := without(objectAt(template, "spec"), "containers")
	put(spec, "containers", containers)
	delete(template, "spec")
	if len(spec) > 0 {
		template["spec"] = spec
	}
	if isBlank(template) && !isBlank(kept) {
		delete(component, "podTemplate")
	}
}

// dropCacheMount removes the mount of the compilation cache if the component had no such mount.
func dropCacheMount(containers []any, kept, cache, service object) []any {
	main, i := named(containers, mainName)
	before, _ := named(containersOf(kept), mainName)
	mount := place{name: textAt(cache, "pvcName"), path: textAt(cache, "mountPath")}
	own := items(objectAt(service, "extraPodSpec", mainContainer), "volumeMounts")
	if cache == nil || i < 0 || slices.Contains(places(items(before, "volumeMounts")), mount) || slices.Contains(places(own), mount) {
		return containers
	}
	main = without(main)
	write(main, "volumeMounts", slices.DeleteFunc(slices.Clone(items(main, "volumeMounts")), func(m any) bool { return placeOf(m) == mount }))
	containers = slices.Clone(containers)
	containers[i] = main
	return containers
}

// dropMain removes an empty main container if the component had no main container.
func dropMain(containers []any, kept, cache, service object) []any {
	main, i := named(containers, mainName)
	if _, before := named(containersOf(kept), mainName); i < 0 || before >= 0 || areResourcesLost(service["resources"]) {
		return containers
	}
	mount := place{name: textAt(cache, "pvcName"), path: textAt(cache, "mountPath")}
	main = without(main)
	if cache != nil {
		write(main, "volumeMounts", slices.DeleteFunc(slices.Clone(items(main, "volumeMounts")), func(m any) bool { return placeOf(m) == mount }))
	}
	if !isContainerBlank(main) {
		return containers
	}
	return slices.Delete(slices.Clone(containers), i, i+1)
}

// restoreContainers adds the containers in the annotation, and fills that of the frontend sidecar unless the sidecar has been deleted.
func restoreContainers(containers []any, kept, service object) []any {
	containers = slices.Clone(containers)
	sidecar, hasSidecar := service["frontendSidecar"].(object)
	for _, item := range containersOf(kept) {
		before, _ := item.(object)
		name := textAt(before, "name")
		live, i := named(containers, name)
		switch {
		case isContainerBlank(before):
		case i < 0 && (name != sidecarName || hasSidecar):
			containers = append(containers, clone(before))
		case i >= 0 && name == sidecarName && hasSidecar:
			containers[i] = withSidecarFields(live, before, sidecar)
		}
	}
	return containers
}

// withSidecarFields fills the fields of the container that a frontend sidecar of v1alpha1 does not have.
func withSidecarFields(live, before, sidecar object) object {
	fields := without(before, "name", "image", "args", "env")
	if secret := textAt(sidecar, "envFromSecret"); secret != "" {
		if name, ok := onlySecret(items(before, "envFrom")); !ok || name != secret {
			delete(fields, "envFrom")
		}
	}
	return overlay(live, fields)
}

// inOrder restores the order of containers if there are no new or deleted ones.
func inOrder(containers, kept []any) []any {
	before := names(kept)
	now := names(containers)
	if len(before) < 2 || !slices.Equal(slices.Sorted(slices.Values(before)), slices.Sorted(slices.Values(now))) {
		return containers
	}
	out := slices.Clone(containers)
	slices.SortStableFunc(out, func(a, b any) int {
		return slices.Index(before, itemName(a)) - slices.Index(before, itemName(b))
	})
	return out
}

func itemName(item any) string {
	o, _ := item.(object)
	return textAt(o, "name")
}

// restoreMountFields fills the fields of mounts that a service does not have, such as readOnly.
func restoreMountFields(containers []any, kept, service object) {
	main, i := named(containers, mainName)
	before, _ := named(containersOf(kept), mainName)
	own := items(objectAt(service, "extraPodSpec", mainContainer), "volumeMounts")
	flat := items(service, "volumeMounts")
	if i < 0 || len(items(before, "volumeMounts")) == 0 {
		return
	}
	mounts := slices.Clone(items(main, "volumeMounts"))
	for j, mount := range mounts {
		if !slices.Contains(places(flat), placeOf(mount)) || slices.Contains(places(own), placeOf(mount)) {
			continue
		}
		if found, ok := findMount(items(before, "volumeMounts"), mount); ok {
			filled := cloneObject(found)
			filled["name"], filled["mountPath"] = placeOf(mount).name, placeOf(mount).path
			mounts[j] = filled
		}
	}
	main = without(main)
	write(main, "volumeMounts", mounts)
	containers[i] = main
}
