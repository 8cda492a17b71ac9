package status

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// TestTopology shows how the state of the levels of a topology becomes a condition with positive polarity.
func TestTopology(t *testing.T) {
	packed := func(more graphplan.Topology) *graphplan.Plan {
		more.Name, more.Dialect = "my-topology", "Pack"
		return planOf(func(p *graphplan.Plan) { p.Topology = &more })
	}
	// report is the condition of Grove, among others.
	report := func(status metav1.ConditionStatus, reason, message string) *grovev1alpha1.PodCliqueSet {
		set := readySet()
		set.Status.Conditions = []metav1.Condition{
			{Type: "Other", Status: metav1.ConditionTrue},
			{Type: "TopologyLevelsUnavailable", Status: status, Reason: reason, Message: message, LastTransitionTime: metav1.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)},
		}
		return set
	}
	unreadable := steptest.Struct(report("False", "", ""))
	reported := tree.At(unreadable, "status").GetFields()["conditions"].GetListValue().GetValues()[1]
	reported.GetStructValue().Fields["lastTransitionTime"] = structpb.NewStringValue("yesterday")
	constraint, err := json.Marshal(fields{"topologyConstraint": grovev1alpha1.TopologyConstraint{Pack: &grovev1alpha1.TopologyPack{Required: "rack"}}})
	if err != nil {
		t.Fatal(err)
	}
	overridden := v1alpha1.Service{ProviderOverride: &v1alpha1.ProviderOverride{APIVersion: grovev1alpha1.APIVersion, Value: runtime.RawExtension{Raw: constraint}}}
	const unavailable = "Unavailable topology domains: [rack]"
	levels := func(status fnv1.Status, reason, message string) responseOption {
		return conditioned("TopologyLevelsAvailable", status, reason, message)
	}
	gone := func(reason, message string) responseOption {
		return func(rsp *fnv1.RunFunctionResponse) {
			levels(isFalse, reason, message)(rsp)
			rsp.Results = append(rsp.Results, &fnv1.Result{
				Severity: fnv1.Severity_SEVERITY_WARNING, Message: message, Reason: &reason, Target: fnv1.Target_TARGET_COMPOSITE_AND_CLAIM.Enum(),
			})
		}
	}
	cases := map[string]struct {
		reason   string
		plan     *graphplan.Plan
		observed any
		service  v1alpha1.Service
		// unready is the message for a set that is not ready. It is empty if the set is ready.
		unready string
		want    []responseOption
	}{
		"NotUnavailable": {
			reason: "False of Grove's negative condition is good news.", plan: packed(graphplan.Topology{}),
			observed: report("False", "AllClusterTopologyLevelsAvailable", "All topology levels are available"),
			want:     []responseOption{levels(isTrue, "AllTopologyLevelsAvailable", "")},
		},
		"Unavailable": {
			reason: "True of Grove's negative condition is bad news.", plan: packed(graphplan.Topology{}),
			observed: report("True", "ClusterTopologyLevelsUnavailable", unavailable),
			want:     []responseOption{soon(), gone("TopologyLevelsUnavailable", unavailable)},
		},
		"NotFoundByGrove": {
			reason: "A topology that Grove does not find is bad news too, though Grove says Unknown.", plan: packed(graphplan.Topology{}),
			observed: report("Unknown", "ClusterTopologyNotFound", "ClusterTopologyBinding resource not found"),
			want:     []responseOption{soon(), gone("TopologyDefinitionNotFound", "ClusterTopologyBinding resource not found")},
		},
		"UnknownToGrove": {
			reason: "An Unknown of Grove for another reason is no all-clear.", plan: packed(graphplan.Topology{}),
			observed: report("Unknown", "TopologyAwareSchedulingDisabled", "Topology Aware Scheduling is disabled"),
			want:     []responseOption{soon(), levels(isUnknown, "TopologyConditionPending", "Topology Aware Scheduling is disabled")},
		},
		"NoConstraintsToGrove": {
			reason: "The all-clear of Grove has several messages.", plan: packed(graphplan.Topology{}),
			observed: report("False", "AllClusterTopologyLevelsAvailable", "No topology constraints defined"),
			want:     []responseOption{levels(isTrue, "AllTopologyLevelsAvailable", "")},
		},
		"NameMissing": {
			reason: "A constraint that Grove cannot follow is no all-clear.", plan: packed(graphplan.Topology{}),
			observed: report("Unknown", "TopologyNameMissing", "PodCliqueSet topology constraints must include topologyName"),
			want:     []responseOption{soon(), levels(isUnknown, "TopologyConditionPending", "PodCliqueSet topology constraints must include topologyName")},
		},
		"NotFoundByOlderGrove": {
			reason: "Older versions of Grove call the topology by its older kind.", plan: packed(graphplan.Topology{}),
			observed: report("Unknown", "ClusterTopologyNotFound", "ClusterTopology resource not found"),
			want:     []responseOption{soon(), gone("TopologyDefinitionNotFound", "ClusterTopology resource not found")},
		},
		"NotReported": {
			reason: "Silence of Grove is no all-clear.", plan: packed(graphplan.Topology{}), observed: readySet(),
			want: []responseOption{soon(), levels(isUnknown, "TopologyConditionPending", "Grove has not reported on the topology yet")},
		},
		"Unreadable": {
			reason: "A report that cannot be read is no all-clear.", plan: packed(graphplan.Topology{}), observed: unreadable,
			unready: `llama: Frontend: resource not found (PodClique llama-0-frontend); PodCliqueSet llama: cannot be read: cannot read PodCliqueSet llama: status.conditions[1].lastTransitionTime: Invalid value: must be a time such as 2026-01-31T12:00:00Z`,
			want:    []responseOption{soon(), levels(isUnknown, "TopologyConditionPending", "Grove has not reported on the topology yet")},
		},
		"ObjectGone": {
			reason: "What plan saw of the topology itself comes before what Grove says.", plan: packed(graphplan.Topology{NotFound: true}),
			observed: report("False", "AllClusterTopologyLevelsAvailable", "All topology levels are available"),
			want:     []responseOption{soon(), gone("TopologyDefinitionNotFound", "topology my-topology does not exist")},
		},
		"LevelsGone": {
			reason: "Levels that plan saw missing come before what Grove says.", plan: packed(graphplan.Topology{Missing: []string{"block", "rack"}}),
			observed: report("False", "AllClusterTopologyLevelsAvailable", "All topology levels are available"),
			want:     []responseOption{soon(), gone("TopologyLevelsUnavailable", "topology my-topology has no level block, rack")},
		},
		"NothingWritten": {
			reason: "Grove has nothing to report where no constraint could be written.", plan: packed(graphplan.Topology{Unwritten: true}), observed: readySet(),
			want: []responseOption{levels(isTrue, "AllTopologyLevelsAvailable", "")},
		},
		"Override": {
			reason: "Grove alone reports on constraints in its own form.", plan: planOf(), service: overridden,
			observed: report("True", "ClusterTopologyLevelsUnavailable", unavailable),
			want:     []responseOption{soon(), gone("TopologyLevelsUnavailable", unavailable)},
		},
		"OverrideOfNothing": {
			reason: "Grove has not reported on constraints in its own form yet.", plan: planOf(), service: overridden, observed: readySet(),
			want: []responseOption{soon(), levels(isUnknown, "TopologyConditionPending", "Grove has not reported on the topology yet")},
		},
		"NoConstraint": {
			reason: "A graph without a constraint has no such condition, whatever Grove says.", plan: planOf(),
			observed: report("True", "ClusterTopologyLevelsUnavailable", unavailable),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			spec := v1alpha1.DynamoGraphDeploymentSpec{Services: map[string]v1alpha1.Service{"Frontend": tc.service}}
			req := with(requestFor(spec, tc.plan), "podcliqueset", desiredSet(), tc.observed)
			options := []responseOption{statusIs(successful()), desires("podcliqueset", desiredSet(), fnv1.Ready_READY_TRUE), allReady()}
			if tc.unready != "" {
				options = []responseOption{statusIs(pending()), desires("podcliqueset", desiredSet(), fnv1.Ready_READY_FALSE), notReady(tc.unready)}
			}
			if diff := cmp.Diff(answer(req, append(options, tc.want...)...), run(t, req), protocmp.Transform()); diff != "" {
				t.Errorf("%s\nRunFunction(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestTopologyWarning shows that there is one event when levels no longer exist.
func TestTopologyWarning(t *testing.T) {
	missing, notFound := graphplan.Topology{Missing: []string{"rack"}}, graphplan.Topology{NotFound: true}
	cases := map[string]struct {
		reason   string
		observed metav1.ConditionStatus
		topology graphplan.Topology
		want     []string
	}{
		"New":      {reason: "A condition that was not there and becomes False is an event.", topology: missing, want: []string{"TopologyLevelsUnavailable: topology my-topology has no level rack"}},
		"FromTrue": {reason: "A condition that was True and becomes False is an event.", observed: "True", topology: missing, want: []string{"TopologyLevelsUnavailable: topology my-topology has no level rack"}},
		"FromUnknown": {
			reason: "A condition that was Unknown and becomes False is an event.", observed: "Unknown", topology: notFound,
			want: []string{"TopologyDefinitionNotFound: topology my-topology does not exist"},
		},
		"StillFalse":  {reason: "A condition that stays False is no event again.", observed: "False", topology: missing},
		"OtherReason": {reason: "A condition that stays False for another reason is no event again.", observed: "False", topology: notFound},
		"True":        {reason: "Good news is no event.", observed: "False"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tc.topology.Name = "my-topology"
			req := request(planOf(func(p *graphplan.Plan) { p.Orchestrator, p.Grove, p.Topology = graphplan.Deployment, nil, &tc.topology }))
			if tc.observed != "" {
				before(req, v1alpha1.DynamoGraphDeploymentStatus{Conditions: []metav1.Condition{{Type: "TopologyLevelsAvailable", Status: tc.observed, Reason: "Before"}}})
			}
			var got []string
			for _, result := range run(t, req).GetResults() {
				got = append(got, result.GetReason()+": "+result.GetMessage())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nresults: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
