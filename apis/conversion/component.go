package conversion

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

const (
	worker  = "worker"
	prefill = "prefill"
	decode  = "decode"

	noField   = "There is no such field in "
	keptThere = ". Its value is kept in annotation " + AnnotationSpec + "."
)

// sortedKeys of an object.
func sortedKeys(o object) []string {
	return slices.Sorted(maps.Keys(o))
}

// alphaFields of a service that v1beta1 does not have under that name.
func alphaFields() []string {
	return []string{
		"componentType", "subComponentType", "serviceName", "sharedMemory", "volumeMounts", "scalingAdapter", "gpuMemoryService", "failover",
		"checkpoint", "resources", "envs", "envFromSecret", "livenessProbe", "readinessProbe", "extraPodMetadata", "extraPodSpec",
		"frontendSidecar", "ingress", "autoscaling", "dynamoNamespace", "annotations", "labels",
	}
}

// betaFields of a component that v1alpha1 does not have under that name.
func betaFields() []string {
	return []string{"name", "type", "podTemplate", "sharedMemorySize", "compilationCache", "experimental", "frontendSidecar", "scalingAdapter"}
}

// serviceToComponent converts a service, and returns what has to be kept of it. The component in the annotation fills fields that a service
// does not have. An object that was v1alpha1 first keeps more, so that each field comes back where it was.
func serviceToComponent(name string, service, hub object, hubFirst bool, warn *warnings) (component, save object) {
	component = without(service, slices.Concat(alphaFields(), betaFields())...)
	component["name"] = name
	if componentType := typeOf(service); !isBlank(componentType) {
		component["type"] = componentType
	}
	if size := sharedMemorySize(objectAt(service, "sharedMemory")); size != nil {
		component["sharedMemorySize"] = size
	}
	if cache := firstCache(items(service, "volumeMounts")); cache != nil {
		component["compilationCache"] = object{"pvcName": cache["name"]}
		put(objectAt(component, "compilationCache"), "mountPath", cache["mountPoint"])
	}
	if isEnabled(service, "scalingAdapter") {
		component["scalingAdapter"] = without(objectAt(service, "scalingAdapter"), "enabled")
	}
	if experimental := experimentalOf(service); experimental != nil {
		component["experimental"] = experimental
	}
	if template := templateOf(service, has(hub, "podTemplate")); template != nil {
		component["podTemplate"] = template
		if has(service, "frontendSidecar") {
			component["frontendSidecar"] = sidecarName
		}
	}
	restoreHubOnly(component, hub, service)

	save = alphaOnly(service, !hubFirst)
	if written := textAt(service, "serviceName"); written != name {
		put(save, "serviceName", blankToNil(written))
	}
	warnOfService(name, service, warn)
	return component, save
}

// componentToService converts a component, and returns what has to be kept of it. The service in the annotation fills fields that a component
// does not have.
func componentToService(name string, component, kept object, warn *warnings) (service, save object) {
	service = without(component, slices.Concat(alphaFields(), betaFields())...)
	setTypes(service, component["type"])
	if size := component["sharedMemorySize"]; size != nil {
		service["sharedMemory"] = sharedMemory(size)
	}
	if cache := objectAt(component, "compilationCache"); cache != nil {
		mount := object{"name": cache["pvcName"], "useAsCompilationCache": true}
		put(mount, "mountPoint", cache["mountPath"])
		service["volumeMounts"] = []any{mount}
	}
	setExperimental(service, objectAt(component, "experimental"))
	if adapter, ok := component["scalingAdapter"].(object); ok {
		service["scalingAdapter"] = without(adapter)
		objectAt(service, "scalingAdapter")["enabled"] = true
	}
	takeTemplateApart(service, component, kept)
	restoreCacheFlags(service, component, kept)
	restoreAlphaOnly(service, component, kept)
	pruneExtraPodSpec(service, kept)
	if textAt(kept, "serviceName") != name {
		put(service, "serviceName", kept["serviceName"])
	}
	save = hubOnly(component, service)
	warnOfComponent(name, component, warn)
	return service, save
}

// typeOf a component.
func typeOf(service object) any {
	if isPromoted(service) {
		return service["subComponentType"]
	}
	return service["componentType"]
}

func isPromoted(service object) bool {
	componentType := textAt(service, "componentType")
	return TypeOf(componentType, textAt(service, "subComponentType")) != componentType
}

func setTypes(service object, componentType any) {
	if written, ok := componentType.(string); ok {
		component, sub := TypesOf(written)
		put(service, "componentType", blankToNil(component))
		put(service, "subComponentType", blankToNil(sub))
		return
	}
	put(service, "componentType", componentType)
}

