package workload

import (
	"testing"

	"github.com/crossplane/function-sdk-go/resource"
)

func TestUpdated(t *testing.T) {
	cases := map[string]struct {
		reason, object string
		want           int32
	}{
		"Deployment": {
			reason: "A Deployment with an old pod counts those of its own template.", want: 1,
			object: `{"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":1},"status":{"observedGeneration":1,"replicas":2,"updatedReplicas":1}}`,
		},
		"New": {reason: "An object without a status has updated nothing.", object: `{"apiVersion":"apps/v1","kind":"Deployment"}`},
		"LeaderWorkerSet": {
			reason: "A LeaderWorkerSet counts its groups.", want: 2,
			object: `{"apiVersion":"leaderworkerset.x-k8s.io/v1","kind":"LeaderWorkerSet","spec":{"replicas":2},"status":{"updatedReplicas":2}}`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := Updated(resource.MustStructJSON(tc.object)); got != tc.want {
				t.Errorf("%s\nUpdated(...): want %d, got %d", tc.reason, tc.want, got)
			}
		})
	}
}
