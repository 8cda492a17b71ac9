package plan

import (
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/grovev1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/require"
)

// findChildren looks up what Grove has made from the PodCliqueSet, by service: each by its name. A label would find the
// PodCliques within scaling groups as well, which nobody reads, and whose status Grove writes for each pod that starts:
// Crossplane counts every write to an object that is required against the graph.
// https://github.com/ai-dynamo/grove/blob/main/operator/internal/controller/podclique/reconcilestatus.go
func findChildren(g *graph.Graph, c cluster, m *memory, r *require.Requirements) map[string]graphplan.Child {
	// Crossplane fails when it is asked for objects of a kind that is not served.
	if m.podCliqueSet == nil || !c.grove {
		return nil
	}
	var children map[string]graphplan.Child
	live := servicesOf(m.podCliqueSet)
	for _, name := range g.ServiceNames() {
		multinode, ok := live[names.Lower(name)]
		if !ok {
			continue
		}
		kind, digest := grovev1alpha1.KindPodClique, podClique
		if multinode {
			kind, digest = grovev1alpha1.KindPodCliqueScalingGroup, podCliqueScalingGroup
		}
		child := g.Names().GroveChild(name)
		object, _ := r.Get(require.Object{
			Name: requirementOfChild(kind, name), APIVersion: grovev1alpha1.APIVersion, Kind: kind, ObjectName: child, Namespace: g.Namespace,
		})
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

// requirementOfChild is the name of the requirement of the child that runs a service.
func requirementOfChild(kind, service string) string {
	return strings.ToLower(kind) + "-" + names.Lower(service)
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
