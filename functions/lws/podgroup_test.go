package lws

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
)

// TestKeepPodGroups follows the gang of a replica that the graph no longer has.
func TestKeepPodGroups(t *testing.T) {
	const group = `{"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup","metadata":{"name":"llama-worker-1","namespace":"inference"},"spec":{"minMember":2}}`
	const set = `{"apiVersion":"leaderworkerset.x-k8s.io/v1","kind":"LeaderWorkerSet","metadata":{"name":"llama-worker-1"},
		"spec":{"leaderWorkerTemplate":{"workerTemplate":{"metadata":{"annotations":{"scheduling.k8s.io/group-name":"llama-worker-1"}},"spec":{"containers":[]}}}}}`
	cases := map[string]struct {
		reason string
		found  []string
		want   bool
	}{
		"Leaving": {reason: "The pods of a gang are members until they are gone.", found: []string{set}, want: true},
		"Gone":    {reason: "A gang whose pods are gone goes."},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := steptest.Request(steptest.TwoNodes(t), steptest.OnLeaderWorkerSets(t, steptest.ByPodGroup(), steptest.Components("etcd", "Worker")))
			req.Observed.Resources = steptest.State(map[string]any{"podgroup-worker-1": group}).GetResources()
			found := &fnv1.Resources{}
			for _, object := range tc.found {
				found.Items = append(found.Items, &fnv1.Resource{Resource: resource.MustStructJSON(object)})
			}
			req.RequiredResources = map[string]*fnv1.Resources{"leaving-leaderworkerset": found}
			got, composed := run(t, req).GetDesired().GetResources()["podgroup-worker-1"]
			if composed != tc.want {
				t.Fatalf("%s\nRunFunction(...): kept is %t", tc.reason, composed)
			}
			if diff := cmp.Diff(resource.MustStructJSON(group), got.GetResource(), protocmp.Transform()); composed && diff != "" {
				t.Errorf("%s\nRunFunction(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
