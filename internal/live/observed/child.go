package observed

import (
	"cmp"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/structpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/managed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// RequiredChild is the requirement for the child that Grove creates from the PodCliqueSet of a graph for a component, by lower-cased name.
func RequiredChild(g *graph.Graph, component string, group bool) require.Object {
	kind := grovev1alpha1.KindPodClique
	if group {
		kind = grovev1alpha1.KindPodCliqueScalingGroup
	}
	return require.Object{
		Name: requirementOfChild(kind) + component, APIVersion: grovev1alpha1.APIVersion, Kind: kind,
		ObjectName: g.Names().GroveChild(component), Namespace: g.Namespace,
	}
}

// requirementOfChild is the beginning of the names of the requirements for children of a kind. The component follows.
func requirementOfChild(kind string) string { return strings.ToLower(kind) + "-" }

// DeliveredChildren of the PodCliqueSet, without requiring them. nil if none were delivered. Crossplane delivers what the last successful
// run required.
func DeliveredChildren(req *fnv1.RunFunctionRequest) func(kind, name string) (child graphplan.Child, ok bool) {
	type key struct{ kind, name string }
	var children map[key]graphplan.Child
	for requirement, objects := range require.Delivered(req) {
		for _, kind := range []string{grovev1alpha1.KindPodClique, grovev1alpha1.KindPodCliqueScalingGroup} {
			if !strings.HasPrefix(requirement, requirementOfChild(kind)) {
				continue
			}
			if children == nil {
				children = map[key]graphplan.Child{}
			}
			for _, object := range objects {
				children[key{kind, tree.Name(object)}] = Child(kind, object)
			}
		}
	}
	if children == nil {
		return nil
	}
	return func(kind, name string) (graphplan.Child, bool) {
		child, ok := children[key{kind, name}]
		return child, ok
	}
}

// Child contains the relevant fields of a PodClique or PodCliqueScalingGroup.
func Child(kind string, object *structpb.Struct) graphplan.Child {
	name := tree.Name(object)
	if kind == grovev1alpha1.KindPodCliqueScalingGroup {
		return podCliqueScalingGroup(name, object)
	}
	return podClique(name, object)
}

func podClique(name string, object *structpb.Struct) graphplan.Child {
	clique := &grovev1alpha1.PodClique{}
	err := require.Into(object, clique)
	status := clique.Status
	p := problem{
		err, &clique.ObjectMeta, status.ReadyReplicas < clique.Spec.Replicas, isBehind(&clique.ObjectMeta, status.ObservedGeneration),
		status.Conditions, status.LastErrors,
	}
	return graphplan.Child{
		Kind: grovev1alpha1.KindPodClique, Name: name,
		Generation: clique.Generation, ObservedGeneration: status.ObservedGeneration,
		SpecReplicas: clique.Spec.Replicas, Replicas: status.Replicas, UpdatedReplicas: status.UpdatedReplicas,
		ReadyReplicas: status.ReadyReplicas, ScheduledReplicas: status.ScheduledReplicas,
		ScheduleGatedReplicas: status.ScheduleGatedReplicas, Unscheduled: p.unscheduled(), Problem: p.String(),
		Update: podCliqueUpdate(object, cmp.Or(status.UpdateProgress, status.RollingUpdateProgress)),
	}
}

func podCliqueScalingGroup(name string, object *structpb.Struct) graphplan.Child {
	group := &grovev1alpha1.PodCliqueScalingGroup{}
	err := require.Into(object, group)
	status := group.Status
	p := problem{
		err, &group.ObjectMeta, status.AvailableReplicas < group.Spec.Replicas, isBehind(&group.ObjectMeta, status.ObservedGeneration),
		status.Conditions, status.LastErrors,
	}
	return graphplan.Child{
		Kind: grovev1alpha1.KindPodCliqueScalingGroup, Name: name,
		Generation: group.Generation, ObservedGeneration: status.ObservedGeneration,
		SpecReplicas: group.Spec.Replicas, Replicas: status.Replicas, UpdatedReplicas: status.UpdatedReplicas,
		AvailableReplicas: status.AvailableReplicas, ScheduledReplicas: status.ScheduledReplicas,
		Unscheduled: p.unscheduled(), Problem: p.String(),
		Update: update(object, cmp.Or(status.UpdateProgress, status.RollingUpdateProgress)),
	}
}

// isBehind reports whether Grove has not observed the latest generation of an object.
func isBehind(meta *metav1.ObjectMeta, observed *int64) bool {
	return observed == nil || *observed < meta.Generation
}

// podCliqueUpdate is the rolling update of a PodClique, which replaces pods. nil if there is none.
func podCliqueUpdate(object *structpb.Struct, progress *grovev1alpha1.PodCliqueUpdateProgress) *graphplan.ChildUpdate {
	if progress == nil {
		return nil
	}
	out := update(object, &progress.UpdateProgress)
	if pods := progress.ReadyPodsSelectedToUpdate; out != nil && pods != nil && pods.Current != "" {
		out.Selected = int32(len(pods.Completed)) + 1 //nolint:gosec // No PodClique has as many pods.
	}
	return out
}

// update is a rolling update. nil if there is none.
func update(object *structpb.Struct, progress *grovev1alpha1.UpdateProgress) *graphplan.ChildUpdate {
	if !progress.Active() {
		return nil
	}
	out := &graphplan.ChildUpdate{}
	var last time.Time
	for _, entry := range managed.Fields(object) {
		fields := entry.GetStructValue().GetFields()
		written, err := time.Parse(time.RFC3339, fields["time"].GetStringValue())
		if err == nil && fields["subresource"].GetStringValue() == "status" && written.After(last) {
			last, out.Written = written, fields["time"].GetStringValue()
		}
	}
	return out
}
