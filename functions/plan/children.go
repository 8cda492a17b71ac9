package plan

import (
	"cmp"

	"google.golang.org/protobuf/types/known/structpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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
		children[name] = digest(object)
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

func podClique(object *structpb.Struct) graphplan.Child {
	clique := &grovev1alpha1.PodClique{}
	err := require.Into(object, clique)
	status := clique.Status
	return graphplan.Child{
		Kind: grovev1alpha1.KindPodClique, Name: clique.Name,
		Generation: clique.Generation, ObservedGeneration: status.ObservedGeneration,
		SpecReplicas: clique.Spec.Replicas, Replicas: status.Replicas, UpdatedReplicas: status.UpdatedReplicas,
		ReadyReplicas: status.ReadyReplicas, ScheduledReplicas: status.ScheduledReplicas,
		Trouble: trouble{err, &clique.ObjectMeta, status.Conditions, status.LastErrors}.String(),
	}
}

func podCliqueScalingGroup(object *structpb.Struct) graphplan.Child {
	group := &grovev1alpha1.PodCliqueScalingGroup{}
	err := require.Into(object, group)
	status := group.Status
	return graphplan.Child{
		Kind: grovev1alpha1.KindPodCliqueScalingGroup, Name: group.Name,
		Generation: group.Generation, ObservedGeneration: status.ObservedGeneration,
		SpecReplicas: group.Spec.Replicas, Replicas: status.Replicas, UpdatedReplicas: status.UpdatedReplicas,
		AvailableReplicas: status.AvailableReplicas, ScheduledReplicas: status.ScheduledReplicas,
		Trouble: trouble{err, &group.ObjectMeta, status.Conditions, status.LastErrors}.String(),
	}
}

// trouble is all by which the trouble of a child is told.
type trouble struct {
	// unreadable is the error met when the child was decoded. What could be decoded of it counts all the same.
	unreadable error
	meta       *metav1.ObjectMeta
	conditions []metav1.Condition
	lastErrors []grovev1alpha1.LastError
}

// String is empty when there is no trouble.
func (t trouble) String() string {
	breached := t.condition(grovev1alpha1.ConditionMinAvailableBreached)
	terminated := t.condition(grovev1alpha1.ConditionGangTerminationInProgress)
	switch {
	case t.unreadable != nil:
		return "cannot be read: " + t.unreadable.Error()
	case t.meta.DeletionTimestamp != nil:
		return "is being deleted"
	case terminated.Status == metav1.ConditionTrue:
		return "its gang was terminated and starts anew: " + cmp.Or(terminated.Message, terminated.Reason)
	case unscheduled(breached):
		return "waits for a place on nodes: " + cmp.Or(breached.Message, breached.Reason)
	case breached.Status == metav1.ConditionTrue:
		return "too few replicas are up: " + cmp.Or(breached.Message, breached.Reason)
	case len(t.lastErrors) > 0:
		return "Grove reports: " + cmp.Or(t.lastErrors[0].Description, t.lastErrors[0].Code, "an error")
	default:
		return ""
	}
}

// unscheduled reports whether a condition MinAvailableBreached says that pods wait for a place. Up to v0.1.0-alpha.11 it
// is False then, as if all were well, and later releases have it at False while no pod at all is placed.
func unscheduled(breached metav1.Condition) bool {
	switch breached.Reason {
	case grovev1alpha1.ReasonInsufficientScheduledPods,
		grovev1alpha1.ReasonInsufficientScheduledScalingGroups,
		grovev1alpha1.ReasonScheduledReplicasBelowMinAvailable:
		return true
	default:
		return false
	}
}

func (t trouble) condition(conditionType string) metav1.Condition {
	for _, c := range t.conditions {
		if c.Type == conditionType {
			return c
		}
	}
	return metav1.Condition{}
}
