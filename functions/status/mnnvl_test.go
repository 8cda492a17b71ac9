package status

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// TestMNNVL shows what step plan finds in the status when nothing else of a graph is there.
func TestMNNVL(t *testing.T) {
	cases := map[string]struct {
		reason string
		plan   string
		want   string
	}{
		"None":   {reason: "That a graph has no domain is decided too.", plan: `{}`, want: `{"mode":"Disabled"}`},
		"Graph":  {reason: "A graph with one domain says so.", plan: `{"mode":"Auto","scope":"Graph"}`, want: `{"mode":"Auto","scope":"Graph"}`},
		"Scaled": {reason: "Scaled to zero, a graph with a domain for each replica still says its mode and scope.", plan: `{"mode":"Auto","scope":"Replica","members":{"Worker":{"gpus":["nvidia.com/gpu"]}}}`, want: `{"mode":"Auto","scope":"Replica"}`},
		"Grove":  {reason: "Grove's own feature knows no scope.", plan: `{"mode":"Grove"}`, want: `{"mode":"Grove"}`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := with(request(strings.TrimSuffix(plainPlan, "}")+`,"mnnvl":`+tc.plan+`}`), "podcliqueset", desiredSet, readySet)
			want := answer(req, statusIs(strings.Replace(successful, `{"mode":"Disabled"}`, tc.want, 1)),
				desires("podcliqueset", desiredSet, fnv1.Ready_READY_TRUE), allReady())
			if diff := cmp.Diff(want, run(t, req), protocmp.Transform()); diff != "" {
				t.Errorf("%s\nRunFunction(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
