package workload

import (
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// Missing is the message for an object that existed before and is no longer observed.
const Missing = "does not exist"

// Children looks up a child of a PodCliqueSet by its kind and name. ok is false if it does not exist.
type Children func(kind, name string) (child graphplan.Child, ok bool)

// Reported are the current workloads of the components in the status of a graph. They are needed for a graph that is refused, because its
// spec does not show what runs. children may be nil if the graph does not run on Grove.
func Reported(status observed.Status, resources map[string]*fnv1.Resource, children Children) map[string]Workload {
	objects := map[string]*structpb.Struct{}
	for _, r := range resources {
		objects[tree.Text(r.GetResource(), "kind")+" "+tree.Text(r.GetResource(), "name", "metadata")] = r.GetResource()
	}
	all := map[string]Workload{}
	for _, component := range status.Components() {
		w := Workload{Kind: v1alpha1.ComponentKind(component.Kind), Ready: true, Settled: true}
		for _, name := range component.Objects {
			w.addReported(name, objects[component.Kind+" "+name], component.Replicas, children)
		}
		if len(w.Names) > 0 {
			all[component.Name] = w
		}
	}
	return all
}

// addReported adds an object that is in the status of a component, with the number of replicas in that status.
func (w *Workload) addReported(name string, object *structpb.Struct, replicas float64, children Children) {
	var o Object
	exists := object != nil
	switch w.Kind {
	case v1alpha1.ComponentKindPodClique, v1alpha1.ComponentKindPodCliqueScalingGroup:
		w.add(name, reportedChild(w.Kind, name, children))
		return
	case v1alpha1.ComponentKindLeaderWorkerSet:
		o = LeaderWorkerSet(object)
		// The status of a component that is scaled to zero contains the name of its first replica.
		o.Done = o.Done || !exists && replicas == 0
	case v1alpha1.ComponentKindDeployment:
		o = Deployment(object)
	}
	if !exists {
		o.Message = Missing
	}
	w.add(name, o)
}

func reportedChild(kind v1alpha1.ComponentKind, name string, children Children) Object {
	if children == nil {
		return absentChild()
	}
	child, ok := children(string(kind), name)
	switch {
	case !ok:
		return absentChild()
	case kind == v1alpha1.ComponentKindPodClique:
		return PodClique(child)
	default:
		return PodCliqueScalingGroup(child)
	}
}
