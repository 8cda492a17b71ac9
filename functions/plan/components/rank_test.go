package components

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

func TestRankWarnings(t *testing.T) {
	// spec of a graph with a worker over so many nodes, in JSON.
	spec := func(nodes, env, args string) string {
		return `{"services":{"Worker":{"componentType":"worker","multinode":{"nodeCount":` + nodes + `},"envs":[` + env + `],
			"extraPodSpec":{"mainContainer":{"image":"vllm:1.6.0","command":["sh","-c"],"args":["` + args + `"]}}}}}`
	}
	const run = "python3 -m dynamo.sglang --node-rank "
	want := []string{
		"spec.services[Worker]: reads variable DYNAMO_RANK, which pods on Grove do not have, because no variable contains the number of a node there; " +
			"remove what reads it, because the flags that tell an engine its number are added to its command, or set the variable in a script",
	}
	cases := map[string]struct {
		reason, spec string
		on           graphplan.Orchestrator
		want         []string
	}{
		"Grove":     {reason: "A command that reads the variable gets nothing on Grove.", spec: spec("3", "", run+"$DYNAMO_RANK"), on: graphplan.Grove, want: want},
		"Variable":  {reason: "Neither does another variable.", spec: spec("2", `{"name":"RANK","value":"$(DYNAMO_RANK)"}`, run+"$RANK"), on: graphplan.Grove, want: want},
		"Unread":    {reason: "A command that does not read it lacks nothing.", spec: spec("3", "", run+"0"), on: graphplan.Grove},
		"Own":       {reason: "The user may set it.", spec: spec("3", `{"name":"DYNAMO_RANK","value":"0"}`, run+"$DYNAMO_RANK"), on: graphplan.Grove},
		"Script":    {reason: "A script can compute it.", spec: spec("3", "", "DYNAMO_RANK=$((GROVE_PCLQ_POD_INDEX + 1)); "+run+"$DYNAMO_RANK"), on: graphplan.Grove},
		"OtherOnes": {reason: "Pods of LeaderWorkerSets have the variable.", spec: spec("3", "", run+"$DYNAMO_RANK"), on: graphplan.LeaderWorkerSet},
		"OneNode":   {reason: "A single node has no number, with any orchestrator.", spec: spec("1", "", run+"$DYNAMO_RANK"), on: graphplan.Grove},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := plantest.Facts(t, plantest.Request(plantest.GraphOf(tc.spec), plantest.WithInput(inputv1alpha1.Policy{})))
			if diff := cmp.Diff(tc.want, RankWarnings(f, tc.on).Texts(f.Graph)); diff != "" {
				t.Errorf("%s\nRankWarnings(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
