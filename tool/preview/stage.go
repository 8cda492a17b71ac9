package preview

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/applied"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/manifest"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/render"
)

// A State of a graph that exists, as Crossplane observes it. It contains the values of Secrets.
type State struct {
	// Source is the graph as it was written: the composite resource itself, or its claim.
	Source *unstructured.Unstructured

	// CompositeResource with its status, and the objects that are composed for it.
	CompositeResource *unstructured.Unstructured
	Composed          []unstructured.Unstructured

	// children that Grove has made of the PodCliqueSet.
	children []unstructured.Unstructured
}

// A Stage in the life of a graph: what it is rendered to, and what exists when all controllers have carried that out.
type Stage struct {
	// Result of the first render after the graph was written, in which it is accepted or refused.
	*Result

	// State at rest. If the graph is refused, it is the state before: nil if there was none.
	State *State

	// Restless says that the state is not at rest: the graph still changed in the last render that was made.
	Restless bool
}

// rounds after which a graph that is still not at rest is not rendered again: some more than the most that a graph of this size needs, in
// which all objects restart one after the other.
func rounds(objects int) int { return 8 + 3*objects }

// Settle renders a graph, or what becomes of one that exists if this one replaces it, until nothing changes any more. Between the renders
// the controllers of the cluster carry out everything that is desired. Each render observes the one before, as in a cluster, so all that
// takes several reconciles takes place: rollouts, restarts, and scaling on Grove.
func (p *Previewer) Settle(ctx context.Context, source manifest.Object, existing *State, others []unstructured.Unstructured) (*Stage, error) {
	stage := &Stage{State: existing}
	written := p.stored(&source, existing)
	for i := 0; ; i++ {
		result, output, err := p.preview(ctx, source, written, stage.State, others)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			stage.Result = result
		}
		if output == nil {
			if i > 0 {
				return nil, errors.Errorf("cannot follow graph %s until it is at rest: %s", source.GetName(), result.why())
			}
			return stage, nil
		}
		// A graph is applied once. Crossplane has changed its references since.
		written = nil
		before := stage.State
		stage.State = before.next(result, output)
		if before.rests(stage.State) {
			return stage, nil
		}
		if i >= rounds(len(output.ComposedResources)) {
			stage.Restless = true
			return stage, nil
		}
	}
}

// why the graph is not rendered, in short.
func (r *Result) why() string {
	switch {
	case r.Err != nil:
		return r.Err.Error()
	case len(r.Verdict.Refusals) > 0:
		return r.Verdict.Refusals[0].In(r.Verdict.Words())
	default:
		return "it is refused"
	}
}

// next state, in which the output of a render is applied and controllers have carried it out.
func (s *State) next(result *Result, output *render.Output) *State {
	xr := result.CompositeResource.DeepCopy()
	xr.Object["status"] = output.CompositeResource.Object["status"]
	if machinery, ok, _ := unstructured.NestedMap(output.CompositeResource.Object, "spec", "crossplane"); ok {
		for name, value := range machinery {
			// The spec of a graph that is rendered is an object.
			_ = unstructured.SetNestedField(xr.Object, value, "spec", "crossplane", name)
		}
	}
	if xr.GetUID() == "" {
		xr.SetUID(controllerOf(output.ComposedResources, previewUID))
	}
	out := &State{Source: result.Source.Unstructured, CompositeResource: xr}
	before := map[string]*unstructured.Unstructured{}
	var children []unstructured.Unstructured
	if s != nil {
		children = s.children
		for i := range s.Composed {
			before[Key(&s.Composed[i])] = &s.Composed[i]
		}
	}
	for i := range output.ComposedResources {
		desired := &output.ComposedResources[i]
		out.Composed = append(out.Composed, *carriedOut(desired, before[Key(desired)]))
	}
	out.children = childrenOf(out.Composed, children)
	return out
}

