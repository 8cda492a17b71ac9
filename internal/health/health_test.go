package health

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/kinds"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
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
				// Cases say the kind only.
				if k := kinds.Named(tree.Text(observed, "kind")); tree.Text(observed, "apiVersion") == "" {
					observed = tree.WithText(observed, k.GroupVersion().String(), "apiVersion")
				}
			}
			if diff := cmp.Diff(tc.want, Of(observed)); diff != "" {
				t.Errorf("%s\nOf(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestEveryKind shows that there is a judge of exactly the kinds that the table of kinds judges by a status of their own.
func TestEveryKind(t *testing.T) {
	for _, k := range kinds.Composed() {
		if got := judgeOf(k.Kind) != nil; got != (k.Readiness == kinds.OwnStatus) {
			t.Errorf("%s: readiness %s in internal/kinds/kinds.go; has a judge: %t", k.Kind, k.Readiness, got)
		}
	}
}

func TestOf(t *testing.T) {
	compare(t, map[string]healthCase{
		"NotThere":        {reason: "What is not there is not ready.", want: Health{Message: "not created yet"}},
		"BeingDeleted":    {reason: "What is being deleted is not ready.", observed: `{"kind":"Service","metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z"}}`, want: Health{Message: "is being deleted"}},
		"Service":         {reason: "A Service waits for an address, if it gets one, without anybody waiting for it.", observed: `{"kind":"Service","spec":{"type":"LoadBalancer"},"status":{"loadBalancer":{}}}`, want: Health{Ready: true}},
		"Ingress":         {reason: "An Ingress waits for an address without anybody waiting for it.", observed: `{"kind":"Ingress","status":{"loadBalancer":{}}}`, want: Health{Ready: true}},
		"Deployment":      {reason: "A Deployment is judged as what runs a service.", observed: `{"kind":"Deployment","spec":{"paused":true}}`, want: Health{Message: "is paused", Reason: "some_resources_are_not_ready"}},
		"FailedRollout":   {reason: "A Deployment whose rollout has failed is told apart.", observed: `{"kind":"Deployment","status":{"conditions":[{"type":"Progressing","status":"False","reason":"ProgressDeadlineExceeded"}]}}`, want: Health{Failed: true, Message: "its progress deadline was exceeded, 0 of 1 replicas are updated", Reason: "some_resources_are_not_ready"}},
		"LeaderWorkerSet": {reason: "A LeaderWorkerSet is judged as what runs a service.", observed: `{"kind":"LeaderWorkerSet"}`, want: Health{Message: "0 of 1 groups have pods", Reason: "some_resources_are_not_ready"}},
		"PodCliqueSet":    {reason: "A PodCliqueSet is judged as what runs a service.", observed: `{"kind":"PodCliqueSet"}`, want: Health{Message: "Grove has not observed it yet"}},
		"Ready":           {reason: "An object whose condition Ready is True is ready.", observed: `{"kind":"Bucket","status":{"conditions":[{"type":"Synced","status":"False"},{"type":"Ready","status":"True"}]}}`, want: Health{Ready: true}},
		"NotReady":        {reason: "An object whose condition Ready is False is not ready.", observed: `{"kind":"Bucket","status":{"conditions":[{"type":"Ready","status":"False"}]}}`, want: Health{Message: "condition Ready is not True"}},
		"Unknown":         {reason: "An object whose condition Ready is Unknown is not ready.", observed: `{"kind":"Bucket","status":{"conditions":["x",{"type":"Ready","status":"Unknown"}]}}`, want: Health{Message: "condition Ready is not True"}},
		"KindOfAnother": {
			reason:   "A kind of another group is judged by its condition Ready, although it has the name of one that exists only.",
			observed: `{"apiVersion":"serving.knative.dev/v1","kind":"Service","status":{"conditions":[{"type":"Ready","status":"False"}]}}`, want: Health{Message: "condition Ready is not True"},
		},
		"NothingToSay": {reason: "An object without a condition Ready is ready when it exists.", observed: `{"kind":"Bucket","status":"fine"}`, want: Health{Ready: true}},
	})
}
