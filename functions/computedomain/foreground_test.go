package computedomain

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
)

// TestDeleteInForeground compares what is desired before and after.
func TestDeleteInForeground(t *testing.T) {
	worker := deployment("llama-worker", plainPod())
	usage := usageOf("llama-0-worker", "llama-0", "apps/v1", "Deployment", "llama-worker")
	desired := map[string]any{
		"deployment-worker": worker, "deployment-frontend": deployment("llama-frontend", plainPod()),
		"leaderworkerset-worker": leaderWorkerSet("llama-worker", plainPod(), plainPod()), "usage-computedomain-0-worker": usage,
	}
	cases := map[string]struct {
		reason        string
		desired, want map[string]any
	}{
		"Named":    {reason: "The workload that a Usage names goes after its pods, and no other does.", desired: desired, want: held(desired, "deployment-worker")},
		"Again":    {reason: "A finalizer that is set already is not set twice.", desired: held(desired, "deployment-worker"), want: held(desired, "deployment-worker")},
		"NotThere": {reason: "A workload that is leaving is not desired.", desired: map[string]any{"usage-computedomain-0-worker": usage}, want: map[string]any{"usage-computedomain-0-worker": usage}},
		"Others": {
			reason:  "Finalizers of others stay.",
			desired: with(desired, map[string]any{"deployment-worker": finalized(worker, "example.org/theirs")}),
			want:    with(desired, map[string]any{"deployment-worker": finalized(worker, "example.org/theirs", "foregroundDeletion")}),
		},
		"Nobody": {
			reason:  "A Usage may name nobody.",
			desired: with(desired, map[string]any{"usage-computedomain-0-worker": `{"kind":"Usage","spec":{}}`}),
			want:    with(desired, map[string]any{"usage-computedomain-0-worker": `{"kind":"Usage","spec":{}}`}),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			before := steptest.State(tc.desired)
			call := &step.Call{Response: &fnv1.RunFunctionResponse{Desired: steptest.State(tc.desired)}}
			workload := call.Response.GetDesired().GetResources()["deployment-worker"]
			if err := deleteInForeground(call); err != nil {
				t.Fatalf("%s\ndeleteInForeground(...): %v", tc.reason, err)
			}
			if diff := cmp.Diff(steptest.State(tc.want), call.Response.GetDesired(), protocmp.Transform()); diff != "" {
				t.Errorf("%s\ndeleteInForeground(...): -want, +got:\n%s", tc.reason, diff)
			}
			// A response shares its desired state with the request.
			if diff := cmp.Diff(before.GetResources()["deployment-worker"], workload, protocmp.Transform()); diff != "" {
				t.Errorf("%s\ndeleteInForeground(...) changed the resource of the request: -before, +after:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestDeleteInForegroundErrors(t *testing.T) {
	desired := steptest.State(map[string]any{"usage-computedomain-0": `{"kind":"Usage","spec":"x"}`})
	err := deleteInForeground(&step.Call{Response: &fnv1.RunFunctionResponse{Desired: desired}})
	const want = "cannot read which workload desired resource usage-computedomain-0 refers to: "
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("deleteInForeground(...): want an error that begins with %q, got %v", want, err)
	}
}
