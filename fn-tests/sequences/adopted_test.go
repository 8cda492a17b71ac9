package sequences

import (
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/adoption"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// ofOperator are the objects that the Dynamo operator has made for the graph in fn-tests/adoption/testdata/replicas.yaml, which takes them over.
func ofOperator(t *testing.T, c *harness.Chain) {
	t.Helper()
	annotate("dynamo.nvidia.com/adopt-from", "dynamo-operator")(t, c)
	c.Cluster = append(c.Cluster, adoption.Live(c.XR.GetName(), harness.Read(t, "fn-tests/adoption/testdata/replicas-live.yaml"))...)
}

// taken are the objects of the operator once they belong to the graph, whose annotation is then removed.
func taken(t *testing.T, c *harness.Chain) {
	t.Helper()
	c.XR.SetAnnotations(nil)
	c.Cluster = append(harness.Read(t, harness.LWSVolcano), harness.Driver(t)...)
}

// remove an object of the graph, as its user may do by hand.
func remove(key string) func(*testing.T, *harness.Chain) {
	return func(_ *testing.T, c *harness.Chain) { delete(c.Objects, key) }
}

// TestAdoptedReplicas follows a graph with a component whose replicas run in one LeaderWorkerSet, as the operator made it.
func TestAdoptedReplicas(t *testing.T) {
	t.Parallel()
	const (
		graph = "fn-tests/adoption/testdata/replicas.yaml"
		set0  = "leaderworkerset-worker-0"
	)
	worker, image := []string{"worker"}, []string{"spec", "services", "Worker", "extraPodSpec", "mainContainer", "image"}
	begin := []step{
		{name: "adopt", change: ofOperator},
		{name: "settled", change: all(taken, settled())},
	}
	followAll(t, map[string]sequence{
		"adopted-replicas": {
			reason: "All replicas stay in one LeaderWorkerSet, whose number of replicas changes, and which rolls by itself.",
			xr:     graph, cluster: harness.LWSVolcano,
			steps: append(begin[:2:2],
				step{name: "scale from 3 to 5", change: scale(5)},
				step{name: "settled with 5", change: settled()},
				step{name: "scale to 1", change: scale(1)},
				step{name: "scale to 2", change: all(settled(), scale(2))},
				step{name: "another image", change: all(settled(), set("registry.example.com/runtime:1.0.1", image...)), touched: worker},
				step{name: "rolling"},
				step{name: "rolled out", change: settled()},
				step{name: "the image of before", change: set("registry.example.com/runtime:1.0.0", image...), touched: worker, as: "scale to 2"},
				step{name: "rolled back", change: settled()},
				step{name: "restart", change: restart("first"), touched: []string{"frontend"}},
				step{name: "restart the worker", change: settled(), touched: worker},
				step{name: "restarted", change: settled()},
				step{name: "lose all references", change: lose()},
				step{name: "found again"},
			),
		},
		"adopted-replicas-to-zero": {
			reason: "When no replica runs any more, nothing keeps the replicas from a LeaderWorkerSet and a gang of their own.",
			xr:     graph, cluster: harness.LWSVolcano,
			steps: append(begin[:2:2],
				step{name: "scale to 0", change: scale(0), gone: []string{set0}},
				step{name: "none is left", change: gone(set0)},
				step{name: "scale to 2", change: scale(2)},
				step{name: "settled with 2", change: settled()},
				step{name: "scale to 1", change: scale(1), gone: []string{"leaderworkerset-worker-1", "podgroup-worker-1"}},
			),
		},
		"adopted-replicas-lost": {
			reason: "A LeaderWorkerSet that was deleted by hand comes back as one for each replica, with the same pods.",
			xr:     graph, cluster: harness.LWSVolcano,
			steps: append(begin[:2:2],
				step{name: "delete it by hand", change: remove(set0)},
				step{name: "settled again", change: settled()},
			),
		},
	})
}
