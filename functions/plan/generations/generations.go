// Package generations decides whether the workers of a graph have a generation: a suffix of their Dynamo namespace, by which workers from
// before and after a change do not find each other.
//
// Two generations in one namespace publish different checksums of the same model, so discovery refuses the newer one until the older one is
// gone, and no release promises that prefill and decode workers of different releases work together. All workers of a graph have the same
// generation, because they work together. So a change of one of them replaces the pods of all.
// https://github.com/ai-dynamo/dynamo/pull/12769
package generations

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/written"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step/takeover"
)

// digits of a generation: what programs since Dynamo 1.6.0 take for a generation after the namespace of a graph.
const digits = 8

// Decide the generation of the workers of a graph. Empty if they have none. The plan is complete, apart from it.
//
// A running graph keeps what it has until its user changes a worker: whether the pods have a generation, and which. Its newest revision tells
// whether that has happened. A restart is no such change, because it replaces the pods of one component after the other.
func Decide(f *subject.Facts, p *graphplan.Plan, formats written.Formats) (string, error) {
	all := workers(f)
	// Pods that were adopted keep the generation of the Dynamo operator, of which Services and other pods know them, or have none as before.
	if len(all) == 0 || takeover.Adopts(f.Graph, f.Observed.Resources()) {
		return "", nil
	}
	wanted, asked := supported(f, p) && wants(f), f.Graph.Annotations[metadata.AnnotationWorkerGenerations] != ""
	running := generationsOf(f, all)
	if !wanted && (asked || len(running) == 0) {
		return "", nil
	}
	recorded := f.Observed.Recorded()
	unchanged, err := isUnchanged(f, p, formats, all, recorded)
	if err != nil {
		return "", err
	}
	// All workers in a revision have the same one.
	if kept := recorded[all[0]].Generation; unchanged && (kept != "" || !asked) {
		return kept, nil
	}
	if !wanted && recorded != nil {
		return "", nil
	}
	generation, err := generationOf(f, p, formats, all)
	if err != nil || wanted && asked || recorded != nil {
		return generation, err
	}
	// Pods whose revision is lost stay as they are.
	if len(running) == 0 && runs(f, all) {
		return "", nil
	}
	return generation, nil
}

// workers of a graph.
func workers(f *subject.Facts) []string {
	return slices.DeleteFunc(f.Graph.ComponentNames(), func(name string) bool {
		return !f.Graph.Component(name).IsWorker()
	})
}

// generationOf what the user has written for all workers, apart from restarts.
func generationOf(f *subject.Facts, p *graphplan.Plan, formats written.Formats, workers []string) (string, error) {
	hashes, err := formats.HashAt(f.Graph, p, workers, nil)
	if err != nil {
		return "", errors.Wrap(err, "cannot tell generations of workers apart")
	}
	sum := sha256.New()
	for _, name := range workers {
		_, _ = io.WriteString(sum, name+"\n"+string(hashes[name].Newest())+"\n") // A hash takes all that it is given.
	}
	return hex.EncodeToString(sum.Sum(nil))[:digits], nil
}

// supported reports whether all programs that look for workers know of generations, and the user has chosen no suffix. A worker that is restored
// from a checkpoint has the variables with which it was captured.
func supported(f *subject.Facts, p *graphplan.Plan) bool {
	for _, component := range f.Graph.ComponentsByName() {
		looks := component.IsWorker() || component.Type == v1beta1.ComponentPlanner
		knows := !looks || p.Components[component.Name].RuntimeVersion.Has(runtime.WorkerGenerations)
		if !knows || component.Checkpointed() || hasSuffix(pod.RuntimeOf(component).Env) {
			return false
		}
	}
	return !hasSuffix(f.Graph.Spec.Env)
}

func hasSuffix(env []corev1.EnvVar) bool {
	return slices.ContainsFunc(env, func(e corev1.EnvVar) bool { return e.Name == pod.EnvWorkerSuffix })
}

// wants reports whether the graph, or otherwise the platform, wants generations.
func wants(f *subject.Facts) bool {
	if asked := f.Graph.Annotations[metadata.AnnotationWorkerGenerations]; asked != "" {
		return asked == metadata.GenerationsSeparate
	}
	return f.Input.Workers.Generations != inputv1alpha1.GenerationsShared
}

// isUnchanged reports whether the user had written the same for all workers when the newest revision of the graph was made.
func isUnchanged(f *subject.Facts, p *graphplan.Plan, formats written.Formats, workers []string, recorded map[string]observed.Recorded) (bool, error) {
	if recorded == nil {
		return false, nil
	}
	now, err := formats.HashOf(f.Graph, p, workers)
	if err != nil {
		return false, errors.Wrap(err, "cannot compare the workers")
	}
	// A component that is restarted now had another mark before.
	marked, err := formats.HashAt(f.Graph, p, workers, restartsOf(f, workers))
	if err != nil {
		return false, errors.Wrap(err, "cannot compare the workers")
	}
	changed := func(name string) bool {
		return !recorded[name].Written.Same(now[name]) && !recorded[name].Written.Same(marked[name])
	}
	return !slices.ContainsFunc(workers, changed), nil
}

// runs reports whether any of the workers has pods.
func runs(f *subject.Facts, workers []string) bool {
	return slices.ContainsFunc(workers, func(name string) bool { return len(f.Observed.Pods[names.Lower(name)]) > 0 })
}

// generationsOf the pods of workers that run, without those that have none.
func generationsOf(f *subject.Facts, workers []string) []string {
	var generations []string
	for _, name := range workers {
		for _, template := range f.Observed.Pods[names.Lower(name)] {
			if generation := template.Labels[metadata.LabelWorkerHash]; generation != "" {
				generations = append(generations, generation)
			}
		}
	}
	return generations
}

// restartsOf the pods of workers that run: the marks of the last ones.
func restartsOf(f *subject.Facts, workers []string) map[string]string {
	restarts := map[string]string{}
	for _, name := range workers {
		for _, template := range f.Observed.Pods[names.Lower(name)] {
			restarts[name] = template.Annotations[metadata.AnnotationRestartAt]
		}
	}
	return restarts
}
