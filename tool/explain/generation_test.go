package explain

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/corpus"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/previews"
)

// TestRolloutOfGenerations shows what a change of workers means, by what runs them.
func TestRolloutOfGenerations(t *testing.T) {
	const engine = "resources: {limits: {gpu: '1'}}, extraPodSpec: {mainContainer: {image: 'nvcr.io/nvidia/ai-dynamo/sglang-runtime:1.5.0', command: [python3, -m, dynamo.sglang], args: [--model-path, m]}}"
	cases := map[string]struct {
		reason          string
		cluster         string
		prefill, decode string
		want            string
	}{
		"Deployments": {reason: "Deployments add pods first.", cluster: "none", want: "the old generation stays until the new generation is complete"},
		"Recreate": {
			reason: "A Deployment that removes its pods first has no room.", cluster: "none", decode: "annotations: {nvidia.com/deployment-strategy: Recreate}, ",
			want: "no generation is complete while D starts again",
		},
		"Unavailable": {
			reason: "A Deployment of which all pods may be unavailable has no room.", cluster: "none",
			prefill: "replicas: 2, annotations: {nvidia.com/deployment-rolling-update-max-unavailable: 100%}, ", decode: "annotations: {nvidia.com/deployment-strategy: Recreate}, ",
			want: "no generation is complete while P and D start again",
		},
		"OneReplica": {
			reason: "A LeaderWorkerSet adds no replica.", cluster: "lws-volcano", decode: "multinode: {nodeCount: 2}, ",
			want: "no generation is complete while D starts again",
		},
		"TwoReplicas": {
			reason: "Of two LeaderWorkerSets, one serves.", cluster: "lws-volcano", decode: "replicas: 2, multinode: {nodeCount: 2}, ",
			want: "the old generation stays until the new generation is complete",
		},
		"Grove": {
			reason: "Grove adds no pods.", cluster: "grove-kai",
			want: "Grove replaces the pods of each where they are, so no generation may be complete for a while",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "graph.yaml")
			text := fmt.Sprintf("{apiVersion: nvidia.com/v1alpha1, kind: DynamoGraphDeployment, metadata: {name: a, namespace: ns}, spec: {backendFramework: sglang, services: {"+
				"P: {componentType: worker, subComponentType: prefill, %s%s}, D: {componentType: worker, subComponentType: decode, %s%s}}}}", tc.prefill, engine, tc.decode, engine)
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			e := explained(t, previews.On(t, corpus.Platform{Cluster: filepath.Join("examples", "cluster", tc.cluster+".yaml")}), path)
			if e.Generation == nil {
				t.Fatalf("want a generation of workers, got %s", e.Text())
			}
			if diff := cmp.Diff(tc.want, e.Generation.Rollout); diff != "" {
				t.Errorf("%s\nrollout: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
