package gang

import (
	"cmp"

	"google.golang.org/protobuf/types/known/structpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"

	schedulingv1beta1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/scheduling/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// composesNative reports whether the chain composes a PodGroup of Kubernetes for a LeaderWorkerSet.
func (b *Builder) composesNative(set *lwsv1.LeaderWorkerSet) bool {
	group := set.Spec.LeaderWorkerTemplate.WorkerTemplate.Spec.SchedulingGroup
	return b.Plan.LWS.Gang.Provider == graphplan.GangKubernetes && group != nil && ptr.Deref(group.PodGroupName, "") == set.Name
}

// Grouped are the pods of a LeaderWorkerSet as the gang of a generation, if Kubernetes schedules them as a gang of the chain.
//
// Pods that are being deleted count as members of their PodGroup, so a leader that replaces one of them would get a node before there is room for
// its workers. So the pods of each template are a gang of their own, with a PodGroup of its own. All steps before status know the first one only.
func Grouped(pods *structpb.Struct, set, generation string) *structpb.Struct {
	for _, role := range []string{"leaderTemplate", "workerTemplate"} {
		path := []string{role, "spec", "schedulingGroup"}
		if was, own := names.GenerationOfSchedulingGroup(set, tree.Text(pods, "podGroupName", path...)); own && was != generation {
			pods = tree.WithText(pods, names.SchedulingGroup(set, generation), "podGroupName", path...)
		}
	}
	return pods
}

// GenerationOf a LeaderWorkerSet is that of the PodGroup of Kubernetes that its pods name. ok is false if they name none of the chain.
func GenerationOf(set *structpb.Struct) (generation string, ok bool) {
	group := tree.Text(set, "podGroupName", "spec", "leaderWorkerTemplate", "workerTemplate", "spec", "schedulingGroup")
	return names.GenerationOfSchedulingGroup(tree.Name(set), group)
}

// Native is the PodGroup of a LeaderWorkerSet of a component. An engine that has lost a node does not work, so all of its pods are preempted, or
// none.
func (b *Builder) Native(name string, set *lwsv1.LeaderWorkerSet) *schedulingv1beta1.PodGroup {
	group := &schedulingv1beta1.PodGroup{
		TypeMeta: metav1.TypeMeta{APIVersion: cmp.Or(b.Plan.LWS.Gang.APIVersion, schedulingv1beta1.APIVersion), Kind: schedulingv1beta1.Kind},
		ObjectMeta: metav1.ObjectMeta{
			Name:      *set.Spec.LeaderWorkerTemplate.WorkerTemplate.Spec.SchedulingGroup.PodGroupName,
			Namespace: set.Namespace, Labels: map[string]string{metadata.LabelInstance: set.Labels[metadata.LabelInstance]},
		},
		Spec: schedulingv1beta1.Spec{
			SchedulingPolicy:  schedulingv1beta1.SchedulingPolicy{Gang: &schedulingv1beta1.Gang{MinCount: *set.Spec.LeaderWorkerTemplate.Size}},
			DisruptionMode:    &schedulingv1beta1.DisruptionMode{All: &struct{}{}},
			PriorityClassName: set.Spec.LeaderWorkerTemplate.LeaderTemplate.Spec.PriorityClassName,
		},
	}
	if key := b.placement(name).RequiredLabel; key != "" {
		group.Spec.SchedulingConstraints = &schedulingv1beta1.SchedulingConstraints{Topology: []schedulingv1beta1.TopologyConstraint{{Key: key}}}
	}
	return group
}

// Keep what cannot change of a PodGroup of Kubernetes that exists: Crossplane would fail to apply anything else, a constraint that the API server
// has dropped included. The number of pods can change. live is nil if it does not exist.
func Keep(group *schedulingv1beta1.PodGroup, live *structpb.Struct) error {
	if live == nil {
		return nil
	}
	was, policy := schedulingv1beta1.PodGroup{}, group.Spec.SchedulingPolicy
	if err := require.Into(live, &was); err != nil {
		return err
	}
	group.Spec = was.Spec
	if was.Spec.SchedulingPolicy.Gang != nil {
		group.Spec.SchedulingPolicy = policy
	}
	return nil
}
