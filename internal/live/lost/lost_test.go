package lost

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// object with a key that a composite resource controls, with changes of its metadata.
func object(name, key string, controller types.UID, changes ...func(*metav1.ObjectMeta)) *structpb.Struct {
	meta := metav1.ObjectMeta{
		Name: name, Namespace: "inference", Annotations: map[string]string{"crossplane.io/composition-resource-name": key},
		OwnerReferences: []metav1.OwnerReference{{UID: controller, Controller: new(true)}},
	}
	for _, change := range changes {
		change(&meta)
	}
	return steptest.Struct(map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta, "spec": map[string]int{"replicas": 7}})
}

// managedBy says which manager has applied or updated which field of the spec.
func managedBy(manager string, operation metav1.ManagedFieldsOperationType, fields string) func(*metav1.ObjectMeta) {
	return func(meta *metav1.ObjectMeta) {
		meta.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: manager, Operation: operation, APIVersion: "apps/v1", FieldsV1: metav1.NewFieldsV1(fields)}}
	}
}

// request of graph u1, of which objects are observed by their keys.
func request(observed map[string]*structpb.Struct) *fnv1.RunFunctionRequest {
	req := &fnv1.RunFunctionRequest{
		Meta:    &fnv1.RequestMeta{Tag: "tag"},
		Input:   resource.MustStructJSON(`{"kind":"Input"}`),
		Context: resource.MustStructJSON(`{"a":"b"}`),
		Observed: &fnv1.State{
			Composite: &fnv1.Resource{Resource: resource.MustStructJSON(`{"metadata":{"uid":"u1"}}`)},
			Resources: map[string]*fnv1.Resource{},
		},
		RequiredResources: map[string]*fnv1.Resources{"queue": {}},
	}
	for key, o := range observed {
		req.Observed.Resources[key] = &fnv1.Resource{Resource: o}
	}
	return req
}

func TestAdd(t *testing.T) {
	observed := map[string]*structpb.Struct{"deployment-frontend": object("llama-frontend", "deployment-frontend", "u1")}
	cases := map[string]struct {
		reason string
		object *structpb.Struct
		want   []string
	}{
		"Lost":        {reason: "An object of the graph that is not observed is lost.", object: object("llama-worker", "deployment-worker", "u1"), want: []string{"deployment-worker"}},
		"Observed":    {reason: "An object of the graph that is observed is not lost.", object: object("llama-frontend", "deployment-frontend", "u1")},
		"Another":     {reason: "An object of another graph is not lost.", object: object("llama-worker", "deployment-worker", "u2")},
		"AnotherStep": {reason: "An object of another function is not lost.", object: object("bucket", "bucket", "u1")},
		"NoKey":       {reason: "An object that was not composed is not lost.", object: object("llama-worker", "", "u1")},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			objects := Objects{}
			objects.Add(request(observed), tc.object)
			if diff := cmp.Diff(tc.want, slices.Sorted(maps.Keys(objects))); diff != "" {
				t.Errorf("%s\nAdd(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestObserve shows that only what is observed changes, and not in the request that is given.
func TestObserve(t *testing.T) {
	frontend, worker := object("llama-frontend", "deployment-frontend", "u1"), object("llama-worker", "deployment-worker", "u1")
	req := request(map[string]*structpb.Struct{"deployment-frontend": frontend})
	before := proto.CloneOf(req)
	want := request(map[string]*structpb.Struct{"deployment-frontend": frontend, "deployment-worker": worker})
	if diff := cmp.Diff(want, Objects{"deployment-worker": worker}.Observe(req), protocmp.Transform()); diff != "" {
		t.Errorf("Observe(...): -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff(before, req, protocmp.Transform()); diff != "" {
		t.Errorf("Observe(...) changes the request: -before, +after:\n%s", diff)
	}
	if got := (Objects{}).Observe(req); got != req {
		t.Error("Observe(...): want the request itself when nothing is lost")
	}
}

func TestRestore(t *testing.T) {
	const key = "deployment-worker"
	list := []graphplan.LostObject{{Key: key, APIVersion: "apps/v1", Kind: "Deployment", Name: "llama-worker"}}
	applied := managedBy("apiextensions.crossplane.io/composed/01", metav1.ManagedFieldsOperationApply, `{"f:spec":{"f:paused":{}}}`)
	restored := managedBy("velero", metav1.ManagedFieldsOperationUpdate, `{"f:spec":{"f:replicas":{}}}`)
	deleted := func(meta *metav1.ObjectMeta) {
		meta.DeletionTimestamp = new(metav1.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC))
	}
	others := &fnv1.Resource{Resource: resource.MustStructJSON(`{"kind":"Bucket"}`)}
	wanted := &fnv1.Resource{Resource: resource.MustStructJSON(`{"kind":"Deployment"}`)}
	ready := func(object string) *fnv1.Resource {
		return &fnv1.Resource{Resource: resource.MustStructJSON(object), Ready: fnv1.Ready_READY_TRUE}
	}
	cases := map[string]struct {
		reason   string
		observed *structpb.Struct
		desired  *fnv1.Resource
		want     *fnv1.Resource
	}{
		"Unwanted": {
			reason:   "An object that no step composes any more is desired as Crossplane applied it, and its readiness does not matter.",
			observed: object("llama-worker", key, "u1", applied),
			want:     ready(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"llama-worker","namespace":"inference"},"spec":{}}`),
		},
		"RestoredFromBackup": {
			reason:   "What was restored from a backup is not known to be Crossplane's, and is desired whole.",
			observed: object("llama-worker", key, "u1", restored),
			want:     ready(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"llama-worker","namespace":"inference"},"spec":{"replicas":7}}`),
		},
		"Wanted": {
			reason:   "What a step composes stays as the step wants it.",
			observed: object("llama-worker", key, "u1", applied),
			desired:  wanted, want: wanted,
		},
		"Terminating": {
			reason:   "What is being deleted goes.",
			observed: object("llama-worker", key, "u1", deleted),
		},
		"Gone": {reason: "What has gone since the plan was made is not created again."},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := request(nil)
			if tc.observed != nil {
				req = request(map[string]*structpb.Struct{key: tc.observed})
			}
			rsp := &fnv1.RunFunctionResponse{Desired: &fnv1.State{Resources: map[string]*fnv1.Resource{"bucket": others}}}
			want := &fnv1.State{Resources: map[string]*fnv1.Resource{"bucket": others}}
			if tc.desired != nil {
				rsp.Desired.Resources[key] = tc.desired
			}
			if tc.want != nil {
				want.Resources[key] = tc.want
			}
			Restore(req, rsp, list)
			if diff := cmp.Diff(want, rsp.GetDesired(), protocmp.Transform()); diff != "" {
				t.Errorf("%s\nRestore(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
