package sequences

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// TestTopology follows a packed graph while the topology object changes under it.
func TestTopology(t *testing.T) {
	t.Parallel()
	refusedChange := "cannot be changed after creation"
	followAll(t, map[string]sequence{
		"topology-on-grove": {
			reason:  "A level that goes away is reported. It takes nothing with it, and changes no pod.",
			xr:      "examples/v1alpha1/topology.yaml",
			cluster: harness.GroveKAI,
			steps: []step{
				{name: "create"},
				{name: "settled"},
				{name: "remove level rack", change: withoutLevel("rack")},
				{name: "scale from 2 to 4 without the level", change: scale(4)},
				{name: "remove the topology object", change: withoutTopology},
				{name: "restore both", change: restoreTopology},
				{name: "settled again"},
				{name: "try another domain", change: set("block", "spec", "topologyConstraint", "packDomain"), refused: refusedChange},
				{name: "try no constraint", change: unset("spec", "topologyConstraint"), refused: refusedChange},
				{name: "take it back", change: set(map[string]any{"topologyProfile": "my-cluster-topology", "packDomain": "zone"}, "spec", "topologyConstraint")},
			},
		},
		"topology-on-volcano": {
			reason:  "What is packed stays so, and new replicas are packed like it, whatever the platform says meanwhile.",
			xr:      "examples/v1alpha1/topology.yaml",
			cluster: harness.LWSVolcano,
			input:   profileOf("zone", "block", "rack", "host") + "volcano: {topologyDialect: Tier}",
			steps: []step{
				{name: "create"},
				{name: "settled"},
				{name: "upgrade Volcano", change: input(profileOf("zone", "block", "rack", "host") + "volcano: {topologyDialect: TierName}")},
				{name: "scale from 2 to 4", change: scale(4)},
				{name: "remove level rack", change: input(profileOf("zone", "block", "host"))},
				{name: "remove the profile", change: input("")},
				{name: "scale to 1", change: scale(1), gone: []string{"leaderworkerset-worker-1", "leaderworkerset-worker-2", "leaderworkerset-worker-3"}},
				{
					name: "the pods have ended", change: gone("leaderworkerset-worker-1", "leaderworkerset-worker-2", "leaderworkerset-worker-3"),
					gone: []string{"podgroup-worker-1", "podgroup-worker-2", "podgroup-worker-3"},
				},
				{name: "restore it", change: input(profileOf("zone", "block", "rack", "host"))},
				{name: "try another domain", change: set("block", "spec", "services", "Worker", "topologyConstraint", "packDomain"), refused: refusedChange},
				{name: "try no constraint", change: unset("spec", "services", "Worker", "topologyConstraint"), refused: refusedChange},
			},
		},
		"topology-added-on-volcano": {
			reason:  "Replicas that were created where nothing packed them stay as they are, and so do new ones.",
			xr:      "examples/v1alpha1/topology.yaml",
			cluster: harness.LWSVolcano,
			steps: []step{
				{name: "create without a profile"},
				{name: "define the profile", change: input(profileOf("zone", "block", "rack", "host"))},
				{name: "scale from 2 to 3", change: scale(3)},
			},
		},
	})
}

// withoutLevel removes the level of a domain from the topology object.
func withoutLevel(domain string) func(*testing.T, *harness.Chain) {
	return func(t *testing.T, c *harness.Chain) {
		t.Helper()
		topology := c.Cluster[topologyIn(t, c.Cluster)]
		levels, _, err := unstructured.NestedSlice(topology.Object, "spec", "levels")
		if err != nil {
			t.Fatal(err)
		}
		levels = slices.DeleteFunc(levels, func(level any) bool {
			fields, _ := level.(map[string]any)
			return fields["domain"] == domain
		})
		if err := unstructured.SetNestedSlice(topology.Object, levels, "spec", "levels"); err != nil {
			t.Fatal(err)
		}
	}
}

func withoutTopology(t *testing.T, c *harness.Chain) {
	t.Helper()
	i := topologyIn(t, c.Cluster)
	c.Cluster = slices.Delete(c.Cluster, i, i+1)
}

func restoreTopology(t *testing.T, c *harness.Chain) {
	t.Helper()
	cluster := harness.Read(t, harness.GroveKAI)
	c.Cluster = append(c.Cluster, cluster[topologyIn(t, cluster)])
}

func topologyIn(t *testing.T, cluster []*unstructured.Unstructured) int {
	t.Helper()
	i := slices.IndexFunc(cluster, func(o *unstructured.Unstructured) bool { return o.GetKind() == "ClusterTopologyBinding" })
	if i < 0 {
		t.Fatal("the cluster has no topology object")
	}
	return i
}

// profileOf these levels is the input of a platform that defines the topology of the example.
func profileOf(domains ...string) string {
	var levels []string
	for _, domain := range domains {
		levels = append(levels, "{domain: "+domain+", key: example.org/"+domain+"}")
	}
	return "topology: {profiles: [{name: my-cluster-topology, levels: [" + strings.Join(levels, ", ") + "]}]}\n"
}
