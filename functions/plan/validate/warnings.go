package validate

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/pod"
)

// Warnings names every field that is accepted and has no effect, and what to do about it, sorted.
func Warnings(g *graph.Graph) []string {
	w := &warnings{}
	w.restart(g)
	w.graph(g)
	for _, name := range g.ServiceNames() {
		s := g.Spec.Services[name]
		w.overridden(servicesPath().Key(name), g, &s)
		w.compilationCache(servicesPath().Key(name), g, &s)
		w.service(servicesPath().Key(name), &s, isSketch(g.Spec.Services))
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
		w.add(path.Child("extraPodSpec", "mainContainer", "image"), "no image is named; the pods cannot start")
	}
	if !sketch && !hasCommand(s.ComponentType) && pod.NamesNoProgram(s) {
		w.add(path.Child("extraPodSpec", "mainContainer", "command"), "the container runs /bin/sh -c without a script and ends at once; write its command, or [] for the image's own entry point")
	}
	w.images(path, s)
	if s.DynamoNamespace != nil {
		w.add(path.Child("dynamoNamespace"), "has no effect; the Dynamo namespace is that of the graph, or set globalDynamoNamespace")
	}
	if s.RuntimeVersionOverride != "" {
		w.add(path.Child("runtimeVersionOverride"), "has no effect; nothing here depends on the version of the runtime")
	}
	if s.ModelRef != nil && s.ModelRef.Revision != "" {
		w.add(path.Child("modelRef", "revision"), "has no effect; name the revision in the arguments of the engine")
	}
	if name := pod.UserContainer(s).Name; name != "" && name != pod.MainContainer {
		w.add(path.Child("extraPodSpec", "mainContainer", "name"), "has no effect; the main container is always called main")
	}
	w.utilization(path.Child("autoscaling", "metrics"), s)
	w.ingress(path.Child("ingress"), s)
	w.later(path, s)
}

// hasCommand reports whether services of a component type have a command by default. A worker without one is refused.
func hasCommand(componentType string) bool {
	return componentType == v1alpha1.ComponentFrontend || componentType == v1alpha1.ComponentEPP || pod.IsWorker(componentType)
}

func (w *warnings) later(path *field.Path, s *v1alpha1.Service) {
	if s.Checkpoint != nil && s.Checkpoint.Enabled {
		w.add(path.Child("checkpoint"), "has no effect, and the pods start cold: the Dynamo operator runs the Job that makes a DynamoCheckpoint, and its agent on the nodes restores it; run the graph there, or remove the block")
	}
	if s.Failover != nil && s.Failover.Enabled {
		w.add(path.Child("failover"), "has no effect, and there is one engine a pod: the Dynamo operator rewrites the pods of such a service for a standby engine; run the graph there, or remove the block and set replicas to 2")
	}
}
