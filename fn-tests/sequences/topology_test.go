package sequences

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/harness"
)

// TestTopology follows a packed graph while the topology object changes under it.
func TestTopology(t *testing.T) {
	refusedChange := "spec.topologyConstraint"
	followAll(t, map[string]sequence{
		"topology-on-grove": {
			reason:  "A level that goes away is reported. It takes nothing with it, and changes no pod.",
			xr:      "examples/topology.yaml",
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
