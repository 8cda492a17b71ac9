// Package render runs the pipeline of a Composition in this process, and shows what Crossplane would create from a composite resource.
//
// It follows one reconcile of Crossplane 2.4, and prints it in the format of the command "crossplane composition render" of CLI 2.5, so
// that the outputs can be compared.
package render

import (
	"context"
	"maps"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/pipeline"
)

// apiVersion of the objects that represent results and context.
const apiVersion = "render.crossplane.io/v1beta1"

// Input of a render.
type Input struct {
	// CompositeResource to render.
	CompositeResource *unstructured.Unstructured

	// Composition with the pipeline to run.
	Composition *pipeline.Composition

	// Functions by the names to which the pipeline refers.
	Functions map[string]pipeline.Function

	// ObservedResources are the existing composed resources.
	ObservedResources []unstructured.Unstructured

	// RequiredResources are the other objects of the simulated cluster.
	RequiredResources []unstructured.Unstructured

	// Cluster has the objects that are none of the above. nil if there are no more.
	Cluster pipeline.Cluster

	// Context that the first step receives.
	Context *structpb.Struct
}

// Output of a render.
type Output struct {
	// CompositeResource with only what the render changed: its status and the references to the composed resources.
	CompositeResource *unstructured.Unstructured

	// ComposedResources in the order of their composition resource names.
	ComposedResources []unstructured.Unstructured

	// Results are the events that Crossplane would emit.
	Results []unstructured.Unstructured

	// Context that the last step returned.
	Context *unstructured.Unstructured
}

// Render a composite resource. A Fatal result of any step is an error.
func Render(ctx context.Context, in Input) (*Output, error) {
	xr, err := prepare(in.CompositeResource, in.Composition.Metadata.Name, in.ObservedResources)
	if err != nil {
		return nil, err
	}
	observed, err := observedByKey(xr, in.ObservedResources)
	if err != nil {
		return nil, err
	}

	// The conditions before this reconcile, and the condition that Crossplane sets first.
	conditions := setCondition(conditionsOf(in.CompositeResource.Object["status"]), condition{
		Type: "Responsive", Status: "True", LastTransitionTime: renderTime, Reason: "WatchCircuitClosed",
		ObservedGeneration: xr.GetGeneration(),
	})
	setConditions(xr, conditions)

	steps, err := in.Composition.Steps(in.Functions)
	if err != nil {
		return nil, err
	}
	r := &reconcile{observed: observed, xr: xr, context: in.Context}
	if err := r.run(ctx, steps, in.cluster(xr)); err != nil {
		return nil, errors.Wrap(err, "cannot compose resources")
	}

	resources, unready, err := r.compose()
	if err != nil {
		return nil, errors.Wrap(err, "cannot compose resources")
	}

	results := []unstructured.Unstructured{}
	if was, _, _ := unstructured.NestedString(in.CompositeResource.Object, "spec", "crossplane", "compositionRef", "name"); was != in.Composition.Metadata.Name {
		results = append(results, selected(in.Composition))
	}
	results = append(results, r.results...)
	for _, key := range unready {
		results = append(results, notReady(key))
	}

	return &Output{
		CompositeResource: r.composite(conditions, resources, unready),
		ComposedResources: resources,
		Results:           results,
		Context:           contextObject(r.context),
	}, nil
}

// setConditions of an object. A status that is not an object is left for the functions to refuse.
func setConditions(o *unstructured.Unstructured, conditions []condition) {
	switch status := o.Object["status"].(type) {
	case nil:
		o.Object["status"] = map[string]any{"conditions": conditionList(conditions)}
	case map[string]any:
		status["conditions"] = conditionList(conditions)
	}
}

// cluster that functions look objects up in.
func (in *Input) cluster(xr *unstructured.Unstructured) pipeline.Cluster {
	objects := available(xr, in.ObservedResources, in.RequiredResources)
	if in.Cluster == nil {
		return objects
	}
	return layers{objects: objects, base: in.Cluster}
}

// available objects of the simulated cluster: those of the user, and those that a cluster would contain in addition. Of two objects with
// the same identity, the last one is used.
func available(xr *unstructured.Unstructured, observed, required []unstructured.Unstructured) pipeline.Objects {
	type identity struct{ apiVersion, kind, namespace, name string }

	seen := map[identity]*unstructured.Unstructured{}
	for _, o := range slices.Concat([]unstructured.Unstructured{*xr}, observed, required) {
		seen[identity{o.GetAPIVersion(), o.GetKind(), o.GetNamespace(), o.GetName()}] = &o
	}
	// Selected objects are sorted.
	return slices.Collect(maps.Values(seen))
}

func contextObject(c *structpb.Struct) *unstructured.Unstructured {
	if c == nil {
		return nil
	}
	return &unstructured.Unstructured{Object: map[string]any{"apiVersion": apiVersion, "kind": "Context", "fields": c.AsMap()}}
}
