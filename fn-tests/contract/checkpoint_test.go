package contract

import (
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// TestCheckpoint pins the example with a checkpoint in a cluster that has it: its workers are restored.
func TestCheckpoint(t *testing.T) {
	out := harness.New(t).Render(t, harness.Render{
		XR:          "examples/checkpoint-vllm.yaml",
		Composition: harness.CompositionWithInput(t, "checkpoints: {mode: Enabled, storage: {claimName: snapshot-pvc, basePath: /checkpoints}}"),
		Cluster:     "examples/cluster/all.yaml",
	})
	if out.Err != nil {
		t.Fatalf("%v: %s", out.Err, out.Stderr)
	}
	pin(t, "checkpoint-restored", out)
}
