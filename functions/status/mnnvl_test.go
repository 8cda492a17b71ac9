package status

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// TestMNNVL shows what step plan finds in the status if no object of the graph exists.
func TestMNNVL(t *testing.T) {
	cases := map[string]struct {
		reason string
		plan   graphplan.MNNVL
		want   v1alpha1.MNNVLStatus
	}{
		"None":   {reason: "That a graph has no domain is decided too.", plan: graphplan.MNNVL{}, want: v1alpha1.MNNVLStatus{Mode: "Disabled"}},
		"Graph":  {reason: "A graph with one domain says so.", plan: graphplan.MNNVL{Mode: "Auto", Scope: "Graph"}, want: v1alpha1.MNNVLStatus{Mode: "Auto", Scope: "Graph"}},
		"Scaled": {reason: "Scaled to zero, a graph with a domain for each replica still says its mode and scope.", plan: graphplan.MNNVL{Mode: "Auto", Scope: "Replica", Members: map[string]graphplan.MNNVLMember{"Worker": {GPUs: []string{"nvidia.com/gpu"}}}}, want: v1alpha1.MNNVLStatus{Mode: "Auto", Scope: "Replica"}},
		"Grove":  {reason: "Grove's own feature knows no scope.", plan: graphplan.MNNVL{Mode: "Grove"}, want: v1alpha1.MNNVLStatus{Mode: "Grove"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := with(request(planOf(func(p *graphplan.Plan) { p.MNNVL = tc.plan })), "podcliqueset", desiredSet(), readySet())
			status := successful()
			status.MNNVL = &tc.want
			want := answer(req, statusIs(status),
				desires("podcliqueset", desiredSet(), fnv1.Ready_READY_TRUE), allReady())
			if diff := cmp.Diff(want, run(t, req), protocmp.Transform()); diff != "" {
				t.Errorf("%s\nRunFunction(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
