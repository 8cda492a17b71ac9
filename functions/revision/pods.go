package revision

import (
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
)

// PodsOf a component are the pods of each of the objects that run it, by composition resource name. If any of it changes, its orchestrator
// replaces all pods of the component in that object. Objects are composed objects by the same names.
func PodsOf(g *graph.Graph, component string, objects map[string]*structpb.Struct) map[string]*structpb.Struct {
	found := map[string]*structpb.Struct{}
	for key, object := range objects {
		if f := formOf(g, component, key); f != nil {
			if pods := f.read(object); pods != nil {
				found[key] = pods
			}
		}
	}
	return found
}

// formOf the pods of a component in the object of a key. nil if the object does not run the component.
func formOf(g *graph.Graph, component, key string) form {
	if key == string(names.KeyPodCliqueSet) {
		return cliquesOf(g, component)
	}
	runs, multinode, ok := names.WorkloadOf(key)
	switch {
	case !ok || runs != names.Lower(component):
		return nil
	case multinode:
		return inGroup()
	default:
		return inDeployment()
	}
}
