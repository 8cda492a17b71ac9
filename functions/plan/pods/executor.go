package pods

import (
	"fmt"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
)

// executorWarning is about an executor of pods that images of the release do not contain. An image of the user may contain it nevertheless. Empty if
// they contain it.
func executorWarning(decision graphplan.Component, ray backend.RayUse, processes bool) string {
	const mp = "set annotation " + metadata.AnnotationVLLMExecutor + " to mp"
	version := decision.RuntimeVersion
	switch {
	case ray.Needed && !version.Has(runtime.VLLMRay):
		needs, remedy := "executor ray, from "+decision.ExecutorReason()+", needs Ray", mp+", which needs no Ray"
		if ray.Text != "" {
			needs, remedy = ray.Text+" needs Ray", "remove it from the command"
		}
		return fmt.Sprintf("%s, but images of Dynamo contain no Ray since %s, and the image has %s: pods end with \"ray: not found\" unless you have added Ray to the image; %s, or use an image with Ray",
			needs, runtime.VLLMRay.Until(), version, remedy)
	case processes && !version.Has(runtime.VLLMProcesses):
		return fmt.Sprintf("executor mp, from %s, needs Dynamo %s or later in the image, and the image has %s; set annotation %s to ray, or use a newer image",
			decision.ExecutorReason(), runtime.VLLMProcesses.Since(), version, metadata.AnnotationVLLMExecutor)
	default:
		return ""
	}
}
