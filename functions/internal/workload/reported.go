package workload

import (
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/tree"
)

// Missing is said of an object that was there before, and is not observed any more.
const Missing = "does not exist"

// Children looks a child of a PodCliqueSet up by its kind and name; ok is false for one that does not exist.
type Children func(kind, name string) (child graphplan.Child, ok bool)

// Reported are the workloads of the services that the status of a graph names, as they are now. They tell what runs a graph
// whose spec does not, since it is refused. children may be nil for a graph that does not run on Grove.
func Reported(status observed.Status, resources map[string]*fnv1.Resource, children Children) map[string]Workload {
	objects := map[string]*structpb.Struct{}
	for _, r := range resources {
		objects[tree.Text(r.GetResource(), "kind")+" "+tree.Text(r.GetResource(), "name", "metadata")] = r.GetResource()
	}
	all := map[string]Workload{}
	for _, service := range status.Services() {
		w := Workload{Kind: v1alpha1.ComponentKind(service.Kind), Ready: true, Settled: true}
		for _, name := range service.Objects {
			w.addReported(name, objects[service.Kind+" "+name], service.Replicas, children)
		}
		if len(w.Names) > 0 {
			all[service.Name] = w
		}
	}
	return all
}

// addReported adds an object that the status of a service names, with the replicas that it reports of the service.
func (w *Workload) addReported(name string, object *structpb.Struct, replicas float64, children Children) {
	var o Object
	exists := object != nil
	switch w.Kind {
	case v1alpha1.ComponentKindPodClique, v1alpha1.ComponentKindPodCliqueScalingGroup:
		w.add(name, reportedChild(w.Kind, name, children))
		return
	case v1alpha1.ComponentKindLeaderWorkerSet:
		o = LeaderWorkerSet(object)
		// A service that is scaled to zero names the first replica to come.
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
