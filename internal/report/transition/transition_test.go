package transition

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/response"
)

// request for generation 2 of a graph with observed conditions, JSON.
func request(conditions ...string) *fnv1.RunFunctionRequest {
	return &fnv1.RunFunctionRequest{Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: resource.MustStructJSON(fmt.Sprintf(
		`{"metadata":{"name":"llama","namespace":"inference","generation":2},"status":{"conditions":[%s]}}`, strings.Join(conditions, ",")))}}}
}

// observed condition, JSON.
func observed(conditionType, status, reason, message string, generation int) string {
	return fmt.Sprintf(`{"type":%q,"status":%q,"reason":%q,"message":%q,"observedGeneration":%d}`, conditionType, status, reason, message, generation)
}

type change func(rsp *fnv1.RunFunctionResponse)

func accepted(rsp *fnv1.RunFunctionResponse) { condition.True(rsp, "Accepted", "Valid", "") }
func refuses(rsp *fnv1.RunFunctionResponse)  { condition.False(rsp, "Accepted", "Invalid", "wrong") }
func ready(rsp *fnv1.RunFunctionResponse) {
	condition.True(rsp, "ServicesReady", "all_resources_are_ready", "")
}

func unready(message string) change {
	return func(rsp *fnv1.RunFunctionResponse) {
		condition.False(rsp, "ServicesReady", "pods_not_ready", message)
	}
}

func fatal(message string) change {
	return func(rsp *fnv1.RunFunctionResponse) { response.Fatal(rsp, errors.New(message)) }
}

func responseWith(changes ...change) *fnv1.RunFunctionResponse {
	rsp := &fnv1.RunFunctionResponse{}
	for _, change := range changes {
		change(rsp)
	}
	return rsp
}

func TestNew(t *testing.T) {
	valid := Transition{Condition: "Accepted", Status: "True", Reason: "Valid"}
	invalid := Transition{Condition: "Accepted", Status: "False", Reason: "Invalid"}
	notReady := Transition{Condition: "ServicesReady", Status: "False", Reason: "pods_not_ready"}
	cases := map[string]struct {
		reason string
		req    *fnv1.RunFunctionRequest
		rsp    *fnv1.RunFunctionResponse
		want   []Transition
	}{
		"First": {
			reason: "The first conditions of a graph are transitions.",
			req:    request(), rsp: responseWith(accepted, unready("")), want: []Transition{valid, notReady},
		},
		"Rest": {
			reason: "A graph at rest gets no transition.",
			req:    request(observed("Accepted", "True", "Valid", "", 2), observed("ServicesReady", "True", "all_resources_are_ready", "", 1)),
			rsp:    responseWith(accepted, ready),
		},
		"Waiting": {
			reason: "A response without conditions contains no transition.",
			req:    request(), rsp: responseWith(),
		},
		"Refused": {
			reason: "A refused edit is a transition.",
			req:    request(observed("Accepted", "True", "Valid", "", 1)), rsp: responseWith(refuses), want: []Transition{invalid},
		},
		"StillRefused": {
			reason: "A graph that stays refused gets no transition.",
			req:    request(observed("Accepted", "False", "Invalid", "wrong", 2)), rsp: responseWith(refuses),
		},
		"RefusedForAnotherReason": {
			reason: "Another mistake is another transition.",
			req:    request(observed("Accepted", "False", "Invalid", "other", 2)), rsp: responseWith(refuses), want: []Transition{invalid},
		},
		"RefusedAgain": {
			reason: "An edit that is refused for the same reason as the edit before it is another transition.",
			req:    request(observed("Accepted", "False", "Invalid", "wrong", 1)), rsp: responseWith(refuses), want: []Transition{invalid},
		},
		"OldCrossplane": {
			reason: "A condition without a generation may be about this one.",
			req:    request(observed("Accepted", "True", "Valid", "", 0)), rsp: responseWith(accepted),
		},
		"NotApplied": {
			reason: "A graph that Crossplane cannot apply is not accepted anew by each attempt.",
			req:    request(observed("Accepted", "Unknown", "FatalError", "", 2), observed("ServicesReady", "Unknown", "FatalError", "", 2)),
			rsp:    responseWith(accepted, ready),
		},
		"RefusedAfterNotApplied": {
			reason: "A refusal is a transition regardless of what was before.",
			req:    request(observed("Accepted", "Unknown", "FatalError", "", 2)), rsp: responseWith(refuses), want: []Transition{invalid},
		},
		"Progress": {
			reason: "While pods start, only the message of ServicesReady changes, which is no transition.",
			req:    request(observed("ServicesReady", "False", "pods_not_ready", "0 of 2", 2)), rsp: responseWith(unready("1 of 2")),
		},
		"Unready": {
			reason: "A graph that becomes unready gets a transition.",
			req:    request(observed("ServicesReady", "True", "all_resources_are_ready", "", 2)), rsp: responseWith(unready("1 of 2")), want: []Transition{notReady},
		},
		"Others": {
			reason: "Other conditions are no transitions, and neither is one that is unknown.",
			req:    request(),
			rsp: responseWith(func(rsp *fnv1.RunFunctionResponse) {
				condition.True(rsp, "QueueAvailable", "QueueFound", "")
				condition.Unknown(rsp, "ServicesReady", "pods_not_ready", "")
			}),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, New(tc.req, tc.rsp)); diff != "" {
				t.Errorf("%s\nNew(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestOutcomeOf(t *testing.T) {
	cases := map[string]struct {
		reason string
		rsp    *fnv1.RunFunctionResponse
		err    error
		want   Outcome
	}{
		"Answered": {reason: "A graph that is composed is answered.", rsp: responseWith(accepted, ready), want: Answered},
		"Waiting":  {reason: "A response that only requires objects is an answer.", rsp: responseWith(), want: Answered},
		"Refused":  {reason: "The Fatal result of a refusal has the message of the condition.", rsp: responseWith(refuses, fatal("wrong")), want: Refused},
		"Held":     {reason: "A graph that is held instead of a Fatal result is refused.", rsp: responseWith(refuses), want: Refused},
		"Failed":   {reason: "Any other Fatal result is a failure.", rsp: responseWith(accepted, fatal("a bug")), want: Failed},
		"FailedAndRefusedBefore": {
			reason: "A failure repeats the observed conditions, and a refusal among them does not hide it.",
			rsp:    responseWith(refuses, fatal("a bug")), want: Failed,
		},
		"Error": {reason: "A call without a response is an error.", err: errors.New("cancelled"), want: Error},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := OutcomeOf(tc.rsp, tc.err); got != tc.want {
				t.Errorf("%s\nOutcomeOf(...): want %s, got %s", tc.reason, tc.want, got)
			}
		})
	}
}

func TestGraphOf(t *testing.T) {
	cases := map[string]struct {
		reason string
		req    *fnv1.RunFunctionRequest
		want   Graph
	}{
		"Namespaced": {reason: "A namespaced graph has a name of its own.", req: request(), want: Graph{Namespace: "inference", Name: "llama", Generation: 2}},
		"Claim": {
			reason: "Users know a graph by the name of its claim.",
			req: &fnv1.RunFunctionRequest{Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: resource.MustStructJSON(
				`{"metadata":{"name":"llama-x7k2p","generation":5},"spec":{"claimRef":{"name":"llama","namespace":"inference"}}}`)}}},
			want: Graph{Namespace: "inference", Name: "llama", Generation: 5},
		},
		"Nothing": {reason: "A request without a graph is none.", req: &fnv1.RunFunctionRequest{}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, GraphOf(tc.req)); diff != "" {
				t.Errorf("%s\nGraphOf(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
