package harness

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/apiserver"
)

// Chain renders one graph repeatedly, as Crossplane does: the next render observes what the previous one composed. An object that is no
// longer composed is deleted. It is no longer observed, but remains in the cluster until the test removes it. If it is composed again
// before that, it is observed again, but its deletion continues.
type Chain struct {
	// XR is the composite resource. A test edits its spec between renders.
	XR *unstructured.Unstructured

	// Composition for the render. Defaults to the namespaced one.
	Composition string

	// Cluster contains the objects that do not belong to the graph.
	Cluster []*unstructured.Unstructured

	// Objects of the graph by their keys, as the API server has them. A test writes the fields that belong to controllers.
	Objects map[string]*unstructured.Unstructured

	// Terminating objects by their keys. They are deleted, but still exist. Some may have been composed again.
	Terminating map[string]*unstructured.Unstructured

	// Unreferenced objects by their keys. They exist but are not observed, because the composite resource has no references to them.
	Unreferenced map[string]*unstructured.Unstructured

	binary *Binary
	server apiserver.Server
}

// NewChain of a manifest in a cluster, both paths relative to the root of the repository or absolute.
func NewChain(t testing.TB, binary *Binary, xr, cluster string) *Chain {
	t.Helper()
	return &Chain{
		XR:          Read(t, xr)[0],
		Cluster:     Read(t, cluster),
		Objects:     map[string]*unstructured.Unstructured{},
		Terminating: map[string]*unstructured.Unstructured{},

		Unreferenced: map[string]*unstructured.Unstructured{},

		binary: binary,
	}
}

// Lose the references to objects, as a replace of the composite resource does. Without keys, all references are lost.
func (c *Chain) Lose(t testing.TB, keys ...string) {
	t.Helper()
	if len(keys) == 0 {
		keys = slices.Collect(maps.Keys(c.Objects))
		unstructured.RemoveNestedField(c.XR.Object, "spec", "crossplane")
	}
	for _, key := range keys {
		object, ok := c.Objects[key]
		if !ok {
			t.Fatalf("%s is not observed", key)
		}
		c.Unreferenced[key] = object
		delete(c.Objects, key)
		c.forget(t, object)
	}
}

// forget the reference to an object.
func (c *Chain) forget(t testing.TB, object *unstructured.Unstructured) {
	t.Helper()
	path := []string{"spec", "crossplane", "resourceRefs"}
	refs, ok, err := unstructured.NestedSlice(c.XR.Object, path...)
	if err != nil {
		t.Fatal(err)
	}
	if !ok {
		return
	}
	refs = slices.DeleteFunc(refs, func(ref any) bool {
		fields, _ := ref.(map[string]any)
		return fields["kind"] == object.GetKind() && fields["name"] == object.GetName()
	})
	if err := unstructured.SetNestedSlice(c.XR.Object, refs, path...); err != nil {
		t.Fatal(err)
	}
}

// Gone removes objects whose deletion is complete.
func (c *Chain) Gone(t testing.TB, keys ...string) {
	t.Helper()
	for _, key := range keys {
		if _, ok := c.Terminating[key]; !ok {
			t.Fatalf("%s is not being deleted", key)
		}
		delete(c.Terminating, key)
		delete(c.Objects, key)
	}
}

// Render once more. A failed render changes nothing.
func (c *Chain) Render(t testing.TB) Output {
	t.Helper()
	out := c.RenderWith(t, c.Composition)
	if out.Err == nil {
		c.apply(t, out)
	}
	return out
}

// RenderWith renders once more with another Composition, and changes nothing.
func (c *Chain) RenderWith(t testing.TB, composition string) Output {
	t.Helper()
	cluster := slices.Concat(c.Cluster, sorted(c.there()))
	// What is not desired of the status any more is removed, as by server-side apply.
	render := Render{ChangesOnly: true, XR: Write(t, c.XR), Composition: composition, Cluster: Write(t, cluster...)}
	if len(c.Objects) > 0 {
		render.Observed = Write(t, sorted(c.Objects)...)
	}
	return c.binary.Render(t, render)
}

// there are all objects of the graph in the cluster.
func (c *Chain) there() map[string]*unstructured.Unstructured {
	there := maps.Clone(c.Terminating)
	maps.Copy(there, c.Unreferenced)
	maps.Copy(there, c.Objects)
	return there
}

// apply what was rendered, as the API server would.
func (c *Chain) apply(t testing.TB, out Output) {
	t.Helper()
	c.XR.Object["status"] = out.Composite.Object["status"]
	if err := unstructured.SetNestedMap(c.XR.Object, nestedMap(t, out.Composite, "spec", "crossplane"), "spec", "crossplane"); err != nil {
		t.Fatal(err)
	}
	there := c.there()
	before := maps.Clone(c.Objects)
	c.Objects = map[string]*unstructured.Unstructured{}
	for _, object := range out.Composed {
		key := Key(object)
		c.Objects[key] = c.server.Apply(object, there[key])
		delete(c.Unreferenced, key)
		delete(before, key)
	}
	for key, object := range before {
		object = object.DeepCopy()
		object.SetDeletionTimestamp(new(metav1.Date(2026, time.January, 2, 0, 0, 0, 0, time.UTC)))
		c.Terminating[key] = object
	}
}

// sorted objects, by their keys.
func sorted(objects map[string]*unstructured.Unstructured) []*unstructured.Unstructured {
	all := make([]*unstructured.Unstructured, 0, len(objects))
	for _, key := range slices.Sorted(maps.Keys(objects)) {
		all = append(all, objects[key])
	}
	return all
}

func nestedMap(t testing.TB, object *unstructured.Unstructured, path ...string) map[string]any {
	t.Helper()
	fields, ok, err := unstructured.NestedMap(object.Object, path...)
	if err != nil || !ok {
		t.Fatal(fmt.Errorf("%s %s has no %v: %w", object.GetKind(), object.GetName(), path, err))
	}
	return fields
}
