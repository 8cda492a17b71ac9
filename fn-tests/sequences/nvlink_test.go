package sequences

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

const (
	nvlink     = "fn-tests/sequences/testdata/nvlink.yaml"
	scopeGraph = "mnnvl: {mode: Auto, scope: Graph}"
)

// autoMNNVL is the annotation by which a graph takes part in multi-node NVLink.
const autoMNNVL = "grove.io/auto-mnnvl"

// TestGraphDomain follows graphs that have one domain.
func TestGraphDomain(t *testing.T) {
	t.Parallel()
	followAll(t, map[string]sequence{
		"graph-domain-on-grove": {
			reason:  "The domain comes with the graph and stays; scaling touches no pod.",
			xr:      nvlink,
			cluster: harness.GroveKAI,
			input:   scopeGraph,
			steps: []step{
				{name: "create"},
				{name: "settled"},
				{name: "scale from 2 to 4", change: scale(4)},
				{name: "scale to 1", change: scale(1)},
				{name: "try to leave", change: set("disabled", "metadata", "annotations", autoMNNVL), refused: autoMNNVL},
				{name: "try another word", change: set("off", "metadata", "annotations", autoMNNVL), refused: autoMNNVL},
				{name: "take it back", change: unset("metadata", "annotations")},
				{name: "turn the mode off", change: input("mnnvl: {mode: Disabled}")},
			},
		},
		"graph-domain-on-lws": {
			reason:  "Replicas come and go with their protection; the domain stays for those that are left.",
			xr:      nvlink,
			cluster: harness.LWSVolcano,
			input:   scopeGraph,
			steps: []step{
				{name: "create"},
				{name: "scale from 2 to 3", change: scale(3)},
				{name: "scale to 1", change: scale(1), gone: []string{"leaderworkerset-worker-1", "leaderworkerset-worker-2"}},
				{name: "while their pods end"},
				{
					name:   "one of them has ended",
					change: gone("leaderworkerset-worker-2"),
					gone:   []string{"podgroup-worker-2", "usage-computedomain-0-worker-2"},
				},
				{
					name:   "and the other",
					change: gone("leaderworkerset-worker-1", "podgroup-worker-2", "usage-computedomain-0-worker-2"),
					gone:   []string{"podgroup-worker-1", "usage-computedomain-0-worker-1"},
				},
				{name: "its protection has ended too", change: gone("podgroup-worker-1", "usage-computedomain-0-worker-1")},
				{name: "scale to 2", change: scale(2)},
			},
		},
	})
}

// TestReplicaDomains follows a graph in which each replica has a domain of its own.
func TestReplicaDomains(t *testing.T) {
	t.Parallel()
	followAll(t, map[string]sequence{
		"replica-domains": {
			reason:  "A domain goes after the pods that use it and after its protection.",
			xr:      nvlink,
			cluster: harness.LWSVolcano,
			input:   "mnnvl: {mode: Auto, scope: Replica}",
			steps: []step{
				{name: "create"},
				{name: "settled"},
				{name: "scale from 2 to 4", change: scale(4)},
				{name: "scale to 1", change: scale(1), gone: []string{"leaderworkerset-worker-1", "leaderworkerset-worker-2", "leaderworkerset-worker-3"}},
				{name: "while the pods end"},
				{
					name:   "those of 3 have ended",
					change: gone("leaderworkerset-worker-3"),
					gone:   []string{"podgroup-worker-3", "usage-computedomain-worker-3"},
				},
				{name: "the protection of 3 is still there", change: gone("podgroup-worker-3")},
				{
					name:   "the protection of 3 has ended",
					change: gone("usage-computedomain-worker-3"),
					gone:   []string{"computedomain-worker-3"},
				},
				{
					name:   "the pods of 1 and 2 have ended, the domain of 3 with them",
					change: gone("leaderworkerset-worker-1", "leaderworkerset-worker-2", "computedomain-worker-3"),
					gone:   []string{"podgroup-worker-1", "podgroup-worker-2", "usage-computedomain-worker-1", "usage-computedomain-worker-2"},
				},
				{name: "scale to 2 before the protection of 1 has ended", change: scale(2)},
				{
					name:   "both protections have ended, and 1 gets another",
					change: gone("podgroup-worker-1", "podgroup-worker-2", "usage-computedomain-worker-1", "usage-computedomain-worker-2"),
					gone:   []string{"computedomain-worker-2"},
				},
				{name: "scale to 3 before the domain of 2 has ended", change: scale(3), refused: "waiting for the deletion of ComputeDomain chat-worker-2"},
				{name: "the domain of 2 has ended, and 2 gets another", change: gone("computedomain-worker-2")},
				{name: "settled again"},
			},
		},
	})
}

// TestModeTurnedOn turns the mode on under a graph that has no domain: it stays without, whatever else changes.
func TestModeTurnedOn(t *testing.T) {
	t.Parallel()
	followAll(t, map[string]sequence{
		"mode-turned-on": {
			reason:  "Claims in the pods of a graph that runs would replace them all.",
			xr:      nvlink,
			cluster: harness.GroveKAI,
			steps: []step{
				{name: "create"},
				{name: "turn the mode on", change: input(scopeGraph)},
				{name: "settled"},
				{name: "scale from 2 to 4", change: scale(4)},
				{name: "try to join", change: set("enabled", "metadata", "annotations", autoMNNVL), refused: autoMNNVL},
				{name: "take it back", change: unset("metadata", "annotations")},
			},
		},
		"mode-turned-on-lws": {
			reason:  "Claims in the pods of live LeaderWorkerSets would replace them all, and replicas to come have none either.",
			xr:      nvlink,
			cluster: harness.LWSVolcano,
			steps: []step{
				{name: "create"},
				{name: "turn the mode on", change: input("mnnvl: {mode: Auto, scope: Replica}")},
				{name: "scale from 2 to 3", change: scale(3)},
			},
		},
	})
}

// TestSettledIsQuiet renders a settled graph twice: nothing at all may differ between the two.
func TestSettledIsQuiet(t *testing.T) {
	t.Parallel()
	binary := harness.New(t)
	for _, cluster := range []string{harness.GroveKAI, harness.LWSVolcano} {
		chain := harness.NewChain(t, binary, nvlink, cluster)
		chain.Composition = harness.CompositionWithInput(t, scopeGraph)
		chain.Cluster = append(chain.Cluster, harness.Driver(t)...)
		for _, when := range []string{"create", "observe", "settle"} {
			if out := chain.Render(t); out.Err != nil {
				t.Fatalf("%s: %v: %s", when, out.Err, out.Stderr)
			}
		}
		before := maps.Clone(chain.Objects)
		if out := chain.Render(t); out.Err != nil {
			t.Fatalf("%v: %s", out.Err, out.Stderr)
		}
		if diff := cmp.Diff(before, chain.Objects); diff != "" {
			t.Errorf("on %s a settled graph changes: -before, +after:\n%s", cluster, diff)
		}
	}
}
