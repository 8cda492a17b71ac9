package status

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
)

func TestCheckpointStatus(t *testing.T) {
	cases := map[string]struct {
		reason   string
		services map[string]graphplan.Service
		want     map[string]v1alpha1.CheckpointStatus
	}{
		"None": {reason: "A graph without checkpoints reports none.", services: map[string]graphplan.Service{"Frontend": {}}},
		"Some": {
			reason: "The ID of a checkpoint is in both fields, as with the Dynamo operator, and is left out while it is not known.",
			services: map[string]graphplan.Service{
				"Ready":   {Checkpoint: &graphplan.Checkpoint{Name: "warm", ID: "a1", ArtifactVersion: "1", Ready: true, Restores: true}},
				"Unknown": {Checkpoint: &graphplan.Checkpoint{Name: "other"}},
			},
			want: map[string]v1alpha1.CheckpointStatus{
				"Ready":   {CheckpointName: "warm", CheckpointID: "a1", IdentityHash: "a1", Ready: true},
				"Unknown": {CheckpointName: "other"},
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, checkpointStatus(&graphplan.Plan{Services: tc.services})); diff != "" {
				t.Errorf("%s\ncheckpointStatus(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
