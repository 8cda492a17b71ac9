package scaling

import (
	"strconv"

	"google.golang.org/protobuf/types/known/structpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/managed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// Version and kind of scaling adapters. Planners after release 1.5 read them at v1beta1, and only take those that name a component.
// https://github.com/ai-dynamo/dynamo/blob/main/components/src/dynamo/planner/connectors/clients/kubernetes_api.py
const (
	AdapterAPIVersion = v1beta1.Group + "/" + v1beta1.Version
	KindAdapter       = "DynamoGraphDeploymentScalingAdapter"
)

// Adapter of a service: an object with a scale subresource, which autoscalers can use. Its number of replicas takes precedence over that
// of the graph.
type Adapter struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec struct {
		Replicas *int32 `json:"replicas,omitempty"`

		DGDRef struct {
			Name          string `json:"name"`
			ComponentName string `json:"componentName"`
		} `json:"dgdRef"`
	} `json:"spec"`
}

// AdapterOf a service, from the live one. Its replicas are initially those in the graph. After that, the adapter determines their number.
func AdapterOf(service *graph.Component, live *structpb.Struct) *Adapter {
	g := service.Graph()
	adapter := &Adapter{
		TypeMeta:   metav1.TypeMeta{APIVersion: AdapterAPIVersion, Kind: KindAdapter},
		ObjectMeta: objectMeta(service, g.Names().ScalingAdapter(service.Name)),
	}
	adapter.Spec.DGDRef.Name, adapter.Spec.DGDRef.ComponentName = g.Name, service.Name
	adapter.Annotations = map[string]string{metadata.AnnotationPodSelector: selectorOf(service)}
	replicas, decides := askedBy(live)
	if !decides {
		replicas = service.Replicas()
	}
	if !scaledByOthers(live) {
		adapter.Spec.Replicas = &replicas
		// Crossplane then starts again if the adapter has been scaled in the meantime, instead of undoing it.
		adapter.ResourceVersion = tree.Text(live, "resourceVersion", "metadata")
	}
	// The number of replicas in the graph at the time when the adapter starts to determine it is recorded.
	began := beganOf(live)
	if began == "" && !decides {
		written, _ := g.WrittenReplicas(service.Name)
		began = strconv.Itoa(int(written))
	}
	if began != "" {
		adapter.Annotations[metadata.AnnotationGraphReplicas] = began
	}
	return adapter
}

// selectorOf a service selects one pod of each replica.
func selectorOf(service *graph.Component) string {
	selector := labels.Set{metadata.LabelGraphName: service.Graph().Name, metadata.LabelComponent: service.Name}
	if service.HasLeader() {
		selector[metadata.LabelRole] = string(backend.RoleLeader)
	}
	return selector.String()
}

// ByAdapters scales the services of a graph to the numbers of their scaling adapters.
func ByAdapters(g *graph.Graph, o *observed.State, orchestrator graphplan.Orchestrator) {
	for _, service := range g.ComponentsByName() {
		if !service.HasScalingAdapter() || service.IsAutoscaled() {
			continue
		}
		if replicas, ok := scaledTo(service, o); ok {
			g.Scale(service.Name, max(replicas, leastScaled(service, orchestrator, replicas)))
		}
	}
}

// scaledTo is the number of the scaling adapter of a service. If the adapter was deleted, it is the number that runs: Crossplane
// creates the adapter again, and a deletion must not scale the graph.
func scaledTo(service *graph.Component, o *observed.State) (replicas int32, ok bool) {
	key := names.KeyScalingAdapter(service.Name)
	switch {
	case o.Has(key):
		return askedBy(o.Object(key))
	case RefersToAdapter(service, o):
		return o.Running(service.Name)
	default:
		return 0, false
	}
}

// RefersToAdapter reports whether a graph has had a scaling adapter for a service, even if it was deleted.
func RefersToAdapter(service *graph.Component, o *observed.State) bool {
	return o.RefersTo(observed.Reference{Kind: KindAdapter + "." + v1beta1.Group, Name: service.Graph().Names().ScalingAdapter(service.Name)})
}

// askedBy an observed scaling adapter are the replicas that it asks for. ok is false if it does not decide.
//
// Adapters once had no effect unless a controller copied their number into the graph. The number of such an adapter, which only
// Crossplane has set, may be old: it must not scale a graph that was scaled by other means since.
func askedBy(adapter *structpb.Struct) (replicas int32, ok bool) {
	replicas, ok = observed.Replicas(adapter)
	if beganOf(adapter) == "" && len(managed.Fields(adapter)) > 0 && !scaledByOthers(adapter) {
		return 0, false
	}
	return replicas, ok
}

// beganOf an observed scaling adapter is the number of replicas in the graph when it was created. Empty means that it is not known.
func beganOf(adapter *structpb.Struct) string {
	return tree.Text(adapter, metadata.AnnotationGraphReplicas, "metadata", "annotations")
}

// leastScaled is the least number of replicas to which a scaling adapter that asks for replicas can scale a service. An autoscaler does
// not know the limits of a service, and it does not help to refuse a graph until it is scaled again.
func leastScaled(service *graph.Component, o graphplan.Orchestrator, replicas int32) int32 {
	if replicas == 0 && o != graphplan.Grove {
		return 0
	}
	return max(1, service.MinAvailable())
}

// AdapterWarnings say what does not scale a service as it seems to. They do not contain the numbers of adapters, which autoscalers change
// all the time.
func AdapterWarnings(service *graph.Component, o *observed.State, orchestrator graphplan.Orchestrator) message.List {
	object := o.Object(names.KeyScalingAdapter(service.Name))
	replicas, ok := askedBy(object)
	if !ok {
		return nil
	}
	var warnings message.List
	adapter := service.Graph().Names().ScalingAdapter(service.Name)
	if least := leastScaled(service, orchestrator, replicas); replicas < least {
		warnings = append(warnings, message.About(graph.ComponentPath(service.Name, "scalingAdapter"), "scaling adapter %s asks for fewer replicas than the {{component}} can have, so it has %d; scale the adapter to at least %d", adapter, least, least))
	}
	written, chosen := service.Graph().WrittenReplicas(service.Name)
	if chosen && written != replicas && strconv.Itoa(int(written)) != beganOf(object) {
		warnings = append(warnings, message.About(graph.ComponentPath(service.Name, "replicas"), "has no effect, because scaling adapter %s determines the number of replicas; scale the adapter", adapter))
	}
	return warnings
}

// NameAdapters in errors about numbers of replicas that are not in the graph.
func NameAdapters(g *graph.Graph, errs message.List) message.List {
	for _, e := range errs {
		for name := range g.Scaled {
			if e.Field == graph.ComponentPath(name, "replicas").String() {
				e.Detail = message.Format("%s; scaling adapter %s asks for this number: scale the adapter", e.Detail, g.Names().ScalingAdapter(name))
			}
		}
	}
	return errs
}
