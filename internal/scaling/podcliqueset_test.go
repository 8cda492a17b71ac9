package scaling

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/resource"
)

func TestReadReplicas(t *testing.T) {
	cases := map[string]struct {
		reason string
		set    string
		want   map[string]int32
		err    string
	}{
		"None": {reason: "A set that does not exist has no replicas.", want: map[string]int32{}},
		"Some": {
			reason: "Cliques and scaling groups have their numbers, and one replica where the API server would set it.",
			set: `{"spec":{"template":{"cliques":[{"name":"a","spec":{"replicas":2,"podSpec":{"containers":"not read"}}},{"name":"b"}],` +
				`"podCliqueScalingGroups":[{"name":"c","replicas":3},{"name":"d"}]}}}`,
			want: map[string]int32{"a": 2, "b": 1, "c": 3, "d": 1},
		},
		"Unreadable": {
			reason: "A set that cannot be read is not taken for one without replicas.",
			set:    `{"kind":"PodCliqueSet","metadata":{"name":"s"},"spec":{"template":{"cliques":"none"}}}`,
			want:   map[string]int32{},
			err:    "cannot read the observed PodCliqueSet: cannot read PodCliqueSet s: spec.template.cliques: Invalid value: must be a list, not a string",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var set *structpb.Struct
			if tc.set != "" {
				set = resource.MustStructJSON(tc.set)
			}
			got, err := readReplicas(set)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nreadReplicas(...): -want, +got:\n%s", tc.reason, diff)
			}
			message := ""
			if err != nil {
				message = err.Error()
			}
			if diff := cmp.Diff(tc.err, message); diff != "" {
				t.Errorf("%s\nreadReplicas(...): error: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestRollsCoherently(t *testing.T) {
	cases := map[string]struct {
		reason string
		set    string
		want   bool
	}{
		"None":        {reason: "A set that does not exist is not updated.", set: `{}`},
		"NotUpdated":  {reason: "A set that has never been updated is not being updated.", set: `{"spec":{"updateStrategy":{"type":"Coherent"}}}`},
		"Began":       {reason: "An update that began has not ended.", set: `{"spec":{"updateStrategy":{"type":"Coherent"}},"status":{"updateProgress":{"updateStartedAt":"2026-01-01T00:00:00Z"}}}`, want: true},
		"BeganAsNull": {reason: "An end that is null is none.", set: `{"spec":{"updateStrategy":{"type":"Coherent"}},"status":{"updateProgress":{"updateStartedAt":"2026-01-01T00:00:00Z","updateEndedAt":null}}}`, want: true},
		"Ended": {
			reason: "An update that has ended lets Grove scale.",
			set:    `{"spec":{"updateStrategy":{"type":"Coherent"}},"status":{"updateProgress":{"updateStartedAt":"2026-01-01T00:00:00Z","updateEndedAt":"2026-01-01T00:01:00Z"}}}`,
		},
		"Otherwise": {
			reason: "Grove scales during updates with other strategies.",
			set:    `{"spec":{"updateStrategy":{"type":"RollingRecreate"}},"status":{"updateProgress":{"updateStartedAt":"2026-01-01T00:00:00Z"}}}`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := rollsCoherently(resource.MustStructJSON(tc.set)); got != tc.want {
				t.Errorf("%s\nrollsCoherently(...): want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}

func TestReplicasIn(t *testing.T) {
	got := replicasIn(resource.MustStructJSON(`{"spec":{"template":{
		"cliques":[{"name":"frontend","spec":{"replicas":3}},{"name":"planner","spec":{}}],
		"podCliqueScalingGroups":[{"name":"worker","replicas":2},{"name":"encoder"}]}}}`))
	want := map[string]int32{"frontend": 3, "planner": 1, "worker": 2, "encoder": 1}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("A clique and a scaling group without a number have one replica.\nreplicasIn(...): -want, +got:\n%s", diff)
	}
}