// rests reports whether nothing has changed between two states.
func (s *State) rests(next *State) bool {
	return s != nil && reflect.DeepEqual(s.Composed, next.Composed) && reflect.DeepEqual(s.children, next.children) &&
		reflect.DeepEqual(s.CompositeResource.Object["status"], next.CompositeResource.Object["status"])
}

// Key under which Crossplane tracks a composed object.
func Key(object *unstructured.Unstructured) string {
	return object.GetAnnotations()[metadata.AnnotationCompositionResourceName]
}

// Objects of the state by their keys, as Crossplane applies them. The values of Secrets are redacted.
func (s *State) Objects() map[string]*unstructured.Unstructured {
	objects := map[string]*unstructured.Unstructured{}
	if s == nil {
		return objects
	}
	for i := range s.Composed {
		object := s.Composed[i].DeepCopy()
		key := Key(object)
		if content, err := structpb.NewStruct(object.Object); err == nil {
			if own, ok := applied.Of(content); ok {
				object.Object = own.AsMap()
			}
		}
		render.Redact([]unstructured.Unstructured{*object})
		objects[key] = object
	}
	return objects
}

// Replicas of a child that Grove has made, by its name. ok is false if there is none.
func (s *State) Replicas(child string) (replicas int64, ok bool) {
	if s == nil {
		return 0, false
	}
	i := slices.IndexFunc(s.children, func(o unstructured.Unstructured) bool { return o.GetName() == child })
	if i < 0 {
		return 0, false
	}
	return Integer(s.children[i].Object, "spec", "replicas")
}

// succeed a composite resource by one that is applied over it: what the API server and Crossplane have written stays.
func succeed(old, next *unstructured.Unstructured) *unstructured.Unstructured {
	xr := next.DeepCopy()
	// Crossplane has chosen the name of the composite resource of a claim at random.
	xr.SetName(old.GetName())
	xr.SetUID(old.GetUID())
	xr.SetGeneration(old.GetGeneration())
	xr.SetCreationTimestamp(old.GetCreationTimestamp())
	xr.SetFinalizers(old.GetFinalizers())
	xr.SetManagedFields(old.GetManagedFields())
	xr.SetLabels(keeping(xr.GetLabels(), old.GetLabels(), func(key string) bool { return strings.HasPrefix(key, "crossplane.io/") }))
	written := lastApplied(old)
	xr.SetAnnotations(keeping(xr.GetAnnotations(), old.GetAnnotations(), func(key string) bool { return written != nil && !written[key] }))
	if status, ok := old.Object["status"]; ok {
		xr.Object["status"] = status
	}
	keepMachinery(old, xr)
	if !reflect.DeepEqual(old.Object["spec"], xr.Object["spec"]) {
		xr.SetGeneration(old.GetGeneration() + 1)
	}
	return xr
}

// keepMachinery keeps the fields of Crossplane in the spec.
func keepMachinery(old, xr *unstructured.Unstructured) {
	was, _, _ := unstructured.NestedMap(old.Object, "spec")
	spec, isObject := xr.Object["spec"].(map[string]any)
	if !isObject {
		return
	}
	for _, name := range append(ofClaims(), "crossplane", "resourceRefs", "claimRef") {
		if _, written := spec[name]; !written && was[name] != nil {
			spec[name] = was[name]
		}
	}
	machinery, isObject := spec["crossplane"].(map[string]any)
	if before, hadMachinery := was["crossplane"].(map[string]any); isObject && hadMachinery {
		for name, value := range before {
			if _, written := machinery[name]; !written {
				machinery[name] = value
			}
		}
	}
}

// keeping the entries of an older map that a newer one does not have, if they are to be kept.
func keeping(newer, older map[string]string, keep func(key string) bool) map[string]string {
	out := maps.Clone(newer)
	for key, value := range older {
		if _, written := newer[key]; !written && keep(key) {
			if out == nil {
				out = map[string]string{}
			}
			out[key] = value
		}
	}
	return out
}
