package conversion

import "slices"

// sidecarName is the name of the container that the frontendSidecar of v1alpha1 becomes.
const sidecarName = "sidecar-frontend"

func sidecarContainer(sidecar object) object {
	container := object{"name": sidecarName}
	put(container, "image", sidecar["image"])
	put(container, "args", sidecar["args"])
	put(container, "env", sidecar["envs"])
	if secret := textAt(sidecar, "envFromSecret"); secret != "" {
		container["envFrom"] = envFromSecret(secret)
	}
	return container
}

// keptSidecar returns the frontend sidecar in the annotation if the component still names its container.
func keptSidecar(component, kept object) object {
	if textAt(component, "frontendSidecar") != sidecarName {
		return nil
	}
	return objectAt(kept, "frontendSidecar")
}

// takeSidecarApart restores the frontend sidecar from its container, and returns the other containers. Containers that a component of v1beta1
// names as its sidecar stay containers.
func takeSidecarApart(service, component, kept object, others []any) []any {
	before := keptSidecar(component, kept)
	if before == nil {
		return others
	}
	sidecar := cloneObject(before)
	service["frontendSidecar"] = sidecar
	container, i := named(others, sidecarName)
	if i < 0 {
		return others
	}
	for key, from := range map[string]string{"image": "image", "args": "args", "envs": "env"} {
		delete(sidecar, key)
		put(sidecar, key, container[from])
	}
	secret, ok := onlySecret(items(container, "envFrom"))
	switch {
	case ok:
		sidecar["envFromSecret"] = secret
	case sidecar["envFromSecret"] != "":
		delete(sidecar, "envFromSecret")
	}
	return slices.Delete(slices.Clone(others), i, i+1)
}

// onlySecret returns the name of the Secret if that is the only source of environment variables.
func onlySecret(sources []any) (string, bool) {
	if len(sources) != 1 {
		return "", false
	}
	source, _ := sources[0].(object)
	if textAt(source, "prefix") != "" || has(source, "configMapRef") || !has(source, "secretRef") {
		return "", false
	}
	return textAt(objectAt(source, "secretRef"), "name"), true
}
