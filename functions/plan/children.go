package plan

import (
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/grovev1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/require"
)

// Names of the requirements of what Grove makes from a PodCliqueSet.
const (
	requirementPodCliques             = "podcliques"
	requirementPodCliqueScalingGroups = "podcliquescalinggroups"
)

// findChildren looks up what Grove has made from the PodCliqueSet, by service. Before there is a PodCliqueSet there is
// nothing to look up.
func findChildren(g *graph.Graph, c cluster, m *memory, r *require.Requirements) map[string]graphplan.Child {
	// Crossplane fails when it is asked for objects of a kind that is not served.
	if m.podCliqueSet == nil || !c.grove {
		return nil
	}
	list := func(requirement, kind string) map[string]*structpb.Struct {
		objects, _ := r.List(require.Objects{
			Name: requirement, APIVersion: grovev1alpha1.APIVersion, Kind: kind, Namespace: g.Namespace,
			Labels: map[string]string{metadata.LabelPartOf: g.Names().PodCliqueSet()},
		})
		return byName(objects)
	}
	cliques := list(requirementPodCliques, grovev1alpha1.KindPodClique)
	groups := list(requirementPodCliqueScalingGroups, grovev1alpha1.KindPodCliqueScalingGroup)

	var children map[string]graphplan.Child
	for _, name := range g.ServiceNames() {
		service := g.Spec.Services[name]
		child := g.Names().GroveChild(name)
		object, digest := cliques[child], podClique
		if pod.IsMultinode(&service) {
			object, digest = groups[child], podCliqueScalingGroup
		}
		if object == nil {
			continue
		}
		if children == nil {
			children = map[string]graphplan.Child{}
		}
		children[name] = digest(child, object)
	}
	return children
}

func byName(objects []*structpb.Struct) map[string]*structpb.Struct {
	named := map[string]*structpb.Struct{}
	for _, object := range objects {
		named[object.GetFields()["metadata"].GetStructValue().GetFields()["name"].GetStringValue()] = object
	}
	return named
}

func podClique(name string, object *structpb.Struct) graphplan.Child {
	clique := &grovev1alpha1.PodClique{}
	err := require.Into(object, clique)
	status := clique.Status
	return graphplan.Child{
		Kind: grovev1alpha1.KindPodClique, Name: name,
		Generation: clique.Generation, ObservedGeneration: status.ObservedGeneration,
		SpecReplicas: clique.Spec.Replicas, Replicas: status.Replicas, UpdatedReplicas: status.UpdatedReplicas,
		ReadyReplicas: status.ReadyReplicas, ScheduledReplicas: status.ScheduledReplicas,
		Trouble: trouble{err, &clique.ObjectMeta, status.ReadyReplicas < clique.Spec.Replicas, status.Conditions, status.LastErrors}.String(),
	}
}

func podCliqueScalingGroup(name string, object *structpb.Struct) graphplan.Child {
	group := &grovev1alpha1.PodCliqueScalingGroup{}
	err := require.Into(object, group)
	status := group.Status
	return graphplan.Child{
		Kind: grovev1alpha1.KindPodCliqueScalingGroup, Name: name,
		Generation: group.Generation, ObservedGeneration: status.ObservedGeneration,
		SpecReplicas: group.Spec.Replicas, Replicas: status.Replicas, UpdatedReplicas: status.UpdatedReplicas,
		AvailableReplicas: status.AvailableReplicas, ScheduledReplicas: status.ScheduledReplicas,
		Trouble: trouble{err, &group.ObjectMeta, status.AvailableReplicas < group.Spec.Replicas, status.Conditions, status.LastErrors}.String(),
	}
}
