package graph

import (
	"regexp"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/conversion"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
)

// Messages name fields as the model has them: those of components, and those of ServiceFields by their own names. They become paths and words of
// the form in which the graph is written when somebody reads them.

// Word of a term in the form in which the graph is written, such as IntraPod.
func (g *Graph) Word(term string) string {
	if word, ok := wordOf(term); ok && g.Form == Services {
		return word
	}
	return term
}

// wordOf a term in the form with services. ok is false if it is none, such as what a user wrote.
func wordOf(term string) (word string, ok bool) {
	if word, ok := words()[term]; ok {
		return word, true
	}
	if path, ok := toServices(term, conversion.RenamingsInComponents()); ok {
		return path, true
	}
	first, rest, _ := strings.Cut(term, ".")
	word, ok = words()[first]
	return word + "." + rest, ok
}

// Field is the path of a field in the form in which the graph is written.
func (g *Graph) Field(path string) string {
	if parts := ofComponent.FindStringSubmatch(path); parts != nil {
		if parts[2] == "" {
			return "spec." + g.Form.Key() + "[" + parts[1] + "]"
		}
		return g.path(parts[1], parts[2])
	}
	if g.Form == Services {
		path, _ = toServices(path, conversion.Renamings())
		return path
	}
	if rest, ok := within(path, "spec.pvcs"); ok {
		return keptPath().String() + ".spec.pvcs" + rest
	}
	return path
}

// path of a field, given its component and its path below that.
func (g *Graph) path(name, path string) string {
	component := g.Component(name)
	switch {
	case g.Form == Services:
		return "spec.services[" + name + "]." + component.inService(path)
	case g.isPathKept(name, path):
		return keptPath().String() + ".spec.services[" + name + "]." + path
	default:
		return "spec.components[" + name + "]." + component.inComponent(path)
	}
}

// isPathKept reports whether a path below a component is that of a field that comes from the annotation of conversion. Annotations can also
// come from the pod template, so they are judged by their keys.
func (g *Graph) isPathKept(name, path string) bool {
	match := firstField.FindStringSubmatch(path)
	if len(match) == 0 || !g.isKept(name, match[1]) {
		return false
	}
	annotations, isMap := g.Component(name).kept[match[1]].(map[string]any)
	return match[1] != "annotations" || match[2] == "" || isMap && annotations[match[2]] != nil
}

// inComponent is a path below the component as its user wrote it, where the mount of the compilation cache counts.
func (c *Component) inComponent(path string) string {
	for _, place := range placesInComponents() {
		if rest, ok := within(path, place[0]); ok {
			return c.inRole(place[1] + rest)
		}
	}
	return c.inRole(counted(path, mountItem, func(i int) int {
		if c.cacheMount >= 0 && i >= c.cacheMount {
			return i + 1
		}
		return i
	}))
}

// inService is a path below the component in a service, whose main container is none of its containers. Amounts of the main container are beside
// the pod unless the user has written them in it.
func (c *Component) inService(path string) string {
	if role := c.inRole(path); role != path {
		return role
	}
	if amount := amountItem.FindStringSubmatch(path); amount != nil {
		list, name := amount[1], amount[2]+amount[3]
		written := []string{"resources", list, name}
		if name == "" {
			written = written[:2]
		}
		if !c.graph.ContainerHas(c.Name, v1beta1.MainContainer, written...) {
			return "resources." + list + c.shortAmount(list, name)
		}
	}
	path, _ = toServices(counted(path, containerItem, func(i int) int {
		if c.main >= 0 && i > c.main {
			return i - 1
		}
		return i
	}), conversion.RenamingsInComponents())
	return path
}

// shortAmount is the path of an amount in one list of the short form, which has fields for some and the others in custom.
func (c *Component) shortAmount(list, name string) string {
	switch name {
	case "":
		return ""
	case DefaultGPU, valueAt(c.graph.Raw(c.Name), "resources", list, "gpuType").GetStringValue():
		return ".gpu"
	case string(corev1.ResourceCPU), string(corev1.ResourceMemory):
		return "." + name
	default:
		return ".custom[" + name + "]"
	}
}

// counted is a path that contains an item of a list, whose index the user counts in another way.
func counted(path string, item *regexp.Regexp, count func(int) int) string {
	match := item.FindStringSubmatch(path)
	if match == nil {
		return path
	}
	i, err := strconv.Atoi(match[2])
	if err != nil {
		return path
	}
	return match[1] + "[" + strconv.Itoa(count(i)) + "]" + path[len(match[0]):]
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
	return ".podTemplate.spec.containers[main]" + rest
}

// toServices renames the beginning of a path. The first renaming that matches counts. ok is false if none does.
func toServices(path string, renamings []conversion.Renaming) (renamed string, ok bool) {
	for _, r := range renamings {
		if rest, ok := within(path, pathText(r.Beta)); ok {
			return pathText(r.Alpha) + rest, true
		}
	}
	return path, false
}

// pathText of the steps of a path.
func pathText(steps []string) string {
	b := &strings.Builder{}
	for i, step := range steps {
		name, isItem := strings.CutPrefix(step, "@")
		switch {
		case isItem:
			b.WriteString("[" + name + "]")
		case i > 0:
			b.WriteString("." + step)
		default:
			b.WriteString(step)
		}
	}
	return b.String()
}

// within cuts the path of a field from that of something in it.
func within(path, parent string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(path, parent)
	return rest, ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// placesInComponents are those of fields that only services have: see ServiceFields.
func placesInComponents() [][2]string {
	return [][2]string{
		{"annotations", "podTemplate.metadata.annotations"},
		{"labels", "podTemplate.metadata.labels"},
		{"subComponentType", "type"},
		{"volumeMounts[0].mountPoint", "compilationCache.mountPath"},
		{"volumeMounts[0].name", "compilationCache.pvcName"},
		{"volumeMounts[0].useAsCompilationCache", "compilationCache"},
		{"volumeMounts[0]", "compilationCache"},
	}
}

// words of messages, and what they are in the form with services. A word may be followed by a dot and a field.
func words() map[string]string {
	return map[string]string{
		"annotations of podTemplate":       "annotations of the service",
		"component":                        "service",
		"components":                       "services",
		"containers[main]":                 "mainContainer",
		"env":                              "envs",
		"InterPod":                         "interPod",
		"IntraPod":                         "intraPod",
		"limits[nvidia.com/gpu]":           "limits.gpu",
		"resources.limits[nvidia.com/gpu]": "resources.limits.gpu",
		`sharedMemorySize: "0"`:            "sharedMemory.disabled: true",
		"volumeMounts of containers[main]": "volumeMounts of the service",
	}
}

var (
	containerItem = regexp.MustCompile(`^(podTemplate\.spec\.containers)\[(\d+)\]`)
	mountItem     = regexp.MustCompile(`^(podTemplate\.spec\.containers\[main\]\.volumeMounts)\[(\d+)\]`)
	amountItem    = regexp.MustCompile(`^podTemplate\.spec\.containers\[main\]\.resources\.(limits|requests)(?:\[([^\]]*)\]|\.(\w+))?$`)
	firstField    = regexp.MustCompile(`^\.?(\w+)(?:\[([^\]]*)\])?`)
	componentItem = regexp.MustCompile(`^spec\.components\[(\d+)\]`)

	// ofComponent matches the path of a component or of a field below it.
	ofComponent = regexp.MustCompile(`^spec\.components\[([^\]]*)\]\.?(.*)$`)
)
