package lws

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/harness"
)

// TestTopologyOnKAI renders the example with topology constraints off Grove, where Grove's topology object is there.
func TestTopologyOnKAI(t *testing.T) {
	xr := harness.Read(t, "examples/topology.yaml")[0]
	xr.SetAnnotations(map[string]string{"nvidia.com/enable-grove": "false"})
	cluster := append(harness.Read(t, kaiCluster(t)), harness.Read(t, harness.GroveKAI)...)
	out := harness.New(t).Render(t, harness.Render{XR: harness.Write(t, xr), Cluster: harness.Write(t, cluster...)})
	if out.Err != nil {
		t.Fatalf("%v: %s", out.Err, out.Stderr)
	}
	want := map[string]string{
		"kai.scheduler/topology": "my-cluster-topology", "kai.scheduler/topology-required-placement": keyOf(t, cluster, "rack"),
		"nvidia.com/topology-profile": "my-cluster-topology", "nvidia.com/topology-pack-domain": "rack",
	}
	sets := 0
	for _, object := range out.Composed {
		if object.GetKind() != "LeaderWorkerSet" {
			continue
		}
		sets++
		got := object.GetAnnotations()
		delete(got, harness.KeyAnnotation)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -want, +got:\n%s", object.GetName(), diff)
		}
	}
	if sets != 2 {
		t.Errorf("want 2 LeaderWorkerSets, got %d", sets)
	}
	for _, condition := range conditions(out.Composite) {
		if condition["type"] == "TopologyLevelsAvailable" && condition["status"] == "True" {
			return
		}
	}
	t.Errorf("condition TopologyLevelsAvailable is not True: %v", conditions(out.Composite))
}

// keyOf a domain is its node label in the topology object.
func keyOf(t *testing.T, cluster []*unstructured.Unstructured, domain string) string {
	t.Helper()
	for _, object := range cluster {
		levels, _, _ := unstructured.NestedSlice(object.Object, "spec", "levels")
		for _, level := range levels {
			if level, ok := level.(map[string]any); ok && level["domain"] == domain {
				key, _ := level["key"].(string)
				return key
			}
		}
	}
	t.Fatalf("the cluster has no topology with domain %s", domain)
	return ""
}

func conditions(composite *unstructured.Unstructured) []map[string]any {
	all, _, _ := unstructured.NestedSlice(composite.Object, "status", "conditions")
	var conditions []map[string]any
	for _, c := range all {
		if c, ok := c.(map[string]any); ok {
			conditions = append(conditions, c)
		}
	}
	return conditions
}
