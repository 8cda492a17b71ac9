package validate

import (
	"cmp"
	"strings"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
)

// failover checks standby engines as the webhooks of the Dynamo operator of August 2026 do.
// https://github.com/ai-dynamo/dynamo/tree/main/deploy/operator/internal/webhook/validation
func (v *validator) failover(path *field.Path, s *graph.Component) {
	f, fieldPath := s.Failover(), path.Child("experimental", "failover")
	if f == nil {
		return
	}
	intraPod := cmp.Or(f.Mode, v1beta1.ShareIntraPod) == v1beta1.ShareIntraPod
	switch shares := s.GPUMemoryService() != nil; {
	case shares && cmp.Or(f.Mode, v1beta1.ShareIntraPod) != cmp.Or(s.GPUMemoryService().Mode, v1beta1.ShareIntraPod):
		v.invalid(fieldPath.Child("mode"), v.graph.ShareMode(cmp.Or(f.Mode, v1beta1.ShareIntraPod)), "must be the mode of gpuMemoryService; change one of the two")
	// A manifest of upstream has a component with failover between pods and nothing else, which only gets a warning.
	case !shares && (intraPod || v.graph.Form == graph.Components):
		v.required(path.Child("experimental", "gpuMemoryService"), "failover requires the GPU memory service with the same mode; add it, or remove failover")
	}
	if f.NumShadows > 1 && (intraPod || v.graph.Form == graph.Components) {
		v.invalid(fieldPath.Child("numShadows"), f.NumShadows, "must be 1; set replicas for more engines")
	}
	if c := s.Checkpoint(); c != nil && c.Enabled {
		v.forbidden(path.Child("experimental", "checkpoint"), "may not be enabled together with failover; remove one of the two")
	}
	if own := s.Annotation(metadata.AnnotationKubeDiscoveryMode); s.HasStandby() &&
		v.graph.Annotations[metadata.AnnotationKubeDiscoveryMode] == pod.DiscoverContainers && own != pod.DiscoverContainers {
		v.forbidden(fieldPath, "requires that the engines of a pod are discovered separately, but the {{component}} has annotation %s: %s; remove that annotation", metadata.AnnotationKubeDiscoveryMode, own)
	}
}

// failover warns of what has no effect.
func (w *warnings) failover(path *field.Path, g *graph.Graph, name string) {
	s := g.Component(name)
	f := s.Failover()
	if f == nil {
		return
	}
	if f.Mode == v1beta1.ShareInterPod && s.GPUMemoryService() == nil {
		w.add(path.Child("experimental", "failover"), "has no effect, because standby engines in separate pods share weights with the active engine; remove failover, or, on Grove, add gpuMemoryService with the same mode")
	}
	main := s.WrittenMain()
	fieldPath := graph.MainPath(path)
	if s.HasStandby() && len(main.Ports) > 0 {
		w.add(fieldPath.Child("ports"), "has no effect with failover, because each engine of a pod has ports of its own; remove it")
	}
	w.engineEnv(fieldPath.Child("env"), g, name, main.Env)
	w.engineEnv(path.Child("envs"), g, name, s.Envs)
	w.engineEnv(specPath().Child("env"), g, name, g.Spec.Env)
}

// engineEnv warns of variables that have other values with failover.
func (w *warnings) engineEnv(path *field.Path, g *graph.Graph, name string, env []corev1.EnvVar) {
	s := g.Component(name)
	for i, e := range env {
		switch {
		case s.HasStandby() && pod.IsEngineEnv(s, e.Name):
			w.add(path.Index(i), "%s has no effect with failover, because each engine of a pod has a value of its own; remove it", e.Name)
		case s.RunsWeightServers() && s.HasStandbyPods() && pod.IsStandbyEnv(e.Name):
			w.add(path.Index(i), "%s has no effect with failover, because the engines that take over from each other have values of their own; remove it", e.Name)
		}
	}
}

// failoverDiscovery checks that the engines of one pod are discovered separately, as the webhook does: otherwise they would take each other's
// place.
// https://github.com/ai-dynamo/dynamo/blob/2a6da14c8/deploy/operator/internal/webhook/validation/dynamographdeployment.go#L213
func (v *validator) failoverDiscovery() {
	const key = metadata.AnnotationKubeDiscoveryMode
	for _, s := range v.graph.ComponentsByName() {
		if !s.HasStandby() {
			continue
		}
		if mode := v.graph.Annotations[key]; mode != pod.DiscoverContainers {
			v.invalid(field.NewPath("metadata", "annotations").Key(key), mode,
				"must be container for failover of {{component}} %s, whose pods have two engines that are discovered separately; set the annotation to container, or remove failover", s.Name)
			return
		}
	}
}

// metricOfEngine refuses a metric of a container that pods with a standby engine do not have.
func (v *validator) metricOfEngine(path *field.Path, s *graph.Component, m *autoscalingv2.MetricSpec) {
	if s.HasStandby() && m.ContainerResource != nil && m.ContainerResource.Container == pod.MainContainer {
		v.invalid(path.Child("containerResource", "container"), pod.MainContainer,
			"is not a container of pods with failover; use one of %s, or a metric of type Resource", strings.Join(pod.MainContainers(s), ", "))
	}
}
