package observed

import (
	"cmp"
	"regexp"
	"strings"

	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
)

// Parts of an API server's refusal that differ between two attempts: the generated name of the pod, and the used part of a quota.
// https://github.com/kubernetes/kubernetes/blob/v1.36.3/staging/src/k8s.io/apiserver/pkg/admission/plugin/resourcequota/controller.go
var (
	podName   = regexp.MustCompile(`^(?:pods|Pod) "[^"]*" is `)
	quotaUsed = regexp.MustCompile(`, used: \S+(, limited: )`)
)

// Steady removes the parts of an API server's refusal that differ between two attempts. Otherwise each attempt would change the message, and write the
// status of the graph.
func Steady(message string) string {
	message = podName.ReplaceAllString(message, "")
	message = quotaUsed.ReplaceAllString(message, "$1")
	return strings.Join(strings.Fields(message), " ")
}

// wrapped is what Grove writes before the refusal of a pod.
// https://github.com/ai-dynamo/grove/blob/v0.1.0-alpha.12-rc1/operator/internal/controller/podclique/components/pod/task.go
var wrapped = regexp.MustCompile(`^failed to sync Pod: \[[^\]]*\] message: failed to create Pod: [^,]*, cause: `)

// Complaint is the first of the errors that Grove reports of an object.
func Complaint(errs []grovev1alpha1.LastError) string {
	if refusal := wrapped.ReplaceAllString(errs[0].Description, ""); refusal != errs[0].Description {
		return "pods cannot be created: " + strings.TrimPrefix(Steady(refusal), "forbidden: ")
	}
	return "Grove reports an error: " + cmp.Or(Steady(errs[0].Description), errs[0].Code, "unknown")
}
