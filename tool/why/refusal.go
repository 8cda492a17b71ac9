package why

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	podbuilder "github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
)

// creator is an object that creates pods, as far as it counts them, and tells that it cannot. All kinds have these fields at the same places.
type creator struct {
	Spec struct {
		Replicas *int32 `json:"replicas"`

		// LeaderWorkerTemplate has the number of pods of each replica of a LeaderWorkerSet. Those of other kinds have one.
		LeaderWorkerTemplate struct {
			Size *int32 `json:"size"`
		} `json:"leaderWorkerTemplate"`
	} `json:"spec"`
	Status struct {
		Replicas        int32              `json:"replicas"`
		ReadyReplicas   int32              `json:"readyReplicas"`
		UpdatedReplicas int32              `json:"updatedReplicas"`
		Conditions      []metav1.Condition `json:"conditions"`
		LastErrors      []struct {
			Description string `json:"description"`
		} `json:"lastErrors"`
	} `json:"status"`
}

// refusal is why the controller of an object cannot create its pods. nil if it can, or does not say. Events stay for an hour, so they only
// count while pods are missing.
func (t *graphTree) refusal(o *Object) *finding {
	decoded := creator{}
	if !runsPods(o.Kind) || preview.Decode(o.source, &decoded) != nil {
		return nil
	}
	for _, c := range decoded.Status.Conditions {
		if c.Type == string(appsv1.ReplicaSetReplicaFailure) && c.Status == "True" && c.Message != "" {
			return refusalOf(noPods, c.Message)
		}
	}
	if decoded.Status.Replicas >= ptr.Deref(decoded.Spec.Replicas, 1) || o.Kind == grovev1alpha1.KindPodCliqueSet {
		return nil
	}
	if len(decoded.Status.LastErrors) > 0 && decoded.Status.LastErrors[0].Description != "" {
		return refusalOf(noPods, decoded.Status.LastErrors[0].Description)
	}
	if message := t.events.failure(o.uid); message != "" {
		return refusalOf(noPods, message)
	}
	return nil
}

// Refusals of the API server, and what controllers write before them.
var (
	// Of ReplicaSets, of Grove in an event and in its last error, of StatefulSets, and of LeaderWorkerSets.
	attempt = regexp.MustCompile(`(?i)^(?:error creating(?: pod \S*)?|failed to sync Pod: \[[^\]]*\] message: failed to create Pod: [^:]*, cause|` +
		`create \S+ \S+ in StatefulSet \S+ failed error|failed to create [^:]*): `)
	overQuota = regexp.MustCompile(`(?:exceeded quota|status unknown for quota): ([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)`)
	denied    = regexp.MustCompile(`(?i)denied|forbidden|violates PodSecurity|admission`)
	noAccount = regexp.MustCompile(`(?i)serviceaccount "?([a-z0-9.-]+)"? not found`)
)

// noPods is how the refusal of pods begins.
const noPods = "pods cannot be created: "

// refusalOf objects in a message, which follows on what that means. Its cause is the same whatever controller has met it.
func refusalOf(what, message string) *finding {
	message = brief(observed.Steady(attempt.ReplaceAllString(oneLine(message), "")))
	message = strings.TrimPrefix(message, "forbidden: ")
	f := &finding{code: PodsRefused, what: what + message}
	if match := overQuota.FindStringSubmatch(message); match != nil {
		f.code, f.next = OverQuota, []string{"describe", "resourcequota", match[1]}
	} else if noAccount.MatchString(message) {
		f.code, f.next = ObjectMissing, []string{"get", "serviceaccounts"}
	} else if denied.MatchString(message) {
		f.code = AdmissionRefused
	}
	return f
}

// recreate is what LWS says of a group that it deletes and creates, because one of its containers has ended or one of its pods is gone.
// https://github.com/kubernetes-sigs/lws/blob/v0.10.0/pkg/controllers/pod_controller.go
var recreate = regexp.MustCompile(`^Worker pod (\S+) failed, deleted leader pod`)

// recreated is a LeaderWorkerSet whose groups crash. LWS deletes a pod whose container has crashed at once, so that only its events tell. nil
// if there are none.
func (t *graphTree) recreated(o *Object) *finding {
	if o.Kind != kindLeaderWorkerSet {
		return nil
	}
	n, pod := 0, ""
	for _, event := range t.events[o.uid] {
		if match := recreate.FindStringSubmatch(event.Message); event.Reason == "RecreateGroup" && match != nil {
			n++
			pod = cmp.Or(pod, match[1])
		}
	}
	if n == 0 {
		return nil
	}
	return &finding{
		code: Crash, what: fmt.Sprintf("pod %s crashed, and LeaderWorkerSet %s deleted and created its group %s", pod, o.Name, times(n)),
		pod: pod, container: podbuilder.MainContainer, next: []string{"logs", pod, "--all-containers", "--follow"},
	}
}
