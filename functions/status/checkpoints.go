package status

import (
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// checkpointStatus are the checkpoints to which the components of a graph refer, and those that it has created of the pods that are desired. The
// Dynamo operator also writes the ID to the deprecated field.
func checkpointStatus(desired map[string]*fnv1.Resource, g *graph.Graph, p *graphplan.Plan) map[string]v1alpha1.CheckpointStatus {
	var all map[string]v1alpha1.CheckpointStatus
	for name, component := range p.Components {
		c := component.Checkpoint
		if c == nil {
			continue
		}
		reported := v1alpha1.CheckpointStatus{CheckpointName: c.Name, CheckpointID: c.ID, IdentityHash: c.ID, Ready: c.Ready}
		if c.Creates {
			reported.CheckpointName = storedOf(desired, g, p, name)
			reported.Ready = reported.CheckpointName != ""
		}
		if reported.CheckpointName == "" {
			continue
		}
		if all == nil {
			all = map[string]v1alpha1.CheckpointStatus{}
		}
		all[name] = reported
	}
	return all
}

// storedOf the template of the pods of a component is its PodSnapshot. Empty if there is none yet.
func storedOf(desired map[string]*fnv1.Resource, g *graph.Graph, p *graphplan.Plan, name string) string {
	pods, _ := serving(templatesOf(desired, g, p, name))
	template := tree.Text(pods.annotations, metadata.AnnotationCheckpointTemplate)
	for _, stored := range p.Components[name].Checkpoint.Stored {
		if stored.Template == template {
			return stored.PodSnapshot
		}
	}
	return ""
}
