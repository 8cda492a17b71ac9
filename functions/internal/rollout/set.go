package rollout

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/applied"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/tree"
)

// set is a LeaderWorkerSet with its gang.
type set struct {
	// key and gang are the keys of the LeaderWorkerSet and of its PodGroup.
	key, gang string

	// resource that is desired.
	resource *fnv1.Resource

	// observed LeaderWorkerSet and PodGroup; nil when they do not exist.
	observed, observedGang *structpb.Struct

	// hash of the desired pod template.
	hash string

	// ownRestarts says that the annotation of restarts on the pods is the user's own, and thus a setting like any other.
	ownRestarts bool
}

func newSet(key, gang string, desired *fnv1.Resource, live, liveGang *structpb.Struct, ownRestarts bool) *set {
	s := &set{key: key, gang: gang, resource: desired, observed: live, observedGang: liveGang, ownRestarts: ownRestarts}
	s.hash = s.hashOf(templateOf(desired.GetResource()))
	return s
}

func (s *set) name() string { return tree.Text(s.resource.GetResource(), "name", "metadata") }

// differs reports whether the set would take another pod template, or be restarted.
func (s *set) differs() bool {
	return s.hasOtherTemplate() || !s.ownRestarts && restartMark(s.resource.GetResource()) != restartMark(s.observed)
}

// hasOtherTemplate reports whether the pod template of the observed set is another than the desired one. The mark on the set
// tells: it is what was applied, whatever an admission webhook has made of it. A set without a mark, or whose mark is of
// another way to write the same, is compared with what was applied.
func (s *set) hasOtherTemplate() bool {
	return tree.Text(s.observed, metadata.AnnotationTemplateHash, "metadata", "annotations") != s.hash &&
		s.hashOf(templateOf(asApplied(s.observed))) != s.hash
}

// settle a set that is new, or that has the desired pod template. What it is marked with, if at all, stays: an upgrade of the
// functions is no reason to write to every set.
func (s *set) settle(rsp *fnv1.RunFunctionResponse) {
	if s.observed == nil {
		s.write(rsp, annotated(s.resource.GetResource(), s.hash, ""))
		return
	}
	s.write(rsp, s.markedAsBefore())
}

// markedAsBefore is the desired set with the marks of the observed one.
func (s *set) markedAsBefore() *structpb.Struct {
	annotation := func(key string) string { return tree.Text(s.observed, key, "metadata", "annotations") }
	return annotated(s.resource.GetResource(), annotation(metadata.AnnotationTemplateHash), annotation(metadata.AnnotationAvailableSince))
}

// take the desired pod template. Pods that are replaced anyway count as restarted by the restart that is being carried out.
func (s *set) take(rsp *fnv1.RunFunctionResponse, restart string) {
	object := annotated(s.resource.GetResource(), s.hash, observed.AvailableSince(s.observed))
	if restart != "" && !s.ownRestarts && s.hasOtherTemplate() {
		for _, role := range []string{"leaderTemplate", "workerTemplate"} {
			object = tree.WithText(object, restart, metadata.AnnotationRestartAt, "spec", "leaderWorkerTemplate", role, "metadata", "annotations")
		}
	}
	s.write(rsp, object)
}

// keep the pod template that the set has, and what goes with it: its marks and its revision, the queue by which the KAI scheduler
// finds the gang of the pods, and the PodGroup. A PodGroup that asked for more than the pods do would never be scheduled.
func (s *set) keep(rsp *fnv1.RunFunctionResponse) {
	before := asApplied(s.observed)
	object := tree.With(s.markedAsBefore(), structpb.NewStructValue(templateOf(before)), "leaderWorkerTemplate", "spec")
	object = tree.WithText(object, tree.Text(before, metadata.LabelKAIQueue, "metadata", "labels"), metadata.LabelKAIQueue, "metadata", "labels")
	object = tree.WithText(object, tree.Text(before, metadata.AnnotationRevision, "metadata", "annotations"), metadata.AnnotationRevision, "metadata", "annotations")
	s.write(rsp, object)
	if s.observedGang != nil {
		gang := rsp.GetDesired().GetResources()[s.gang]
		rsp.GetDesired().GetResources()[s.gang] = &fnv1.Resource{Resource: asApplied(s.observedGang), Ready: gang.GetReady()}
	}
}

func (s *set) write(rsp *fnv1.RunFunctionResponse, object *structpb.Struct) {
	rsp.GetDesired().GetResources()[s.key] = &fnv1.Resource{
		Resource: object, ConnectionDetails: s.resource.GetConnectionDetails(), Ready: s.resource.GetReady(),
	}
}

// annotated with the marks of a pod template. An empty one is none.
func annotated(object *structpb.Struct, hash, since string) *structpb.Struct {
	object = tree.WithText(object, hash, metadata.AnnotationTemplateHash, "metadata", "annotations")
	return tree.WithText(object, since, metadata.AnnotationAvailableSince, "metadata", "annotations")
}

// asApplied is an object as Crossplane applied it. Where that cannot be told it is all that is specified: that makes Crossplane
// the manager of more fields than before, and changes none of them.
func asApplied(object *structpb.Struct) *structpb.Struct {
	if before, ok := applied.Of(object); ok && len(tree.At(before, "spec").GetFields()) > 0 {
		return before
	}
	before, _ := applied.Of(tree.With(object, nil, "managedFields", "metadata"))
	return before
}

// templateOf the pods of a LeaderWorkerSet, leader and workers; nil when it has none.
func templateOf(object *structpb.Struct) *structpb.Struct {
	return tree.At(object, "spec", "leaderWorkerTemplate")
}

func restartMark(object *structpb.Struct) string {
	return tree.Text(templateOf(object), metadata.AnnotationRestartAt, "workerTemplate", "metadata", "annotations")
}

// hashOf a pod template without the mark of its last restart. One with a number that JSON does not know has none; the API server
// would refuse it.
func (s *set) hashOf(template *structpb.Struct) string {
	if !s.ownRestarts {
		for _, role := range []string{"leaderTemplate", "workerTemplate"} {
			if restarted := tree.Text(template, metadata.AnnotationRestartAt, role, "metadata", "annotations"); restarted != "" {
				template = tree.With(template, nil, metadata.AnnotationRestartAt, role, "metadata", "annotations")
			}
		}
	}
	// Maps are encoded in the order of their keys.
	encoded, err := json.Marshal(template.AsMap())
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(encoded)
	return hex.EncodeToString(sum[:8])
}
