package components

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

const (
	envDiscovery = "DYN_DISCOVERY_BACKEND"
	envStore     = "DYN_STORE_KV"
	envEtcd      = "ETCD_ENDPOINTS"
)

// stores within a process or a file system, which other pods do not see.
func ownStores() []string { return []string{"file", "mem"} }

// A plane is what the programs of a graph have to have in common to find each other.
type plane struct {
	// name in messages, and effect of different ones.
	name, effect string

	// variable and flag that set it. Discovery is set by an annotation.
	variable, flag string
}

func planes() []plane {
	return []plane{
		{name: "discovery backend", effect: "cannot find each other"},
		{name: "request plane", effect: "cannot send requests to each other", variable: "DYN_REQUEST_PLANE", flag: "request-plane"},
		{name: "event plane", effect: "do not get each other's events", variable: "DYN_EVENT_PLANE", flag: "event-plane"},
	}
}

// setting of a plane, as messages say it.
func (p plane) setting() string {
	if p.variable == "" {
		return "annotation " + metadata.AnnotationDiscoveryBackend
	}
	return "variable " + p.variable
}

// ofComponent is the plane of a component, by default that of its release. What early releases use depends on their discovery, and on flags. Empty
// means that it is not known.
func (p plane) ofComponent(f *subject.Facts, components map[string]graphplan.Component, name string) string {
	if p.variable == "" {
		return discoveryBackend(f, components, name)
	}
	otherwise := components[name].RuntimeVersion.DefaultOf(p.variable)
	if len(pod.RuntimeOf(f.Graph.Component(name)).EnvFrom) > 0 {
		otherwise = "" // It may be set there.
	}
	return strings.ToLower(setting(f, name, p.variable, p.flag, otherwise))
}

// PlaneWarnings name components of a graph that cannot find each other.
func PlaneWarnings(f *subject.Facts, components map[string]graphplan.Component) message.List {
	var warnings message.List
	for _, p := range planes() {
		by := map[string][]string{}
		for _, name := range participants(f) {
			if value := p.ofComponent(f, components, name); value != "" {
				by[value] = append(by[value], name)
			}
		}
		if len(by) > 1 {
			var sides []string
			for _, value := range slices.Sorted(maps.Keys(by)) {
				shown := value
				if !names.IsPlain(value) {
					shown = "another value"
				}
				sides = append(sides, fmt.Sprintf("%s for %s", shown, strings.Join(by[value], ", ")))
			}
			warnings = append(warnings, message.About(graph.ComponentsPath(), "the %s is %s, so these {{components}} %s; set %s to one value for all of them", p.name, strings.Join(sides, " and "), p.effect, p.setting()))
		}
	}
	return append(warnings, storeWarnings(f, components)...)
}

// storeWarnings are about stores that are out of reach. Services with the same one share a warning.
func storeWarnings(f *subject.Facts, components map[string]graphplan.Component) message.List {
	var withoutAddress []string
	own := map[string][]string{}
	all := participants(f)
	for _, name := range all {
		switch value := discoveryBackend(f, components, name); {
		case slices.Contains(ownStores(), value) && len(all) > 1:
			own[value] = append(own[value], name)
		case value == string(inputv1alpha1.DiscoveryEtcd) && !hasEtcd(f, name):
			withoutAddress = append(withoutAddress, name)
		}
	}
	var warnings message.List
	for _, value := range slices.Sorted(maps.Keys(own)) {
		warnings = append(warnings, discovering(own[value], "%s {{components}} through %s, which is not shared between pods, so no {{component}} finds another; set annotation %s to %s",
			value, metadata.AnnotationDiscoveryBackend, graphplan.Kubernetes))
	}
	if len(withoutAddress) > 0 {
		warnings = append(warnings, discovering(withoutAddress, "%s {{components}} through etcd, but nothing sets its address, so it is expected on the pod itself; set infrastructure.etcdAddress %s, or variable %s",
			f.Sources.In("infrastructure.etcdAddress"), envEtcd))
	}
	return warnings
}

// discovering is a warning about how components find others, whose format begins with the verb.
func discovering(components []string, format string, args ...any) *message.Message {
	if len(components) == 1 {
		return message.About(graph.ComponentPath(components[0]), format, slices.Insert(args, 0, any("discovers"))...)
	}
	return message.About(graph.ComponentsPath(), format, slices.Insert(args, 0, any(strings.Join(components, ", ")+" discover"))...)
}

// participants are the components whose programs find each other: frontends and workers.
func participants(f *subject.Facts) []string {
	return slices.DeleteFunc(f.Graph.ComponentNames(), func(name string) bool {
		componentType := f.Graph.Component(name).Type
		return componentType != v1beta1.ComponentFrontend && !graph.IsWorkerType(componentType)
	})
}

// discoveryBackend of a component. Programs without Kubernetes discovery use a store.
func discoveryBackend(f *subject.Facts, components map[string]graphplan.Component, name string) string {
	value := strings.ToLower(setting(f, name, envDiscovery, "discovery-backend", components[name].Discovery))
	if store := strings.ToLower(setting(f, name, envStore, "store-kv", "")); value != graphplan.Kubernetes && value != "" && store != "" {
		return store
	}
	return value
}

// setting of a component, otherwise a default. It is empty if its value is not in the graph.
func setting(f *subject.Facts, name, variable, flag, otherwise string) string {
	switch told, given := toldTo(f, name, variable, flag); {
	case !given:
		return otherwise
	case told.Known:
		return told.Value
	default:
		return ""
	}
}

// toldTo a component, by a flag of its command, otherwise by a variable of the component or the graph. given is false if neither says it.
func toldTo(f *subject.Facts, name, variable, flag string) (told backend.Setting, given bool) {
	own := pod.Own(f.Graph.Component(name), false)
	return f.Graph.CommandLines.SettingOf(&own, variable, flag)
}

// hasEtcd reports whether something says where etcd is.
func hasEtcd(f *subject.Facts, name string) bool {
	_, given := toldTo(f, name, envEtcd, "")
	return given || f.Input.Infrastructure.EtcdAddress != "" || len(pod.RuntimeOf(f.Graph.Component(name)).EnvFrom) > 0
}
