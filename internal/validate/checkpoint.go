package validate

import (
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
)

// checkpoint of a component, as the webhooks of the Dynamo operator of August 2026 check it, and what the operator only notices when it builds
// the pods.
// https://github.com/ai-dynamo/dynamo/blob/2a6da14c8/deploy/operator/internal/webhook/validation/shared_v1beta1.go#L582
func (v *validator) checkpoint(path *field.Path, s *graph.Component) {
	c, fieldPath := s.Checkpoint(), path.Child("experimental", "checkpoint")
	if c == nil {
		return
	}
	v.checkpointJob(fieldPath.Child("job"), s)
	name := s.CheckpointName()
	if !c.Enabled || name == "" {
		return
	}
	v.objectName(fieldPath.Child("checkpointRef"), name, "PodSnapshot")
	if target := s.CheckpointTarget(); target != pod.MainContainer && !sidecarsOf(s).Has(target) {
		v.invalid(fieldPath.Child("targetContainerName"), target, "is not a container in {{podTemplate.spec.containers}}; add the container, or remove the name")
	}
}

// checkpointJob is the job that creates a checkpoint. A checkpoint that exists has none.
func (v *validator) checkpointJob(path *field.Path, s *graph.Component) {
	job := s.Checkpoint().Job
	if job == nil {
		return
	}
	if ptr.Deref(s.Checkpoint().CheckpointRef, "") != "" {
		v.forbidden(path, "may not be set together with checkpointRef, which names an existing checkpoint; remove one of the two")
	}
	if len(job.GMSClientContainers) == 0 {
		return
	}
	switch g := s.GPUMemoryService(); {
	case g == nil:
		v.forbidden(path.Child("gmsClientContainers"), "requires the GPU memory service; enable gpuMemoryService, or remove the containers")
	case g.Mode == v1beta1.ShareInterPod:
		v.forbidden(path.Child("gmsClientContainers"),
			"requires the GPU memory service in mode %s; use that mode, or remove the containers", v.graph.ShareMode(v1beta1.ShareIntraPod))
	}
}

// checkpoint warns of what has no effect.
func (w *warnings) checkpoint(path *field.Path, s *graph.Component) {
	if !s.Checkpointed() || s.CreatesCheckpoint() {
		return
	}
	const instead = "has no effect together with checkpointRef, which names an existing checkpoint; remove it"
	if s.Checkpoint().Mode != "" {
		w.add(path.Child("mode"), "%s", instead)
	}
	if s.Checkpoint().Identity != nil {
		w.add(path.Child("identity"), "%s", instead)
	}
	if s.Checkpoint().DeletionPolicy == v1alpha1.CheckpointRetain {
		w.add(path.Child("deletionPolicy"), "%s", instead)
	}
}
