package e2e

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
)

// A record holds every version of objects, in the order in which they were written.
type record struct {
	mutex    sync.Mutex
	versions []*unstructured.Unstructured
}

// record the versions of the objects of some kinds, until the test ends.
func (s *suite) record(t testing.TB, namespace string, kinds ...apiKind) *record {
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

// of an object: all versions until now.
func (r *record) of(ref controlplane.Ref) []*unstructured.Unstructured {
	return slices.DeleteFunc(r.all(), func(object *unstructured.Unstructured) bool { return controlplane.RefOf(object) != ref })
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

// holds whatever the namespace has of some kinds by now: watches lag a little, and more so while there is much to do.
func (r *record) holds(s *suite, namespace string, kinds ...apiKind) error {
	for _, k := range kinds {
		objects, err := s.Client.List(s.ctx, k.apiVersion, k.kind, namespace, "")
		if err != nil {
			return err
		}
		for i := range objects {
			if !r.reached(&objects[i]) {
				return fmt.Errorf("version %s of %s is not recorded yet", objects[i].GetResourceVersion(), controlplane.RefOf(&objects[i]))
			}
		}
	}
	return nil
}

// reached reports whether this version of an object is recorded, or a later one.
func (r *record) reached(object *unstructured.Unstructured) bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return slices.ContainsFunc(r.versions, func(v *unstructured.Unstructured) bool {
		return v.GetUID() == object.GetUID() && writtenAt(v) >= writtenAt(object)
	})
}

// conditions of what is recorded, one line for each version.
func (r *record) conditions(types ...string) string { return linesOf(r.all(), types...) }

// linesOf versions of objects, with their conditions of some types, one line for each.
func linesOf(versions []*unstructured.Unstructured, types ...string) string {
	var lines strings.Builder
	for _, object := range versions {
		fmt.Fprintf(&lines, "\n%d %s %s", writtenAt(object), object.GetKind(), object.GetName())
		if object.GetDeletionTimestamp() != nil {
			lines.WriteString(", being deleted")
		}
		for _, of := range types {
			if status, message := controlplane.Condition(object, of); status != "" {
				fmt.Fprintf(&lines, ", %s %s %q", of, status, message)
			}
		}
	}
	return lines.String()
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

// last is when the last recorded version was written.
func (r *record) last() int64 {
	var last int64
	for _, object := range r.all() {
		last = max(last, writtenAt(object))
	}
	return last
}

// claimsOf a graph are the numbers of its pods that were ready whenever it became Ready, in what was written after something else.
func (r *record) claimsOf(graph string, after int64) []int {
	h := history{ready: sets.New[string]()}
	for _, object := range r.all() {
		status, _ := controlplane.Condition(object, "Ready")
		switch {
		case object.GetKind() == dgd && object.GetName() == graph && writtenAt(object) <= after:
			h.status = status
		case object.GetKind() == dgd && object.GetName() == graph:
			h.graph(status)
		case object.GetKind() == "Pod" && object.GetLabels()[graphLabel] == graph:
			h.pod(string(object.GetUID()), status == "True" && object.GetDeletionTimestamp() == nil)
		}
	}
	if h.claim != nil {
		h.claims = append(h.claims, *h.claim)
	}
	return h.claims
}
