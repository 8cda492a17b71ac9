package graph

import (
	"regexp"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Messages name fields and words of the form with services. They become those of the form in which the graph is written when somebody reads
// them.

// ServicePath is the path of a service, or of a field of it.
func ServicePath(name string, fields ...string) *field.Path {
	path := field.NewPath("spec", "services").Key(name)
	for _, f := range fields {
		path = path.Child(f)
	}
	return path
}

// Word of a term in the form in which the graph is written, such as intraPod.
func (g *Graph) Word(term string) string {
	if word, ok := wordOf(term); ok && g.Form != Services {
		return word
	}
	return term
}

// wordOf a term in the form with components. ok is false if it is none, such as what a user wrote.
func wordOf(term string) (word string, ok bool) {
	if word, ok := words()[term]; ok {
		return word, true
	}
	for _, f := range fields() {
		if rest, ok := strings.CutPrefix("."+term, f.service+"."); ok {
			return strings.TrimPrefix(f.component, ".") + "." + rest, true
		}
	}
	first, rest, _ := strings.Cut(term, ".")
	word, ok = words()[first]
	return word + "." + rest, ok
}

// Field is the path of a field in the form in which the graph is written.
func (g *Graph) Field(path string) string {
	if g.Form == Services {
		return path
	}
	if parts := ofService.FindStringSubmatch(path); parts != nil {
		return g.path(parts[1], parts[2])
	}
	for _, f := range fieldsOfGraph() {
		if rest, ok := strings.CutPrefix(path, f.service); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			return f.component + rest
		}
	}
	return path
}

// path of a field, given the service and the path below it.
func (g *Graph) path(service, path string) string {
	if g.isPathKept(service, path) {
		return keptPath().String() + ".spec.services[" + service + "]" + path
	}
	return "spec.components[" + service + "]" + g.below(service, path)
}

// isPathKept reports whether a path below a service is that of a field that comes from the annotation of conversion. Annotations can also
// come from the pod template, so they are judged by their keys.
func (g *Graph) isPathKept(service, path string) bool {
	match := firstField.FindStringSubmatch(path)
	if len(match) == 0 || !g.isKept(service, match[1]) {
		return false
	}
	annotations, isMap := g.Component(service).kept[match[1]].(map[string]any)
	return match[1] != "annotations" || match[2] == "" || isMap && annotations[match[2]] != nil
}

// below is the path of a field below a component, given the path below the service.
func (g *Graph) below(service, path string) string {
	for _, f := range fields() {
		rest, ok := strings.CutPrefix(path, f.service)
		if !ok || rest != "" && rest[0] != '.' && rest[0] != '[' {
			continue
		}
		switch f.service {
		case ".extraPodSpec":
			rest = g.containerIndex(service, rest)
		case ".extraPodSpec.mainContainer":
			rest = counted(rest, mountItem, g.Component(service).cacheMount)
		}
		return f.component + rest
	}
	return path
}

// containerIndex counts the main container among the containers, as the user does.
func (g *Graph) containerIndex(service, path string) string {
	return counted(path, containerItem, g.Component(service).main)
}

// counted is a path that begins with an item of a list, whose index counts the item that was left out.
func counted(path string, item *regexp.Regexp, left int) string {
	match := item.FindStringSubmatch(path)
	if match == nil || left < 0 {
		return path
	}
	if i, err := strconv.Atoi(match[2]); err == nil && i >= left {
		return match[1] + "[" + strconv.Itoa(i+1) + "]" + path[len(match[0]):]
	}
	return path
}

// named gives components their names in errors about what could not be decoded, which have their indices.
func (g *Graph) named(errs field.ErrorList) field.ErrorList {
	for _, e := range errs {
		match := componentItem.FindStringSubmatch(e.Field)
		if match == nil {
			continue
		}
		i, err := strconv.Atoi(match[1])
		for name, c := range g.Components {
			if err == nil && c.index == i && name != "" {
				e.Field = "spec.components[" + name + "]" + mainNamed(e.Field[len(match[0]):], c.main)
			}
		}
	}
	return errs
}

