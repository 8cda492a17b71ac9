package why

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRefusalOf(t *testing.T) {
	cases := map[string]struct {
		reason  string
		message string
		want    finding
	}{
		"Quota": {
			reason: "Parts that differ between attempts are left out.", message: `Error creating: pods "a-b" is forbidden: exceeded quota: gpus, requested: pods=1, used: pods=3, limited: pods=3`,
			want: finding{code: OverQuota, what: "exceeded quota: gpus, requested: pods=1, limited: pods=3", next: []string{"describe", "resourcequota", "gpus"}},
		},
		"Grove": {
			reason: "Grove leaves out the name of a pod that it cannot create.", message: `Error creating pod : pods "a-0-worker-x2k4p" is forbidden: exceeded quota: gpus, requested: pods=1, used: pods=3, limited: pods=3`,
			want: finding{code: OverQuota, what: "exceeded quota: gpus, requested: pods=1, limited: pods=3", next: []string{"describe", "resourcequota", "gpus"}},
		},
		"LastErrorOfGrove": {
			reason:  "Grove wraps an error of the API server.",
			message: `failed to sync Pod: [Operation: Sync, Code: ERR_CREATE_POD] message: failed to create Pod:  for PodClique b/a-0-worker, cause: pods "a-0-worker-x2k4p" is forbidden: exceeded quota: gpus, requested: pods=1, used: pods=3, limited: pods=3`,
			want:    finding{code: OverQuota, what: "exceeded quota: gpus, requested: pods=1, limited: pods=3", next: []string{"describe", "resourcequota", "gpus"}},
		},
		"StatusUnknown": {
			reason: "A quota that was created a moment ago is not counted yet.", message: `Error creating pod : pods "a-0-worker-x2k4p" is forbidden: status unknown for quota: gpus, resources: requests.nvidia.com/gpu`,
			want: finding{code: OverQuota, what: "status unknown for quota: gpus, resources: requests.nvidia.com/gpu", next: []string{"describe", "resourcequota", "gpus"}},
		},
		"StatefulSet": {
			reason: "StatefulSets name their attempt in other words.", message: `create Pod a-0 in StatefulSet a failed error: pods "a-0" is forbidden: exceeded quota: gpus, requested: pods=1`,
			want: finding{code: OverQuota, what: "exceeded quota: gpus, requested: pods=1", next: []string{"describe", "resourcequota", "gpus"}},
		},
		"PodSecurity": {
			reason: "Pod Security says what a pod must not have.", message: `Error creating: pods "a" is forbidden: violates PodSecurity "baseline:latest": hostPath volumes`,
			want: finding{code: AdmissionRefused, what: `violates PodSecurity "baseline:latest": hostPath volumes`},
		},
		"Webhook": {
			reason: "A webhook is named.", message: `Error creating: admission webhook "pods.example.org" denied the request: no`,
			want: finding{code: AdmissionRefused, what: `admission webhook "pods.example.org" denied the request: no`},
		},
		"Account": {
			reason: "A ServiceAccount is missing, not forbidden.", message: `Error creating: pods "a" is forbidden: error looking up service account ns/b: serviceaccount "b" not found`,
			want: finding{code: ObjectMissing, what: `error looking up service account ns/b: serviceaccount "b" not found`, next: []string{"get", "serviceaccounts"}},
		},
		"Invalid": {
			reason: "What is invalid is told as it is.", message: "Pod \"a\" is invalid:\n spec.priority: wrong",
			want: finding{code: PodsRefused, what: "invalid: spec.priority: wrong"},
		},
		"Unknown": {reason: "What is not known is told as it is.", message: "timeout", want: finding{code: PodsRefused, what: "timeout"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := refusalOf(noPods, tc.message)
			got.what = strings.TrimPrefix(got.what, noPods)
			if diff := cmp.Diff(&tc.want, got, cmp.AllowUnexported(finding{})); diff != "" {
				t.Errorf("%s\nrefusalOf(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
