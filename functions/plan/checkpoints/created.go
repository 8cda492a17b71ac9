package checkpoints

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	snapshotv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/snapshot/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
)

// create decides about the checkpoint of a component that refers to none. A SnapshotJob for each pod template of the component stores the state of
// one pod, and pods with the same template that are built later are restored from it. The Dynamo operator does the same in a webhook
// when a pod is created, so that also pods that replace or join others are restored.
// https://github.com/ai-dynamo/dynamo/blob/main/deploy/operator/internal/controller/dgd_checkpoints_reconciler.go
func create(f *subject.Facts, name string) (*graphplan.Checkpoint, subject.Outcome) {
	var o subject.Outcome
	component, path := f.Graph.Component(name), graph.ComponentPath(name, "experimental", "checkpoint")
	if reason, resolved := cannotCreate(f, &o.Requirements, name); !reason.IsZero() || !resolved {
		if resolved {
			o.Warn(path, "has no effect, and the pods start cold: %s", reason)
		}
		return nil, o
	}
	c, meanwhile := &graphplan.Checkpoint{Creates: true}, untilStored(f, name)
	for _, job := range jobsOf(f, name) {
		if failure := job.Failure(); failure != nil {
			o.Warn(path, "SnapshotJob %s has failed, and %s: %s: %s; delete the SnapshotJob, and a PodSnapshot of its name, to try again", job.Name, meanwhile, failure.Reason, strings.TrimSuffix(failure.Message, "."))
			continue
		}
		if !job.Completed() || job.Status.PodSnapshotName == "" {
			continue
		}
		s := snapshotNamed(f, &o.Requirements, job.Status.PodSnapshotName)
		if s.object == nil || s.unreadable != nil || !s.identified() || !s.object.Ready() {
			if s.resolved && isLive(f, name, job.Annotations[metadata.AnnotationCheckpointTemplate]) {
				o.Warn(path, "%s: pods that are restored from it cannot start again, and others start cold; delete SnapshotJob %s, and restart the pods", s.problem(job.Status.PodSnapshotName), job.Name)
			}
			continue
		}
		c.Stored = append(c.Stored, graphplan.StoredTemplate{
			Template: job.Annotations[metadata.AnnotationCheckpointTemplate], PodSnapshot: job.Status.PodSnapshotName,
		})
	}
	if meanwhile == noPodsStart && len(o.Warnings) == 0 {
		o.Warn(path.Child("startupPolicy"), "no pods of the {{component}} are created before a SnapshotJob has stored the state of its pod, and on Grove no pods of the graph; remove startupPolicy to start pods cold")
	}
	o.Add(withoutEffect(component, path))
	return c, o
}

const noPodsStart = "no pods start"

// untilStored is what happens until the state of a pod of a component is stored.
func untilStored(f *subject.Facts, name string) string {
	if f.Graph.Component(name).AwaitsCheckpoint() && len(f.Observed.Pods[names.Lower(name)]) == 0 {
		return noPodsStart
	}
	return "pods start cold"
}

// isLive reports whether a template is that of pods that run. Jobs of earlier ones stay for a while, and what they have stored may be deleted.
func isLive(f *subject.Facts, component, template string) bool {
	return slices.ContainsFunc(f.Observed.Pods[names.Lower(component)], func(t corev1.PodTemplateSpec) bool {
		return t.Annotations[metadata.AnnotationCheckpointTemplate] == template
	})
}

// cannotCreate is why no checkpoint is created for a component, with the remedy. It is 0 if one is.
func cannotCreate(f *subject.Facts, r *require.Requirements, name string) (reason message.Text, resolved bool) {
	missing, resolved := missingAPI(f, r)
	named, known := isNamed(f.Seen, r)
	component := f.Graph.Component(name)
	switch {
	case missing != "" || !resolved || !known:
		return message.Optional(missing), resolved && known
	case !named:
		return message.Format("only v0.1.0 of the snapshot operator and later releases create checkpoints; create the checkpoint with snapshotctl and name its PodSnapshot in checkpointRef, or remove checkpoint"), true
	case component.IsMultinode():
		return message.Format("a checkpoint is made of one pod, and the {{component}} spans several nodes; remove checkpoint"), true
	default:
		return message.Text{}, true
	}
}

// ServesJobs reports whether the cluster serves SnapshotJobs. Where that cannot be looked up, a graph that creates checkpoints shows it, if the
// platform lets it.
func ServesJobs(s *subject.Seen, r *require.Requirements) bool {
	served, known, _ := r.HasSchema(s.Answers, requirementJobSchema, snapshotv1alpha1.APIVersion, snapshotv1alpha1.KindJob)
	if known {
		return served
	}
	named, _ := isNamed(s, r)
	return named && s.Input.Checkpoints.Mode == inputv1alpha1.ModeEnabled && slices.ContainsFunc(s.Graph.ComponentNames(), func(name string) bool {
		component := s.Graph.Component(name)
		return component.CreatesCheckpoint()
	})
}

// jobsOf a component that are observed, in the order of their keys.
func jobsOf(f *subject.Facts, name string) []snapshotv1alpha1.SnapshotJob {
	var jobs []snapshotv1alpha1.SnapshotJob
	for _, key := range f.Observed.Keys() {
		if !names.IsSnapshotJobOf(key, name) {
			continue
		}
		job := snapshotv1alpha1.SnapshotJob{}
		if err := require.Into(f.Observed.Resources()[key].GetResource(), &job); err == nil {
			jobs = append(jobs, job)
		}
	}
	return jobs
}

// withoutEffect warns of what a checkpoint that is created does not follow.
func withoutEffect(s *graph.Component, path *field.Path) subject.Outcome {
	var o subject.Outcome
	if s.Checkpoint().Identity != nil {
		o.Warn(path.Child("identity"), "has no effect: the state of each pod template is stored once; remove it")
	}
	if s.Checkpoint().Mode == v1alpha1.CheckpointManual {
		o.Warn(path.Child("mode"), "has no effect: the checkpoint is created, because checkpointRef names none; remove mode, or checkpoint")
	}
	if s.Checkpoint().Job != nil {
		o.Warn(path.Child("job"), "has no effect: the state of a pod of the {{component}} itself is stored; remove it")
	}
	return o
}
