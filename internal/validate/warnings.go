package validate

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
)

// Warnings names every field that is accepted and has no effect, and what to do about it, sorted. Main containers get the defaults of the
// platform.
func Warnings(g *graph.Graph, defaults graphplan.Resources) message.List {
	w := &warnings{all: g.Unread.Mark(rule.Kept), defaults: defaults}
	w.underRule(rule.Restart).restart(g)
	w.graph(g)
	for _, s := range g.ComponentsByName() {
		path := graph.ComponentsPath().Key(s.Name)
		w.overridden(path, g, s)
		w.underRule(rule.Caches).compilationCache(path, g, s)
		w.underRule(rule.Failover).failover(path, g, s.Name)
		w.underRule(rule.GPUMemory).weightServers(path, g, s.Name)
		w.underRule(rule.Checkpoints).checkpoint(path.Child("experimental", "checkpoint"), s)
		w.component(path, g, s)
		w.underRule(rule.Components).roles(path, s)
		w.underRule(rule.Probes).ports(path, s)
		w.underRule(rule.Scheduling).resolution(path, s)
		w.underRule(rule.Commands).sidecarCommand(path, s)
		if g.Form == graph.Components {
			w.underRule(rule.Volumes).mountedByName(path, g, s)
			w.underRule(rule.Components).ignoredMetadata(path, s)
		}
	}
	return w.all.Sorted(g)
}

type warnings struct {
	all message.List

	// rule of the next warning.
	rule rule.Code

	// defaults of main containers.
	defaults graphplan.Resources
}

// underRule adds warnings under a rule from now on.
func (w *warnings) underRule(code rule.Code) *warnings {
	w.rule = code
	return w
}

func (w *warnings) add(path *field.Path, format string, args ...any) {
	m := message.About(path, format, args...)
	m.Code, m.Lack = w.rule, w.rule == rule.Workers
	w.all = append(w.all, m)
}

// lack of something that may be in a field that cannot be read.
func (w *warnings) lack(path *field.Path, text string) {
	w.add(path, "%s", text)
	w.all[len(w.all)-1].Lack = true
}

func (w *warnings) component(path *field.Path, g *graph.Graph, s *graph.Component) {
	sketch := isSketch(g)
	if sketch {
		w.underRule(rule.Images).lack(graph.MainPath(path, "image"), noImage)
	}
	if !sketch && !hasCommand(s.Type) && s.NamesNoProgram() && nearType(s) == "" && !withoutMain(s) {
		w.underRule(rule.Commands).lack(graph.MainPath(path, "command"), noScript)
	}
	beside := s.HasRuntimeContainer()
	w.underRule(rule.Commands).commands(path, s, beside)
	if !sketch && !beside {
		w.underRule(rule.Workers).worker(path, g, s)
	}
	w.underRule(rule.Images).images(path, s)
	switch {
	case s.DynamoNamespace == nil:
	case s.GlobalDynamoNamespace:
		w.underRule(rule.NoEffect).add(path.Child("dynamoNamespace"), "has no effect; globalDynamoNamespace is set, so the Dynamo namespace is %s", names.GlobalDynamoNamespace)
	default:
		w.underRule(rule.NoEffect).add(path.Child("dynamoNamespace"), "has no effect; the Dynamo namespace is derived from the graph, unless globalDynamoNamespace is set")
	}
	if s.ModelRef != nil && s.ModelRef.Revision != "" {
		w.underRule(rule.Models).add(path.Child("modelRef", "revision"), "has no effect; specify the revision in the arguments of the engine")
	}
	if name := s.WrittenMain().Name; name != "" && name != pod.MainContainer {
		w.underRule(rule.NoEffect).add(graph.MainPath(path, "name"), "has no effect; the main container is always named main")
	}
	w.underRule(rule.Autoscaling).utilization(path.Child("autoscaling", "metrics"), s)
	w.underRule(rule.Exposure).ingress(path.Child("ingress"), s)
}

// Warnings about a sketch.
const (
	noImage  = "no image is specified; the pods cannot start"
	noScript = "the container runs /bin/sh -c without a script and exits immediately; specify its command, or [] to run the image's entry point"
)

// withoutMain reports whether a component has containers and none of them is the main container, which is an error.
func withoutMain(s *graph.Component) bool {
	return !s.HasWrittenMain() && len(s.Beside()) > 0
}

// hasCommand reports whether components of a component type have a command by default. A worker without one is refused.
func hasCommand(componentType v1beta1.ComponentType) bool {
	return componentType == v1beta1.ComponentFrontend || componentType == v1beta1.ComponentEPP || graph.IsWorkerType(componentType)
}

// graph warns of fields of the graph that have no effect.
func (w *warnings) graph(g *graph.Graph) {
	if value, ok := g.Annotations[metadata.AnnotationEnableGrove]; ok && !strings.EqualFold(value, "true") && !strings.EqualFold(value, "false") {
		w.underRule(rule.Annotations).add(field.NewPath("metadata", "annotations").Key(metadata.AnnotationEnableGrove), `has no effect with this value; only "false" prevents the graph from running on Grove`)
	}
	w.underRule(rule.Misspelt).misspeltAnnotations(field.NewPath("metadata", "annotations"), g.Annotations)
	w.underRule(rule.Misspelt).misspeltAnnotations(specPath().Child("annotations"), g.Spec.Annotations)
	w.underRule(rule.Environment).duplicates(specPath().Child("env"), g.Spec.Env)
	w.underRule(rule.Labels).reservedLabels(specPath().Child("labels"), g.Spec.Labels)
	w.underRule(rule.Claims).existingPVCs(g)
	w.underRule(rule.Transfer).transfer(g)
	w.underRule(rule.Workers).undecoded(g)
}

// overridden warns of fields of a component that others override.
func (w *warnings) overridden(path *field.Path, g *graph.Graph, s *graph.Component) {
	w.underRule(rule.Environment).duplicates(path.Child("envs"), s.Envs)
	w.underRule(rule.Labels).reservedLabels(path.Child("labels"), s.Labels)
	w.underRule(rule.Labels).reservedLabels(graph.PodMetadataPath(path, "labels"), s.PodMetadata().Labels)
	w.underRule(rule.Topology).preferredOfPods(path, s)
	if s.Sidecar != nil {
		w.underRule(rule.Environment).duplicates(path.Child("frontendSidecar", "envs"), s.Sidecar.Envs)
	}
	w.underRule(rule.Misspelt).misspelt(path, g, s)
	w.underRule(rule.Claims).claims(path, g, s)
	w.underRule(rule.Probes).probes(path, s)
	w.underRule(rule.SharedMemory).sharedMemory(path, s)
	w.underRule(rule.Devices).fractions(path, s)
	w.underRule(rule.Devices).misspeltDevices(path, s)
	w.underRule(rule.Devices).lockedMemory(path, s)
}
