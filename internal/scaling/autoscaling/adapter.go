package autoscaling

import (
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/managed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// Version and kind of the object that represents the replicas of one service, with a scale subresource for autoscalers. v1alpha1 is the
// version that every definition of the kind serves.
const (
	AdapterAPIVersion = v1alpha1.Group + "/" + v1alpha1.Version
	KindAdapter       = "DynamoGraphDeploymentScalingAdapter"
)

// AdapterReplicas are the replicas that an observed scaling adapter asks for. ok is false if it does not decide.
//
// Adapters once had no effect unless a controller copied their number into the graph. The number of such an adapter, which only
// Crossplane has set, may be old: it must not scale a graph that was scaled by other means since.
func AdapterReplicas(adapter *structpb.Struct) (replicas int32, ok bool) {
	replicas, ok = observed.Replicas(adapter)
	if AdapterGraphReplicas(adapter) == "" && len(managed.Fields(adapter)) > 0 && !observed.ScaledByOthers(adapter) {
		return 0, false
	}
	return replicas, ok
}

// AdapterGraphReplicas is the number of replicas in the graph when an observed scaling adapter was created. Empty: it is not known.
func AdapterGraphReplicas(adapter *structpb.Struct) string {
	return tree.Text(adapter, metadata.AnnotationGraphReplicas, "metadata", "annotations")
}

// RefersToAdapter reports whether a graph has had a scaling adapter for a service, even if it was deleted.
func RefersToAdapter(o *observed.State, g *graph.Graph, service string) bool {
	return o.RefersTo(observed.Reference{Kind: KindAdapter + "." + v1alpha1.Group, Name: g.Names().ScalingAdapter(service)})
}
