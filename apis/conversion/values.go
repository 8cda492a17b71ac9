package conversion

import "slices"

// TypeOf a service as that of a component: a worker for one phase of inference has a type of its own in v1beta1.
func TypeOf(componentType, subComponentType string) string {
	if componentType == worker && slices.Contains([]string{prefill, decode}, subComponentType) {
		return subComponentType
	}
	return componentType
}

// TypesOf a component as those of a service: see TypeOf.
func TypesOf(componentType string) (component, sub string) {
	if componentType == prefill || componentType == decode {
		return worker, componentType
	}
	return componentType, ""
}

// ShareModes are the modes of GPUs that pods share: those of a service, and what they are called for a component.
func ShareModes() map[string]string {
	return map[string]string{"intraPod": "IntraPod", "interPod": "InterPod"}
}
