package checkpoints

import (
	"cmp"
	"fmt"

	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	snapshotv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/snapshot/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
)

// Names of the requirements.
const (
	requirementSchema    = "schema-podsnapshot"
	requirementJobSchema = "schema-snapshotjob"
	requirementSnapshot  = "podsnapshot-"
)

// snapshot is what is known of a PodSnapshot.
type snapshot struct {
	// missing is why PodSnapshots cannot be looked up, with the remedy. Empty if they can be.
	missing string

	// resolved says that the PodSnapshot has been looked up.
	resolved bool

	// object is nil if there is none.
	object *snapshotv1alpha1.PodSnapshot

	// unreadable is why the PodSnapshot cannot be read. nil if it can be.
	unreadable error

	// named says that pods name their PodSnapshot, which v0.1.0 of the snapshot operator requires. Before, they have the ID of what is stored.
	named bool
}

// snapshotNamed looks up a PodSnapshot in the namespace of the graph.
func snapshotNamed(f *subject.Facts, r *require.Requirements, ref string) snapshot {
	missing, resolved := missingAPI(f, r)
	named, known := isNamed(f.Seen, r)
	if missing != "" || !resolved {
		return snapshot{missing: missing, resolved: resolved && known}
	}
	object, resolved := r.Get(f.Answers, require.Object{
		Name: requirementSnapshot + ref, APIVersion: snapshotv1alpha1.APIVersion, Kind: snapshotv1alpha1.Kind, ObjectName: ref, Namespace: f.Graph.Namespace,
	})
	if object == nil || !known {
		return snapshot{resolved: resolved && known, named: named}
	}
	s := snapshot{resolved: true, named: named, object: &snapshotv1alpha1.PodSnapshot{}}
	s.unreadable = require.Into(object, s.object)
	return s
}

// missingAPI is why PodSnapshots cannot be looked up, with the remedy. The graph itself has the same API group, so only the kind shows
// whether it is installed.
func missingAPI(f *subject.Facts, r *require.Requirements) (reason string, resolved bool) {
	switch f.Input.Checkpoints.Mode {
	case inputv1alpha1.ModeEnabled:
		return "", true
	case inputv1alpha1.ModeDisabled:
		return "checkpoints.mode is Disabled " + f.Sources.In("checkpoints.mode") + "; let the platform set it to Auto, or remove checkpoint", true
	case inputv1alpha1.ModeAuto:
	}
	served, known, resolved := r.HasSchema(f.Answers, requirementSchema, snapshotv1alpha1.APIVersion, snapshotv1alpha1.Kind)
	switch {
	case !known:
		return "it is not known whether the snapshot operator is installed, because its schema cannot be looked up: Crossplane does so from version 2.2 on, and a render without a cluster does not; if it is installed, set checkpoints.mode: Enabled " + f.Sources.In("checkpoints.mode") + ", or remove checkpoint", resolved
	case !served && resolved:
		return "the snapshot operator, whose agent restores pods, is not installed; install it, or remove checkpoint", resolved
	default:
		return "", resolved
	}
}

// isNamed reports whether pods name their PodSnapshot. Only v0.1.0 of the snapshot operator and later releases serve SnapshotJobs.
func isNamed(s *subject.Seen, r *require.Requirements) (named, resolved bool) {
	in := s.Input.Checkpoints
	contract := cmp.Or(in.Contract, inputv1alpha1.SnapshotAuto)
	if in.Mode == inputv1alpha1.ModeDisabled || contract != inputv1alpha1.SnapshotAuto {
		return contract == inputv1alpha1.SnapshotV0, true
	}
	served, known, resolved := r.HasSchema(s.Answers, requirementJobSchema, snapshotv1alpha1.APIVersion, snapshotv1alpha1.KindJob)
	if !known {
		return in.Storage == nil, true
	}
	return served, resolved
}

// identified says that the PodSnapshot has what its agent needs to find what is stored.
func (s snapshot) identified() bool {
	if s.named {
		return s.object.Captured() != ""
	}
	return s.object.CheckpointID() != ""
}

// checkpoint with a name. live is the one from which live pods are restored, or nil.
func (s snapshot) checkpoint(ref string, live *graphplan.Checkpoint) *graphplan.Checkpoint {
	c := &graphplan.Checkpoint{Name: ref}
	if s.object != nil && s.unreadable == nil && s.identified() {
		c.Ready = s.object.Ready()
		c.Restores = c.Ready
		if s.named {
			c.Captured = s.object.Captured()
		} else {
			c.ID, c.ArtifactVersion = s.object.CheckpointID(), s.object.ArtifactVersion()
		}
	}
	if live != nil && !c.Ready {
		c.ID, c.ArtifactVersion, c.Captured, c.Restores = live.ID, live.ArtifactVersion, live.Captured, true
	}
	return c
}

// problem is why pods cannot be restored from a checkpoint.
func (s snapshot) problem(ref string) string {
	switch {
	case s.unreadable != nil:
		return s.unreadable.Error()
	case s.object == nil:
		return "there is no PodSnapshot " + ref
	case s.object.Failed():
		return "PodSnapshot " + ref + " has failed"
	case s.named && !s.identified():
		return "PodSnapshot " + ref + " does not say which container it was made of, as PodSnapshots of v0.1.0 of the snapshot operator do"
	case !s.identified():
		return fmt.Sprintf("PodSnapshot %s has no label %s", ref, snapshotv1alpha1.LabelCheckpointID)
	default:
		return "PodSnapshot " + ref + " is not ready"
	}
}

func (s snapshot) problemWithRemedy(ref string) string {
	if s.missing != "" {
		return s.missing
	}
	return s.problem(ref) + "; when it is ready, set another spec.restart.id, which restarts the pods from it"
}
