package status

import (
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
)

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
