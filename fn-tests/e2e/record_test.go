package e2e

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// A record holds every version of objects, in the order in which they were written.
type record struct {
	mutex    sync.Mutex
	versions []*unstructured.Unstructured
}

// record the versions of the objects of some kinds, until the test ends.
func (s *suite) record(t *testing.T, namespace string, kinds ...apiKind) *record {
	t.Helper()
	ctx, stop := context.WithCancel(s.ctx)
	t.Cleanup(stop)
	r := &record{}
	for _, k := range kinds {
		if err := s.Client.Watch(ctx, k.apiVersion, k.kind, namespace, r.add); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// apiKind is a kind of objects.
type apiKind struct{ apiVersion, kind string }

func (r *record) add(object *unstructured.Unstructured) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.versions = append(r.versions, object)
}

// all versions until now.
func (r *record) all() []*unstructured.Unstructured {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return slices.SortedStableFunc(slices.Values(r.versions), func(a, b *unstructured.Unstructured) int {
		return int(writtenAt(a) - writtenAt(b))
	})
}

// writtenAt says when a version was written: resource versions count the writes of the whole cluster.
// https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions
func writtenAt(object *unstructured.Unstructured) int64 {
	version, err := strconv.ParseInt(object.GetResourceVersion(), 10, 64)
	if err != nil {
		return 0
	}
	return version
}

// replicasOf a recorded object, one after the other, each once until the next.
func (r *record) replicasOf(name string) []int64 {
	var all []int64
	for _, object := range r.all() {
		replicas, found, err := unstructured.NestedInt64(object.Object, "spec", "replicas")
		if err == nil && found && object.GetName() == name {
			all = append(all, replicas)
		}
	}
	return slices.Compact(all)
}
