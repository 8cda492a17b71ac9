// Package checkpoints decides from which checkpoints the pods of a graph are restored.
package checkpoints

import (
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// Decide about the checkpoint of each component. Pods are restored if it is ready when they are built. A component keeps the
// checkpoint from which its live pods are restored while it is not ready or cannot be looked up.
//
// The Dynamo operator looks up a DynamoCheckpoint, whose controller is the operator itself. Each has a PodSnapshot of the same name, which
// exists without the operator too.
// https://github.com/ai-dynamo/dynamo/blob/2a6da14c8/deploy/operator/internal/controller/checkpoint_podsnapshot.go#L44
func Decide(f *subject.Facts) (map[string]*graphplan.Checkpoint, subject.Outcome) {
	var outcome subject.Outcome
	decided := map[string]*graphplan.Checkpoint{}
	for _, component := range f.Graph.ComponentsByName() {
		if component.CreatesCheckpoint() {
			c, o := create(f, component.Name)
			if c != nil {
				decided[component.Name] = c
			}
			outcome.Add(o)
			continue
		}
		ref := component.CheckpointName()
		if ref == "" || len(validation.IsDNS1123Subdomain(ref)) > 0 {
			continue
		}
		s := snapshotNamed(f, &outcome.Requirements, ref)
		decided[component.Name] = s.checkpoint(ref, liveCheckpoint(f, component.Name, ref))
		outcome.Add(s.outcome(f, component.Name, decided[component.Name]))
	}
	return decided, outcome
}

// liveCheckpoint is the checkpoint with this name from which the live pods of a component are restored. It is nil if they are not.
func liveCheckpoint(f *subject.Facts, name, ref string) *graphplan.Checkpoint {
	for _, template := range f.Observed.Pods[names.Lower(name)] {
		if live := pod.LiveCheckpoint(&template); live != nil && live.Name == ref {
			return live
		}
	}
	return nil
}

// outcome for a component. A graph that is not created yet is refused if there is no checkpoint of the name, unless it waits for it.
func (s snapshot) outcome(f *subject.Facts, name string, c *graphplan.Checkpoint) subject.Outcome {
	var o subject.Outcome
	component, path := f.Graph.Component(name), graph.ComponentPath(name, "experimental", "checkpoint")
	switch {
	case c.Ready, !s.resolved:
	case c.Restores && s.missing != "":
		o.Warn(path, "new pods of the {{component}} may not start: %s", s.missing)
	case c.Restores:
		o.Warn(path, "%s, so new pods of the {{component}} may not start; create the checkpoint again, or remove checkpoint", s.problem(c.Name))
	case s.missing == "" && s.object == nil && !f.Live() && !component.AwaitsCheckpoint():
		o.Refuse(subject.Mistake, message.Invalid(path.Child("checkpointRef"), c.Name,
			"there is no PodSnapshot of this name in the namespace of the graph; create the checkpoint, specify an existing checkpoint, or set startupPolicy: WaitForCheckpoint"))
	case s.missing == "" && len(f.Observed.Pods[names.Lower(name)]) == 0 && component.AwaitsCheckpoint():
		// The graph is not applied until the checkpoint is ready.
	default:
		o.Warn(path, "has no effect, and the pods start cold: %s", s.problemWithRemedy(c.Name))
	}
	return o
}

// Await the checkpoints of components whose pods only start from them. Pods of a component that runs are not affected, unless its user has
// changed them. The Dynamo operator scales such a component to zero, which stops running pods, and which Grove does not support.
func Await(f *subject.Facts, p *graphplan.Plan) subject.Outcome {
	var outcome subject.Outcome
	for _, component := range f.Graph.ComponentsByName() {
		c := p.Components[component.Name].Checkpoint
		if c == nil || c.Creates || c.Restores || !component.AwaitsCheckpoint() || !changes(f, component.Name, p.Components[component.Name].Written) {
			continue
		}
		if s := snapshotNamed(f, &outcome.Requirements, c.Name); s.missing == "" && s.resolved {
			outcome.Refuse(subject.AwaitsCheckpoint, message.About(graph.ComponentPath(component.Name, "experimental", "checkpoint"), "waiting for checkpoint %s: %s; remove checkpoint to start the pods cold", c.Name, s.problem(c.Name)))
		}
	}
	return outcome
}

// changes reports whether the pods of a component do not exist yet, or are about to change because of their user.
func changes(f *subject.Facts, name string, written graphplan.Written) bool {
	if len(f.Observed.Pods[names.Lower(name)]) == 0 {
		return true
	}
	recorded, _ := f.Observed.Status.Revision(name)
	return recorded != "" && !recorded.Same(written)
}
