// Package guardrail is the table of the places in a graph at which what guard rails limit can be named. Step plan and the admission policies
// check these places, and a test attacks each of them. A place that is missing here is a gap in all of them.
package guardrail

import (
	"slices"
	"strings"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
)

// A Rail is a field of the guard rails in the input of step plan.
type Rail string

// The guard rails for what is named in graphs. Those for numbers, hosts and gateways are about what follows from several fields.
const (
	Queues          Rail = "queues"
	ImageRegistries Rail = "imageRegistries"
	ServiceAccounts Rail = "serviceAccounts"
	StorageClasses  Rail = "storageClasses"
	Capabilities    Rail = "capabilities"
	HostPath        Rail = "allowHostPath"
	HostNetwork     Rail = "allowHostNetwork"
	Privileged      Rail = "allowPrivileged"
)

// Rails for what is named in graphs.
func Rails() []Rail {
	return []Rail{Queues, ImageRegistries, ServiceAccounts, StorageClasses, Capabilities, HostPath, HostNetwork, Privileged}
}

// A Path leads to values in an object. Its parts are separated by dots. A part ends with [*] if all elements of a list, or all values of a map,
// are meant, and with [key] if it is one key of a map of texts.
type Path string

// A Place at which the subject of a guard rail can be named.
type Place struct {
	Rail Rail

	// Service is the path in the spec of a graph with services, and Component that in one with components. It is empty if the form has no such
	// field.
	Service, Component Path

	// Graph is the path in the graph, outside of its spec. It is empty if the place is in the spec.
	Graph Path

	// Pod is the path in the pod template that a workload gets from it. It is empty if it does not reach pods.
	Pod Path

	// Suffix says that what is there is no name: added to a project, after a dash, it is the name of a queue.
	Suffix bool
}

// InComponent is the path below a component of the model: that of components, or that of what only services can say. ok is false if the place is in
// no component, or has another one for it: the main container of a service is one of the containers of a component.
func (p Place) InComponent() (path Path, ok bool) {
	field, ok := strings.CutPrefix(string(p.Component), "components[*].")
	if !ok && p.Component == "" && !strings.HasPrefix(string(p.Service), "services[*]."+mainOfService) {
		field, ok = strings.CutPrefix(string(p.Service), "services[*].")
	}
	return Path(field), ok
}

// mainOfService is the main container, which only services have beside the others.
const mainOfService = "extraPodSpec.mainContainer"

// KueueQueue is where a graph names its queue of Kueue.
const KueueQueue = Path("metadata.labels[" + metadata.LabelKueueQueue + "]")

// Places of all guard rails, in the order in which they are checked.
func Places() []Place {
	all := claims()
	all = append(all, queues()...)
	all = append(all, Place{Rail: ImageRegistries, Service: "services[*].frontendSidecar.image"})
	all = append(all, inPods()...)
	for _, place := range all {
		if field, ok := strings.CutPrefix(string(place.Component), "components[*].podTemplate."); ok {
			const ofRole = "roles[*].podTemplate."
			all = append(all, Place{
				Rail: place.Rail, Service: "services[*]." + ofRole + Path(field), Component: "components[*]." + ofRole + Path(field), Pod: place.Pod, Suffix: place.Suffix,
			})
		}
	}
	return all
}

// Of one guard rail.
func Of(rail Rail) []Place {
	var places []Place
	for _, place := range Places() {
		if place.Rail == rail {
			places = append(places, place)
		}
	}
	return places
}

// Projects are the places of what a suffix is added to.
func Projects() []Place {
	return slices.DeleteFunc(Of(Queues), func(p Place) bool {
		return !strings.HasSuffix(string(p.Graph+p.Service), "["+metadata.LabelKAIProject+"]")
	})
}

// Suffixes are the places of what is added to a project.
func Suffixes() []Place {
	return slices.DeleteFunc(Of(Queues), func(p Place) bool { return !p.Suffix })
}

// Suffixed is the name of the queue of a project and a suffix.
// https://github.com/NVIDIA/KAI-Scheduler/blob/main/pkg/podgrouper/podgrouper/plugins/defaultgrouper/default_grouper.go
func Suffixed(project, suffix string) string { return project + "-" + suffix }

// claims that the graph creates.
func claims() []Place {
	return []Place{{Rail: StorageClasses, Service: "pvcs[*].storageClass"}}
}

