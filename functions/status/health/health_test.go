package health

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/resource"
)

type healthCase struct {
	reason   string
	observed string
	want     Health
}

func compare(t *testing.T, cases map[string]healthCase) {
	t.Helper()
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var observed *structpb.Struct
			if tc.observed != "" {
				observed = resource.MustStructJSON(tc.observed)
			}
			if diff := cmp.Diff(tc.want, Of(observed)); diff != "" {
				t.Errorf("%s\nOf(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestOther(t *testing.T) {
	compare(t, map[string]healthCase{
		"NotThere":   {reason: "What is not there is not ready.", want: Health{Message: "not created yet"}},
		"Service":    {reason: "A Service has no status to speak of.", observed: `{"kind":"Service"}`, want: Health{Ready: true}},
		"PendingPVC": {reason: "A claim may wait for the pod that mounts it, which waits for the graph to be ready.", observed: `{"kind":"PersistentVolumeClaim","status":{"phase":"Pending"}}`, want: Health{Ready: true}},
		"PodGroup":   {reason: "A PodGroup waits for its pods.", observed: `{"kind":"PodGroup","status":{"phase":"Pending"}}`, want: Health{Ready: true}},
		"Ready":      {reason: "What has a condition Ready is believed: when it is ready,", observed: `{"kind":"Bucket","status":{"conditions":[{"type":"Synced","status":"False"},{"type":"Ready","status":"True"}]}}`, want: Health{Ready: true}},
		"NotReady":   {reason: "when it is not,", observed: `{"kind":"Bucket","status":{"conditions":[{"type":"Ready","status":"False"}]}}`, want: Health{Message: "its condition Ready is not True"}},
		"Unknown":    {reason: "and when it does not know.", observed: `{"kind":"Bucket","status":{"conditions":["x",{"type":"Ready","status":"Unknown"}]}}`, want: Health{Message: "its condition Ready is not True"}},
	})
}
