package immutable

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// checkTransfer refuses to add, remove or change the policy for the transfer of KV caches, as the Dynamo operator does: while pods with and
// without it run side by side, requests that require the domain of one find no decode worker among the others.
// https://github.com/ai-dynamo/dynamo/blob/2a6da14c8/deploy/operator/internal/webhook/validation/dynamographdeployment.go#L862
func checkTransfer(f *subject.Facts) message.List {
	for _, component := range f.Graph.ComponentsByName() {
		live := f.Observed.Pods[names.Lower(component.Name)]
		if !component.IsWorker() || len(live) == 0 {
			continue
		}
		if before, _ := pod.LiveTransfer(component, &live[0]); !pod.SameTransfer(before, pod.TransferPolicy(f.Graph)) {
			return message.List{message.Forbidden(field.NewPath("spec", "experimental", "kvTransferPolicy"), "%s: %s", subject.NoChange, subject.PutBack)}
		}
	}
	return nil
}
