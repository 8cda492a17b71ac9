package explain

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
)

// What flows between components.
const (
	flowRequests = "requests"
	flowCache    = "KV cache"
)

// A Flow of what a component sends to others while the graph serves.
type Flow struct {
	// What flows: requests, from a frontend to workers, or the KV cache, from prefill workers to decode workers.
	What string `json:"what"`
	From string `json:"from"`

	// To are components in the order of the explanation.
	To []string `json:"to"`
}

// flows between components that find each other: those in one Dynamo namespace, and workers of one model, as far as it is known.
func (d *describer) flows(components []Component) []Flow {
	var all []Flow
	for i := range components {
		from := &components[i]
		what, receivers := flowRequests, []string{v1alpha1.ComponentPrefill, v1alpha1.ComponentDecode, v1alpha1.ComponentWorker}
		switch from.Type {
		case v1alpha1.ComponentFrontend:
		case v1alpha1.ComponentPrefill:
			what, receivers = flowCache, []string{v1alpha1.ComponentDecode}
		default:
			continue
		}
		flow := Flow{What: what, From: from.Name}
		for j := range components {
			to := &components[j]
			met := d.plan.Components[from.Name].DynamoNamespace == d.plan.Components[to.Name].DynamoNamespace
			if met && slices.Contains(receivers, to.Type) && (from.model == to.model || from.model == "" || to.model == "") {
				flow.To = append(flow.To, to.Name)
			}
		}
		if len(flow.To) > 0 {
			all = append(all, flow)
		}
	}
	return all
}

// modelOf the first pod that names one. Empty if it is not known.
func (d *describer) modelOf(templates []corev1.PodTemplateSpec) string {
	for i := range templates {
		containers := templates[i].Spec.Containers
		if j := slices.IndexFunc(containers, func(c corev1.Container) bool { return c.Name == pod.MainContainer }); j >= 0 {
			if model := d.graph.CommandLines.ServedModelName(&containers[j]); model != "" {
				return model
			}
		}
	}
	return ""
}
