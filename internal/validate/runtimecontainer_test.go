package validate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/validate"
)

// TestRuntimeContainer shows what a component with the runtime in an init container may have.
func TestRuntimeContainer(t *testing.T) {
	const (
		at        = "spec.components[Worker]"
		forbidden = ": Forbidden: may not be combined with the runtime of Dynamo in init container runtime; remove it, or run the runtime in the main container"
		worker    = `"name":"Worker","type":"worker","podTemplate":{"spec":{"containers":[{"name":"main","image":"e","args":["serve"],"resources":{"limits":{"nvidia.com/gpu":"1"}}}],
			"initContainers":[{"name":"runtime","image":"r","restartPolicy":"Always"}]}}`
	)
	cases := map[string]struct {
		reason string
		more   string
		want   []string
	}{
		"Engine":     {reason: "The engine needs neither a command nor a framework."},
		"Multinode":  {reason: "There would be several engines.", more: `,"multinode":{"nodeCount":2}`, want: []string{at + ".multinode" + forbidden}},
		"Checkpoint": {reason: "The engine that is restored would be another container.", more: `,"experimental":{"checkpoint":{"enabled":true,"checkpointRef":"s"}}`, want: []string{at + ".experimental.checkpoint" + forbidden}},
		"Memory": {
			reason: "Neither container would be told where the weights are.", more: `,"experimental":{"gpuMemoryService":{"mode":"IntraPod"}}`,
			want: []string{at + ".experimental.gpuMemoryService" + forbidden},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			g := decodeTree(t, parse(t, `{"apiVersion":"nvidia.com/v1beta1","kind":"DynamoGraphDeployment","metadata":{"name":"llama","namespace":"inference"},"spec":{"components":[{`+worker+tc.more+`}]}}`))
			g.RunRuntimeContainer("Worker")
			got := validate.Spec(g, validate.Options{Grove: true}).Texts(g)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nSpec(...): -want, +got:\n%s", tc.reason, diff)
			}
			if warnings := validate.Warnings(g, graphplan.Resources{}); len(warnings) > 0 {
				t.Errorf("%s\nWarnings(...): want none, got %v", tc.reason, warnings)
			}
		})
	}
}
