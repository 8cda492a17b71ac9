package crossplane

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/apiserver"
)

// NewLiveGraph is NewGraph for a graph whose objects a test makes fail and recover: controllers only report on new objects.
func NewLiveGraph(manifest *unstructured.Unstructured, cluster []*unstructured.Unstructured) *Graph {
	g := NewGraph(manifest, cluster)
	g.live = true
	return g
}

// Composite resource of the graph, which a test may edit.
func (g *Graph) Composite() *unstructured.Unstructured { return g.xr }

// Object that is composed for the graph under a key. nil if there is none. A test may write its status.
func (g *Graph) Object(key string) *unstructured.Unstructured { return g.composed[key] }

// Run one reconcile of a live graph: the desired state is applied, and Ready follows. A Fatal result only changes the conditions.
// https://github.com/crossplane/crossplane/blob/v2.4.0/internal/controller/apiextensions/composite/reconciler.go#L730
func (p *Pipeline) Run(ctx context.Context, g *Graph, functions Functions) (*Reconcile, error) {
	before := g.conditions()
	r, err := p.Reconcile(ctx, g, functions)
	if err != nil && !errors.Is(err, ErrFatal) {
		return r, err
	}
	said := r.said()
	if err != nil {
		for conditionType, c := range before {
			if _, ok := said[conditionType]; !ok && conditionType != "Ready" {
				c["status"], c["reason"] = "Unknown", "FatalError"
			}
		}
		before["Synced"] = map[string]any{"type": "Synced", "status": "False", "reason": "ReconcileError", "message": err.Error()}
		g.observe(before["Synced"])
		g.setConditions(before, said)
		return r, nil
	}
	if err := g.apply(p.Composition, r); err != nil {
		return r, err
	}
	before["Synced"], before["Ready"] = condition("Synced", "ReconcileSuccess", ""), r.ready()
	g.observe(before["Synced"], before["Ready"])
	g.setConditions(before, said)
	return r, nil
}

// observe sets the generation of conditions that Crossplane itself writes. Those of functions have none.
// https://github.com/crossplane/crossplane/blob/v2.4.0/internal/controller/apiextensions/composite/reconciler.go#L604
func (g *Graph) observe(written ...map[string]any) {
	for _, c := range written {
		c["observedGeneration"] = g.xr.GetGeneration()
	}
}

// ready is Crossplane's condition Ready after a successful reconcile.
func (r *Reconcile) ready() map[string]any {
	ready := r.Desired().GetComposite().GetReady() == fnv1.Ready_READY_TRUE
	if r.Desired().GetComposite().GetReady() == fnv1.Ready_READY_UNSPECIFIED {
		ready = true
		for _, resource := range r.Desired().GetResources() {
			ready = ready && resource.GetReady() == fnv1.Ready_READY_TRUE
		}
	}
	if ready {
		return condition("Ready", "Available", "")
	}
	return map[string]any{"type": "Ready", "status": "False", "reason": "Creating"}
}

// said are the conditions that the functions returned. The last one of each type counts.
func (r *Reconcile) said() map[string]map[string]any {
	all := map[string]map[string]any{}
	for _, c := range r.conditions() {
		if c, ok := c.(map[string]any); ok {
			all[fmt.Sprint(c["type"])] = c
		}
	}
	delete(all, "Synced")
	delete(all, "Ready")
	return all
}

// Condition of the composite resource by its type. nil if there is none.
func (g *Graph) Condition(conditionType string) map[string]any { return g.conditions()[conditionType] }

func (g *Graph) conditions() map[string]map[string]any {
	all := map[string]map[string]any{}
	list, _, _ := unstructured.NestedSlice(g.xr.Object, "status", "conditions")
	for _, c := range list {
		if c, ok := c.(map[string]any); ok {
			all[fmt.Sprint(c["type"])] = c
		}
	}
	return all
}

func (g *Graph) setConditions(before, said map[string]map[string]any) {
	maps.Copy(before, said)
	var list []any
	for _, conditionType := range sortedKeys(before) {
		list = append(list, before[conditionType])
	}
	// The value only consists of maps, slices and strings.
	_ = unstructured.SetNestedSlice(g.xr.Object, list, "status", "conditions")
}

// Remove a composed object, as a user may do, and return it.
func (g *Graph) Remove(key string) *unstructured.Unstructured {
	object := g.composed[key]
	delete(g.composed, key)
	return object
}

// Restore an object that was removed.
func (g *Graph) Restore(key string, object *unstructured.Unstructured) { g.composed[key] = object }

// Put an object into the cluster of the graph. It replaces one of the same kind and name.
func (g *Graph) Put(object *unstructured.Unstructured) {
	same := func(o *unstructured.Unstructured) bool {
		return o.GetKind() == object.GetKind() && o.GetName() == object.GetName()
	}
	g.cluster = append(slices.DeleteFunc(slices.Clone(g.cluster), same), object)
}

// Clone of the graph and its objects, for a different continuation.
func (g *Graph) Clone() *Graph {
	out := *g
	out.xr = g.xr.DeepCopy()
	out.composed = make(map[string]*unstructured.Unstructured, len(g.composed))
	for key, object := range g.composed {
		out.composed[key] = object.DeepCopy()
	}
	out.cluster = slices.Clone(g.cluster)
	return &out
}

// Cluster of the graph: the objects that can be looked up, except for its own.
func (g *Graph) Cluster() []*unstructured.Unstructured { return g.cluster }

// SetCluster replaces the cluster of the graph.
func (g *Graph) SetCluster(objects []*unstructured.Unstructured) { g.cluster = objects }

// condition that is True.
func condition(conditionType, reason, message string) map[string]any {
	return map[string]any{"type": conditionType, "status": "True", "reason": reason, "message": message, "lastTransitionTime": apiserver.Created}
}