// mainNamed is a path below a component with the name of the main container instead of its index.
func mainNamed(path string, main int) string {
	rest, ok := strings.CutPrefix(path, ".podTemplate.spec.containers["+strconv.Itoa(main)+"]")
	if !ok {
		return path
	}
	return inMain + rest
}

// renamed is a field of a service, and what it is in a component.
type renamed struct{ service, component string }

const inMain = ".podTemplate.spec.containers[main]"

// fields are the beginnings of paths below a service. The first one that matches counts.
func fields() []renamed {
	return []renamed{
		{".extraPodSpec.mainContainer", inMain},
		{".extraPodSpec", ".podTemplate.spec"},
		{".extraPodMetadata", ".podTemplate.metadata"},
		{".annotations", ".podTemplate.metadata.annotations"},
		{".labels", ".podTemplate.metadata.labels"},
		{".componentType", ".type"},
		{".subComponentType", ".type"},
		{".resources.limits.gpu", inMain + ".resources.limits[nvidia.com/gpu]"},
		{".resources.requests.gpu", inMain + ".resources.requests[nvidia.com/gpu]"},
		{".resources", inMain + ".resources"},
		{".envs", inMain + ".env"},
		{".envFromSecret", inMain + ".envFrom"},
		{".livenessProbe", inMain + ".livenessProbe"},
		{".readinessProbe", inMain + ".readinessProbe"},
		{".sharedMemory.size", ".sharedMemorySize"},
		{".sharedMemory.disabled", ".sharedMemorySize"},
		{".sharedMemory", ".sharedMemorySize"},
		{".scalingAdapter.enabled", ".scalingAdapter"},
		{".gpuMemoryService.enabled", ".experimental.gpuMemoryService"},
		{".gpuMemoryService", ".experimental.gpuMemoryService"},
		{".failover.enabled", ".experimental.failover"},
		{".failover", ".experimental.failover"},
		{".checkpoint", ".experimental.checkpoint"},
		{".volumeMounts[0].mountPoint", ".compilationCache.mountPath"},
		{".volumeMounts[0].name", ".compilationCache.pvcName"},
		{".volumeMounts[0].useAsCompilationCache", ".compilationCache"},
		{".volumeMounts[0]", ".compilationCache"},
	}
}

// fieldsOfGraph are the beginnings of paths that do not begin with a service.
func fieldsOfGraph() []renamed {
	return []renamed{
		{"spec.services", "spec.components"},
		{"spec.envs", "spec.env"},
		{"spec.pvcs", keptPath().String() + ".spec.pvcs"},
		{"spec.topologyConstraint.topologyProfile", "spec.topologyConstraint.clusterTopologyName"},
	}
}

// words of messages. A word may be followed by a dot and a field.
func words() map[string]string {
	return map[string]string{
		"annotations of the service":  "annotations of podTemplate",
		"componentType":               "type",
		"envs":                        "env",
		"extraPodMetadata":            "podTemplate.metadata",
		"extraPodSpec":                "podTemplate.spec",
		"interPod":                    "InterPod",
		"intraPod":                    "IntraPod",
		"limits.gpu":                  "limits[nvidia.com/gpu]",
		"resources.limits.gpu":        "resources.limits[nvidia.com/gpu]",
		"mainContainer":               "containers[main]",
		"service":                     "component",
		"services":                    "components",
		"sharedMemory.disabled: true": `sharedMemorySize: "0"`,
		"sharedMemory.size":           "sharedMemorySize",
		"topologyProfile":             "clusterTopologyName",
		"volumeMounts of the service": "volumeMounts of containers[main]",
	}
}

var (
	containerItem = regexp.MustCompile(`^(\.containers)\[(\d+)\]`)
	mountItem     = regexp.MustCompile(`^(\.volumeMounts)\[(\d+)\]`)
	firstField    = regexp.MustCompile(`^\.(\w+)(?:\[([^\]]*)\])?`)
	componentItem = regexp.MustCompile(`^spec\.components\[(\d+)\]`)

	// ofService matches the path of a field below a service.
	ofService = regexp.MustCompile(`^spec\.services\[([^\]]*)\](.*)$`)
)
