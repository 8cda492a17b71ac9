package workload

import (
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
)

// Missing is said of an object that was there before, and is not observed any more.
const Missing = "does not exist"

// Children looks a child of a PodCliqueSet up by its kind and name; ok is false for one that does not exist.
type Children func(kind, name string) (child graphplan.Child, ok bool)

// Reported are the workloads of the services that the status of a graph names, as they are now. They tell what runs a graph
// whose spec does not, since it is refused. children may be nil for a graph that does not run on Grove.
func Reported(status *structpb.Struct, observed map[string]*fnv1.Resource, children Children) map[string]Workload {
	objects := map[string]*structpb.Struct{}
	for _, r := range observed {
		fields := r.GetResource().GetFields()
		objects[fields["kind"].GetStringValue()+" "+textAt(fields["metadata"].GetStructValue(), "name")] = r.GetResource()
	}
	all := map[string]Workload{}
	for service, value := range status.GetFields()["services"].GetStructValue().GetFields() {
		reported := value.GetStructValue()
		w := Workload{Kind: v1alpha1.ComponentKind(textAt(reported, "componentKind")), Ready: true, Settled: true}
		for _, value := range reported.GetFields()["componentNames"].GetListValue().GetValues() {
			name := value.GetStringValue()
			w.addReported(name, objects[string(w.Kind)+" "+name], reported, children)
		}
		if len(w.Names) > 0 {
			all[service] = w
		}
	}
	return all
}

// addReported adds an object that the status of a service names.
func (w *Workload) addReported(name string, object, reported *structpb.Struct, children Children) {
	var o Object
	exists := object != nil
	switch w.Kind {
	case v1alpha1.ComponentKindPodClique, v1alpha1.ComponentKindPodCliqueScalingGroup:
		o, exists = reportedChild(w.Kind, name, children)
	case v1alpha1.ComponentKindLeaderWorkerSet:
		o = LeaderWorkerSet(object)
		// A service that is scaled to zero names the first replica to come.
		o.Done = o.Done || !exists && reported.GetFields()["replicas"].GetNumberValue() == 0
	case v1alpha1.ComponentKindDeployment:
		o = Deployment(object)
	}
	if !exists {
		o.Message = Missing
	}
	w.add(name, o)
}

func reportedChild(kind v1alpha1.ComponentKind, name string, children Children) (Object, bool) {
	if children == nil {
		return Object{}, false
	}
	child, ok := children(string(kind), name)
	if kind == v1alpha1.ComponentKindPodClique {
		return PodClique(child), ok
	}
	return PodCliqueScalingGroup(child), ok
}

func textAt(fields *structpb.Struct, key string) string {
	return fields.GetFields()[key].GetStringValue()
}
