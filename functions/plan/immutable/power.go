package immutable

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// checkPower refuses to change the limit of the power of GPUs, and the number of GPUs that have one: the planner reads them once, when it
// starts, and would exceed its budget.
func checkPower(f *subject.Facts) message.List {
	var errs message.List
	for _, name := range f.Graph.ComponentNames() {
		live := f.Observed.Pods[names.Lower(name)]
		if len(live) == 0 {
			continue
		}
		component, path := f.Graph.Component(name), graph.ComponentPath(name)
		wanted := pod.WorkloadAnnotations(component)[metadata.AnnotationGPUPowerLimit]
		before := live[0].Annotations[metadata.AnnotationGPUPowerLimit]
		if wanted != before {
			errs = append(errs, message.Invalid(path.Child("annotations").Key(metadata.AnnotationGPUPowerLimit), wanted,
				"%s; it was %q: %s", subject.NoChange, before, subject.PutBack))
		}
		if was := gpusOf(&live[0].Spec); before != "" && was != component.GPUs() {
			errs = append(errs, message.Invalid(graph.MainPath(path, "resources", "limits").Key(graph.DefaultGPU), component.GPUs(),
				"cannot be changed while the power of the GPUs is limited (annotation %s); it was %d: %s", metadata.AnnotationGPUPowerLimit, was, subject.PutBack))
		}
	}
	return errs
}

// gpusOf the main container of live pods.
func gpusOf(spec *corev1.PodSpec) int64 {
	if main := pod.MainOfPod(spec); main != nil {
		return graph.GPUsIn(main.Resources)
	}
	return 0
}
