package adoption

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
)

// identity are the labels that identify pods.
var identity = []string{ //nolint:gochecknoglobals // It is a constant.
	"nvidia.com/selector", "nvidia.com/dynamo-component", "nvidia.com/dynamo-namespace", "nvidia.com/dynamo-graph-deployment-name", labelWorkerHash,
}

// pods of a template.
type pods struct {
	component string
	template  any
	labels    map[string]string
	image     string
	// suffix is the generation of workers in the environment of the pods.
	suffix string
}

// podsOf the workloads of a graph, by object and clique.
func podsOf(g *crossplane.Graph) map[string]pods {
	all := map[string]pods{}
	for _, object := range g.Objects() {
		if object.GetKind() == "PodCliqueSet" {
			cliques, _, _ := unstructured.NestedSlice(object.Object, "spec", "template", "cliques")
			for _, c := range cliques {
				if clique, ok := c.(map[string]any); ok {
					labels, _, _ := unstructured.NestedStringMap(clique, "labels")
					spec, _, _ := unstructured.NestedMap(clique, "spec", "podSpec")
					all[fmt.Sprintf("%s, clique %v", id(object), clique["name"])] = newPods(labels, spec, []any{labels, clique["annotations"], spec})
				}
			}
			continue
		}
		for _, path := range templatePaths(object) {
			template, found, _ := unstructured.NestedMap(object.Object, path...)
			if !found {
				continue
			}
			labels, _, _ := unstructured.NestedStringMap(template, "metadata", "labels")
			spec, _, _ := unstructured.NestedMap(template, "spec")
			all[id(object)+", "+path[len(path)-1]] = newPods(labels, spec, template)
		}
	}
	return all
}

func newPods(labels map[string]string, spec map[string]any, template any) pods {
	p := pods{component: labels["nvidia.com/dynamo-component"], template: template, labels: labels}
	containers, _, _ := unstructured.NestedSlice(spec, "containers")
	for _, c := range containers {
		container, ok := c.(map[string]any)
		if !ok || container["name"] != "main" {
			continue
		}
		p.image, _ = container["image"].(string)
		env, _ := container["env"].([]any)
		for _, v := range env {
			if variable, ok := v.(map[string]any); ok && variable["name"] == workerSuffix {
				p.suffix, _ = variable["value"].(string)
			}
		}
	}
	return p
}

// selectsPods reports the Deployments and Services of a component that do not select its pods.
func selectsPods(g *crossplane.Graph, all map[string]pods) error {
	var errs []error
	for _, object := range g.Objects() {
		var selector map[string]string
		switch object.GetKind() {
		case "Deployment":
			selector, _, _ = unstructured.NestedStringMap(object.Object, "spec", "selector", "matchLabels")
		case "Service":
			selector, _, _ = unstructured.NestedStringMap(object.Object, "spec", "selector")
		default:
			continue
		}
		if !selects(selector, all) {
			errs = append(errs, fmt.Errorf("%s selects no pods: %v", id(object), selector))
		}
	}
	return errors.Join(errs...)
}

func selects(selector map[string]string, all map[string]pods) bool {
	for _, p := range all {
		matches := true
		for key, value := range selector {
			matches = matches && p.labels[key] == value
		}
		if matches {
			return true
		}
	}
	return false
}
