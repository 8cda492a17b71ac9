package revision

import (
	"cmp"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	snapshotv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/snapshot/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step/retain"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/response"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// deadlineSeconds of a SnapshotJob, as with the Dynamo operator. The pod may have to wait for a GPU, and loads its model first.
const deadlineSeconds = 3600

// composeSnapshotJobs has the state of the pods of components stored whose checkpoint the graph creates: one SnapshotJob for the template that the
// pods have. Beside it stay those of the templates before, so that pods are restored that get one of these again. Earlier ones are deleted, and
// what they have stored stays.
func composeSnapshotJobs(call *step.Call) error {
	for _, component := range call.Graph.ComponentsByName() {
		checkpoint := call.Plan.Components[component.Name].Checkpoint
		if checkpoint == nil || !checkpoint.Creates {
			if component.CreatesCheckpoint() {
				keepSnapshotJobs(call, component.Name)
			}
			continue
		}
		keepEarlierJobs(call, component.Name)
		if err := composeSnapshotJob(call, component.Name, fnv1.Ready_READY_TRUE); err != nil {
			return errors.Errorf("cannot compose the SnapshotJob of component %s: %w", component.Name, err)
		}
	}
	return nil
}

// awaitStored takes away the workloads that are new and whose pods only start from what a SnapshotJob stores, for as long as nothing is stored for
// them. It returns what is left. On Grove, all pods of a graph are in one workload. The Dynamo operator scales such a component to zero, which Grove
// does not support.
func awaitStored(call *step.Call, components []running, h history) ([]running, error) {
	var waiting []string
	for i := range components {
		s := &components[i]
		if c := call.Plan.Components[s.name].Checkpoint; c == nil || !c.Creates || !call.Graph.Component(s.name).AwaitsCheckpoint() || h.componentOf(s) != nil {
			continue
		}
		for _, w := range s.workloads {
			if w.observed != nil || tree.Text(w.pods, snapshotv1alpha1.AnnotationRestoreFrom, "metadata", "annotations") != "" {
				continue
			}
			if err := composeSnapshotJob(call, s.name, fnv1.Ready_READY_FALSE); err != nil {
				return nil, errors.Errorf("cannot compose the SnapshotJob of component %s: %w", s.name, err)
			}
			waiting = append(waiting, w.key)
		}
	}
	for _, key := range waiting {
		delete(call.Response.GetDesired().GetResources(), key)
	}
	return runningOf(call), nil
}

// keepEarlierJobs of a component: as many as revisions stay that no workload runs any more.
func keepEarlierJobs(call *step.Call, component string) {
	observed := call.Request.GetObserved().GetResources()
	created := func(key string) string {
		return tree.Text(observed[key].GetResource(), "creationTimestamp", "metadata")
	}
	var keys []string
	for key, r := range observed {
		job := snapshotv1alpha1.SnapshotJob{}
		if names.IsSnapshotJobOf(key, component) && require.Into(r.GetResource(), &job) == nil && job.Completed() {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b string) int { return cmp.Or(cmp.Compare(created(b), created(a)), cmp.Compare(a, b)) })
	// The newest is usually that of the template that the pods have.
	for _, key := range keys[:min(len(keys), historyLimit+1)] {
		keepSnapshotJob(call, key)
	}
}

func keepSnapshotJob(call *step.Call, key string) {
	retain.Retain(call, names.Resource(key), call.Request.GetObserved().GetResources()[key].GetResource())
	call.Response.GetDesired().GetResources()[key].Ready = fnv1.Ready_READY_TRUE
}

// keepSnapshotJobs of a component whose user asks for a checkpoint while the platform lets none be created, such as with another input. With them,
// the graph would forget what is stored. Jobs that replace them would have the same names, and fail because of the PodSnapshots that these have
// made.
func keepSnapshotJobs(call *step.Call, component string) {
	for key := range call.Request.GetObserved().GetResources() {
		if names.IsSnapshotJobOf(key, component) {
			keepSnapshotJob(call, key)
		}
	}
}

// composeSnapshotJob of the template of a component. A graph that serves is ready whether or not its state is stored.
func composeSnapshotJob(call *step.Call, component string, ready fnv1.Ready) error {
	pods := podsOfDesired(call, component)
	template := tree.Text(pods, metadata.AnnotationCheckpointTemplate, "metadata", "annotations")
	if template == "" {
		// Live pods that were built before anything was to be stored have no hash. They are stored when their user has changed them.
		return nil
	}
	g := call.Graph
	hash := snapshotHash(call, component, template)
	key, s := names.KeySnapshotJob(component, hash), g.Component(component)
	decoded := corev1.PodTemplateSpec{}
	if err := require.Into(pods, &decoded); err != nil {
		return err //nolint:wrapcheck // It is wrapped by the caller.
	}
	job := &snapshotv1alpha1.SnapshotJob{
		TypeMeta: metav1.TypeMeta{APIVersion: snapshotv1alpha1.APIVersion, Kind: snapshotv1alpha1.KindJob},
		ObjectMeta: metav1.ObjectMeta{
			Name: names.SnapshotJob(hash), Namespace: g.Namespace,
			Labels: map[string]string{
				metadata.LabelGraphName: metadata.LabelValue(g.Name), metadata.LabelComponent: component, metadata.LabelManagedBy: metadata.ManagedBy,
			},
			Annotations: map[string]string{
				metadata.AnnotationCheckpointTemplate: template, metadata.AnnotationAutoCheckpoint: "true",
				metadata.AnnotationCheckpointDeletionPolicy: string(cmp.Or(s.Checkpoint().DeletionPolicy, v1alpha1.CheckpointDelete)),
			},
		},
		Spec: snapshotv1alpha1.SnapshotJobSpec{
			ActiveDeadlineSeconds: deadlineSeconds,

			PodTemplate:         pod.StoredPod(g.Component(component), &decoded),
			PodSnapshotTemplate: snapshotv1alpha1.PodSnapshotTemplate{TargetContainers: []string{s.CheckpointTarget()}},
		},
	}
	job.Spec.PodTemplate.Labels[snapshotv1alpha1.LabelJob] = job.Name
	queueOnGrove(call, &job.Spec.PodTemplate)
	if err := response.Set(call.Response, key, job); err != nil {
		return err //nolint:wrapcheck // It is wrapped by the caller.
	}
	composed := call.Response.GetDesired().GetResources()[string(key)]
	if spec := call.Request.GetObserved().GetResources()[string(key)].GetResource().GetFields()["spec"]; spec != nil {
		// The API server refuses any change of it, and with it the whole graph.
		composed.Resource.Fields["spec"] = spec
	}
	composed.Ready = ready
	return nil
}

// queueOnGrove puts a pod into the queue of Volcano that its PodCliqueSet names for Grove. Volcano reads it from pods that Grove does not make.
func queueOnGrove(call *step.Call, template *corev1.PodTemplateSpec) {
	set := call.Response.GetDesired().GetResources()[string(names.KeyPodCliqueSet)].GetResource()
	queue := tree.Text(set, metadata.AnnotationGroveVolcanoQueue, "metadata", "annotations")
	if queue == "" || template.Spec.SchedulerName != graphplan.VolcanoScheduler {
		return
	}
	if template.Annotations == nil {
		template.Annotations = map[string]string{}
	}
	template.Annotations[metadata.AnnotationVolcanoQueue] = queue
}

// snapshotDigits of the hash in the name of a SnapshotJob. The agent finds what is stored by that name alone, in storage that all namespaces may
// share, so nobody must find other parts with the same hash.
const snapshotDigits = 32

// snapshotHash tells the templates of all components of all graphs of a cluster apart, also of one that was deleted and created again: what its
// predecessor has stored is not overwritten.
func snapshotHash(call *step.Call, component, template string) string {
	uid := tree.Text(call.Request.GetObserved().GetComposite().GetResource(), "uid", "metadata")
	parts := []string{call.Graph.Namespace, call.Graph.Name, uid, component, template}
	values := make([]*structpb.Value, len(parts))
	for i, part := range parts {
		values[i] = structpb.NewStringValue(part)
	}
	return tree.Hash(&structpb.Struct{Fields: map[string]*structpb.Value{"of": structpb.NewListValue(&structpb.ListValue{Values: values})}})[:snapshotDigits]
}

// podsOfDesired are the pods of a component on one node, as they are desired in the end. It is nil if there are none.
func podsOfDesired(call *step.Call, component string) *structpb.Struct {
	objects := map[string]*structpb.Struct{}
	for key, r := range call.Response.GetDesired().GetResources() {
		objects[key] = r.GetResource()
	}
	for _, pods := range PodsOf(call.Graph, component, objects) {
		return pods
	}
	return nil
}
