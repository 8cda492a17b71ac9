package render

import (
	"context"
	"maps"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/pipeline"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// A reconcile of a composite resource, and its result so far.
type reconcile struct {
	xr       *unstructured.Unstructured
	observed map[string]unstructured.Unstructured

	desired    *fnv1.State
	context    *structpb.Struct
	conditions []condition
	results    []unstructured.Unstructured
}

// run the steps in order, and collect what they return.
func (r *reconcile) run(ctx context.Context, steps []pipeline.Step, in pipeline.Cluster) error {
	observed, err := r.observedState()
	if err != nil {
		return err
	}

	r.desired = &fnv1.State{}
	if r.context == nil {
		r.context = &structpb.Struct{}
	}
	caller := pipeline.Renderer()
	if _, looksUp := in.(layers); looksUp {
		// There is a cluster, which knows the kinds that it serves.
		caller = pipeline.Crossplane()
	}
	run, err := caller.Run(ctx, steps, observed, r.context, in)
	for _, call := range run.Calls {
		if f := pipeline.Fatal(call.Response); f != nil {
			return errors.Errorf("pipeline step %q returned a fatal result: %s", call.Step, f.GetMessage())
		}
		if why := graphplan.Held(call.Response.GetContext()); why != "" {
			// In a cluster, the step would have returned a Fatal result before and after this run.
			return errors.Errorf("pipeline step %q returned a fatal result: %s", call.Step, why)
		}
		r.take(call.Step, call.Response)
	}
	return err
}

func (r *reconcile) observedState() (*fnv1.State, error) {
	xr, err := structpb.NewStruct(r.xr.Object)
	if err != nil {
		return nil, errors.Wrap(err, "cannot encode composite resource")
	}
	out := &fnv1.State{Composite: &fnv1.Resource{Resource: xr}, Resources: map[string]*fnv1.Resource{}}
	for key, o := range r.observed {
		r, err := structpb.NewStruct(o.Object)
		if err != nil {
			return nil, errors.Wrapf(err, "cannot encode observed resource %q", key)
		}
		out.Resources[key] = &fnv1.Resource{Resource: r}
	}
	return out, nil
}

// take the response of a step.
func (r *reconcile) take(step string, rsp *fnv1.RunFunctionResponse) {
	r.desired = rsp.GetDesired()
	r.context = rsp.GetContext()

	for _, c := range rsp.GetConditions() {
		if c := conditionFrom(c); !c.system() {
			r.conditions = append(r.conditions, c)
		}
	}

	for _, result := range rsp.GetResults() {
		r.results = append(r.results, resultFrom(step, result))
	}
}

// compose the desired resources of the pipeline, in the order of the composition resource names. The second value contains the names of
// those that are not ready.
func (r *reconcile) compose() ([]unstructured.Unstructured, []string, error) {
	var (
		out     []unstructured.Unstructured
		unready []string
	)
	for _, key := range slices.Sorted(maps.Keys(r.desired.GetResources())) {
		desired := r.desired.GetResources()[key]
		cd, err := r.composed(key, desired)
		if err != nil {
			return nil, nil, err
		}
		if ns := namespaceOf(desired); r.overrides(ns, key) {
			r.results = append(r.results, namespaceOverridden(key, ns, r.xr.GetNamespace()))
		}
		if desired.GetReady() != fnv1.Ready_READY_TRUE {
			unready = append(unready, key)
		}
		out = append(out, cd)
	}
	return out, unready, nil
}

// overrides reports whether a function set a namespace other than that of the resource. An observed resource already has the right one.
func (r *reconcile) overrides(namespace, key string) bool {
	_, exists := r.observed[key]
	return !exists && r.xr.GetNamespace() != "" && namespace != "" && namespace != r.xr.GetNamespace()
}

func namespaceOf(r *fnv1.Resource) string { return tree.Text(r.GetResource(), "namespace", "metadata") }
