package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// TestClusterRecord records a cluster with kubectl, and validates a graph on it: the same as on the cluster itself, without kubectl.
func TestClusterRecord(t *testing.T) {
	path := os.Getenv("PATH")
	c := newCluster(t)
	api := harness.APIService(t, "v1.leaderworkerset.x-k8s.io")
	api.SetUID("a")
	service := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Service"}}
	service.SetName("agg-vllm-frontend")
	service.SetNamespace("inference")
	service.SetOwnerReferences([]metav1.OwnerReference{
		{APIVersion: "nvidia.com/v1beta1", Kind: "DynamoGraphDeployment", Name: "agg-vllm", UID: "c", Controller: new(true)},
	})
	c.put(t, api, service)
	c.write(t, "failure ClusterTopologyBinding", "Error from server (Forbidden): clustertopologybindings.grove.io is forbidden: "+
		"User \"a\" cannot list resource \"clustertopologybindings\" in API group \"grove.io\" at the cluster scope\n")
	const graph = "../../examples/agg-vllm.yaml"
	got := ended(t, "", "cluster", "record", "-f", graph)
	if got.code != 0 || !strings.Contains(got.out, "name: v1.leaderworkerset.x-k8s.io\n") || !strings.Contains(got.out, "name: agg-vllm-frontend\n") || strings.Contains(got.out, "uid: a") {
		t.Fatalf("want the APIs and the Service whose name the graph takes, got %d, %s and\n%s", got.code, got.err, got.out)
	}
	if want := "not recorded, because you may not list clustertopologybindings.grove.io in the whole cluster\n"; !strings.Contains(got.err, want) {
		t.Errorf("want %q, got %q", want, got.err)
	}
	t.Setenv("PATH", path)
	file := filepath.Join(c.folder, "cluster.yaml")
	if err := os.WriteFile(file, []byte(got.out), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := validate(t, "", graph, "--cluster", file); got.code != 0 {
		t.Errorf("want a graph to have the names that it has in the cluster, got %d and\n%s", got.code, got.out)
	}
	if got := explainGraph(t, graph, "--cluster", file); got.code != 0 || !strings.Contains(got.out, "Deployment, ") {
		t.Errorf("want the graph as it runs in the cluster, got %d, %s and\n%s", got.code, got.err, got.out)
	}
}
