// Package preview renders graphs as Crossplane and the functions of this program would, and keeps everything that is known about the
// result, for commands that show it to people. It needs no files: Compositions and clusters are embedded.
package preview

import (
	"context"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/server"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/pipeline"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/definitions"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/manifest"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/render"
)

// A Previewer renders graphs. Its fields do not change while it does.
type Previewer struct {
	// Functions of this program.
	Functions []server.Function

	// Composition that replaces the embedded ones. Optional.
	Composition *pipeline.Composition

	// Input that replaces that of step plan: the policy of the platform. Optional.
	Input *manifest.Object

	// Policies are the EnvironmentConfigs among Objects, with the positions of their fields. Optional.
	Policies []manifest.Object

	// Objects of the cluster, and the Cluster that has others. Both are optional.
	Objects []unstructured.Unstructured
	Cluster pipeline.Cluster

	// Namespace of graphs that do not specify one.
	Namespace string

	// Claims says that graphs are claims, as in the claims flavor. So is each graph with a field that only claims have.
	Claims bool

	// Validators of graphs. They take long to make, so all that need them share them.
	Validators definitions.Validators

	embedded embedded
}

// A Result is what a graph becomes.
type Result struct {
	// Source is the graph as it is written, with positions.
	Source manifest.Object

	// CompositeResource that is rendered: the graph itself, or what Crossplane makes of a claim. IsClaim says that the source is one.
	CompositeResource *unstructured.Unstructured
	IsClaim           bool

	// Replaces is the graph as it was written before, if it exists.
	Replaces *unstructured.Unstructured

	// Verdict of step plan. The graph that it contains is decoded, and its plan is complete if the graph is accepted.
	Verdict *plan.Verdict

	// Rendered objects, with the values of Secrets redacted, and the conditions and events. nil if the graph is refused.
	Rendered *render.Output

	// Err is why a graph that plan has accepted cannot be rendered.
	Err error
}

// Refused reports whether the graph is not rendered.
func (r *Result) Refused() bool { return r.Rendered == nil }

// Preview a graph, given other objects in its files, to which it may refer. An error says that graphs cannot be rendered at all, for
// example because the Composition is for another kind.
func (p *Previewer) Preview(ctx context.Context, source manifest.Object, others []unstructured.Unstructured) (*Result, error) {
	result, _, err := p.preview(ctx, source, source.Unstructured, nil, others)
	return result, err
}

// preview a graph as it is applied, or what becomes of one that exists if this one replaces it, or if nothing is applied. The output contains
// the values of Secrets.
func (p *Previewer) preview(
	ctx context.Context, source manifest.Object, applied *unstructured.Unstructured, existing *State, others []unstructured.Unstructured,
) (*Result, *render.Output, error) {
	result := &Result{Source: source, IsClaim: p.isClaim(&source, existing)}
	var contradiction *field.Error
	if result.CompositeResource, contradiction = p.compositeResource(applied, existing, result.IsClaim); contradiction != nil {
		m := message.Of(contradiction)
		m.Code = rule.GraphName
		result.Verdict = &plan.Verdict{Refusals: []subject.Refusal{{Kind: subject.Mistake, Message: m}}}
		return result, nil, nil
	}
	input, err := p.inputOf(result.CompositeResource)
	if err != nil {
		return nil, nil, err
	}
	input.RequiredResources = slices.Concat(others, input.RequiredResources)
	if existing != nil {
		result.Replaces = existing.Source
		input.ObservedResources = existing.Composed
		input.RequiredResources = append(input.RequiredResources, existing.children...)
	}
	// Crossplane may call the function that plans several times. What it says last counts.
	ctx = plan.WithVerdict(ctx, func(v *plan.Verdict) { result.Verdict = v })
	output, err := render.Render(ctx, *input)
	if result.Verdict == nil {
		return nil, nil, errors.Wrap(err, "cannot run step plan")
	}
	result.Rendered = redacted(output)
	if result.Verdict.Accepted {
		// Otherwise the error only repeats the verdict.
		result.Err = err
	}
	return result, output, nil
}

// Under a Composition, previews are as they are today. Then are those with the policy of the previewer, in which only what it has is replaced.
func (p *Previewer) Under(composition *pipeline.Composition) (today, then *Previewer) {
	today = &Previewer{Functions: p.Functions, Composition: composition, Cluster: p.Cluster, Namespace: p.Namespace, Claims: p.Claims}
	then = &Previewer{Functions: p.Functions, Composition: p.Composition, Input: p.Input, Cluster: p.Cluster, Namespace: p.Namespace, Claims: p.Claims}
	if then.Composition == nil {
		then.Composition = composition
	}
	return today, then
}

// InputOf a render of a graph that does not exist yet.
func (p *Previewer) InputOf(graph *unstructured.Unstructured) (*render.Input, error) {
	xr, err := p.compositeResource(graph, nil, p.isClaim(&manifest.Object{Unstructured: graph}, nil))
	if err != nil {
		return nil, err
	}
	return p.inputOf(xr)
}

