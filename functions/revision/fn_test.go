package revision

import (
	"maps"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

const planned = `{"version":2,"release":"development","orchestrator":"Deployment","totalGPUs":0,"services":{
	"Worker":{"discovery":"kubernetes","dynamoNamespace":"d","written":"a"}}}`

// podsOfOne is how the pods with image "one" are recorded.
const podsOfOne = `{
 "metadata": {
  "labels": {
   "app": "worker"
  }
 },
 "spec": {
  "containers": [
   {
    "image": "one",
    "name": "main"
   }
  ]
 }
}
`

// resources by key.
type resources = map[string]*fnv1.Resource

func TestRunFunction(t *testing.T) {
	const key, name = "revision-412aec229e", "llama-412aec229e"
	rendered, changed := object(t, deployment("one", "")), object(t, deployment("two", ""))
	recorded := func(number int) *structpb.Struct {
		return object(t, fields{
			"apiVersion": "apps/v1", "kind": "ControllerRevision", "revision": number,
			"metadata": fields{"name": name, "namespace": "inference", "labels": fields{
				"nvidia.com/dynamo-graph-deployment-name": "llama", "app.kubernetes.io/managed-by": "configuration-dynamo",
			}},
			"data": fields{"format": 1, "components": fields{"Worker": fields{
				"written": "a", "release": "development", "pods": podsOfOne,
				"hash": "c8436bb4779896fade574a91fa6ca0933bb5cd4eb5db87cfd2c34d043af5c20c",
			}}},
		})
	}
	pinned := tree.WithText(rendered, "c8436bb477", "dynamo.nvidia.com/revision", "metadata", "annotations")
	status := func(more fields) *fnv1.Resource {
		revision := fields{"name": name, "written": "a", "release": "development"}
		maps.Copy(revision, more)
		return &fnv1.Resource{Resource: object(t, fields{"status": fields{"services": fields{"Worker": fields{"revision": revision}}}})}
	}
	ingress := &fnv1.Resource{Resource: object(t, fields{"kind": "Ingress"}), Ready: fnv1.Ready_READY_TRUE}
	cases := map[string]struct {
		reason            string
		observed, desired resources
		want              *fnv1.State
	}{
		"Created": {
			reason:  "The pod templates of a new graph are recorded, its workload names the revision, and what is not a workload is passed on.",
			desired: resources{"deployment-worker": {Resource: rendered}, "ingress-worker": ingress},
			want: &fnv1.State{Composite: status(nil), Resources: resources{
				"deployment-worker": {Resource: pinned}, "ingress-worker": ingress, key: {Resource: recorded(1), Ready: fnv1.Ready_READY_TRUE},
			}},
		},
		"Pinned": {
			reason:   "The pod template of the revision is desired while the user has not changed it, whatever the steps before render.",
			observed: resources{"deployment-worker": {Resource: pinned}, key: {Resource: recorded(7), Ready: fnv1.Ready_READY_TRUE}},
			desired:  resources{"deployment-worker": {Resource: changed, Ready: fnv1.Ready_READY_TRUE}},
			want: &fnv1.State{
				Composite: status(fields{"outdated": true, "reason": "the pods of a new graph would differ in spec.containers[0].image"}),
				Resources: resources{"deployment-worker": {Resource: pinned, Ready: fnv1.Ready_READY_TRUE}, key: {Resource: recorded(7), Ready: fnv1.Ready_READY_TRUE}},
			},
		},
		"NoWorkload": {
			reason:   "A service whose workload another step has taken away keeps its place in the revision.",
			observed: resources{key: {Resource: recorded(1), Ready: fnv1.Ready_READY_TRUE}},
			want:     &fnv1.State{Composite: status(nil), Resources: resources{key: {Resource: recorded(1), Ready: fnv1.Ready_READY_TRUE}}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := steptest.Request(`{"services":{"Worker":{}}}`, planned)
			req.Observed.Resources = tc.observed
			req.Desired = &fnv1.State{Resources: tc.desired}
			want := &fnv1.RunFunctionResponse{
				Meta: &fnv1.ResponseMeta{Tag: "tag", Ttl: durationpb.New(10 * time.Minute)}, Context: req.GetContext(), Desired: tc.want,
			}
			got := steptest.Run(t, NewFunction(logging.NewNopLogger()), req)
			if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
				t.Errorf("%s\nRunFunction(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
