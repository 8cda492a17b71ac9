package scheduling

import (
	"cmp"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// labelJob of a Workload is the UID of the LeaderWorkerSet that it is for.
// https://github.com/kubernetes-sigs/kueue/blob/v0.19.2/pkg/controller/constants/constants.go
const labelJob = "kueue.x-k8s.io/job-uid"

// Quota is why Kueue holds the pods of components that span nodes, by component. It is looked up for the first replica of each that is not ready,
// because Crossplane wakes the graph whenever Kueue writes what is looked up. Single pods have Workloads with names that only they know.
func Quota(f *subject.Facts) (map[string]string, subject.Outcome) {
	var o subject.Outcome
	if f.Memory.KueueQueue == "" || !f.ServesKueue(&o.Requirements) {
		return nil, o
	}
	waiting := map[string]string{}
	for _, name := range pod.MultinodeComponents(f.Graph) {
		for i := range f.Graph.Component(name).Sets() {
			set := f.Observed.Object(names.KeyLeaderWorkerSet(name, i))
			uid := tree.Text(set, "uid", "metadata")
			if uid == "" || isReady(set) {
				continue
			}
			workloads, _ := o.Requirements.List(f.Answers, require.Objects{
				Name: "kueue-workload-" + names.Lower(name), APIVersion: kueueGroup + "/v1beta2", Kind: "Workload",
				Namespace: f.Graph.Namespace, Labels: map[string]string{labelJob: uid},
			})
			if reason := reasonOf(workloads); reason != "" {
				waiting[name] = reason
			}
			break
		}
	}
	return waiting, o
}

// isReady reports whether all groups of a LeaderWorkerSet are ready. One that cannot be read is left to its health.
func isReady(set *structpb.Struct) bool {
	progress, err := observed.ProgressOfLeaderWorkerSet(set)
	return err != nil || progress.Status.ReadyReplicas >= ptr.Deref(progress.Spec.Replicas, 1)
}

// reasonOf the first Workload that is not admitted, in the words for programs: its messages count what is free, and change all the time. It is empty if
// all are admitted.
func reasonOf(workloads []*structpb.Struct) string {
	var reasons []string
	for _, object := range workloads {
		decoded := struct {
			Status struct {
				Conditions []metav1.Condition `json:"conditions"`
			} `json:"status"`
		}{}
		if err := require.Into(object, &decoded); err != nil {
			continue
		}
		reserved, admitted := "PendingEvaluation", ""
		for _, c := range decoded.Status.Conditions {
			switch {
			case c.Type == "QuotaReserved" && c.Status == metav1.ConditionTrue:
				reserved = ""
			case c.Type == "QuotaReserved":
				reserved = c.Reason
			case c.Type == "Admitted" && c.Status == metav1.ConditionTrue:
				return ""
			case c.Type == "Admitted":
				admitted = c.Reason
			}
		}
		if reason := cmp.Or(reserved, admitted); reason != "" {
			reasons = append(reasons, reason)
		}
	}
	if len(reasons) == 0 {
		return ""
	}
	return slices.Min(reasons)
}
