package observed_test

import (
	"testing"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
)

func TestLive(t *testing.T) {
	cases := map[string]struct {
		reason   string
		observed *structpb.Struct
		want     bool
	}{
		"Nothing":     {reason: "What does not exist is not live."},
		"Live":        {reason: "What exists is live.", observed: resource.MustStructJSON(`{"metadata":{"name":"a"}}`), want: true},
		"Terminating": {reason: "What is being deleted is not live.", observed: resource.MustStructJSON(`{"metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z"}}`)},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := observed.Live(tc.observed); got != tc.want {
				t.Errorf("%s\nLive(...): want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}

func TestReplicas(t *testing.T) {
	cases := map[string]struct {
		reason   string
		observed *structpb.Struct
		want     int32
		ok       bool
	}{
		"Nothing":  {reason: "What does not exist has no number."},
		"None":     {reason: "An object without replicas has no number.", observed: resource.MustStructJSON(`{"spec":{}}`)},
		"Zero":     {reason: "Zero is a number.", observed: resource.MustStructJSON(`{"spec":{"replicas":0}}`), ok: true},
		"Some":     {reason: "Seven is a number.", observed: resource.MustStructJSON(`{"spec":{"replicas":7}}`), want: 7, ok: true},
		"Negative": {reason: "A negative number of replicas is no number.", observed: resource.MustStructJSON(`{"spec":{"replicas":-1}}`)},
		"TooMany":  {reason: "A number that no workload can have is no number.", observed: resource.MustStructJSON(`{"spec":{"replicas":1e12}}`)},
		"Text":     {reason: "Text is no number.", observed: resource.MustStructJSON(`{"spec":{"replicas":"two"}}`)},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, ok := observed.Replicas(tc.observed)
			if got != tc.want || ok != tc.ok {
				t.Errorf("%s\nReplicas(...): want %d, %t, got %d, %t", tc.reason, tc.want, tc.ok, got, ok)
			}
		})
	}
}
