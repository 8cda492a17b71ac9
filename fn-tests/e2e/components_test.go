package e2e

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// eachComponent changes the components of a graph, or its services in v1alpha1, by their names.
func eachComponent(g *unstructured.Unstructured, change func(name string, component map[string]any)) {
	if components, found, _ := unstructured.NestedMap(g.Object, "spec", "services"); found {
		for _, name := range slices.Sorted(maps.Keys(components)) {
			component, _ := components[name].(map[string]any)
			change(name, component)
		}
		set(g.Object, components, "spec", "services")
		return
	}
	components, _, _ := unstructured.NestedSlice(g.Object, "spec", "components")
	for _, value := range components {
		component, _ := value.(map[string]any)
		change(fmt.Sprint(component["name"]), component)
	}
	set(g.Object, components, "spec", "components")
}

// changeComponent of a graph.
func changeComponent(g *unstructured.Unstructured, name string, change func(component map[string]any)) {
	found := false
	eachComponent(g, func(of string, component map[string]any) {
		if of == name {
			found = true
			change(component)
		}
	})
	if !found {
		panic(fmt.Sprintf("graph %s has no component %s", g.GetName(), name))
	}
}

// changeContainer changes the main container of a component, which has another place in a service.
func changeContainer(component map[string]any, change func(container map[string]any)) {
	if extra, found, _ := unstructured.NestedMap(component, "extraPodSpec"); found {
		container, _ := extra["mainContainer"].(map[string]any)
		change(container)
		component["extraPodSpec"] = extra
		return
	}
	containers, _, _ := unstructured.NestedSlice(component, "podTemplate", "spec", "containers")
	for _, value := range containers {
		if container, _ := value.(map[string]any); container["name"] == "main" {
			change(container)
		}
	}
	set(component, containers, "podTemplate", "spec", "containers")
}

// setImage of the main container of a component.
func setImage(g *unstructured.Unstructured, name, image string) {
	changeComponent(g, name, func(component map[string]any) {
		changeContainer(component, func(container map[string]any) { container["image"] = image })
	})
}

// imageOf the main container of a component.
func imageOf(g *unstructured.Unstructured, name string) (image string) {
	changeComponent(g, name, func(component map[string]any) {
		changeContainer(component, func(container map[string]any) { image = fmt.Sprint(container["image"]) })
	})
	return image
}

func setReplicas(g *unstructured.Unstructured, name string, replicas int64) {
	changeComponent(g, name, func(component map[string]any) { component["replicas"] = replicas })
}

func replicasOf(g *unstructured.Unstructured, name string) (replicas int64) {
	changeComponent(g, name, func(component map[string]any) { replicas, _, _ = unstructured.NestedInt64(component, "replicas") })
	return replicas
}

// podsWanted are how many pods each component of a graph is to have.
func podsWanted(g *unstructured.Unstructured) map[string]int64 {
	wanted := map[string]int64{}
	eachComponent(g, func(name string, component map[string]any) {
		replicas, _, _ := unstructured.NestedInt64(component, "replicas")
		nodes, spans, _ := unstructured.NestedInt64(component, "multinode", "nodeCount")
		if !spans {
			nodes = 1
		}
		wanted[name] = replicas * nodes
	})
	return wanted
}
