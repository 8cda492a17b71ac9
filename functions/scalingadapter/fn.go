// Package scalingadapter keeps the status of scaling adapters, without which most autoscalers cannot use them. A function cannot write the status of
// what it composes. So an adapter, which the graph composes, is a composite resource itself, and composes nothing.
package scalingadapter

import (
	"context"
	"math"

	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/scaling"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/response"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// requirementGraph is the name of the requirement of the graph of an adapter.
const requirementGraph = "graph"

// Function serves scaling adapters, and graphs by another function: adapters need no package of their own.
type Function struct {
	fnv1.UnimplementedFunctionRunnerServiceServer

	graphs fnv1.FunctionRunnerServiceServer
}

// Beside returns a function for scaling adapters and for what another function serves.
func Beside(graphs fnv1.FunctionRunnerServiceServer) *Function { return &Function{graphs: graphs} }

// RunFunction writes the status of a scaling adapter. Other composite resources are those of the other function.
func (f *Function) RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	adapter := req.GetObserved().GetComposite().GetResource()
	if tree.Text(adapter, "kind") != scaling.KindAdapter {
		return f.graphs.RunFunction(ctx, req) //nolint:wrapcheck // It is the error of the other function.
	}
	rsp := response.To(req, step.TTL)
	ready := readyReplicas(req, rsp, adapter)
	status := tree.WithText(tree.With(nil, ready, "replicas"), tree.Text(adapter, metadata.AnnotationPodSelector, "metadata", "annotations"), "selector")
	composite := &fnv1.Resource{Resource: tree.With(nil, structpb.NewStructValue(status), "status")}
	rsp.Desired = &fnv1.State{Composite: composite, Resources: rsp.GetDesired().GetResources()}

	// Crossplane before 2.4 does not watch required objects, and later versions drop events of objects that change too often.
	wanted, _ := observed.Replicas(adapter)
	if ready.GetNumberValue() != float64(wanted) || condition.Unresponsive(req) {
		step.Hurry(rsp)
	}
	return rsp, nil
}

// readyReplicas of an adapter are those of its component, as the status of its graph has them, or the whole units of its components. While that does
// not say, they are those that the adapter last had: an autoscaler would act on a 0.
func readyReplicas(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, adapter *structpb.Struct) *structpb.Value {
	var requirements require.Requirements
	ref := tree.At(adapter, "spec", "dgdRef")
	object, _ := requirements.Get(require.AnswersIn(req), require.Object{
		Name: requirementGraph, APIVersion: v1beta1.Group + "/" + v1beta1.Version, Kind: v1beta1.Kind,
		ObjectName: tree.Text(ref, "name"), Namespace: tree.Text(adapter, "namespace", "metadata"),
	})
	requirements.Write(req, rsp)
	units := math.Inf(1)
	for _, share := range graph.UnitIn(tree.Text(ref, "componentName") + tree.Text(ref, "serviceName")) {
		ready := observed.StatusIn(object).ReadyReplicas(share.Component)
		if ready == nil {
			return tree.At(adapter, "status").GetFields()["replicas"]
		}
		units = min(units, math.Floor(ready.GetNumberValue()/float64(share.Replicas)))
	}
	return structpb.NewNumberValue(units)
}
