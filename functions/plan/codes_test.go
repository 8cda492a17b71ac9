package plan_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest/whole"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/transition"
)

// TestCodes shows for which rules a call says that it refuses a graph.
func TestCodes(t *testing.T) {
	awaiting := func(s *v1alpha1.Service) {
		s.Checkpoint = &v1alpha1.Checkpoint{Enabled: true, CheckpointRef: new("warm"), StartupPolicy: v1alpha1.CheckpointWait}
	}
	cases := map[string]struct {
		reason string
		req    *fnv1.RunFunctionRequest
		want   transition.Codes
	}{
		"Accepted": {
			reason: "A graph that is accepted breaks no rule, whatever it is warned of.",
			req:    plantest.Request(plantest.Graph(plantest.Frontend), plantest.WithGroups("grove")),
		},
		"Waiting": {
			reason: "Nothing is known while something is looked up.",
			req:    plantest.Request(plantest.Graph(plantest.Frontend)),
		},
		"Errors": {
			reason: "Each rule is said once, whatever the number of errors is.",
			req: plantest.Request(plantest.Graph(plantest.Frontend), plantest.WithMistake("Frontend", "replicaz", 1), plantest.WithMistake("Frontend", "imagez", 1),
				plantest.WithGroups("grove"), plantest.WithPolicy(`{"guardRails":{"maxReplicas":0}}`)),
			want: transition.Codes{"DGD101", "DGD313"},
		},
		"NotSupportedHere": {
			reason: "What the cluster lacks has a code as well.",
			req:    plantest.Request(plantest.Graph(plantest.Multinode), plantest.WithGroups()),
			want:   transition.Codes{"DGD310"},
		},
		"Checkpoint": {
			reason: "A graph that waits for its checkpoint breaks no rule.",
			req: plantest.Request(plantest.Graph(plantest.Worker, plantest.Changed("Worker", awaiting)), plantest.WithGroups(),
				plantest.WithSchemaOf("schema-podsnapshot", true), plantest.WithSchemaOf("schema-snapshotjob", false), plantest.WithoutObject("podsnapshot-warm")),
		},
		"Policy": {
			reason: "An invalid policy has a code, although it is not the fault of the user.",
			req:    plantest.Request(plantest.Graph(plantest.Frontend), plantest.WithGroups("grove"), plantest.WithPolicy(`{"grove":{"mod":"Auto"}}`)),
			want:   transition.Codes{"DGD311"},
		},
	}
	fn := plan.NewFunction(logging.NewNopLogger())
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := whole.WithFreeNames(t, tc.req)
			var codes, fused transition.Codes
			if _, err := fn.RunFunction(transition.WithCodes(t.Context(), &codes), req); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, codes); diff != "" {
				t.Errorf("%s\nRunFunction(...): -want, +got:\n%s", tc.reason, diff)
			}
			if _, _, err := fn.Plan(transition.WithCodes(t.Context(), &fused), req); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, fused); diff != "" {
				t.Errorf("%s\nPlan(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