// inputOf a render of a composite resource, of which nothing exists yet.
func (p *Previewer) inputOf(xr *unstructured.Unstructured) (*render.Input, error) {
	composition, err := p.compositionOf(xr)
	if err != nil {
		return nil, err
	}
	runners, err := render.Runners(composition.Spec.Pipeline, p.Functions)
	if err != nil {
		return nil, err
	}
	return &render.Input{
		CompositeResource: xr, Composition: composition, Functions: runners, RequiredResources: p.objectsOf(xr), Cluster: p.clusterOf(xr),
	}, nil
}

// compositeResource when a graph is applied, or that of the one that exists if none is.
func (p *Previewer) compositeResource(applied *unstructured.Unstructured, existing *State, isClaim bool) (*unstructured.Unstructured, *field.Error) {
	if applied == nil {
		return existing.CompositeResource.DeepCopy(), nil
	}
	xr := applied.DeepCopy()
	// The API server drops it when a graph is applied, such as one that was exported from another cluster.
	delete(xr.Object, "status")
	if err := render.EnterNamespace(xr, p.Namespace); err != nil {
		return xr, err
	}
	if isClaim {
		xr = compositeOf(xr)
	}
	if existing != nil {
		xr = succeed(existing.CompositeResource, xr)
	}
	return xr, nil
}

// Definition of the source, by its name.
func (r *Result) Definition() string { return definitionOf(r.Source.GetKind(), r.IsClaim) }

func definitionOf(kind string, isClaim bool) string {
	switch {
	case IsLegacy(kind):
		return definitions.Composite
	case isClaim:
		return definitions.Claim
	default:
		return definitions.Graph
	}
}

// stored is a graph as the API server stores it: with defaults, which count as written by the user. A graph that it refuses is returned as
// it is.
func (p *Previewer) stored(source *manifest.Object, existing *State) *unstructured.Unstructured {
	_, version, _ := strings.Cut(source.GetAPIVersion(), "/")
	validator, err := p.Validators.Of(definitionOf(source.GetKind(), p.isClaim(source, existing)), version)
	if err != nil {
		return source.Unstructured
	}
	object, errs := validator.Admit(source.Unstructured, nil)
	if len(errs) > 0 {
		return source.Unstructured
	}
	// Previews have a default of their own.
	object.SetNamespace(source.GetNamespace())
	return object
}

// redacted is an output without the values of Secrets.
func redacted(output *render.Output) *render.Output {
	if output == nil {
		return nil
	}
	shown := *output
	shown.ComposedResources = make([]unstructured.Unstructured, len(output.ComposedResources))
	for i := range output.ComposedResources {
		if shown.ComposedResources[i] = output.ComposedResources[i]; shown.ComposedResources[i].GetKind() == "Secret" {
			shown.ComposedResources[i] = *output.ComposedResources[i].DeepCopy()
		}
	}
	render.Redact(shown.ComposedResources)
	return &shown
}

// compositionOf a composite resource, with the input of the previewer.
func (p *Previewer) compositionOf(xr *unstructured.Unstructured) (*pipeline.Composition, error) {
	composition := p.Composition
	if composition == nil {
		var err error
		if composition, err = p.embedded.compositionFor(xr.GetKind()); err != nil {
			return nil, err
		}
	}
	// A graph of a version that does not exist is still previewed, so that all that is wrong with it is found.
	known := xr.DeepCopy()
	known.SetAPIVersion(composition.Spec.CompositeTypeRef.APIVersion)
	if err := render.Check(composition, known); err != nil {
		return nil, errors.Wrap(err, "cannot use the Composition")
	}
	if p.Input == nil {
		return composition, nil
	}
	replaced := *composition
	replaced.Spec.Pipeline = nil
	for _, step := range composition.Spec.Pipeline {
		if p.plans(step.FunctionRef.Name) {
			step.Input = p.Input.Object
		}
		replaced.Spec.Pipeline = append(replaced.Spec.Pipeline, step)
	}
	return &replaced, nil
}

// plans reports whether a function has the plan's input.
func (p *Previewer) plans(ref string) bool {
	fn, ok := render.FunctionOf(ref, p.Functions)
	return ok && fn.Plans
}

// clusterOf a graph, in which the objects of the graph are its own.
func (p *Previewer) clusterOf(xr *unstructured.Unstructured) pipeline.Cluster {
	if p.Cluster == nil {
		return nil
	}
	if _, ok := p.Cluster.(knownCluster); ok {
		return p.Cluster // It contains no graphs.
	}
	if xr.GetUID() == "" {
		xr.SetUID(previewUID)
	}
	return owned{Cluster: p.Cluster, by: xr}
}

// IsLegacy reports whether a kind is that of the composite resource of a claim.
func IsLegacy(kind string) bool { return kind == v1alpha1.CompositeKind }
