package render

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/pipeline"
)

// reasonCompose is the reason of an event if the function returned none.
const reasonCompose = "ComposeResources"

// Types of events.
const (
	typeNormal  = "Normal"
	typeWarning = "Warning"
)

// result is an event of the composite resource, in the format of the renderer.
func result(eventType, reason, message string) unstructured.Unstructured {
	return unstructured.Unstructured{Object: map[string]any{
		"apiVersion": apiVersion,
		"kind":       "Result",
		"severity":   eventType,
		"reason":     reason,
		"message":    message,
	}}
}

// resultFrom a function, with its step.
func resultFrom(step string, r *fnv1.Result) unstructured.Unstructured {
	reason := r.GetReason()
	if reason == "" {
		reason = reasonCompose
	}
	switch r.GetSeverity() {
	case fnv1.Severity_SEVERITY_NORMAL:
		return result(typeNormal, reason, fmt.Sprintf("Pipeline step %q: %s", step, r.GetMessage()))
	case fnv1.Severity_SEVERITY_WARNING:
		return result(typeWarning, reason, fmt.Sprintf("Pipeline step %q: %s", step, r.GetMessage()))
	case fnv1.Severity_SEVERITY_UNSPECIFIED, fnv1.Severity_SEVERITY_FATAL:
	}
	const format = "Pipeline step %q returned a result of unknown severity (assuming warning): %s"
	return result(typeWarning, reason, fmt.Sprintf(format, step, r.GetMessage()))
}

func selected(c *pipeline.Composition) unstructured.Unstructured {
	return result(typeNormal, "SelectComposition", "Successfully selected composition: "+c.Metadata.Name)
}

func notReady(key string) unstructured.Unstructured {
	return result(typeNormal, reasonCompose, fmt.Sprintf("Composed resource %q is not yet ready", key))
}

func namespaceOverridden(key, wanted, used string) unstructured.Unstructured {
	const format = "cannot create composed resource %q in namespace %q, using XR namespace %q instead"
	return result(typeWarning, "NamespaceOverridden", fmt.Sprintf(format, key, wanted, used))
}
