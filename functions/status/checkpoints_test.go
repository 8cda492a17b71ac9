package status

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

func TestCheckpointStatus(t *testing.T) {
	created := &graphplan.Checkpoint{Creates: true, Stored: []graphplan.StoredTemplate{{Template: "h1", PodSnapshot: "one"}, {Template: "h2", PodSnapshot: "two"}}}
	cases := map[string]struct {
		reason     string
		components map[string]graphplan.Component
		want       map[string]v1alpha1.CheckpointStatus
	}{
		"None": {reason: "A graph without checkpoints reports none.", components: map[string]graphplan.Component{"Frontend": {}}},
		"Some": {
			reason: "The ID of a checkpoint is in both fields, as with the Dynamo operator, and is left out while it is not known.",
			components: map[string]graphplan.Component{
				"Ready":   {Checkpoint: &graphplan.Checkpoint{Name: "warm", ID: "a1", ArtifactVersion: "1", Ready: true, Restores: true}},
				"Unknown": {Checkpoint: &graphplan.Checkpoint{Name: "other"}},
			},
			want: map[string]v1alpha1.CheckpointStatus{
				"Ready":   {CheckpointName: "warm", CheckpointID: "a1", IdentityHash: "a1", Ready: true},
				"Unknown": {CheckpointName: "other"},
			},
		},
		"Created": {
			reason:     "Of those that the graph has created, that of the pods is reported, if there is one.",
			components: map[string]graphplan.Component{"Worker": {Checkpoint: created}, "Changed": {Checkpoint: created}},
			want:       map[string]v1alpha1.CheckpointStatus{"Worker": {CheckpointName: "one", Ready: true}},
		},
	}
	template := func(hash string) *fnv1.Resource {
		return &fnv1.Resource{Resource: steptest.Struct(fmt.Sprintf(`{"spec":{"template":{"metadata":{"annotations":{"dynamo.nvidia.com/checkpoint-template":%q}},"spec":{}}}}`, hash))}
	}
	desired := map[string]*fnv1.Resource{"deployment-worker": template("h1"), "deployment-changed": template("h3")}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, checkpointStatus(desired, &graph.Graph{}, &graphplan.Plan{Components: tc.components})); diff != "" {
				t.Errorf("%s\ncheckpointStatus(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
