package status

import (
	"slices"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
)

// TestDroppedConstraint shows that the condition tells what PodGroups of Kubernetes have, not what they were asked to have.
func TestDroppedConstraint(t *testing.T) {
	const dropped = "Kubernetes has dropped the constraint from the PodGroups of Worker, whose pods are scheduled together and not packed: " +
		"feature gate TopologyAwareWorkloadScheduling is off in the API server; turn it on there and in the scheduler, then restart the graph"
	cases := map[string]struct {
		reason, spec, because, message string
		want                           fnv1.Status
	}{
		"Kept":    {reason: "A constraint that is there is in effect.", spec: `{"schedulingConstraints":{"topology":[{"key":"example.org/rack"}]}}`, want: isTrue, because: "AllTopologyLevelsAvailable"},
		"Dropped": {reason: "The API server drops what is behind a gate that is off.", spec: `{}`, want: isFalse, because: "TopologyLevelsUnavailable", message: dropped},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			plan := planOf(func(p *graphplan.Plan) {
				p.Orchestrator, p.LWS.Gang = graphplan.LeaderWorkerSet, graphplan.Gang{Provider: "Kubernetes", SchedulerName: "default-scheduler"}
				p.Topology = &graphplan.Topology{Name: "my-topology", Placements: map[string]graphplan.Placement{
					"Worker": {Domain: "rack", RequiredLabel: "example.org/rack"}, "Decode": {Domain: "rack", RequiredLabel: "example.org/rack"},
				}}
			})
			req := request(plan)
			group := `{"apiVersion":"scheduling.k8s.io/v1beta1","kind":"PodGroup","metadata":{"name":"llama-worker-0"},"spec":` + tc.spec + `}`
			req.Observed.Resources = map[string]*fnv1.Resource{"schedulinggroup-worker-0": {Resource: resource.MustStructJSON(group)}}
			i := slices.IndexFunc(run(t, req).GetConditions(), func(c *fnv1.Condition) bool { return c.GetType() == "TopologyLevelsAvailable" })
			if i < 0 {
				t.Fatalf("%s\nthere is no condition TopologyLevelsAvailable", tc.reason)
			}
			if c := run(t, req).GetConditions()[i]; c.GetStatus() != tc.want || c.GetReason() != tc.because || c.GetMessage() != tc.message {
				t.Errorf("%s\nwant %s %s %q, got %s %s %q", tc.reason, tc.want, tc.because, tc.message, c.GetStatus(), c.GetReason(), c.GetMessage())
			}
		})
	}
}

// TestTopologyOffGrove shows that only the topology object counts if Grove does not run the graph.
func TestTopologyOffGrove(t *testing.T) {
	cases := map[string]struct {
		reason   string
		topology graphplan.Topology
		want     fnv1.Status
		because  string
		message  string
		soon     bool
	}{
		"There":    {reason: "Without Grove nobody else has to report on the topology.", topology: graphplan.Topology{Dialect: "Pack"}, want: isTrue, because: "AllTopologyLevelsAvailable"},
		"Missing":  {reason: "A level went away.", topology: graphplan.Topology{Dialect: "Pack", Missing: []string{"rack"}}, want: isFalse, because: "TopologyLevelsUnavailable", message: "topology my-topology has no level rack", soon: true},
		"NotFound": {reason: "The topology went away.", topology: graphplan.Topology{NotFound: true}, want: isFalse, because: "TopologyDefinitionNotFound", message: "topology my-topology does not exist", soon: true},
		"Undefined": {
			reason: "Where nothing could define a topology there is nothing to wait for.", topology: graphplan.Topology{NotFound: true, Undefined: true}, want: isFalse, because: "TopologyDefinitionNotFound",
			message: "topology my-topology is not defined: Grove is not installed, and the platform has no profile my-topology",
		},
		"MissingTiers": {
			reason:   "Volcano says nowhere that a tier is missing. HyperNodes may come.",
			topology: graphplan.Topology{MissingTiers: map[string]string{"Worker": "tierName example.org/rack", "Decode": "tier 2", "Prefill": "tierName example.org/rack"}},
			want:     isFalse, because: "TopologyLevelsUnavailable", soon: true,
			message: "no HyperNode of Volcano has tier 2, so the replicas of Decode are not packed, or wait; " +
				"no HyperNode of Volcano has tierName example.org/rack, so the replicas of Prefill, Worker are not packed, or wait; " +
				"let the platform create HyperNodes for this level, or delete and recreate the graph without the constraint",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tc.topology.Name = "my-topology"
			plan := planOf(func(p *graphplan.Plan) {
				p.Orchestrator, p.LWS.Gang = graphplan.LeaderWorkerSet, graphplan.Gang{Provider: "KAI", SchedulerName: "kai-scheduler", Queue: "dynamo"}
				p.Topology = &tc.topology
			})
			rsp := run(t, request(plan))
			for _, c := range rsp.GetConditions() {
				if c.GetType() == "TopologyLevelsAvailable" {
					if c.GetStatus() != tc.want || c.GetReason() != tc.because || c.GetMessage() != tc.message {
						t.Errorf("%s\nwant %s %s %q, got %s %s %q", tc.reason, tc.want, tc.because, tc.message, c.GetStatus(), c.GetReason(), c.GetMessage())
					}
					if soon := rsp.GetMeta().GetTtl().AsDuration() == step.PendingTTL; soon != tc.soon {
						t.Errorf("%s\nwant another look soon: %t, got %t", tc.reason, tc.soon, soon)
					}
					return
				}
			}
			t.Errorf("%s\nthere is no condition TopologyLevelsAvailable: %v %v", tc.reason, rsp.GetConditions(), rsp.GetResults())
		})
	}
}
