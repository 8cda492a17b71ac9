package crossplane

import (
	"fmt"
	"maps"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/apiserver"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/pipeline"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
)

// Labels and annotations of Crossplane.
const (
	annotationKey  = "crossplane.io/composition-resource-name"
	labelComposite = "crossplane.io/composite"
)

// A Graph is a composite resource with its composed resources, as the API server has them.
type Graph struct {
	xr       *unstructured.Unstructured
	composed map[string]*unstructured.Unstructured
	cluster  []*unstructured.Unstructured
	server   apiserver.Server

	// live is true if controllers do not report on an object again until a test changes its status. Otherwise every object is ready as soon
	// as it is applied.
	live bool
}

// NewGraph of a manifest that was just applied to a cluster with these objects.
func NewGraph(manifest *unstructured.Unstructured, cluster []*unstructured.Unstructured) *Graph {
	g := &Graph{xr: manifest.DeepCopy(), composed: map[string]*unstructured.Unstructured{}, cluster: cluster}
	g.server.Create(g.xr)
	g.xr.SetLabels(with(g.xr.GetLabels(), labelComposite, g.xr.GetName()))
	g.xr.SetFinalizers([]string{"composite.apiextensions.crossplane.io"})
	return g
}

// Composed are the keys of the composed resources, sorted.
func (g *Graph) Composed() []string { return sortedKeys(g.composed) }

// world contains the objects that can be looked up for the graph.
func (g *Graph) world() pipeline.Objects {
	return append(append(pipeline.Objects{}, g.cluster...), g.Objects()...)
}

// Objects are the composed resources by their keys.
func (g *Graph) Objects() []*unstructured.Unstructured {
	all := make([]*unstructured.Unstructured, 0, len(g.composed))
	for _, key := range g.Composed() {
		all = append(all, g.composed[key])
	}
	return all
}

// Edit the graph, as its user would.
func (g *Graph) Edit(edit func(xr *unstructured.Unstructured)) {
	edit(g.xr)
	g.xr.SetGeneration(g.xr.GetGeneration() + 1)
}

// observed state of the graph.
func (g *Graph) observed() (*fnv1.State, error) {
	xr, err := structpb.NewStruct(g.xr.Object)
	if err != nil {
		return nil, cannotEncode(g.xr, err)
	}
	state := &fnv1.State{Composite: &fnv1.Resource{Resource: xr}, Resources: make(map[string]*fnv1.Resource, len(g.composed))}
	for key, object := range g.composed {
		content, err := structpb.NewStruct(object.Object)
		if err != nil {
			return nil, cannotEncode(object, err)
		}
		state.Resources[key] = &fnv1.Resource{Resource: content}
	}
	return state, nil
}

// apply the desired state of a pipeline.
func (g *Graph) apply(composition string, r *Reconcile) error {
	desired := r.Desired()
	before := maps.Clone(g.composed)
	g.composed = make(map[string]*unstructured.Unstructured, len(desired.GetResources()))
	for _, key := range sortedKeys(desired.GetResources()) {
		object := &unstructured.Unstructured{Object: desired.GetResources()[key].GetResource().AsMap()}
		applied := object.DeepCopy()
		object.SetAnnotations(with(object.GetAnnotations(), annotationKey, key))
		object.SetLabels(with(object.GetLabels(), labelComposite, g.xr.GetName()))
		// Composed resources of a cluster-scoped composite resource are in the namespace that the functions give them.
		if namespace := g.xr.GetNamespace(); namespace != "" {
			object.SetNamespace(namespace)
		}
		object.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(g.xr, g.xr.GroupVersionKind())})
		if before[key] == nil {
			before[key] = g.take(object)
		}
		object = g.server.Apply(object, before[key])
		if working := preview.StatusOf(object); working != nil && (before[key] == nil || !g.live) {
			object.Object["status"] = working
		}
		setManagers(object, applied)
		g.composed[key] = object
	}
	return g.report(composition, r)
}

// take an object of the cluster that nobody controls, as an apply with its kind and name does. nil if there is none.
func (g *Graph) take(applied *unstructured.Unstructured) *unstructured.Unstructured {
	i := slices.IndexFunc(g.cluster, func(o *unstructured.Unstructured) bool {
		return o.GroupVersionKind() == applied.GroupVersionKind() && o.GetNamespace() == applied.GetNamespace() && o.GetName() == applied.GetName() &&
			metav1.GetControllerOf(o) == nil
	})
	if i < 0 {
		return nil
	}
	taken := g.cluster[i]
	g.cluster = slices.Concat(g.cluster[:i], g.cluster[i+1:])
	return taken
}

// report conditions and results of a pipeline, and Crossplane's own conditions, in the composite resource.
func (g *Graph) report(composition string, r *Reconcile) error {
	status := r.Desired().GetComposite().GetResource().AsMap()["status"]
	fields, ok := status.(map[string]any)
	if !ok {
		fields = map[string]any{}
	}
	applied := maps.Clone(fields)
	fields["conditions"] = r.conditions()
	g.xr.Object["status"] = fields

	refs := make([]any, 0, len(g.composed))
	for _, key := range g.Composed() {
		o := g.composed[key]
		ref := map[string]any{"apiVersion": o.GetAPIVersion(), "kind": o.GetKind(), "name": o.GetName()}
		if g.xr.GetNamespace() == "" {
			ref["namespace"] = o.GetNamespace()
		}
		refs = append(refs, ref)
	}
	machinery := map[string]any{
		"compositionRef":          map[string]any{"name": composition},
		"compositionRevisionRef":  map[string]any{"name": composition + "-0a1b2c3"},
		"compositionUpdatePolicy": "Automatic",
		"resourceRefs":            refs,
	}
	for name, value := range machinery {
		path := []string{"spec", "crossplane", name}
		if g.xr.GetNamespace() == "" {
			// The composite resource of a claim has these fields in its spec itself.
			path = []string{"spec", name}
		}
		if err := unstructured.SetNestedField(g.xr.Object, value, path...); err != nil {
			return fmt.Errorf("cannot report to graph %s: %w", g.xr.GetName(), err)
		}
	}
	setCompositeManagers(g.xr, applied)
	return nil
}

// with an additional entry.
func with(m map[string]string, key, value string) map[string]string {
	out := maps.Clone(m)
	if out == nil {
		out = map[string]string{}
	}
	out[key] = value
	return out
}

// sortedKeys of a map, so that every run has the same order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func cannotEncode(object *unstructured.Unstructured, err error) error {
	return fmt.Errorf("cannot encode %s %s: %w", object.GetKind(), object.GetName(), err)
}
