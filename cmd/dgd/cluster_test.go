package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestClusterRecord records a cluster with kubectl, and validates a graph on it: the same as on the cluster itself, without kubectl.
func TestClusterRecord(t *testing.T) {
	folder := t.TempDir()
	script := `#!/bin/sh
case "$*" in
*' APIService.'*v1.leaderworkerset.x-k8s.io*) cat <<'END'
{"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": {"name": "v1.leaderworkerset.x-k8s.io", "uid": "a"}}
END
;;
*' Service.'*) cat <<'END'
{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "agg-vllm-frontend", "namespace": "inference", "ownerReferences":
  [{"apiVersion": "nvidia.com/v1beta1", "kind": "DynamoGraphDeployment", "name": "agg-vllm", "uid": "c", "controller": true}]}}
END
;;
*' ClusterTopologyBinding.'*)
  echo 'Error from server (Forbidden): clustertopologybindings.grove.io is forbidden: User "a" cannot list resource "clustertopologybindings" in API group "grove.io" at the cluster scope' >&2
  exit 1 ;;
esac
`
	if err := os.WriteFile(filepath.Join(folder, "kubectl"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	path := os.Getenv("PATH")
	t.Setenv("PATH", folder+":"+path)
	const graph = "../../examples/agg-vllm.yaml"
	got := ended(t, "", "cluster", "record", "-f", graph)
	if got.code != 0 || !strings.Contains(got.out, "name: v1.leaderworkerset.x-k8s.io\n") || !strings.Contains(got.out, "name: agg-vllm-frontend\n") || strings.Contains(got.out, "uid: a") {
		t.Fatalf("want the APIs and the Service whose name the graph takes, got %d, %s and\n%s", got.code, got.err, got.out)
	}
	if want := "not recorded, because you may not list clustertopologybindings.grove.io in the whole cluster\n"; !strings.Contains(got.err, want) {
		t.Errorf("want %q, got %q", want, got.err)
	}
	t.Setenv("PATH", path)
	file := filepath.Join(folder, "cluster.yaml")
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
