package components

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// liveExecutor is the executor for which the pods of a component were built, and their images. The zero value: there are no pods, or they are
// the same with each executor.
type liveExecutor struct {
	executor backend.Executor
	images   []string
}

// liveExecutorOf pods, from the main container of the user.
func liveExecutorOf(texts *backend.Texts, pods observed.Pods, own *corev1.Container) liveExecutor {
	var live liveExecutor
	for _, template := range pods {
		if e := texts.ExecutorOf(&template.Spec, own); e == backend.ExecutorMP || live.executor == "" {
			live.executor = e
		}
		if main := pod.MainOfPod(&template.Spec); main != nil {
			live.images = append(live.images, main.Image)
		}
	}
	return live
}

// losesRay reports whether pods that run on Ray get an image of a release without it. Pods that run the image already have an image of
// their own that contains Ray, or they would not run.
func (l liveExecutor) losesRay(image string, version runtime.Version) bool {
	if l.executor != backend.ExecutorRay || version.Has(runtime.VLLMRay) {
		return false
	}
	return !slices.ContainsFunc(l.images, func(live string) bool {
		if live == image {
			return true
		}
		release, ok := runtime.OfImage(live)
		return ok && !release.Has(runtime.VLLMRay)
	})
}

// executorDecision is an executor, and who has decided it.
type executorDecision struct {
	executor backend.Executor
	from     graphplan.ExecutorSource

	// leavesRay says that the pods that run now use Ray, which the image of new ones does not contain.
	leavesRay bool
}

// executorOf a multinode component with vLLM, whose image has a release of Dynamo.
func (c choices) executorOf(g *graph.Graph, name string, in *inputv1alpha1.Input, version runtime.Version) executorDecision {
	decided := newExecutor(g, name, in, version)
	live := c.executors[names.Lower(name)]
	component := g.Component(name)
	switch {
	case live.executor == "" || live.executor == decided.executor:
		return decided
	case decided.from != graphplan.ExecutorFromInput && decided.from != graphplan.ExecutorFromRelease:
		// The user has decided.
		return decided
	case decided.from == graphplan.ExecutorFromRelease && live.losesRay(component.Main().Image, version):
		// The user replaces the image and with it all pods, and new ones could not start Ray.
		decided.leavesRay = true
		return decided
	default:
		return executorDecision{executor: live.executor, from: graphplan.ExecutorFromPods}
	}
}

// newExecutor is the executor of a component that does not run yet.
func newExecutor(g *graph.Graph, name string, in *inputv1alpha1.Input, version runtime.Version) executorDecision {
	if annotated := annotatedExecutor(g, name); annotated != "" {
		return executorDecision{executor: annotated, from: graphplan.ExecutorFromAnnotation}
	}
	// Of the two engines of a pod with failover, only one could start Ray, and standby engines in other pods run as the operator runs them.
	if component := g.Component(name); component.HasStandby() || g.Component(name).RunsWeightServers() {
		return executorDecision{executor: backend.ExecutorMP, from: graphplan.ExecutorFromStandby}
	}
	if named, _ := g.CommandLines.ExecutorNamedBy(ownContainer(g, name)); named != "" {
		return executorDecision{executor: named, from: graphplan.ExecutorFromCommand}
	}
	if specified := backend.Executor(in.VLLM.DistributedExecutor); specified != "" {
		return executorDecision{executor: specified, from: graphplan.ExecutorFromInput}
	}
	if version.Has(runtime.VLLMProcesses) {
		return executorDecision{executor: backend.ExecutorMP, from: graphplan.ExecutorFromRelease}
	}
	return executorDecision{executor: backend.ExecutorRay, from: graphplan.ExecutorFromRelease}
}

func annotatedExecutor(g *graph.Graph, name string) backend.Executor {
	return backend.Executor(strings.ToLower(g.Component(name).Annotation(metadata.AnnotationVLLMExecutor)))
}

// warnings about the decision on a component.
func (d executorDecision) warnings(g *graph.Graph, name string, version runtime.Version) message.List {
	var warnings message.List
	path := graph.ComponentPath(name)
	annotated := annotatedExecutor(g, name)
	if named, text := g.CommandLines.ExecutorNamedBy(ownContainer(g, name)); annotated != "" && named != "" && annotated != named {
		warnings = append(warnings, message.About(graph.MainPath(path), "the command contains %s, but annotation %s is %s, so the nodes may not form one engine; remove one of the two", text, metadata.AnnotationVLLMExecutor, annotated))
	}
	if d.leavesRay {
		warnings = append(warnings, message.About(path, "the pods that run use Ray, and images of Dynamo contain no Ray since %s: with the new image, which has %s, pods run with executor mp; to keep Ray, set annotation %s to ray, and add Ray to the image", runtime.VLLMRay.Until(), version, metadata.AnnotationVLLMExecutor))
	}
	return warnings
}