// queues in labels and annotations, which reach workloads and pods from the graph, from services and from their pods, and those in labels of the
// graph itself, which owns them.
func queues() []Place {
	var all []Place
	for _, key := range metadata.GraphQueueKeys() {
		all = append(all, Place{Rail: Queues, Graph: Path("metadata.labels[" + key + "]")})
	}
	for _, key := range metadata.QueueKeys() {
		all = append(all, inMetadata(key, false)...)
	}
	return append(all, inMetadata(metadata.LabelKAINodePool, true)...)
}

// inMetadata are the places of a key of queues.
func inMetadata(key string, suffix bool) []Place {
	var all []Place
	for _, field := range []string{"labels", "annotations"} {
		entry := Path(field + "[" + key + "]")
		all = append(all,
			Place{Rail: Queues, Service: entry, Component: entry, Pod: "metadata." + entry, Suffix: suffix},
			Place{Rail: Queues, Service: "services[*]." + entry, Pod: "metadata." + entry, Suffix: suffix},
			Place{
				Rail: Queues, Service: "services[*].extraPodMetadata." + entry, Component: "components[*].podTemplate.metadata." + entry,
				Pod: "metadata." + entry, Suffix: suffix,
			},
		)
	}
	return all
}

// inPods are the places in the spec of pods, which the user writes as Kubernetes has it.
func inPods() []Place {
	all := []Place{
		inPod(ServiceAccounts, "serviceAccountName"), inPod(ServiceAccounts, "serviceAccount"),
		inPod(HostNetwork, "hostNetwork"), inPod(HostNetwork, "hostPID"), inPod(HostNetwork, "hostIPC"),
		// On Windows, these containers are what privileged ones are on Linux, and a pod may have the field for all of its containers.
		// https://kubernetes.io/docs/tasks/configure-pod-container/create-hostprocess-pod/
		inPod(Privileged, "securityContext."+hostProcess),
		inPod(HostPath, "volumes[*].hostPath.path"),
		inPod(ImageRegistries, "volumes[*].image.reference"),
		inPod(StorageClasses, "volumes[*].ephemeral.volumeClaimTemplate.spec.storageClassName"),
		// Kubernetes still prefers the annotation to the field.
		// https://github.com/kubernetes/kubernetes/blob/v1.36.0/staging/src/k8s.io/component-helpers/storage/volume/helpers.go
		inPod(StorageClasses, "volumes[*].ephemeral.volumeClaimTemplate.metadata.annotations[volume.beta.kubernetes.io/storage-class]"),
	}
	for _, list := range []Path{"mainContainer", "initContainers[*]", "containers[*]", "ephemeralContainers[*]"} {
		for _, container := range []struct {
			rail  Rail
			field Path
		}{
			{ImageRegistries, "image"},
			{Privileged, "securityContext.privileged"},
			{Privileged, "securityContext." + hostProcess},
			{Capabilities, "securityContext.capabilities.add[*]"},
		} {
			place := inPod(container.rail, list+"."+container.field)
			if list == "mainContainer" {
				// In components, and in pods, it is one of the containers.
				place.Component, place.Pod = "", "spec.containers[*]."+container.field
			}
			all = append(all, place)
		}
	}
	return all
}

// hostProcess in a security context lets containers be processes of a Windows node.
const hostProcess Path = "windowsOptions.hostProcess"

func inPod(rail Rail, path Path) Place {
	return Place{Rail: rail, Service: "services[*].extraPodSpec." + path, Component: "components[*].podTemplate.spec." + path, Pod: "spec." + path}
}

// A Part of a path.
type Part struct {
	Field string
	// All says that the field is a list or a map, all elements of which are meant.
	All bool
	// Key of the field, which is a map of texts. It is empty if the field itself is meant.
	Key string
}

// Parts of a path. Keys contain dots and slashes.
func (p Path) Parts() []Part {
	var all []Part
	for rest := string(p); rest != ""; {
		end := strings.IndexAny(rest, ".[")
		if end < 0 {
			return append(all, Part{Field: rest})
		}
		next := Part{Field: rest[:end]}
		rest = rest[end:]
		if rest[0] == '[' {
			inner, after, _ := strings.Cut(rest[1:], "]")
			if inner == "*" {
				next.All = true
			} else {
				next.Key = inner
			}
			rest = after
		}
		all = append(all, next)
		rest = strings.TrimPrefix(rest, ".")
	}
	return all
}
