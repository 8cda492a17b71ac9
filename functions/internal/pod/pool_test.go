package pod

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/metadata"
)

// TestPoolLabel shows which pods carry the label of the InferencePool. A pod gets it only where no other label would do,
// since a new label restarts it.
func TestPoolLabel(t *testing.T) {
	cases := map[string]struct {
		reason   string
		services string
		want     map[string]bool
	}{
		"NoPicker": {
			reason:   "Without a picker there is no pool.",
			services: `{"P":{"componentType":"prefill"},"D":{"componentType":"decode"}}`,
			want:     map[string]bool{},
		},
		"OneType": {
			reason:   "One type of workers has its label in common.",
			services: `{"E":{"componentType":"epp"},"P":{"componentType":"worker"},"D":{"componentType":"worker"}}`,
			want:     map[string]bool{},
		},
		"Types": {
			reason:   "Prefill and decode workers have no label in common, and a frontend is not in the pool.",
			services: `{"E":{"componentType":"epp"},"F":{"componentType":"frontend"},"P":{"componentType":"prefill"},"D":{"componentType":"decode"}}`,
			want:     map[string]bool{"P/main": true, "D/main": true},
		},
		"Nodes": {
			reason:   "Workers of one node and leaders of several have no label in common; the other nodes take no requests.",
			services: `{"E":{"componentType":"epp"},"P":{"componentType":"worker"},"D":{"componentType":"worker","multinode":{"nodeCount":2}}}`,
			want:     map[string]bool{"P/main": true, "D/leader": true},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := planned(decodeServices(t, tc.services), graphplan.Service{Discovery: graphplan.Kubernetes})
			got := map[string]bool{}
			for _, name := range b.Graph.ServiceNames() {
				s := b.Graph.Spec.Services[name]
				roles := map[string]backend.Role{"main": backend.RoleMain}
				if IsMultinode(&s) {
					roles = map[string]backend.Role{"leader": backend.RoleLeader, "worker": backend.RoleWorker}
				}
				for role, of := range roles {
					if b.Build(name, of, backend.LWSHosts{}).Labels[metadata.LabelInferencePool] == "true" {
						got[name+"/"+role] = true
					}
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nlabelled: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
