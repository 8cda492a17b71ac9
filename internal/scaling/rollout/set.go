package rollout

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/applied"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/scaling/gang"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/scaling/restart"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/response"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// set is a LeaderWorkerSet with its gang.
type set struct {
	// key and groupKey are the keys of the LeaderWorkerSet and of its PodGroup.
	key, groupKey string

	// desired LeaderWorkerSet, and the observed one with its PodGroup; nil if they do not exist.
	desired, observed, observedGang *structpb.Struct

	// hash of the desired pod template.
	hash string

	// groups of Kubernetes that the pods of the set can be in.
	groups groups

	// ownRestarts is true if the user sets the restart annotation of the pods, which is then a setting like any other.
	ownRestarts bool
}

func newSet(key, groupKey string, desired, live, liveGang *structpb.Struct, ownRestarts bool) *set {
	s := &set{key: key, groupKey: groupKey, desired: desired, observed: live, observedGang: liveGang, ownRestarts: ownRestarts}
	s.hash = s.hashOf(templateOf(desired))
	return s
}

// replicas that are desired in the set: one, or all of the component.
func (s *set) replicas() int {
	if replicas, ok := observed.Replicas(s.desired); ok {
		return int(replicas)
	}
	return 1
}

func (s *set) name() string { return tree.Text(s.desired, "name", "metadata") }

// outdated reports whether the desired state would change the pod template of the set, or restart it.
func (s *set) outdated() bool {
	return s.hasOldTemplate() || !s.ownRestarts && restartMark(s.desired) != restartMark(s.observed)
}

// changesGeneration reports whether the pods of the live set have another generation than the desired ones.
func (s *set) changesGeneration() bool { return generationOf(s.observed) != s.generation() }

// generation of the pods that are desired.
func (s *set) generation() string { return generationOf(s.desired) }

func generationOf(object *structpb.Struct) string {
	return generationIn(tree.At(templateOf(object), "workerTemplate"))
}

// hasOldTemplate reports whether the pod template of the observed set differs from the desired one. The hash in the annotation of the
// set is compared first: it is the hash of what was applied, whatever an admission webhook has changed. If there is no hash, or if
// it was computed for a different encoding of the same template, the template that was applied is compared.
func (s *set) hasOldTemplate() bool {
	return tree.Text(s.observed, metadata.AnnotationTemplateHash, "metadata", "annotations") != s.hash &&
		s.hashOf(templateOf(lastApplied(s.observed))) != s.hash
}

// settle a set that is new, or that has the desired pod template. An existing set keeps its annotations, even if it has none, so
// that an upgrade of the functions does not write to every set.
func (s *set) settle(rsp *fnv1.RunFunctionResponse) {
	if s.observed == nil {
		s.write(rsp, withMarks(s.desired, s.hash, ""))
		return
	}
	s.write(rsp, s.withObservedMarks())
}

// withObservedMarks is the desired set with the annotations of the observed one.
func (s *set) withObservedMarks() *structpb.Struct {
	annotation := func(key string) string { return tree.Text(s.observed, key, "metadata", "annotations") }
	return withMarks(s.desired, annotation(metadata.AnnotationTemplateHash), annotation(metadata.AnnotationAvailableSince))
}

// update the set to the desired pod template. If a restart is in progress, the new pods get its ID, because they need not be replaced
// once more for it.
func (s *set) update(rsp *fnv1.RunFunctionResponse, restartID string) error {
	object := withMarks(s.desired, s.hash, observed.AvailableSince(s.observed))
	if restartID != "" && !s.ownRestarts && s.hasOldTemplate() {
		for _, role := range []string{"leaderTemplate", "workerTemplate"} {
			object = tree.WithText(object, restartID, metadata.AnnotationRestartAt, "spec", "leaderWorkerTemplate", role, "metadata", "annotations")
		}
	}
	object, err := s.groups.renew(rsp, object)
	if err != nil {
		return err
	}
	s.write(rsp, object)
	return nil
}

// keep the pod template of the set, together with its annotations and its revision, the queue label that the KAI scheduler reads, and
// the PodGroup. A PodGroup that requests more than its pods do would never be scheduled.
func (s *set) keep(rsp *fnv1.RunFunctionResponse) error {
	before := lastApplied(s.observed)
	object := tree.With(s.withObservedMarks(), structpb.NewStructValue(templateOf(before)), "leaderWorkerTemplate", "spec")
	object = tree.WithText(object, tree.Text(before, metadata.LabelKAIQueue, "metadata", "labels"), metadata.LabelKAIQueue, "metadata", "labels")
	revision := tree.Text(before, metadata.AnnotationRevision, "metadata", "annotations")
	object = tree.WithText(object, revision, metadata.AnnotationRevision, "metadata", "annotations")
	s.write(rsp, object)
	if s.observedGang == nil {
		return gang.Refit(rsp, s.groups.component, s.groups.replica, s.desired, object) //nolint:wrapcheck // Pace names the component.
	}
	group := rsp.GetDesired().GetResources()[s.groupKey]
	rsp.GetDesired().GetResources()[s.groupKey] = &fnv1.Resource{Resource: lastApplied(s.observedGang), Ready: group.GetReady()}
	return nil
}

func (s *set) write(rsp *fnv1.RunFunctionResponse, object *structpb.Struct) {
	response.Replace(rsp, s.key, object)
}

// withMarks is an object with the annotations for a pod template. Empty values are not set.
func withMarks(object *structpb.Struct, hash, since string) *structpb.Struct {
	object = tree.WithText(object, hash, metadata.AnnotationTemplateHash, "metadata", "annotations")
	return tree.WithText(object, since, metadata.AnnotationAvailableSince, "metadata", "annotations")
}

// lastApplied is an object as Crossplane applied it. If that is not known, it is the whole specification, which makes Crossplane the
// manager of more fields than before but changes none of them.
func lastApplied(object *structpb.Struct) *structpb.Struct {
	if before, ok := applied.Of(object); ok && len(tree.At(before, "spec").GetFields()) > 0 {
		return before
	}
	before, _ := applied.Of(tree.With(object, nil, "managedFields", "metadata"))
	return before
}

// templateOf the pods of a LeaderWorkerSet, leader and workers; nil if it has none.
func templateOf(object *structpb.Struct) *structpb.Struct {
	return tree.At(object, "spec", "leaderWorkerTemplate")
}

func restartMark(object *structpb.Struct) string {
	return restart.MarkOf(tree.At(templateOf(object), "workerTemplate"))
}

// hashOf a pod template without the ID of its last restart and the generation of its gang. A template with a number that JSON cannot represent
// has no hash, and the API server would refuse it.
func (s *set) hashOf(template *structpb.Struct) string {
	if !s.ownRestarts {
		for _, role := range []string{"leaderTemplate", "workerTemplate"} {
			if restart.MarkOf(tree.At(template, role)) != "" {
				template = tree.With(template, nil, metadata.AnnotationRestartAt, role, "metadata", "annotations")
			}
		}
	}
	template = gang.Grouped(template, s.name(), "")
	// Maps are encoded in the order of their keys.
	encoded, err := json.Marshal(template.AsMap())
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(encoded)
	return hex.EncodeToString(sum[:8])
}
