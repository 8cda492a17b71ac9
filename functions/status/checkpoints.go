package status

import (
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
)

// checkpointStatus are the checkpoints to which the services of a graph refer, and those that it has created. The Dynamo operator also writes the
// ID to the deprecated field.
func checkpointStatus(p *graphplan.Plan) map[string]v1alpha1.CheckpointStatus {
	var all map[string]v1alpha1.CheckpointStatus
	for name, service := range p.Services {
		if c := service.Checkpoint; c != nil && c.Name != "" {
			if all == nil {
				all = map[string]v1alpha1.CheckpointStatus{}
			}
			all[name] = v1alpha1.CheckpointStatus{CheckpointName: c.Name, CheckpointID: c.ID, IdentityHash: c.ID, Ready: c.Ready}
		}
	}
	return all
}
