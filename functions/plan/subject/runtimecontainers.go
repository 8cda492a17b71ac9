package subject

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
)

// runRuntimeContainers of the components of a graph that have an init container for the runtime, unless its release is known to be one that does
// not run there. Where the release is not known, the container says it: nobody has written one for an earlier release, whose pods would have
// two runtimes.
//
// A live component whose init container is like others keeps it like that until its image changes.
func runRuntimeContainers(g *graph.Graph, in *inputv1alpha1.Input, o *observed.State) {
	policy := input.RuntimePolicy(in)
	for _, component := range g.ComponentsByName() {
		container, _ := pod.RuntimeContainer(component)
		if container == nil {
			continue
		}
		version, source := policy.Resolve(runtime.Component{Override: component.RuntimeVersionOverride, Image: container.Image})
		if !source.IsAssumed() && !version.Has(runtime.RuntimeContainer) {
			continue
		}
		if !runsLikeOthers(o.Pods[names.Lower(component.Name)], container.Image) {
			g.RunRuntimeContainer(component.Name)
		}
	}
}

// runsLikeOthers reports whether pods run whose init container has an image, and is not the runtime.
func runsLikeOthers(pods observed.Pods, image string) bool {
	return slices.ContainsFunc(pods, func(t corev1.PodTemplateSpec) bool {
		return pod.RunsInitContainer(&t.Spec, pod.RuntimeContainerName, image) && !pod.IsInRuntimeContainer(&t.Spec)
	})
}
