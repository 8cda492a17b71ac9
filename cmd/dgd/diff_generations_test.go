package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// generations is a graph whose workers are told apart by their generation. Its worker for decoding has no room for an old and a new replica.
const generations = `
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata: {name: llama, namespace: inference}
spec:
  backendFramework: vllm
  components:
    - name: Prefill
      type: prefill
      podTemplate: {spec: {containers: [{name: main, image: "registry.example.com/vllm:1.5.0",
        command: [python3, -m, dynamo.vllm, --model, m, --disaggregation-mode, prefill], resources: {limits: {nvidia.com/gpu: "1"}}}]}}
    - name: Decode
      type: decode
`

// onOneNode and onNodes are two forms of the worker for decoding. Each of them stops its only replica before it starts another.
const (
	onOneNode = `      podTemplate: {metadata: {annotations: {nvidia.com/deployment-strategy: Recreate}}, spec: {containers: [{name: main,
        image: "registry.example.com/vllm:1.5.0", command: [python3, -m, dynamo.vllm, --model, m, --disaggregation-mode, decode],
        resources: {limits: {nvidia.com/gpu: "1"}}}]}}
`
	onNodes = `      multinode: {nodeCount: 2}
      podTemplate: {spec: {containers: [{name: main, image: "registry.example.com/vllm:1.5.0",
        command: [python3, -m, dynamo.vllm, --model, m, --disaggregation-mode, decode, -tp, "2"], resources: {limits: {nvidia.com/gpu: "1"}}}]}}
`
)

// TestDiffGenerations checks that a change of one worker is followed until all workers have the new generation.
func TestDiffGenerations(t *testing.T) {
	if testing.Short() {
		t.Skip("a command that compares one graph runs in one goroutine, which has no races, and is slow with the race detector")
	}
	cases := map[string]struct {
		reason, decode, restarts string
	}{
		"Deployment": {
			reason: "A Deployment without room is replaced when all others have started.", decode: onOneNode,
			restarts: "  Decode: its pod restarts at once (generation of the workers)\n",
		},
		"LeaderWorkerSet": {
			reason: "The pods of a single replica on several nodes are replaced last, too.", decode: onNodes,
			restarts: "  Decode: all 2 pods restart (generation of the workers)\n",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			before := generations + tc.decode
			path := filepath.Join(t.TempDir(), "before.yaml")
			if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
				t.Fatal(err)
			}
			got := compared(t, strings.Replace(before, "vllm:1.5.0", "vllm:1.5.1", 1), path, "-", "--cluster=lws-volcano")
			if !strings.Contains(got.out, tc.restarts) || !strings.Contains(got.out, "  Prefill: its pod restarts (generation of the workers, image)\n") {
				t.Errorf("%s\nwant all workers to restart, got:\n%s%s", tc.reason, got.out, got.err)
			}
			if strings.Contains(got.out, "minReadySeconds") {
				t.Errorf("%s\nwhat keeps old pods does not stay, got:\n%s", tc.reason, got.out)
			}
		})
	}
}
