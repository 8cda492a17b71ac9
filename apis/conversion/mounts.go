package conversion

import "slices"

const cacheFlag = "useAsCompilationCache"

// isCache reports whether a mount of a service is that of a compilation cache.
func isCache(mount any) bool {
	flat, _ := mount.(object)
	return flat[cacheFlag] == true
}

// firstCache is the mount that becomes the compilation cache of the component.
func firstCache(mounts []any) object {
	if i := slices.IndexFunc(mounts, isCache); i >= 0 {
		mount, _ := mounts[i].(object)
		return mount
	}
	return nil
}

// manyCaches reports whether more than one mount is that of a compilation cache, which v1beta1 cannot express.
func manyCaches(mounts []any) bool {
	flags := 0
	for _, mount := range mounts {
		if isCache(mount) {
			flags++
		}
	}
	return flags > 1
}

// A place identifies a mount.
type place struct {
	name, path string
}

// placeOf a mount of a service or of a container.
func placeOf(mount any) place {
	o, _ := mount.(object)
	return place{name: textAt(o, "name"), path: textAt(o, "mountPath") + textAt(o, "mountPoint")}
}

func places(mounts []any) []place {
	out := make([]place, 0, len(mounts))
	for _, mount := range mounts {
		out = append(out, placeOf(mount))
	}
	return out
}

// flatMount converts a mount of a container to a mount of a service.
func flatMount(mount any) object {
	flat := object{"name": placeOf(mount).name}
	if path := placeOf(mount).path; path != "" {
		flat["mountPoint"] = path
	}
	return flat
}

// withMounts adds mounts of a container to those of a service.
func withMounts(flat, native []any) []any {
	out := slices.Clone(flat)
	for _, mount := range native {
		if !slices.Contains(places(out), placeOf(mount)) {
			out = append(out, flatMount(mount))
		}
	}
	return out
}

// findMount returns the mount with the same name and path, or else the only mount with the same name.
func findMount(mounts []any, like any) (object, bool) {
	want := placeOf(like)
	var found []object
	for _, mount := range mounts {
		o, ok := mount.(object)
		switch mounted := placeOf(mount); {
		case !ok:
		case mounted == want:
			return o, true
		case mounted.name == want.name:
			found = append(found, o)
		}
	}
	if len(found) != 1 {
		return nil, false
	}
	return found[0], true
}

// restoreCacheFlags restores the flags of further compilation caches if the first one and the mounts have not changed.
func restoreCacheFlags(service, component, kept object) {
	before := items(kept, "volumeMounts")
	if !manyCaches(before) {
		return
	}
	cache, first := objectAt(component, "compilationCache"), firstCache(before)
	isFirst := cache != nil && placeOf(first) == place{name: textAt(cache, "pvcName"), path: textAt(cache, "mountPath")}
	main, hasMain := mainOfComponent(component)
	if !isFirst || !slices.EqualFunc(items(service, "volumeMounts"), withMounts([]any{first}, items(main, "volumeMounts")), sameMount) {
		return
	}

	var out []any
	seen := false
	for _, mount := range before {
		if !isCache(mount) {
			continue
		}
		// A further flag shows only by its mount, so that a mount that is gone was deleted.
		gone := seen && (hasMain || saysPods(kept)) && !slices.Contains(places(items(main, "volumeMounts")), placeOf(mount))
		seen = true
		if !gone && !slices.Contains(places(out), placeOf(mount)) {
			out = append(out, clone(mount))
		}
	}
	for _, mount := range items(service, "volumeMounts") {
		if !slices.Contains(places(out), placeOf(mount)) {
			out = append(out, mount)
		}
	}
	service["volumeMounts"] = out
}

func sameMount(a, b any) bool {
	return placeOf(a) == placeOf(b) && isCache(a) == isCache(b)
}

func mainOfComponent(component object) (object, bool) {
	main, i := named(items(objectAt(component, "podTemplate", "spec"), "containers"), mainName)
	return main, i >= 0
}
