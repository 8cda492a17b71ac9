package conversion

import "slices"

// mainOf a service is its main container. Fields of mainContainer take precedence over those of the service; environment variables and
// mounts are combined.
func mainOf(service object) object {
	main := flatMain(service)
	over, ok := objectAt(service, "extraPodSpec")[mainContainer].(object)
	if !ok {
		return main
	}
	env, mounts := items(main, "env"), items(main, "volumeMounts")
	merged := overlay(main, without(over, probes()...))
	for _, probe := range probes() {
		mergeProbe(merged, probe, over)
	}
	merged["name"] = mainName
	delete(merged, "env")
	put(merged, "env", mergeEnv(env, items(over, "env")))
	delete(merged, "volumeMounts")
	put(merged, "volumeMounts", slices.Concat(items(over, "volumeMounts"), mounts))
	return merged
}

func probes() []string {
	return []string{"livenessProbe", "readinessProbe"}
}

// flatMain is the main container from the fields of the service alone.
func flatMain(service object) object {
	main := object{"name": mainName}
	if flat, ok := service["resources"].(object); ok {
		if resources := resourcesToNative(flat); len(resources) > 0 {
			main["resources"] = resources
		}
	}
	put(main, "env", service["envs"])
	if secret := textAt(service, "envFromSecret"); secret != "" {
		main["envFrom"] = envFromSecret(secret)
	}
	for _, probe := range probes() {
		put(main, probe, service[probe])
	}
	var mounts []any
	for _, item := range items(service, "volumeMounts") {
		flat, ok := item.(object)
		if !ok {
			continue
		}
		mount := object{"name": flat["name"], "mountPath": textAt(flat, "mountPoint")}
		mounts = append(mounts, mount)
	}
	put(main, "volumeMounts", mounts)
	return main
}

func envFromSecret(name string) []any {
	return []any{object{"secretRef": object{"name": name}}}
}

// overlay merges an object over another one. Empty values do not replace others.
func overlay(base, over object) object {
	out := without(base)
	for key, value := range over {
		nested, isObject := value.(object)
		before, wasObject := out[key].(object)
		switch {
		case isObject && wasObject:
			out[key] = overlay(before, nested)
		case isBlank(value) && !isBlank(out[key]):
		default:
			out[key] = clone(value)
		}
	}
	return out
}

// mergeProbe merges a probe of mainContainer over that of the service, field by field as the operator does. A handler replaces one of
// another kind, because the API server refuses a probe with two handlers.
func mergeProbe(main object, probe string, over object) {
	above, ok := over[probe].(object)
	if !ok {
		return
	}
	handlers := []string{"exec", "grpc", "httpGet", "tcpSocket"}
	base := objectAt(main, probe)
	for _, handler := range handlers {
		if has(above, handler) {
			base = without(base, slices.DeleteFunc(handlers, func(other string) bool { return other == handler })...)
			break
		}
	}
	main[probe] = overlay(base, above)
}

// mergeEnv merges environment variables over others by name. New ones are appended.
func mergeEnv(base, over []any) []any {
	out := slices.Clone(base)
	for _, item := range over {
		variable, ok := item.(object)
		last := -1
		for i := range out {
			if before, isObject := out[i].(object); ok && isObject && textAt(before, "name") == textAt(variable, "name") {
				last = i
			}
		}
		if last >= 0 {
			out[last] = item
			continue
		}
		out = append(out, item)
	}
	return out
}

// takeMainApart moves fields of the main container to the fields of the service, and returns the rest of the container.
func takeMainApart(service, main object) object {
	delete(main, "name")
	if resources := objectAt(main, "resources"); !isBlank(resources) {
		service["resources"] = resourcesFromNative(resources)
		delete(main, "resources")
	}
	if mounts := items(main, "volumeMounts"); len(mounts) > 0 {
		service["volumeMounts"] = withMounts(items(service, "volumeMounts"), mounts)
		delete(main, "volumeMounts")
	}
	if env := items(main, "env"); len(env) > 0 {
		move(main, "env", service, "envs")
	}
	for _, probe := range probes() {
		move(main, probe, service, probe)
	}
	return main
}
