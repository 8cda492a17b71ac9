package validate

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/compatibility"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod/override"
)

// weightServers checks components whose weights are in pods of their own as the webhooks of the Dynamo operator of August 2026 do. A live graph
// that was created without these pods only gets a warning.
// https://github.com/ai-dynamo/dynamo/blob/2a6da14c8/deploy/operator/internal/webhook/validation/dynamographdeployment.go#L278
func (v *validator) weightServers(path *field.Path, s *graph.Component) {
	if !s.RunsWeightServers() {
		return
	}
	mode := path.Child("experimental", "gpuMemoryService", "mode")
	if !v.options.Grove {
		v.invalid(mode, v.graph.ShareMode(v1beta1.ShareInterPod), "requires Grove, which gives the pods of a node the same GPUs; run the graph on Grove, or use {{IntraPod}}")
	}
	if c := s.Checkpoint(); c != nil && c.Enabled && !s.HasStandbyPods() {
		v.forbidden(path.Child("experimental", "checkpoint"), "may not be enabled together with mode {{InterPod}} of gpuMemoryService; remove one of the two")
	}
	for _, role := range override.OfRoles(s, path, s.Name) {
		v.forbidden(role.Path, "may not be set together with mode {{InterPod}} of gpuMemoryService, with which each node has several cliques; set providerOverride of the {{component}}")
	}
}

// weightServers warns of what GPU memory that is shared between pods lacks.
func (w *warnings) weightServers(path *field.Path, g *graph.Graph, name string) {
	s := g.Component(name)
	switch {
	case !s.WantsWeightServers():
	case !s.RunsWeightServers():
		w.add(path.Child("experimental", "gpuMemoryService", "mode"), "{{InterPod}} has no effect, and each pod has its own GPUs, because the pods of a live graph cannot be put into other groups; delete and recreate the graph on Grove, or use {{IntraPod}}")
	case s.HasStandbyPods() && s.IsMultinode():
		w.add(path.Child("experimental", "failover"), "if the engine fails on one node, its processes on the other nodes only end when they notice it, because nothing here watches the pods; see %s for how long this takes, and delete the pods with the same %s to end them at once", compatibility.Page("failover.md#over-several-nodes"), metadata.LabelPodIndex)
	}
}
