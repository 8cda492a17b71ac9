package adopt

import (
	"maps"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
)

// manifestOf a graph as it is applied to adopt what the operator has made: what its user wrote, with the annotation.
func manifestOf(dgd *unstructured.Unstructured) *unstructured.Unstructured {
	manifest := &unstructured.Unstructured{Object: map[string]any{}}
	manifest.SetAPIVersion(dgd.GetAPIVersion())
	manifest.SetKind(dgd.GetKind())
	manifest.SetName(dgd.GetName())
	manifest.SetNamespace(dgd.GetNamespace())
	manifest.SetLabels(dgd.GetLabels())
	annotations := map[string]string{}
	maps.Copy(annotations, dgd.GetAnnotations())
	annotations[metadata.AnnotationAdoptFrom] = metadata.AdoptFromOperator
	maps.DeleteFunc(annotations, func(key, _ string) bool { return isBookkeeping(key) })
	manifest.SetAnnotations(annotations)
	if spec, ok := dgd.Object["spec"]; ok {
		manifest.Object["spec"] = spec
	}
	return manifest.DeepCopy()
}

// isBookkeeping reports whether an annotation is a note of kubectl or of the operator for itself.
func isBookkeeping(annotation string) bool {
	switch annotation {
	case "kubectl.kubernetes.io/last-applied-configuration", "nvidia.com/workload-provider":
		return true
	default:
		return strings.HasPrefix(annotation, "nvidia.com/current-worker-hash") || strings.HasPrefix(annotation, "nvidia.com/last-applied-")
	}
}
