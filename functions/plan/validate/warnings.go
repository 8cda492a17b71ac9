package validate

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/pod"
)

// Warnings names every field that is accepted and has no effect, and what to do about it, sorted.
func Warnings(g *graph.Graph) []string {
	w := &warnings{messages: slices.Clone(g.Unread)}
	w.restart(g)
	w.graph(g)
	for _, name := range g.ServiceNames() {
		s := g.Spec.Services[name]
		w.overridden(servicesPath().Key(name), g, &s)
		w.compilationCache(servicesPath().Key(name), g, &s)
		w.failover(servicesPath().Key(name), g, name)
		w.weightServers(servicesPath().Key(name), g, name)
		w.checkpoint(servicesPath().Key(name).Child("checkpoint"), &s)
		w.service(servicesPath().Key(name), &s, isSketch(g.Spec.Services))
		if g.Form == graph.Components {
			w.component(servicesPath().Key(name), g.Components[name])
		}
	}
	slices.Sort(w.messages)
	return w.messages
}

type warnings struct{ messages []string }

func (w *warnings) add(path *field.Path, message string) {
	w.messages = append(w.messages, fmt.Sprintf("%s: %s", path, message))
}

func (w *warnings) service(path *field.Path, s *v1alpha1.Service, sketch bool) {
	if sketch {
		w.add(path.Child("extraPodSpec", "mainContainer", "image"), "no image is specified; the pods cannot start")
	}
	if !sketch && !hasCommand(s.ComponentType) && pod.NamesNoProgram(s) {
		w.add(path.Child("extraPodSpec", "mainContainer", "command"), "the container runs /bin/sh -c without a script and exits immediately; specify its command, or [] to run the image's entry point")
	}
	w.images(path, s)
	if s.DynamoNamespace != nil {
		w.add(path.Child("dynamoNamespace"), "has no effect; the Dynamo namespace is derived from the graph, unless globalDynamoNamespace is set")
	}
	if s.ModelRef != nil && s.ModelRef.Revision != "" {
		w.add(path.Child("modelRef", "revision"), "has no effect; specify the revision in the arguments of the engine")
	}
	if name := pod.UserContainer(s).Name; name != "" && name != pod.MainContainer {
		w.add(path.Child("extraPodSpec", "mainContainer", "name"), "has no effect; the main container is always named main")
	}
	w.utilization(path.Child("autoscaling", "metrics"), s)
	w.ingress(path.Child("ingress"), s)
}

// hasCommand reports whether services of a component type have a command by default. A worker without one is refused.
func hasCommand(componentType string) bool {
	return componentType == v1alpha1.ComponentFrontend || componentType == v1alpha1.ComponentEPP || pod.IsWorker(componentType)
}

// graph warns of fields of the graph that have no effect.
func (w *warnings) graph(g *graph.Graph) {
	if value, ok := g.Annotations[metadata.AnnotationEnableGrove]; ok && !strings.EqualFold(value, "true") && !strings.EqualFold(value, "false") {
		w.add(field.NewPath("metadata", "annotations").Key(metadata.AnnotationEnableGrove), `has no effect with this value; only "false" prevents the graph from running on Grove`)
	}
	w.misspeltAnnotations(field.NewPath("metadata", "annotations"), g.Annotations)
	w.misspeltAnnotations(specPath().Child("annotations"), g.Spec.Annotations)
	w.duplicates(specPath().Child("envs"), g.Spec.Envs)
	w.reservedLabels(specPath().Child("labels"), g.Spec.Labels)
	w.existingPVCs(g)
	w.transfer(g)
}

// overridden warns of fields of a service that others override.
func (w *warnings) overridden(at *field.Path, g *graph.Graph, s *v1alpha1.Service) {
	w.duplicates(at.Child("envs"), s.Envs)
	w.reservedLabels(at.Child("labels"), s.Labels)
	if s.ExtraPodMetadata != nil {
		w.reservedLabels(at.Child("extraPodMetadata", "labels"), s.ExtraPodMetadata.Labels)
		w.preferredOfPods(at, s)
	}
	if s.FrontendSidecar != nil {
		w.duplicates(at.Child("frontendSidecar", "envs"), s.FrontendSidecar.Envs)
	}
	w.misspelt(at, s)
	w.claims(at, g, s)
	w.probes(at, s)
	w.sharedMemory(at, s)
	w.fractions(at, s)
}
