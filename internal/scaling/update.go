package scaling

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/health/workload"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/applied"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/response"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// setUpdate is an update of the PodCliqueSet of a graph by this call, or by an earlier one.
type setUpdate struct {
	// exists is true if the set is observed.
	exists bool

	// rolls is true if Grove is replacing pods, or may be about to.
	rolls bool

	// unsynced is true if what the last call desired may not have been applied.
	unsynced bool

	// applied by the last call, or nil if that is unknown.
	applied *structpb.Struct

	desired *structpb.Struct
}

func setUpdateOf(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse) setUpdate {
	live := req.GetObserved().GetResources()[string(names.KeyPodCliqueSet)].GetResource()
	before, ok := applied.Of(live)
	if !ok {
		before = nil
	}
	s := setUpdate{
		exists:   live != nil,
		unsynced: condition.Unsynced(req),
		applied:  before,
		desired:  rsp.GetDesired().GetResources()[string(names.KeyPodCliqueSet)].GetResource(),
	}
	s.rolls = live != nil && (workload.Rolls(live) || workload.MayRoll(live) && observedTemplates(live) != hashOf(s.desired))
	return s
}

// markObserved templates of a PodCliqueSet whose numbers of replicas change. Grove may observe that change as late as its pods run, and until then,
// the mark tells that it has observed the templates. The mark goes with them.
func markObserved(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse) {
	live := req.GetObserved().GetResources()[string(names.KeyPodCliqueSet)].GetResource()
	composed, exists := rsp.GetDesired().GetResources()[string(names.KeyPodCliqueSet)]
	mark := observedTemplates(live)
	if live == nil || !exists || mark == "" && maps.Equal(replicasIn(live), replicasIn(composed.GetResource())) {
		return
	}
	hash := hashOf(composed.GetResource())
	before, known := applied.Of(live)
	if !known || hashOf(before) != hash || mark != hash && workload.MayRoll(live) {
		return
	}
	marked := tree.WithText(composed.GetResource(), hash, metadata.AnnotationTemplateHash, "metadata", "annotations")
	response.Replace(rsp, string(names.KeyPodCliqueSet), marked)
}

// observedTemplates of a live PodCliqueSet are a hash of templates that Grove has observed. Empty if it is not known.
func observedTemplates(set *structpb.Struct) string {
	return tree.Text(set, metadata.AnnotationTemplateHash, "metadata", "annotations")
}

// update of the pods of a component.
type update struct {
	// rolls is true if Grove is replacing pods of the graph.
	rolls bool

	// begins is true if what this call desires makes Grove start to replace pods of the component, as far as is known.
	begins bool

	// unsynced is true if what the last call desired may not have been applied.
	unsynced bool

	// hash of the desired pod templates of the component.
	hash string
}

func (s setUpdate) updateOf(component string, child graphplan.Child) update {
	u := update{rolls: s.rolls || child.Update != nil, unsynced: s.unsynced, hash: hashOf(s.desired, cliquesOf(s.desired, component)...)}
	u.begins = s.exists && (s.applied == nil || hashOf(s.applied, cliquesOf(s.applied, component)...) != u.hash)
	return u
}

// delays reports whether the update delays a scale-in to a number of replicas. The helper is nil if it is new.
//
// A helper that was not delayed with the same pod templates before is not delayed now: the pods were up to date then, and what Grove
// replaces are pods of other components. If the helper was delayed for the same pod templates before, those have been applied since, even
// if they look different: an admission webhook may have changed them.
func (u update) delays(helper *structpb.Struct, replicas int32) bool {
	marked := tree.Text(helper, metadata.AnnotationTemplateHash, "metadata", "annotations") == u.hash
	if last, _ := observed.MaxReplicas(helper); marked && last == replicas {
		return false
	}
	return u.rolls || u.begins && (!marked || u.unsynced)
}

// mark a helper with the hash of the pod templates that are applied together with it.
func (u update) mark(helper *structpb.Struct) *structpb.Struct {
	return tree.WithText(helper, u.hash, metadata.AnnotationTemplateHash, "metadata", "annotations")
}

// keepAt a number of replicas the component that a helper scales.
func keepAt(helper *structpb.Struct, replicas int32) *structpb.Struct {
	for _, key := range []string{"minReplicas", "maxReplicas"} {
		helper = tree.With(helper, structpb.NewNumberValue(float64(replicas)), key, "spec")
	}
	return helper
}

// hashOf the fields of a PodCliqueSet that Grove hashes to decide whether to replace pods of some cliques, by default of all.
// https://github.com/ai-dynamo/grove/blob/v0.1.0-alpha.12-rc1/operator/internal/controller/podcliqueset/reconcilespec.go
func hashOf(set *structpb.Struct, cliques ...string) string {
	template := tree.At(set, "spec", "template")
	hashed := []any{template.GetFields()["priorityClassName"].GetStringValue()}
	for _, clique := range template.GetFields()["cliques"].GetListValue().GetValues() {
		fields := clique.GetStructValue()
		if len(cliques) > 0 && !slices.Contains(cliques, tree.Text(fields, "name")) {
			continue
		}
		hashed = append(hashed, tree.At(fields, "labels").AsMap(), tree.At(fields, "annotations").AsMap(), tree.At(fields, "spec", "podSpec").AsMap())
	}
	encoded, err := json.Marshal(hashed)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(encoded)
	return hex.EncodeToString(sum[:8])
}

// cliquesOf a component in a PodCliqueSet: those of its scaling group, or a single one.
func cliquesOf(set *structpb.Struct, component string) []string {
	for _, group := range tree.At(set, "spec", "template").GetFields()["podCliqueScalingGroups"].GetListValue().GetValues() {
		if tree.Text(group.GetStructValue(), "name") != names.Clique(component) {
			continue
		}
		var cliques []string
		for _, clique := range group.GetStructValue().GetFields()["cliqueNames"].GetListValue().GetValues() {
			cliques = append(cliques, clique.GetStringValue())
		}
		return cliques
	}
	return []string{names.Clique(component)}
}
