package step

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/response"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
)

func TestPace(t *testing.T) {
	const now = "2026-03-01T12:00:00Z"
	// changed at some times, of which one cannot be read.
	changed := func(at ...string) any {
		var entries []any
		for _, time := range at {
			entries = append(entries, map[string]any{"manager": "kubectl", "time": time})
		}
		return map[string]any{"metadata": map[string]any{"managedFields": entries}}
	}
	cases := map[string]struct {
		reason    string
		composite any
		// composed and required objects, or nil.
		composed, required any

		ttl  time.Duration
		want time.Duration
	}{
		"Nothing":    {reason: "A composite resource that does not say when it changed is at rest.", composite: `{}`, ttl: TTL, want: TTL},
		"AtRest":     {reason: "A change is forgotten once any circuit breaker has closed again.", composite: changed("2026-03-01T11:54:00Z"), ttl: TTL, want: TTL},
		"Changed":    {reason: "The event of a further change may be dropped soon after a change.", composite: changed("2026-03-01T11:54:01Z"), ttl: TTL, want: PendingTTL},
		"LastChange": {reason: "The last of several changes counts.", composite: changed("2026-03-01T11:59:00Z", "2025-01-01T00:00:00Z"), ttl: TTL, want: PendingTTL},
		"OddTime":    {reason: "A time that cannot be read is no change.", composite: changed("yesterday"), ttl: TTL, want: TTL},
		"Composed": {
			reason:    "Events of what is composed may open the circuit breaker, whether or not the graph changes with them.",
			composite: `{}`, composed: changed("2026-03-01T11:54:01Z"), ttl: TTL, want: PendingTTL,
		},
		"ComposedAtRest": {reason: "What is composed comes to rest as well.", composite: `{}`, composed: changed("2026-03-01T11:54:00Z"), ttl: TTL, want: TTL},
		"Required": {
			reason:    "Events of what is required may open the circuit breaker.",
			composite: `{}`, required: changed("2026-03-01T11:54:01Z"), ttl: TTL, want: PendingTTL,
		},
		"RequiredAtRest": {reason: "What is required comes to rest as well.", composite: `{}`, required: changed("2026-03-01T11:54:00Z"), ttl: TTL, want: TTL},
		"Unresponsive": {
			reason:    "While Crossplane drops events, changes are not noticed.",
			composite: `{"status":{"conditions":[{"type":"Responsive","status":"False"}]}}`, ttl: TTL, want: UnresponsiveTTL,
		},
		"Responsive": {
			reason:    "A closed circuit breaker drops nothing.",
			composite: `{"status":{"conditions":[{"type":"Responsive","status":"True"}]}}`, ttl: TTL, want: TTL,
		},
		"Shorter": {reason: "A time to live that is shorter than the pending one stays.", composite: changed(now), ttl: time.Second, want: time.Second},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			clock, err := time.Parse(time.RFC3339, now)
			if err != nil {
				t.Fatal(err)
			}
			req := &fnv1.RunFunctionRequest{Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: steptest.Struct(tc.composite)}}}
			if tc.composed != nil {
				req.Observed.Resources = map[string]*fnv1.Resource{"podcliqueset": {Resource: steptest.Struct(tc.composed)}}
			}
			if tc.required != nil {
				req.RequiredResources = map[string]*fnv1.Resources{"children": {Items: []*fnv1.Resource{{Resource: steptest.Struct(tc.required)}}}}
			}
			rsp := response.To(req, tc.ttl)
			Pace(rsp, req, clock)
			if diff := cmp.Diff(tc.want, rsp.GetMeta().GetTtl().AsDuration()); diff != "" {
				t.Errorf("%s\nPace(...): time to live: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
