package retain

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/durationpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
)

// TestKeep compares whole responses.
func TestKeep(t *testing.T) {
	const (
		account = `{"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"account","uid":"u","labels":{"a":"b"}}}`
		kept    = `{"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"account","labels":{"a":"b"}}}`
		managed = `{"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"account","labels":{"a":"b","theirs":"c"},"managedFields":[
			{"manager":"apiextensions.crossplane.io/composed/01","operation":"Apply","apiVersion":"v1","fieldsV1":{"f:metadata":{"f:labels":{"f:a":{}}}}}]}}`
		foreign = `{"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"account","labels":{"a":"b"},"managedFields":[
			{"manager":"velero","operation":"Update","apiVersion":"v1","fieldsV1":{"f:metadata":{"f:labels":{"f:a":{}}}}}]}}`
		mentionedService = `{"apiVersion":"v1","kind":"Service","metadata":{"name":"llama-arg"},"spec":{"clusterIP":"None"}}`
	)
	cases := map[string]struct {
		reason   string
		observed map[string]any
		desired  string
		want     map[string]any
		ttl      *durationpb.Duration
	}{
		"Used": {
			reason:   "What the pods of a workload at rest use is desired once more. They may use it forever, so there is nothing to look at soon.",
			observed: map[string]any{"own": account, "deployment": deployment(pod(), rolledOut())},
			want:     map[string]any{"own": kept}, ttl: durationpb.New(step.TTL),
		},
		"Replaced": {
			reason:   "What pods may use that are being replaced is desired once more, and looked at again soon.",
			observed: map[string]any{"own": account, "deployment": deployment(pod(), rolling())},
			want:     map[string]any{"own": kept}, ttl: durationpb.New(step.PendingTTL),
		},
		"AsApplied": {
			reason:   "Fields of other managers stay theirs.",
			observed: map[string]any{"own": managed, "deployment": deployment(pod(), rolledOut())},
			want:     map[string]any{"own": kept}, ttl: durationpb.New(step.TTL),
		},
		"NeverApplied": {
			reason:   "What was restored from a backup is kept as it is.",
			observed: map[string]any{"own": foreign, "deployment": deployment(pod(), rolledOut())},
			want:     map[string]any{"own": kept}, ttl: durationpb.New(step.TTL),
		},
		"Mentioned": {
			reason:   "What is mentioned may be mentioned forever, and nothing needs to be looked at soon.",
			observed: map[string]any{"own": mentionedService, "deployment": deployment(pod(), rolledOut())},
			want:     map[string]any{"own": mentionedService}, ttl: durationpb.New(step.TTL),
		},
		"Unused": {
			reason:   "What no pod uses goes.",
			observed: map[string]any{"own": account, "deployment": deployment(plainPod(), rolledOut())},
			ttl:      durationpb.New(step.TTL),
		},
		"NotOwn": {
			reason:   "What another step composes is its to keep.",
			observed: map[string]any{"other": account, "deployment": deployment(pod(), rolledOut())},
			ttl:      durationpb.New(step.TTL),
		},
		"Desired": {
			reason:   "What is desired is as the step wants it.",
			observed: map[string]any{"own": account, "deployment": deployment(pod(), rolledOut())},
			desired:  `{"kind":"Other"}`,
			want:     map[string]any{"own": `{"kind":"Other"}`}, ttl: durationpb.New(step.TTL),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			k := keeper(graphplan.Deployment, tc.observed, nil)
			if tc.desired != "" {
				k.call.Response.Desired = steptest.State(map[string]any{"own": tc.desired})
			}
			before := proto.CloneOf(k.call.Request)
			if err := k.Keep(func(key string) bool { return key == "own" }); err != nil {
				t.Fatalf("%s\nKeep(...): %v", tc.reason, err)
			}
			want := &fnv1.RunFunctionResponse{Meta: &fnv1.ResponseMeta{Tag: "tag", Ttl: tc.ttl}}
			if tc.want != nil {
				want.Desired = steptest.State(tc.want)
			}
			if diff := cmp.Diff(want, k.call.Response, protocmp.Transform()); diff != "" {
				t.Errorf("%s\nKeep(...): -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(before.GetObserved(), k.call.Request.GetObserved(), protocmp.Transform()); diff != "" {
				t.Errorf("%s\nKeep(...) changed what is observed: -before, +after:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestUsesAccount(t *testing.T) {
	cases := map[string]struct {
		reason       string
		orchestrator graphplan.Orchestrator
		observed     any
		want         bool
		soon         bool
	}{
		"Used":        {reason: "Pods run as the account, and may do so forever.", observed: deployment(pod(), rolledOut()), want: true},
		"Unused":      {reason: "No pod runs as the account.", observed: deployment(plainPod(), rolledOut())},
		"Rolling":     {reason: "Until pods are replaced, some may run as the account.", observed: deployment(plainPod(), rolling()), want: true, soon: true},
		"NotLookedUp": {reason: "The pods of a set that is being deleted may run as the account.", orchestrator: graphplan.LeaderWorkerSet, observed: deployment(plainPod(), rolledOut()), want: true, soon: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			k := keeper(tc.orchestrator, map[string]any{"workload": tc.observed}, nil)
			got, err := k.UsesAccount("account")
			if err != nil {
				t.Fatalf("%s\nUsesAccount(...): %v", tc.reason, err)
			}
			ttl := step.TTL
			if tc.soon {
				ttl = step.PendingTTL
			}
			if got != tc.want || k.call.Response.GetMeta().GetTtl().AsDuration() != ttl {
				t.Errorf("%s\nUsesAccount(...): want %t and to be called again after %s, got %t and %s", tc.reason, tc.want, ttl, got, k.call.Response.GetMeta().GetTtl().AsDuration())
			}
		})
	}
}
