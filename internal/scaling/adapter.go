package scaling

import (
	"cmp"
	"slices"
	"strconv"

	"google.golang.org/protobuf/types/known/structpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
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

// Adapter of components: an object with a scale subresource, which autoscalers can use. Its number of replicas, or of units, takes precedence
// over that of the graph.
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

// AdapterOf a graph, from the live one. Its number is initially that in the graph. After that, the adapter determines it.
func AdapterOf(a *graph.Adapter, live *structpb.Struct) *Adapter {
	adapter := &Adapter{
		TypeMeta:   metav1.TypeMeta{APIVersion: AdapterAPIVersion, Kind: KindAdapter},
		ObjectMeta: objectMeta(a.Graph(), a.Component(), a.Name),
	}
	adapter.Spec.DGDRef.Name, adapter.Spec.DGDRef.ComponentName = a.Graph().Name, a.String()
	adapter.Annotations = map[string]string{metadata.AnnotationPodSelector: selectorOf(a)}
	replicas, decides := askedBy(live)
	if !decides {
		replicas = a.Units((*graph.Component).Replicas)
	}
	if !scaledByOthers(live) {
		adapter.Spec.Replicas = &replicas
		// Crossplane then starts again if the adapter has been scaled in the meantime, instead of undoing it.
		adapter.ResourceVersion = tree.Text(live, "resourceVersion", "metadata")
	}
	// The number of replicas in the graph at the time when the adapter starts to determine it is recorded.
	began := beganOf(live)
	if began == "" && !decides {
		began = strconv.Itoa(int(a.Units(writtenFor)))
	}
	if began != "" {
		adapter.Annotations[metadata.AnnotationGraphReplicas] = began
	}
	return adapter
}

// selectorOf an adapter selects one pod of each replica: of its component, or of the component with the fewest in a unit.
func selectorOf(a *graph.Adapter) string {
	fewest := slices.MinFunc(a.Unit, func(s, other graph.Share) int { return cmp.Compare(s.Replicas, other.Replicas) })
	component := a.Graph().Component(fewest.Component)
	selector := labels.Set{metadata.LabelGraphName: a.Graph().Name, metadata.LabelComponent: component.Name}
	if component.HasLeader() {
		selector[metadata.LabelRole] = string(backend.RoleLeader)
	}
	return selector.String()
}

// writtenFor a component is the number of replicas that its user wrote.
func writtenFor(component *graph.Component) int32 {
	written, _ := component.Graph().WrittenReplicas(component.Name)
	return written
}

// ByAdapters scales the components of a graph to the numbers of their scaling adapters. served says that the graph can have new ones.
func ByAdapters(g *graph.Graph, o *observed.State, orchestrator graphplan.Orchestrator, served bool) {
	for _, a := range g.Adapters() {
		units, ok := scaledTo(&a, o, served)
		units = max(units, leastScaled(&a, orchestrator, units))
		for _, share := range a.Unit {
			if ok && !g.Component(share.Component).IsAutoscaled() {
				g.Scale(share.Component, share.Of(units))
			}
		}
	}
}

// scaledTo is the number of a scaling adapter. If the adapter was deleted, it is the number that runs: Crossplane creates the adapter again,
// and a deletion must not scale the graph.
func scaledTo(a *graph.Adapter, o *observed.State, served bool) (units int32, ok bool) {
	switch {
	case o.Has(a.Key):
		return askedBy(o.Object(a.Key))
	case RefersToAdapter(a, o) || served && mayBeLost(o):
		units = a.Units(func(component *graph.Component) int32 {
			running, known := o.Running(component.Name)
			ok = ok || known
			return running
		})
		return units, ok
	default:
		return 0, false
	}
}

// RefersToAdapter reports whether a graph has had a scaling adapter, even if it was deleted.
func RefersToAdapter(a *graph.Adapter, o *observed.State) bool {
	return o.RefersTo(observed.Reference{Kind: KindAdapter + "." + v1beta1.Group, Name: a.Name})
}

// mayBeLost reports whether a graph may have had a scaling adapter to which it does not refer. Crossplane refers to all that it has composed, so
// there was none if there are references to what runs. But if the graph was not edited since its last run, which gave it the numbers
// that it has, another number is that of an adapter anyway.
func mayBeLost(o *observed.State) bool {
	generation := tree.At(o.Composite(), "metadata").GetFields()["generation"].GetNumberValue()
	return generation > 0 && generation == o.Status.ObservedGeneration() || !o.RefersToWorkloads()
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

// beganOf an observed scaling adapter is the number of replicas in the graph when it was created. It is empty if it is not known.
func beganOf(adapter *structpb.Struct) string {
	return tree.Text(adapter, metadata.AnnotationGraphReplicas, "metadata", "annotations")
}

// leastScaled is the least number that counts for a scaling adapter which asks for a number. An autoscaler does not know the limits of components,
// and it does not help to refuse a graph until it is scaled again.
func leastScaled(a *graph.Adapter, o graphplan.Orchestrator, asked int32) int32 {
	if asked == 0 && o != graphplan.Grove {
		return 0
	}
	return max(1, a.Units((*graph.Component).MinAvailable))
}

// AdapterWarnings say what does not scale components as it seems to. They do not contain the numbers of adapters, which autoscalers change
// all the time.
func AdapterWarnings(a *graph.Adapter, o *observed.State, orchestrator graphplan.Orchestrator) message.List {
	object := o.Object(a.Key)
	var warnings message.List
	asked, ok := askedBy(object)
	if !o.Has(a.Key) {
		for _, share := range a.Unit {
			component := a.Graph().Component(share.Component)
			if written, chosen := a.Graph().WrittenReplicas(share.Component); chosen && written != component.Replicas() {
				warnings = append(warnings, message.About(graph.ComponentPath(share.Component, "replicas"), "has no effect, because scaling adapter %s is missing, and is created with the number of replicas that run; scale the adapter", a.Name))
			}
		}
	}
	if !ok {
		return warnings
	}
	if least := leastScaled(a, orchestrator, asked); asked < least {
		warnings = append(warnings, message.About(a.Field, "scaling adapter %s asks for less than can run, so it counts as %d; scale the adapter to at least %d", a.Name, least, least))
	}
	began, err := strconv.ParseInt(beganOf(object), 10, 32)
	for _, share := range a.Unit {
		written, chosen := a.Graph().WrittenReplicas(share.Component)
		recorded := err == nil && written == share.Of(int32(began))
		if chosen && written != share.Of(asked) && !recorded {
			warnings = append(warnings, message.About(graph.ComponentPath(share.Component, "replicas"), "has no effect, because scaling adapter %s determines the number of replicas; scale the adapter", a.Name))
		}
	}
	return warnings
}

// NameAdapters in errors about numbers of replicas that are not in the graph.
func NameAdapters(g *graph.Graph, errs message.List) message.List {
	for _, e := range errs {
		for name := range g.Scaled {
			if a, ok := g.Component(name).Adapter(); ok && e.Field == graph.ComponentPath(name, "replicas").String() {
				e.Detail = message.Format("%s; scaling adapter %s asks for this number: scale the adapter", e.Detail, a.Name)
			}
		}
	}
	return errs
}
