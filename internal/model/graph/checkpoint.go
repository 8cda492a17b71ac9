package graph

import (
	"cmp"

	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
)

// Checkpoint of the component. It is nil if it has none.
func (c *Component) Checkpoint() *v1alpha1.Checkpoint { return c.experimental().Checkpoint }

// Checkpointed reports whether the component uses a checkpoint.
func (c *Component) Checkpointed() bool { return c.Checkpoint() != nil && c.Checkpoint().Enabled }

// CreatesCheckpoint reports whether the checkpoint has to be created for the component.
func (c *Component) CreatesCheckpoint() bool { return c.Checkpointed() && c.CheckpointName() == "" }

// CheckpointName is the name of the checkpoint to which the component refers. It is empty if it refers to none.
func (c *Component) CheckpointName() string {
	if !c.Checkpointed() {
		return ""
	}
	return ptr.Deref(c.Checkpoint().CheckpointRef, "")
}

// CheckpointPolicy says whether the pods wait for their checkpoint. The default is that of the API server. Offline, nothing sets it.
func (c *Component) CheckpointPolicy() v1alpha1.CheckpointStartupPolicy {
	return cmp.Or(c.Checkpoint().StartupPolicy, v1alpha1.CheckpointImmediate)
}

// AwaitsCheckpoint reports whether the pods only start from their checkpoint.
func (c *Component) AwaitsCheckpoint() bool { return c.CheckpointPolicy() == v1alpha1.CheckpointWait }

// CheckpointTarget is the name of the container that is restored from the checkpoint.
func (c *Component) CheckpointTarget() string {
	return cmp.Or(c.Checkpoint().TargetContainerName, v1beta1.MainContainer)
}
