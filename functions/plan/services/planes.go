package services

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/runtime"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
)

const (
	envDiscovery    = "DYN_DISCOVERY_BACKEND"
	envStore        = "DYN_STORE_KV"
	envRequestPlane = "DYN_REQUEST_PLANE"
	envEventPlane   = "DYN_EVENT_PLANE"
	envEtcd         = "ETCD_ENDPOINTS"

	planeTCP = "tcp"
)

// firstWithTCP is the first release whose programs send requests by TCP unless they are told otherwise.
const firstWithTCP runtime.Version = "1.0.0"

// stores within a process or a file system, which other pods do not see.
func ownStores() []string { return []string{"file", "mem"} }

// A plane is what the programs of a graph have to have in common to find each other.
type plane struct {
	// name in messages, and setting is what to set.
	name, setting string

	// of a service. Empty: it is not known.
	of func(*subject.Facts, map[string]graphplan.Service, string) string
}

func planes() []plane {
	return []plane{
		{name: "discovery backend", setting: "annotation " + metadata.AnnotationDiscoveryBackend, of: discoveryBackend},
		{name: "request plane", setting: "variable " + envRequestPlane, of: requestPlane},
		{name: "event plane", setting: "variable " + envEventPlane, of: func(f *subject.Facts, _ map[string]graphplan.Service, name string) string {
			return setting(f, name, envEventPlane, "event-plane")
		}},
	}
}

// PlaneWarnings name services of a graph that cannot find each other.
func PlaneWarnings(f *subject.Facts, services map[string]graphplan.Service) []string {
	var warnings []string
	for _, p := range planes() {
		by := map[string][]string{}
		for _, name := range participants(f) {
			if value := p.of(f, services, name); value != "" {
				by[value] = append(by[value], name)
			}
		}
		if len(by) > 1 {
			var sides []string
			for _, value := range slices.Sorted(maps.Keys(by)) {
				sides = append(sides, fmt.Sprintf("%s for %s", value, strings.Join(by[value], ", ")))
			}
			warnings = append(warnings, fmt.Sprintf("spec.services: the %s is %s, so these services cannot find each other; set %s to one value for all of them", p.name, strings.Join(sides, " and "), p.setting))
		}
	}
	return append(warnings, storeWarnings(f, services)...)
}

// storeWarnings are about stores that are out of reach.
func storeWarnings(f *subject.Facts, services map[string]graphplan.Service) []string {
	var warnings []string
	all := participants(f)
	for _, name := range all {
		switch value := discoveryBackend(f, services, name); {
		case slices.Contains(ownStores(), value) && len(all) > 1:
			warnings = append(warnings, fmt.Sprintf("spec.services[%s]: discovers services through %s, which is not shared between pods, so it finds no other service; set annotation %s to %s",
				name, value, metadata.AnnotationDiscoveryBackend, graphplan.Kubernetes))
		case value == string(inputv1alpha1.DiscoveryEtcd) && f.Input.Infrastructure.EtcdAddress == "" && !mayHave(f, name, envEtcd):
			warnings = append(warnings, fmt.Sprintf("spec.services[%s]: discovers services through etcd, but nothing sets its address, so it is expected on the pod itself; set infrastructure.etcdAddress %s, or variable %s",
				name, f.Sources.In("infrastructure.etcdAddress"), envEtcd))
		}
	}
	return warnings
}

// participants are the services whose programs find each other: frontends and workers.
func participants(f *subject.Facts) []string {
	return slices.DeleteFunc(f.Graph.ServiceNames(), func(name string) bool {
		componentType := f.Graph.Spec.Services[name].ComponentType
		return componentType != v1alpha1.ComponentFrontend && !pod.IsWorker(componentType)
	})
}

// discoveryBackend of a service. Programs without Kubernetes discovery use a store.
func discoveryBackend(f *subject.Facts, services map[string]graphplan.Service, name string) string {
	value := setting(f, name, envDiscovery, "discovery-backend")
	if value == "" && !mayHave(f, name, envDiscovery) {
		value = services[name].Discovery
	}
	if store := setting(f, name, envStore, "store-kv"); value != graphplan.Kubernetes && value != "" && store != "" {
		return store
	}
	return value
}

// requestPlane of a service, by default that of its release.
func requestPlane(f *subject.Facts, services map[string]graphplan.Service, name string) string {
	value := setting(f, name, envRequestPlane, "request-plane")
	if value == "" && !mayHave(f, name, envRequestPlane) && services[name].RuntimeVersion.Compare(firstWithTCP) >= 0 {
		return planeTCP
	}
	return value
}

// setting of a service by a flag of its command, otherwise by a variable of the service or the graph. Empty: there is none, or its value is
// not in the graph.
func setting(f *subject.Facts, name, variable, flag string) string {
	main := pod.MainOf(f.Graph, name)
	value := f.Graph.CommandLines.FlagValue(slices.Concat(main.Command, main.Args), flag)
	if value == "" {
		for _, env := range slices.Concat(f.Graph.Spec.Envs, main.Env) {
			if env.Name == variable {
				value = env.Value
			}
		}
	}
	if strings.Contains(value, "$") {
		return ""
	}
	return strings.ToLower(value)
}

// mayHave reports whether a service may have a variable whose value is not in the graph, or has it.
func mayHave(f *subject.Facts, name, variable string) bool {
	main := pod.MainOf(f.Graph, name)
	return len(main.EnvFrom) > 0 && variable == envEtcd ||
		slices.ContainsFunc(slices.Concat(f.Graph.Spec.Envs, main.Env), func(e corev1.EnvVar) bool { return e.Name == variable })
}
