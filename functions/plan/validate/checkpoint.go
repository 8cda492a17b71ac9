package validate

import (
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
)

func (v *validator) checkpoint(path *field.Path, c *v1alpha1.Checkpoint) {
	if c == nil || !c.Enabled {
		return
	}
	identified := c.Identity != nil && c.Identity.Model != "" && c.Identity.BackendFramework != ""
	if ptr.Deref(c.CheckpointRef, "") == "" && !identified {
		v.required(path, "an enabled checkpoint requires checkpointRef, or identity with model and backendFramework")
	}
}