// sharedMemorySize is 0 if shared memory is disabled, and nil if it has no size.
func sharedMemorySize(memory object) any {
	switch {
	case memory["disabled"] == true:
		return "0"
	case isZeroQuantity(memory["size"]):
		return nil
	default:
		return memory["size"]
	}
}

func sharedMemory(size any) object {
	if isZeroQuantity(size) {
		// The operator adds a size of 0, which earlier definitions of v1alpha1 refuse.
		return object{"disabled": true}
	}
	return object{"size": size}
}

// isEnabled reports whether a feature with a field enabled is.
func isEnabled(service object, feature string) bool {
	return objectAt(service, feature)["enabled"] == true
}

func blankToNil(value string) any {
	if value == "" {
		return nil
	}
	return value
}

// warnOfService warns of fields that v1beta1 does not have, and of values that it does not accept.
func warnOfService(name string, service object, warn *warnings) {
	path := alpha().path(name)
	for _, key := range []string{"annotations", "labels", "autoscaling", "dynamoNamespace", "ingress"} {
		if !isBlank(service[key]) {
			warn.add(ReasonKept, path.Child(key), noField+"v1beta1"+keptThere)
		}
	}
	if componentType := textAt(service, "componentType"); componentType != "" && !AcceptsType(componentType) {
		warn.add(ReasonRefused, path.Child("componentType"), fmt.Sprintf("v1beta1 does not accept %s, only frontend, worker, prefill, decode, planner and epp. %s", strconv.Quote(componentType), insteadOf(componentType)))
	}
	if sub := textAt(service, "subComponentType"); sub != "" && !isPromoted(service) {
		warn.add(ReasonKept, path.Child("subComponentType"), noField+"v1beta1"+keptThere)
	}
	if shadows, ok := quantity(objectAt(service, "failover")["numShadows"]); ok && shadows != "0" && shadows != "1" && isEnabled(service, "failover") {
		warn.add(ReasonRefused, path.Child("failover", "numShadows"), "v1beta1 only accepts 1. Write 1.")
	}
	for i, container := range items(objectAt(service, "extraPodSpec"), "containers") {
		if o, ok := container.(object); ok && textAt(o, "name") == mainName {
			warn.add(ReasonKept, path.Child("extraPodSpec", "containers").Index(i), "In v1beta1, the container main is built from mainContainer and the fields of the service. "+
				"This container is left out, and kept in annotation "+AnnotationSpec+" until the component is edited.")
		}
	}
	warnOfResources(path.Child("resources"), objectAt(service, "resources"), warn)
}

// knownTypes of components.
func knownTypes() []string { return []string{"frontend", worker, prefill, decode, "planner", "epp"} }

// AcceptsType reports whether v1beta1 accepts a type of a component.
func AcceptsType(componentType string) bool { return slices.Contains(knownTypes(), componentType) }

// FormerTypes of early releases have no defaults of their own, like a service without a type.
func FormerTypes() []string { return []string{"processor", "router", "default"} }

// insteadOf a type that v1beta1 does not accept is what to write. Early releases also had type main, for what clients call.
func insteadOf(componentType string) string {
	if lower := strings.ToLower(componentType); AcceptsType(lower) {
		return "Write " + lower + "."
	}
	if componentType == "main" {
		return "Write frontend if the service runs dynamo.frontend, otherwise remove the field."
	}
	return "Remove the field: a service without a type gets the same defaults as a service of this type. Write worker if the service runs an engine."
}

// warnOfResources warns of values that are not quantities, which a container cannot have.
func warnOfResources(path *field.Path, resources object, warn *warnings) {
	for _, kind := range resourceKinds() {
		for _, key := range sortedKeys(objectAt(resources, kind)) {
			value := objectAt(resources, kind)[key]
			if _, ok := quantity(value); !ok && isScalar(value) && !isBlank(value) && key != "gpuType" {
				warn.add(ReasonKept, path.Child(kind, key), "The value is not a quantity, so the container is created without it. It is kept in annotation "+AnnotationSpec+".")
			}
		}
	}
}

// warnOfComponent warns of fields that v1alpha1 does not have.
func warnOfComponent(name string, component object, warn *warnings) {
	path := beta().path(name)
	experimental := objectAt(component, "experimental")
	for _, key := range sortedKeys(experimental) {
		if !slices.Contains(sharedExperiments(), key) && !isBlank(experimental[key]) {
			warn.add(ReasonKept, path.Child("experimental", key), noField+"v1alpha1"+keptThere)
		}
	}
}
