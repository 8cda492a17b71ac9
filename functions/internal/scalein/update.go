package scalein

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/applied"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/tree"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/workload"
)

// update of the pods of a PodCliqueSet.
type update struct {
	// rolls says that Grove carries one out, or has yet to see the latest change of the set.
	rolls bool

	// begins says that this call has Grove begin one, as far as can be told.
	begins bool

	// unsynced says that what was desired last may not have been applied.
	unsynced bool

	// hash of the pod templates that are desired.
	hash string
}

func updateOf(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse) update {
	observed := req.GetObserved().GetResources()[string(names.KeyPodCliqueSet)].GetResource()
	before, ok := applied.Of(observed)
	u := update{
		rolls:    observed != nil && workload.Rolls(observed),
		unsynced: condition.Unsynced(req),
		hash:     hashOf(rsp.GetDesired().GetResources()[string(names.KeyPodCliqueSet)].GetResource()),
	}
	u.begins = observed != nil && (!ok || hashOf(before) != u.hash)
	return u
}

// holds reports whether the update holds back a helper, which is observed unless it is new. Pod templates that were desired when
// the helper was held back for them have been applied since, even though they do not look it: an admission webhook may have
// rewritten them.
func (u update) holds(observed *structpb.Struct) bool {
	held := tree.Text(observed, metadata.AnnotationTemplateHash, "metadata", "annotations") == u.hash
	return u.rolls || u.begins && (!held || u.unsynced)
}

// mark a helper that is held back with the pod templates that are applied together with it.
func (u update) mark(helper *structpb.Struct) *structpb.Struct {
	return tree.WithText(helper, u.hash, metadata.AnnotationTemplateHash, "metadata", "annotations")
}

// hold a helper at a number of replicas.
func hold(helper *structpb.Struct, replicas int32) *structpb.Struct {
	for _, key := range []string{"minReplicas", "maxReplicas"} {
		helper = tree.With(helper, structpb.NewNumberValue(float64(replicas)), key, "spec")
	}
	return helper
}

// hashOf all that Grove hashes of a PodCliqueSet to tell whether pods have to be replaced.
// https://github.com/ai-dynamo/grove/blob/v0.1.0-alpha.12-rc1/operator/internal/controller/podcliqueset/reconcilespec.go
func hashOf(set *structpb.Struct) string {
	template := tree.At(set, "spec", "template")
	hashed := []any{template.GetFields()["priorityClassName"].GetStringValue()}
	for _, clique := range template.GetFields()["cliques"].GetListValue().GetValues() {
		fields := clique.GetStructValue()
		hashed = append(hashed, tree.At(fields, "labels").AsMap(), tree.At(fields, "annotations").AsMap(), tree.At(fields, "spec", "podSpec").AsMap())
	}
	encoded, err := json.Marshal(hashed)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(encoded)
	return hex.EncodeToString(sum[:8])
}
