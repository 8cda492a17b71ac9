package gang

import (
	"google.golang.org/protobuf/types/known/structpb"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	resourcehelper "k8s.io/component-helpers/resource"
	"k8s.io/utils/ptr"
	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"
	volcanov1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/response"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/structs"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// composesPodGroup reports whether the chain composes the gang of a LeaderWorkerSet: Volcano schedules the pods, and the LWS operator does
// not create the gang itself.
func (b *Builder) composesPodGroup(set *lwsv1.LeaderWorkerSet) bool {
	return b.Plan.LWS.Gang.Provider == graphplan.GangPodGroup &&
		set.Spec.LeaderWorkerTemplate.WorkerTemplate.Annotations[metadata.AnnotationGroupName] == set.Name
}

// podGroup is the gang of one LeaderWorkerSet of a component, with the same name.
func (b *Builder) podGroup(name string, set *lwsv1.LeaderWorkerSet) *volcanov1beta1.PodGroup {
	spec := asked(set)
	spec.Queue, spec.NetworkTopology = b.Plan.LWS.Gang.Queue, b.networkTopology(name)
	return &volcanov1beta1.PodGroup{
		TypeMeta: metav1.TypeMeta{APIVersion: volcanov1beta1.SchemeGroupVersion.String(), Kind: "PodGroup"},
		ObjectMeta: metav1.ObjectMeta{
			Name: set.Name, Namespace: set.Namespace, Labels: map[string]string{metadata.LabelInstance: set.Labels[metadata.LabelInstance]},
		},
		Spec: spec,
	}
}

// asked of the scheduler for the pods of a LeaderWorkerSet. Without a template of its own, the leader has that of the workers.
func asked(set *lwsv1.LeaderWorkerSet) volcanov1beta1.PodGroupSpec {
	template := set.Spec.LeaderWorkerTemplate
	size := ptr.Deref(template.Size, 1)
	leader := ptr.Deref(template.LeaderTemplate, template.WorkerTemplate).Spec
	spec := volcanov1beta1.PodGroupSpec{MinMember: size, PriorityClassName: leader.PriorityClassName}
	if resources := sum(requests(leader), requests(template.WorkerTemplate.Spec), int64(size)-1); len(resources) > 0 {
		spec.MinResources = &resources
	}
	return spec
}

// Refit the PodGroup by which Volcano schedules replica i of a component, if there is one, to the pods that its LeaderWorkerSet gets in place of
// those that were built: a gang that asks for other pods than its own waits for room that they do not need, or starts without what they need.
// What both ask for alike stays, because another step of the Composition may have changed it.
func Refit(rsp *fnv1.RunFunctionResponse, component string, i int32, built, gets *structpb.Struct) error {
	key := string(names.KeyPodGroup(component, i))
	group := rsp.GetDesired().GetResources()[key].GetResource()
	if group == nil {
		return nil
	}
	before, err := encodedAsked(built)
	if err != nil {
		return err
	}
	after, err := encodedAsked(gets)
	if err != nil {
		return err
	}
	for _, field := range []string{"minMember", "minResources", "priorityClassName"} {
		if was, is := before.GetFields()[field], after.GetFields()[field]; !tree.EqualValues(was, is) {
			group = tree.With(group, is, field, "spec")
		}
	}
	response.Replace(rsp, key, group)
	return nil
}

func encodedAsked(object *structpb.Struct) (*structpb.Struct, error) {
	set := &lwsv1.LeaderWorkerSet{}
	if err := require.Into(object, set); err != nil {
		return nil, err
	}
	encoded, err := structs.Of(asked(set))
	return encoded, errors.Wrapf(err, "cannot encode the PodGroup of LeaderWorkerSet %s", set.Name)
}

// requests of a pod as the scheduler counts them. If only a limit is set, the request is equal to it.
func requests(spec corev1.PodSpec) corev1.ResourceList {
	spec = *spec.DeepCopy()
	for _, containers := range [][]corev1.Container{spec.Containers, spec.InitContainers} {
		for i := range containers {
			requestLimits(&containers[i].Resources, nil)
		}
	}
	pod := &corev1.Pod{Spec: spec}
	if spec.Resources != nil {
		requestLimits(spec.Resources, resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{SkipPodLevelResources: true}))
	}
	return resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{})
}

// requestLimits adds a request for each limit that has none, either here or in within.
// https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/
func requestLimits(r *corev1.ResourceRequirements, within corev1.ResourceList) {
	for name, limit := range r.Limits {
		if _, ok := r.Requests[name]; ok {
			continue
		}
		if _, ok := within[name]; ok {
			continue
		}
		if r.Requests == nil {
			r.Requests = corev1.ResourceList{}
		}
		r.Requests[name] = limit
	}
}

// sum of one leader and a number of workers.
func sum(leader, worker corev1.ResourceList, workers int64) corev1.ResourceList {
	total := leader.DeepCopy()
	for name, amount := range worker {
		amount.Mul(workers)
		amount.Add(total[name])
		total[name] = amount
	}
	return total
}
