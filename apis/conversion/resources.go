package conversion

const gpuResource = "nvidia.com/gpu"

func resourceKinds() []string {
	return []string{"requests", "limits"}
}

// resourcesToNative converts the resources of a service to those of a container.
func resourcesToNative(flat object) object {
	native := without(flat, resourceKinds()...)
	for _, kind := range resourceKinds() {
		out := object{}
		item := objectAt(flat, kind)
		for _, key := range []string{"cpu", "memory"} {
			setQuantity(out, key, item[key])
		}
		gpu := textAt(item, "gpuType")
		if gpu == "" {
			gpu = gpuResource
		}
		setQuantity(out, gpu, item["gpu"])
		for key, value := range objectAt(item, "custom") {
			setQuantity(out, key, value)
		}
		if len(out) > 0 {
			native[kind] = out
		}
	}
	return native
}

// setQuantity sets a quantity as it was written. Other values are left out.
func setQuantity(resources object, key string, value any) {
	if _, ok := quantity(value); ok {
		resources[key] = value
	}
}

// resourcesFromNative converts the resources of a container to those of a service, which are strings in v1alpha1.
func resourcesFromNative(native object) object {
	flat := without(native, resourceKinds()...)
	for _, kind := range resourceKinds() {
		out := object{}
		for key, value := range objectAt(native, kind) {
			if _, isText := value.(string); !isText {
				if written, ok := quantity(value); ok {
					value = written
				}
			}
			switch key {
			case "cpu", "memory":
				out[key] = value
			case gpuResource:
				out["gpu"] = value
			default:
				child(out, "custom")[key] = value
			}
		}
		if len(out) > 0 {
			flat[kind] = out
		}
	}
	return flat
}

// canonical resources have quantities in their canonical form.
func canonical(native object) object {
	out := without(native)
	for _, kind := range resourceKinds() {
		list, ok := out[kind].(object)
		if !ok {
			continue
		}
		list = without(list)
		for key, value := range list {
			if written, ok := quantity(value); ok {
				list[key] = written
			}
		}
		out[kind] = list
	}
	return out
}

func sameResources(a, b object) bool {
	return same(canonical(a), canonical(b))
}

// areResourcesLost reports whether the operator would restore resources differently than they were written. It only writes canonical quantities.
func areResourcesLost(flat any) bool {
	written, ok := flat.(object)
	return ok && (isBlank(written) || !same(written, resourcesFromNative(canonical(resourcesToNative(written)))))
}
