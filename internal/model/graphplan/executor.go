package graphplan

import (
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
)

// ExecutorSource is who decides with which executor a vLLM engine spans nodes.
type ExecutorSource string

// The sources, in the order in which they are asked.
const (
	// ExecutorFromAnnotation is the annotation of the component, or of the graph.
	ExecutorFromAnnotation ExecutorSource = "Annotation"
	// ExecutorFromStandby is that engines that stand by for each other cannot run on Ray.
	ExecutorFromStandby ExecutorSource = "Standby"
	// ExecutorFromCommand is the command of the user, which has flags of one of them, or starts Ray.
	ExecutorFromCommand ExecutorSource = "Command"
	// ExecutorFromPods are the pods that run, if a new graph would get another executor.
	ExecutorFromPods ExecutorSource = "Pods"
	// ExecutorFromInput is the policy of the platform.
	ExecutorFromInput ExecutorSource = "Input"
	// ExecutorFromRelease is the release of Dynamo in the image.
	ExecutorFromRelease ExecutorSource = "Release"
)

// ExecutorReason says in words who has decided the executor. Empty if there is no executor.
func (s Component) ExecutorReason() string {
	switch s.ExecutorFrom {
	case ExecutorFromAnnotation:
		return "annotation " + metadata.AnnotationVLLMExecutor
	case ExecutorFromStandby:
		return "engines that stand by, which cannot share Ray"
	case ExecutorFromCommand:
		return "the command"
	case ExecutorFromPods:
		return "the pods that run"
	case ExecutorFromInput:
		return "vllm.distributedExecutor of the platform"
	case ExecutorFromRelease:
		reason := "Dynamo " + s.RuntimeVersion.String() + " in the image"
		if !s.RuntimeVersion.Has(runtime.VLLMRay) {
			reason += ", which has no Ray since " + runtime.VLLMRay.Until().String()
		}
		return reason
	default:
		return ""
	}
}
