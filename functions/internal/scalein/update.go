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
	// rolls is true if Grove is replacing pods, or has not observed the latest change of the set.
	rolls bool

	// begins is true if what this call desires makes Grove start to replace pods, as far as is known.
	begins bool

	// unsynced is true if what the last call desired may not have been applied.
	unsynced bool

	// hash of the desired pod templates.
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

// delays reports whether the update delays the scale-in of a helper. observed is nil if the helper is new. If the helper was delayed for
// the same pod templates before, those have been applied since, even if they look different: an admission webhook may have changed
// them.
func (u update) delays(observed *structpb.Struct) bool {
	held := tree.Text(observed, metadata.AnnotationTemplateHash, "metadata", "annotations") == u.hash
	return u.rolls || u.begins && (!held || u.unsynced)
}

// mark a delayed helper with the hash of the pod templates that are applied together with it.
func (u update) mark(helper *structpb.Struct) *structpb.Struct {
	return tree.WithText(helper, u.hash, metadata.AnnotationTemplateHash, "metadata", "annotations")
}

// keepAt a number of replicas the service that a helper scales.
func keepAt(helper *structpb.Struct, replicas int32) *structpb.Struct {
	for _, key := range []string{"minReplicas", "maxReplicas"} {
		helper = tree.With(helper, structpb.NewNumberValue(float64(replicas)), key, "spec")
	}
	return helper
}

// hashOf the fields of a PodCliqueSet that Grove hashes to decide whether to replace pods.
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
