package status

import (
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/logging"
	"github.com/crossplane/function-sdk-go/resource"
)

func TestEdited(t *testing.T) {
	const deployment = `{"kind":"Deployment","metadata":{"name":"llama-frontend","generation":1},"spec":SPEC,
		"status":{"observedGeneration":1,"replicas":1,"updatedReplicas":1,"readyReplicas":1,"availableReplicas":1,"conditions":[{"type":"Available","status":"True"}]}}`
	cases := map[string]struct {
		reason string
		// seen is the generation that the status of the graph was written for; 0: there is no status. The graph's is 3.
		seen              float64
		desired, observed string
		want              bool
	}{
		"Changed": {
			reason: "What runs is ready, and is not what the user asks for now.", seen: 2,
			desired: `{"template":{"image":"b"}}`, observed: `{"template":{"image":"a"}}`,
		},
		"ToldByItsController": {
			reason: "Once the graph was seen, and the object applied, its controller tells whether it has seen that.", seen: 3,
			desired: `{"template":{"image":"b"}}`, observed: `{"template":{"image":"a"}}`, want: true,
		},
		"FirstStatus": {
			reason:  "A graph without a status has not been edited.",
			desired: `{"template":{"image":"b"}}`, observed: `{"template":{"image":"a"}}`, want: true,
		},
		"SomethingElseChanged": {
			reason: "An edit that does not reach a workload leaves it ready, whatever servers have added to it.", seen: 2,
			desired: `{"template":{"image":"a"}}`, observed: `{"replicas":1,"template":{"image":"a","policy":"Always"}}`, want: true,
		},
		"EditTakenBack": {
			reason: "A spec that was refused and then corrected to what runs is ready at once.", seen: 1,
			desired: `{"template":{"image":"a"}}`, observed: `{"template":{"image":"a"}}`, want: true,
		},
		"Rewritten": {
			reason: "What an admission webhook rewrites holds up no more than the first run after an edit.", seen: 3,
			desired: `{"template":{"image":"a"}}`, observed: `{"template":{"image":"mirror/a"}}`, want: true,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			filled := func(spec string) string { return strings.ReplaceAll(deployment, "SPEC", spec) }
			req := with(request(onLWS()), "deployment-frontend", filled(tc.desired), filled(tc.observed))
			if tc.seen > 0 {
				status := resource.MustStructJSON(`{}`)
				status.Fields["observedGeneration"] = structpb.NewNumberValue(tc.seen)
				req.Observed.Composite.Resource.Fields["status"] = structpb.NewStructValue(status)
			}
			rsp, err := NewFunction(logging.NewNopLogger()).RunFunction(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			if got := slices.ContainsFunc(rsp.GetConditions(), isReady); got != tc.want {
				t.Errorf("%s\nServicesReady: want %t, got %v", tc.reason, tc.want, rsp.GetConditions())
			}
		})
	}
}
