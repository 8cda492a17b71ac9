package guardrails

import (
	"encoding/json"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/guardrails/guardrail"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// rail of the table.
func (c *checker) rail(r guardrail.Rail) rail {
	switch r {
	case guardrail.Queues:
		return rail{noun: "queues", allowed: c.rails.Queues}
	case guardrail.ImageRegistries:
		return rail{noun: "images", preposition: " from", allowed: c.rails.ImageRegistries, isRegistry: true}
	case guardrail.ServiceAccounts:
		return rail{noun: "ServiceAccounts", allowed: c.rails.ServiceAccounts}
	case guardrail.StorageClasses:
		return rail{noun: "StorageClasses", allowed: c.rails.StorageClasses}
	case guardrail.Capabilities:
		return rail{noun: "capabilities", allowed: c.rails.Capabilities}
	case guardrail.HostPath:
		return switched(c.rails.AllowHostPath, "volumes of type hostPath", "use another type")
	case guardrail.HostNetwork:
		return switched(c.rails.AllowHostNetwork, "pods in namespaces of their nodes", "remove it")
	case guardrail.Privileged:
		return switched(c.rails.AllowPrivileged, "privileged containers", "remove it")
	default:
		return rail{}
	}
}

// limited reports whether a guard rail limits anything.
func (c *checker) limited(r guardrail.Rail) bool { return c.rail(r).allowed != nil }

// places of the guard rails that limit anything. Most platforms set none.
func (c *checker) places() []guardrail.Place {
	if !slices.ContainsFunc(guardrail.Rails(), c.limited) {
		return nil
	}
	return slices.DeleteFunc(guardrail.Places(), func(p guardrail.Place) bool { return p.Suffix || !c.limited(p.Rail) })
}

// graphPlaces are checked in the graph itself, and in its spec.
func (c *checker) graphPlaces(places []guardrail.Place, queue *field.Path) {
	if len(places) == 0 {
		return
	}
	graph, spec := c.graphObjects()
	for _, place := range places {
		// A label that was written when it was too late for a queue has no effect.
		if place.Graph == guardrail.KueueQueue && c.facts.KeepsKueueQueue() && c.facts.KueueQueue() == "" {
			continue
		}
		for _, value := range valuesInGraph(place, graph, spec) {
			// The queue that the graph is in is checked with what is known of it.
			if queue == nil || value.Path.String() != queue.String() {
				c.place(place, value, c.livePods)
			}
		}
	}
}

// graphObjects are the graph and its spec, as far as there are places in them.
func (c *checker) graphObjects() (graph, spec map[string]any) {
	graph = map[string]any{"metadata": map[string]any{"labels": tree.At(c.facts.Observed.Composite(), "metadata", "labels").AsMap()}}
	return graph, objectOf(map[string]any{"labels": c.facts.Graph.Spec.Labels, "annotations": c.facts.Graph.Spec.Annotations})
}

func valuesInGraph(place guardrail.Place, graph, spec map[string]any) []guardrail.Value {
	if place.Graph != "" {
		return place.Graph.Values(nil, graph)
	}
	return place.Service.Values(field.NewPath("spec"), spec)
}

// places are checked in the component.
func (s *component) places(places []guardrail.Place) {
	if len(places) == 0 {
		return
	}
	spec := s.written()
	for _, place := range places {
		if path, ok := place.InComponent(); ok {
			for _, value := range path.Values(s.path, spec) {
				s.place(place, value, s.livePods)
			}
		}
	}
}

// written is the component as JSON has it, as far as there are places in it.
func (s *component) written() map[string]any {
	template := s.spec.PodTemplate
	if s.spec.HasRoleTemplates() {
		template = nil
	}
	return objectOf(struct {
		PodTemplate     *corev1.PodTemplateSpec   `json:"podTemplate,omitempty"`
		Roles           []v1alpha1.ComponentRole  `json:"roles,omitempty"`
		Labels          map[string]string         `json:"labels,omitempty"`
		Annotations     map[string]string         `json:"annotations,omitempty"`
		FrontendSidecar *v1alpha1.FrontendSidecar `json:"frontendSidecar,omitempty"`
	}{template, s.spec.Roles, s.spec.Labels, s.spec.Annotations, s.spec.Sidecar})
}

// livePods of the graph, as JSON has them, and what Grove puts on all of them.
func (c *checker) livePods() []map[string]any {
	var all []map[string]any
	for _, name := range c.facts.Graph.ComponentNames() {
		all = append(all, c.componentOf(name).livePods()...)
	}
	return append(all, objectOf(c.facts.Observed.Object(names.KeyPodCliqueSet)))
}

// livePods of the component, as JSON has them. Revisions keep them as their user wrote them.
func (s *component) livePods() []map[string]any {
	var all []map[string]any
	for _, template := range s.facts.Observed.Pods[names.Lower(s.name)] {
		all = append(all, objectOf(template))
	}
	return all
}

// objectOf a value that JSON can encode.
func objectOf(value any) map[string]any {
	object := map[string]any{}
	if encoded, err := json.Marshal(value); err == nil {
		_ = json.Unmarshal(encoded, &object)
	}
	return object
}

// place with a value is checked. live are pods that already run. Only what is refused is compared with them: to encode them takes longer than
// everything else.
func (c *checker) place(place guardrail.Place, value guardrail.Value, live func() []map[string]any) {
	if r := c.rail(place.Rail); !r.allows(value.Value) {
		c.violation(value.Path, value.Value, message.Plain(r.String()), r.remedy(), runs(place, value.Value, live()))
	}
}

// runs reports whether a live pod has a value at any place of the same guard rail. The namespaces of a node are different ones.
func runs(place guardrail.Place, value any, live []map[string]any) bool {
	for _, other := range guardrail.Of(place.Rail) {
		if other.Pod == "" || other.Suffix || place.Rail == guardrail.HostNetwork && other.Pod != place.Pod {
			continue
		}
		for _, pod := range live {
			if slices.ContainsFunc(other.Pod.Values(nil, pod), func(v guardrail.Value) bool { return v.Value == value }) {
				return true
			}
		}
	}
	return false
}
