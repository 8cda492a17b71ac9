package status

import (
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// TestTopologyOffGrove shows that the topology object alone tells where Grove does not run the graph.
func TestTopologyOffGrove(t *testing.T) {
	cases := map[string]struct {
		reason   string
		topology string
		want     fnv1.Status
		because  string
	}{
		"There":    {reason: "Nobody else has to report.", topology: `"dialect":"Pack"`, want: isTrue, because: "AllTopologyLevelsAvailable"},
		"Missing":  {reason: "A level went away.", topology: `"dialect":"Pack","missing":["rack"]`, want: isFalse, because: "TopologyLevelsUnavailable"},
		"NotFound": {reason: "The topology went away.", topology: `"dialect":"","notFound":true`, want: isFalse, because: "TopologyDefinitionNotFound"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			plan := strings.Replace(plainPlan, `"orchestrator":"Grove"`,
				`"orchestrator":"LeaderWorkerSet","lws":{"gang":{"provider":"KAI","schedulerName":"kai-scheduler","queue":"dynamo"}},"topology":{"name":"my-topology",`+tc.topology+`}`, 1)
			rsp := run(t, request(plan))
			for _, c := range rsp.GetConditions() {
				if c.GetType() == "TopologyLevelsAvailable" {
					if c.GetStatus() != tc.want || c.GetReason() != tc.because {
						t.Errorf("%s\nwant %s %s, got %s %s", tc.reason, tc.want, tc.because, c.GetStatus(), c.GetReason())
					}
					return
				}
			}
			t.Errorf("%s\nthere is no condition TopologyLevelsAvailable: %v %v", tc.reason, rsp.GetConditions(), rsp.GetResults())
		})
	}
}
