package graph

import (
	"cmp"
	"maps"
	"slices"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
)

// UserAccount is the name of the ServiceAccount that the user specifies for the pods. Empty if there is none.
func (c *Component) UserAccount() string {
	// The API server only reads the deprecated name of the field if the other one is empty.
	return cmp.Or(c.Pod().ServiceAccountName, c.Pod().DeprecatedServiceAccount)
}

// SchedulerName is the scheduler that the user specifies for the pods. Empty if there is none.
func (c *Component) SchedulerName() string { return c.Pod().SchedulerName }

// AllAnnotations are those of the component and, with lower priority, those that apply to it from elsewhere: five known keys of its pods and of
// the metadata of the graph, then spec.annotations.
func (c *Component) AllAnnotations() map[string]string {
	annotations := withDefaults(c.Annotations, c.graph.Spec.Annotations)
	for _, key := range metadata.PropagatedAnnotations() {
		if value, ok := c.annotation(key); ok {
			annotations[key] = value
		}
	}
	return annotations
}

// Annotation is one of them. Empty if the component does not have it. A graph may have thousands of others.
func (c *Component) Annotation(key string) string {
	value, _ := c.annotation(key)
	return value
}

func (c *Component) annotation(key string) (value string, ok bool) {
	if value, ok = c.Annotations[key]; ok {
		return value, true
	}
	if slices.Contains(metadata.PropagatedAnnotations(), key) {
		// A component of v1beta1 has its annotations in the pod template.
		if value, ok = c.PodMetadata().Annotations[key]; ok {
			return value, true
		}
		if value, ok = c.graph.Annotations[key]; ok {
			return value, true
		}
	}
	value, ok = c.graph.Spec.Annotations[key]
	return value, ok
}

// OwnsRestarts reports whether the user has set the annotation for restarts on the pods. Only that annotation restarts them then.
func (c *Component) OwnsRestarts() bool {
	if _, ok := c.PodMetadata().Annotations[metadata.AnnotationRestartAt]; ok {
		return true
	}
	_, ok := c.annotation(metadata.AnnotationRestartAt)
	return ok
}

// AllLabels of every object of the component: its own and, with lower priority, those of the graph.
func (c *Component) AllLabels() map[string]string {
	return withDefaults(c.Labels, c.graph.Spec.Labels)
}

// TemplateLabels are the labels that the user sets for the pods.
func (c *Component) TemplateLabels() map[string]string {
	labels := c.AllLabels()
	maps.Copy(labels, c.PodMetadata().Labels)
	return labels
}

func withDefaults(own, defaults map[string]string) map[string]string {
	merged := make(map[string]string, len(own)+len(defaults))
	maps.Copy(merged, defaults)
	maps.Copy(merged, own)
	return merged
}
