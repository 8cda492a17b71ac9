package validate

import (
	"fmt"

	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	snapshotv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/snapshot/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// maxAnnotations limits the annotations of one object, in bytes. The limit of the API server leaves room for the annotations that the
// chain, Crossplane and controllers add.
const maxAnnotations = apivalidation.TotalAnnotationSizeLimitB - 8<<10

// annotationSizes checks the total size of the annotations on the workload of a component, on its pods, and on an Ingress.
func (v *validator) annotationSizes(path *field.Path, name string) {
	if size := sizeOf(pod.WorkloadAnnotations(v.graph.Component(name))); size > maxAnnotations {
		v.add(message.Invalid(path, field.OmitValueType{}, "the annotations of the graph, the {{component}} and its pods have %d bytes in total, but must have at most %d; remove or shorten some", size, maxAnnotations))
	}
	if in := v.graph.Component(name).Ingress; in != nil && sizeOf(in.Annotations) > maxAnnotations {
		v.add(message.Invalid(path.Child("ingress", "annotations"), field.OmitValueType{}, "the annotations have %d bytes in total, but must have at most %d; remove or shorten some", sizeOf(in.Annotations), maxAnnotations))
	}
}

func sizeOf(annotations map[string]string) int {
	size := 0
	for key, value := range annotations {
		size += len(key) + len(value)
	}
	return size
}

// LabelProblem is the reason why the name of an object cannot be the value of a label of pods. It is empty if it can.
func LabelProblem(name string) string {
	if len(validation.IsDNS1123Subdomain(name)) > 0 || len(name) <= validation.LabelValueMaxLength {
		return ""
	}
	return fmt.Sprintf("must have at most %d bytes, because it is a label of the pods; use a queue with a shorter name", validation.LabelValueMaxLength)
}

// ObjectName refuses names that no object can have. It accepts an empty value, which means the default.
func ObjectName(path *field.Path, name string) message.List {
	if name == "" {
		return nil
	}
	var errs message.List
	for _, problem := range validation.IsDNS1123Subdomain(name) {
		errs = append(errs, message.Invalid(path, name, "%s", message.WithoutPattern(problem)))
	}
	return errs
}

// reservedLabels are on no pod unless the graph restores it.
func (w *warnings) reservedLabels(path *field.Path, labels map[string]string) {
	for _, key := range snapshotv1alpha1.AgentLabels() {
		if _, ok := labels[key]; ok {
			w.add(path.Key(key), "has no effect on pods, because the agent of the snapshot operator would restore what anybody has stored; remove it, and name a PodSnapshot in checkpointRef")
		}
	}
}
