package validate

import (
	"cmp"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
)

// failover checks standby engines as the webhooks of the Dynamo operator of August 2026 do.
// https://github.com/ai-dynamo/dynamo/tree/main/deploy/operator/internal/webhook/validation
func (v *validator) failover(path *field.Path, s *v1alpha1.Service) {
	f, at := s.Failover, path.Child("failover")
	if f == nil || !f.Enabled {
		return
	}
	intraPod := cmp.Or(f.Mode, v1alpha1.ShareIntraPod) == v1alpha1.ShareIntraPod
	switch shares := s.GPUMemoryService != nil && s.GPUMemoryService.Enabled; {
	case shares && cmp.Or(f.Mode, v1alpha1.ShareIntraPod) != cmp.Or(s.GPUMemoryService.Mode, v1alpha1.ShareIntraPod):
		v.invalid(at.Child("mode"), v.spelled(cmp.Or(f.Mode, v1alpha1.ShareIntraPod)), "must be the mode of gpuMemoryService; change one of the two")
	// A manifest of upstream has a service with failover between pods and nothing else, which only gets a warning.
	case !shares && (intraPod || v.graph.Form == graph.Components):
		v.required(path.Child("gpuMemoryService"), "failover requires the GPU memory service with the same mode; add it, or remove failover")
	}
	if f.NumShadows > 1 && (intraPod || v.graph.Form == graph.Components) {
		v.invalid(at.Child("numShadows"), f.NumShadows, "must be 1; set replicas for more engines")
	}
}

// spelled as in the form in which the graph is written.
func (v *validator) spelled(mode v1alpha1.ShareMode) string { return v.graph.Text(string(mode)) }

// checkpointJob of a checkpoint that exists has nothing to do.
func (v *validator) checkpointJob(path *field.Path, c *v1alpha1.Checkpoint) {
	if c != nil && c.Job != nil && ptr.Deref(c.CheckpointRef, "") != "" {
		v.forbidden(path.Child("job"), "may not be set together with checkpointRef, which names an existing checkpoint; remove one of the two")
	}
}
