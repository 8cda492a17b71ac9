package status

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// TestTopology maps what is known of the topology's levels to a condition of positive polarity.
func TestTopology(t *testing.T) {
	packed := func(more string) string {
		return strings.Replace(plainPlan, `"services"`, `"topology":{"name":"my-topology","dialect":"Pack"`+more+`},"services"`, 1)
	}
	observed := func(condition string) string {
		return strings.Replace(readySet, `"observedGeneration":2`, `"conditions":[{"type":"Other","status":"True"},`+condition+`],"observedGeneration":2`, 1)
	}
	report := func(status, reason, message string) string {
		return `{"type":"TopologyLevelsUnavailable","status":"` + status + `","reason":"` + reason + `","message":"` + message + `","lastTransitionTime":"2026-01-01T00:00:00Z"}`
	}
	const unavailable = "Unavailable topology domains: [rack]"
	levels := func(status fnv1.Status, reason, message string) responseOption {
		return conditioned("TopologyLevelsAvailable", status, reason, message)
	}
	cases := map[string]struct {
		reason   string
		plan     string
		observed string
		// unready is what is said of a set that is not ready. Empty: it is.
		unready string
		want    []responseOption
	}{
		"NotUnavailable": {
			reason: "False of Grove's negative condition is good news.", plan: packed(""),
			observed: observed(report("False", "AllClusterTopologyLevelsAvailable", "All topology levels are available")),
			want:     []responseOption{levels(isTrue, "AllTopologyLevelsAvailable", "")},
		},
		"Unavailable": {
			reason: "True of it is bad news.", plan: packed(""),
			observed: observed(report("True", "ClusterTopologyLevelsUnavailable", unavailable)),
			want:     []responseOption{soon(), levels(isFalse, "TopologyLevelsUnavailable", unavailable)},
		},
		"NotFoundByGrove": {
			reason: "A topology that Grove does not find is bad news too, though Grove says Unknown.", plan: packed(""),
			observed: observed(report("Unknown", "ClusterTopologyNotFound", "ClusterTopologyBinding resource not found")),
			want:     []responseOption{soon(), levels(isFalse, "TopologyDefinitionNotFound", "ClusterTopologyBinding resource not found")},
		},
		"UnknownToGrove": {
			reason: "Another Unknown is no all-clear.", plan: packed(""),
			observed: observed(report("Unknown", "TopologyAwareSchedulingDisabled", "Topology Aware Scheduling is disabled")),
			want:     []responseOption{soon(), levels(isUnknown, "TopologyConditionPending", "Topology Aware Scheduling is disabled")},
		},
		"NotReported": {
			reason: "Nor is silence.", plan: packed(""), observed: readySet,
			want: []responseOption{soon(), levels(isUnknown, "TopologyConditionPending", "Grove has not reported on the topology yet")},
		},
		"Unreadable": {
			reason: "Nor is what cannot be read.", plan: packed(""), observed: observed(`{"type":"TopologyLevelsUnavailable","status":"False","lastTransitionTime":"yesterday"}`),
			unready: `Frontend: PodClique llama-0-frontend: not created yet; PodCliqueSet llama: cannot be read: cannot read a required resource: parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"`,
			want:    []responseOption{soon(), levels(isUnknown, "TopologyConditionPending", "Grove has not reported on the topology yet")},
		},
		"ObjectGone": {
			reason: "What plan saw of the topology itself comes before what Grove says.", plan: packed(`,"notFound":true`),
			observed: observed(report("False", "AllClusterTopologyLevelsAvailable", "All topology levels are available")),
			want:     []responseOption{soon(), levels(isFalse, "TopologyDefinitionNotFound", "topology my-topology does not exist")},
		},
		"LevelsGone": {
			reason: "So do levels that it does not have any more.", plan: packed(`,"missing":["block","rack"]`),
			observed: observed(report("False", "AllClusterTopologyLevelsAvailable", "All topology levels are available")),
			want:     []responseOption{soon(), levels(isFalse, "TopologyLevelsUnavailable", "topology my-topology has no level block, rack")},
		},
		"NoConstraint": {
			reason: "A graph without a constraint has no such condition, whatever Grove says.", plan: plainPlan,
			observed: observed(report("True", "ClusterTopologyLevelsUnavailable", unavailable)),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := with(request(tc.plan), "podcliqueset", desiredSet, tc.observed)
			options := []responseOption{statusIs(successful), desires("podcliqueset", desiredSet, fnv1.Ready_READY_TRUE), allReady()}
			if tc.unready != "" {
				options = []responseOption{statusIs(pending), desires("podcliqueset", desiredSet, fnv1.Ready_READY_FALSE), notReady(tc.unready)}
			}
			if diff := cmp.Diff(answer(req, append(options, tc.want...)...), run(t, req), protocmp.Transform()); diff != "" {
				t.Errorf("%s\nRunFunction(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
