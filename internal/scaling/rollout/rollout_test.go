package rollout

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"
	"github.com/crossplane/function-sdk-go/response"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/graphtest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

const (
	hashKey  = "dynamo.nvidia.com/pod-template-hash"
	sinceKey = "dynamo.nvidia.com/available-since-before-restart"
	markKey  = "nvidia.com/restartAt"
)

// upStatus is that of a set that is available.
func upStatus() *lwsv1.LeaderWorkerSetStatus {
	status := oldStatus()
	status.ObservedGeneration, status.Conditions[0].LastTransitionTime = 1, metav1.Time{}
	return status
}

// downStatus is that of a set whose pods are not ready.
func downStatus() *lwsv1.LeaderWorkerSetStatus {
	return &lwsv1.LeaderWorkerSetStatus{ObservedGeneration: 1, Replicas: 1}
}

// oldStatus is upStatus before LWS v0.9.
func oldStatus() *lwsv1.LeaderWorkerSetStatus {
	return &lwsv1.LeaderWorkerSetStatus{Replicas: 1, UpdatedReplicas: 1, ReadyReplicas: 1, Conditions: []metav1.Condition{{
		Type: string(lwsv1.LeaderWorkerSetAvailable), Status: metav1.ConditionTrue,
		LastTransitionTime: metav1.Date(2026, time.January, 1, 9, 0, 0, 0, time.UTC),
	}}}
}

// fields of a LeaderWorkerSet that differ from case to case.
type fields struct {
	// image of the pods; 1 when empty.
	image string
	// mark of restarts on the pods.
	mark string
	// annotations and labels of the set.
	annotations, labels map[string]string
	// queue of the pods.
	queue string
	// group is the PodGroup of Kubernetes that the pods name, and priority is their class.
	group, priority string
	// status; nil: none.
	status *lwsv1.LeaderWorkerSetStatus
	// managers of the fields.
	managers []metav1.ManagedFieldsEntry
}

// leaderWorkerSet i of component Worker.
func (f fields) leaderWorkerSet(i int) *structpb.Struct {
	image := f.image
	if image == "" {
		image = "1"
	}
	pods := corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"instance-id": strconv.Itoa(i)}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: image}}},
	}
	if f.queue != "" {
		pods.Labels["kai.scheduler/queue"] = f.queue
	}
	pods.Spec.PriorityClassName = f.priority
	if f.group != "" {
		pods.Spec.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: &f.group}
	}
	if f.mark != "" {
		pods.Annotations = map[string]string{markKey: f.mark}
	}
	set := &lwsv1.LeaderWorkerSet{
		TypeMeta: metav1.TypeMeta{APIVersion: "leaderworkerset.x-k8s.io/v1", Kind: "LeaderWorkerSet"},
		ObjectMeta: metav1.ObjectMeta{
			Name: fmt.Sprintf("llama-worker-%d", i), Namespace: "inference", Annotations: f.annotations, Labels: f.labels, ManagedFields: f.managers,
		},
		Spec: lwsv1.LeaderWorkerSetSpec{Replicas: new(int32(1)), LeaderWorkerTemplate: lwsv1.LeaderWorkerTemplate{
			Size: new(int32(2)), LeaderTemplate: &pods, WorkerTemplate: pods,
		}},
	}
	if f.status != nil {
		set.Status, set.Generation = *f.status, 1
	}
	return steptest.Struct(set)
}

// hashed is the annotation with the hash of the pod template of a set.
func (f fields) hashed(i int) fields {
	f.annotations = with(f.annotations, hashKey, (&set{desired: f.leaderWorkerSet(i)}).hashOf(templateOf(f.leaderWorkerSet(i))))
	return f
}

// with one more annotation.
func with(annotations map[string]string, key, value string) map[string]string {
	all := map[string]string{key: value}
	maps.Copy(all, annotations)
	return all
}

// podGroup of the first set, in a phase if it has one.
func podGroup(gpus, phase string) map[string]any {
	type fields = map[string]any
	group := fields{
		"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup", "metadata": fields{"name": "llama-worker-0", "namespace": "inference"},
		"spec": fields{"minMember": 2, "minResources": fields{"gpu": gpus}},
	}
	if phase != "" {
		group["status"] = fields{"phase": phase}
	}
	return group
}

// request with the sets of component Worker.
func request(observed, desired []fields) *fnv1.RunFunctionRequest {
	req := &fnv1.RunFunctionRequest{
		Observed: &fnv1.State{Resources: map[string]*fnv1.Resource{}},
		Desired:  &fnv1.State{Resources: map[string]*fnv1.Resource{}},
	}
	for i, f := range observed {
		req.Observed.Resources[fmt.Sprintf("leaderworkerset-worker-%d", i)] = &fnv1.Resource{Resource: f.leaderWorkerSet(i)}
	}
	for i, f := range desired {
		req.Desired.Resources[fmt.Sprintf("leaderworkerset-worker-%d", i)] = &fnv1.Resource{Resource: f.leaderWorkerSet(i)}
	}
	return req
}

// paced is the desired state after Pace, and what it returns. It holds that the request stays as it is.
func paced(t *testing.T, req *fnv1.RunFunctionRequest, annotations map[string]string, restart *graphplan.Restart) (map[string]*fnv1.Resource, map[string]Rollout) {
	t.Helper()
	replicas := int32(0)
	for key := range req.GetDesired().GetResources() {
		if strings.HasPrefix(key, "leaderworkerset-") {
			replicas++
		}
	}
	g := graphtest.Of(&graph.Graph{Name: "llama", Namespace: "inference"}, v1alpha1.DynamoGraphDeploymentSpec{Services: map[string]v1alpha1.Service{
		"Worker":   {Replicas: &replicas, Multinode: &v1alpha1.Multinode{NodeCount: 2}, Annotations: annotations},
		"Frontend": {},
	}})
	rsp := response.To(req, response.DefaultTTL)
	rsp.Desired = &fnv1.State{Resources: maps.Clone(req.GetDesired().GetResources())}
	before := proto.CloneOf(req)
	rollouts, err := Pace(req, rsp, g, &graphplan.Plan{Orchestrator: graphplan.LeaderWorkerSet, Restart: restart})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, req, protocmp.Transform()); diff != "" {
		t.Errorf("Pace(...) changed the request: -before, +after:\n%s", diff)
	}
	return rsp.GetDesired().GetResources(), rollouts
}

// TestPace compares whole sets.
func TestPace(t *testing.T) {
	managedBy := func(manager string, operation metav1.ManagedFieldsOperationType, fields string) []metav1.ManagedFieldsEntry {
		return []metav1.ManagedFieldsEntry{{
			Manager: manager, Operation: operation, APIVersion: "leaderworkerset.x-k8s.io/v1", FieldsV1: metav1.NewFieldsV1(fields),
		}}
	}
	applied := managedBy("apiextensions.crossplane.io/composed/01", metav1.ManagedFieldsOperationApply, `{"f:spec":{"f:leaderWorkerTemplate":{"f:size":{},"f:leaderTemplate":{},
		"f:workerTemplate":{"f:metadata":{"f:labels":{}},"f:spec":{"f:containers":{"k:{\"name\":\"main\"}":{"f:name":{}}}}}}}}`)
	others := managedBy("velero", metav1.ManagedFieldsOperationUpdate, `{"f:spec":{}}`)
	since8, since9 := map[string]string{sinceKey: "8:00"}, map[string]string{sinceKey: "2026-01-01T09:00:00Z"}
	ab, cd, another := map[string]string{"a": "b"}, map[string]string{"c": "d"}, map[string]string{hashKey: "another"}
	oldQueue, newQueue := map[string]string{"kai.scheduler/queue": "old"}, map[string]string{"kai.scheduler/queue": "new"}
	restart := &graphplan.Restart{ID: "two", Phase: "Restarting"}
	cases := map[string]struct {
		reason            string
		observed, desired []fields
		annotations       map[string]string
		restart           *graphplan.Restart
		want              []fields
		rollout           *Rollout
	}{
		"New": {
			reason:  "A set that is new is marked with the hash of its pod template.",
			desired: []fields{{}}, want: []fields{fields{}.hashed(0)},
		},
		"Same": {
			reason:   "A set whose pod template does not change keeps its marks, and everything else about it is as desired.",
			observed: []fields{fields{annotations: since8, status: upStatus()}.hashed(0)},
			desired:  []fields{{annotations: ab, labels: cd}},
			want:     []fields{fields{annotations: with(ab, sinceKey, "8:00"), labels: cd}.hashed(0)},
		},
		"Unmarked": {
			reason:   "A set without a mark that has the same pod template is left alone.",
			observed: []fields{{status: upStatus()}, {status: upStatus()}}, desired: []fields{{}, {}},
			want: []fields{{}, {}},
		},
		"UnmarkedAndEdited": {
			reason:   "A set without a mark that has another pod template waits for its turn.",
			observed: []fields{{status: upStatus()}, {status: upStatus()}}, desired: []fields{{image: "2"}, {image: "2", labels: cd}},
			want:    []fields{fields{image: "2"}.hashed(0), {labels: cd}},
			rollout: &Rollout{Replicas: 2, Old: 2, Outdated: []string{"leaderworkerset-worker-0", "leaderworkerset-worker-1"}, Waits: true, Unready: []string{"llama-worker-0"}},
		},
		"OtherMark": {
			reason:   "A mark of another way to write the same pod template is no reason to wait.",
			observed: []fields{{annotations: another, status: upStatus()}, {annotations: another, status: upStatus()}},
			desired:  []fields{{}, {}}, want: []fields{{annotations: another}, {annotations: another}},
		},
		"Mutated": {
			reason:   "A pod template that an admission webhook has changed is still the one that was applied.",
			observed: []fields{{image: "mirror/1", annotations: fields{}.hashed(0).annotations, status: upStatus()}},
			desired:  []fields{{}}, want: []fields{fields{}.hashed(0)},
		},
		"Edited": {
			reason:   "The first set takes a new pod template, and the others keep theirs with its marks.",
			observed: []fields{fields{status: upStatus()}.hashed(0), fields{annotations: since8, status: upStatus()}.hashed(1)},
			desired:  []fields{{image: "2"}, {image: "2", annotations: ab}},
			want:     []fields{fields{image: "2"}.hashed(0), fields{annotations: with(ab, sinceKey, "8:00")}.hashed(1)},
			rollout:  &Rollout{Replicas: 2, Old: 2, Outdated: []string{"leaderworkerset-worker-0", "leaderworkerset-worker-1"}, Waits: true, Unready: []string{"llama-worker-0"}},
		},
		"Queue": {
			reason:   "The queue of the KAI scheduler is on the set and on its pods, and changes on both together.",
			observed: []fields{fields{image: "2", queue: "new", labels: newQueue, status: downStatus()}.hashed(0), fields{queue: "old", labels: oldQueue, status: upStatus()}.hashed(1)},
			desired:  []fields{{image: "2", queue: "new", labels: newQueue}, {image: "2", queue: "new", labels: newQueue}},
			want:     []fields{fields{image: "2", queue: "new", labels: newQueue}.hashed(0), fields{queue: "old", labels: oldQueue}.hashed(1)},
			rollout:  &Rollout{Replicas: 2, Old: 1, Outdated: []string{"leaderworkerset-worker-1"}, Waits: true, Unready: []string{"llama-worker-0"}},
		},
		"BeforeLWS09": {
			reason:   "Where no generation tells, a set that takes a pod template notes since when it has been available.",
			observed: []fields{fields{annotations: since8, status: oldStatus()}.hashed(0)},
			desired:  []fields{{image: "2"}}, want: []fields{fields{image: "2", annotations: since9}.hashed(0)},
			rollout: &Rollout{Replicas: 1, Old: 1, Outdated: []string{"leaderworkerset-worker-0"}, Unready: []string{"llama-worker-0"}},
		},
		"OldStatus": {
			reason: "As long as a set has been available for no shorter time, its status is that of the pods before.",
			observed: []fields{
				fields{image: "2", annotations: since9, status: oldStatus()}.hashed(0), fields{status: oldStatus()}.hashed(1),
			},
			desired: []fields{{image: "2"}, {image: "2"}},
			want:    []fields{fields{image: "2", annotations: since9}.hashed(0), fields{}.hashed(1)},
			rollout: &Rollout{Replicas: 2, Old: 1, Outdated: []string{"leaderworkerset-worker-1"}, Waits: true, Unready: []string{"llama-worker-0"}},
		},
		"Restart": {
			reason:   "A restart is taken by one set after the other, too.",
			observed: []fields{fields{mark: "one", status: upStatus()}.hashed(0), fields{mark: "one", status: upStatus()}.hashed(1)},
			desired:  []fields{{mark: "two"}, {mark: "two"}}, restart: restart,
			want:    []fields{fields{mark: "two"}.hashed(0), fields{mark: "one"}.hashed(1)},
			rollout: &Rollout{Replicas: 2, Old: 2, Outdated: []string{"leaderworkerset-worker-0", "leaderworkerset-worker-1"}, Waits: true, Unready: []string{"llama-worker-0"}},
		},
		"EditDuringRestart": {
			reason:   "A set that takes a pod template during a restart need not restart again for it.",
			observed: []fields{fields{mark: "one", status: upStatus()}.hashed(0)}, desired: []fields{{image: "2", mark: "one"}}, restart: restart,
			want:    []fields{fields{image: "2", mark: "two"}.hashed(0)},
			rollout: &Rollout{Replicas: 1, Old: 1, Outdated: []string{"leaderworkerset-worker-0"}, Unready: []string{"llama-worker-0"}},
		},
		"EditAfterRestart": {
			reason:   "A set that takes a pod template after a restart stays restarted as it was.",
			observed: []fields{fields{mark: "one", status: upStatus()}.hashed(0)}, desired: []fields{{image: "2", mark: "one"}}, restart: &graphplan.Restart{ID: "one", Phase: "Completed"},
			want:    []fields{fields{image: "2", mark: "one"}.hashed(0)},
			rollout: &Rollout{Replicas: 1, Old: 1, Outdated: []string{"leaderworkerset-worker-0"}, Unready: []string{"llama-worker-0"}},
		},
		"Recreate": {
			reason: "With strategy Recreate all sets take a pod template at once.", annotations: map[string]string{"nvidia.com/deployment-strategy": "Recreate"},
			observed: []fields{fields{status: upStatus()}.hashed(0), fields{status: upStatus()}.hashed(1)}, desired: []fields{{image: "2"}, {image: "2"}},
			want:    []fields{fields{image: "2"}.hashed(0), fields{image: "2"}.hashed(1)},
			rollout: &Rollout{Replicas: 2, Old: 2, Outdated: []string{"leaderworkerset-worker-0", "leaderworkerset-worker-1"}, Unready: []string{"llama-worker-0", "llama-worker-1"}},
		},
		"ManagedByOthers": {
			reason:   "A set that Crossplane has not applied yet is kept with all that it has.",
			observed: []fields{fields{image: "2", status: downStatus()}.hashed(0), fields{status: upStatus(), managers: others}.hashed(1)}, desired: []fields{{image: "2"}, {image: "2"}},
			want:    []fields{fields{image: "2"}.hashed(0), fields{}.hashed(1)},
			rollout: &Rollout{Replicas: 2, Old: 1, Outdated: []string{"leaderworkerset-worker-1"}, Waits: true, Unready: []string{"llama-worker-0"}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			desired, rollouts := paced(t, request(tc.observed, tc.desired), tc.annotations, tc.restart)
			want := request(nil, tc.want).GetDesired().GetResources()
			if diff := cmp.Diff(want, desired, protocmp.Transform()); diff != "" {
				t.Errorf("%s\nPace(...): -want, +got:\n%s", tc.reason, diff)
			}
			wanted := map[string]Rollout{}
			if tc.rollout != nil {
				wanted["Worker"] = *tc.rollout
			}
			if diff := cmp.Diff(wanted, rollouts); diff != "" {
				t.Errorf("%s\nPace(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
	t.Run("ManagedByCrossplane", func(t *testing.T) {
		observed := []fields{fields{image: "2", status: downStatus()}.hashed(0), fields{status: upStatus(), managers: applied}.hashed(1)}
		desired, _ := paced(t, request(observed, []fields{{image: "2"}, {image: "2"}}), nil, nil)
		got := tree.At(desired["leaderworkerset-worker-1"].GetResource(), "spec", "leaderWorkerTemplate", "workerTemplate")
		want := resource.MustStructJSON(`{"metadata":{"labels":{"instance-id":"1"}},"spec":{"containers":[{"name":"main"}]}}`)
		if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
			t.Errorf("A field that another client has set is not changed.\nPace(...): -want, +got:\n%s", diff)
		}
	})
}

// TestPaceGangs shows that a PodGroup changes with its set.
func TestPaceGangs(t *testing.T) {
	const key = "podgroup-worker-0"
	waits, low := []fields{{image: "2"}, {image: "2"}}, podGroup("8", "")
	if err := unstructured.SetNestedField(low, "low", "spec", "priorityClassName"); err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		reason            string
		sets              []fields
		observed, desired any
		want              any
	}{
		"Takes":  {reason: "A set that takes its pod template takes its gang.", sets: []fields{fields{status: upStatus()}.hashed(0), fields{status: upStatus()}.hashed(1)}, observed: podGroup("16", ""), desired: podGroup("8", ""), want: podGroup("8", "")},
		"Waits":  {reason: "The gang of a set that waits stays as it is.", sets: []fields{fields{status: upStatus()}.hashed(0), fields{image: "2", status: downStatus()}.hashed(1)}, observed: podGroup("16", "Running"), desired: podGroup("8", ""), want: podGroup("16", "")},
		"Leaves": {reason: "A gang that its set is about to leave stays as it is.", sets: []fields{fields{status: upStatus()}.hashed(0), fields{image: "2", status: downStatus()}.hashed(1)}, observed: podGroup("16", ""), want: podGroup("16", "")},
		"Lost": {
			reason: "The gang of a set that waits is created again for the pods that it has.",
			sets:   []fields{fields{priority: "low", status: upStatus()}.hashed(0), fields{image: "2", status: downStatus()}.hashed(1)}, desired: podGroup("8", ""),
			want: low,
		},
		"Joins": {reason: "A gang that is new is created at once: no pod waits for it.", sets: []fields{fields{status: upStatus()}.hashed(0), fields{image: "2", status: downStatus()}.hashed(1)}, desired: podGroup("8", ""), want: podGroup("8", "")},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := request(tc.sets, waits)
			if tc.observed != nil {
				req.Observed.Resources[key] = &fnv1.Resource{Resource: steptest.Struct(tc.observed)}
			}
			if tc.desired != nil {
				req.Desired.Resources[key] = &fnv1.Resource{Resource: steptest.Struct(tc.desired)}
			}
			desired, _ := paced(t, req, nil, nil)
			if diff := cmp.Diff(steptest.Struct(tc.want), desired[key].GetResource(), protocmp.Transform()); diff != "" {
				t.Errorf("%s\nPace(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestPaceOwnRestarts shows that an annotation of restarts that is the user's own is a setting like any other.
func TestPaceOwnRestarts(t *testing.T) {
	observed := []fields{{mark: "mine", status: upStatus()}, {mark: "mine", status: upStatus()}}
	desired, _ := paced(t, request(observed, []fields{{mark: "mine too"}, {mark: "mine too"}}), map[string]string{markKey: "mine too"}, &graphplan.Restart{ID: "two", Phase: "Restarting"})
	got := []string{restartMark(desired["leaderworkerset-worker-0"].GetResource()), restartMark(desired["leaderworkerset-worker-1"].GetResource())}
	if diff := cmp.Diff([]string{"mine too", "mine"}, got); diff != "" {
		t.Errorf("Pace(...): -want, +got:\n%s", diff)
	}
}

// TestPaceOneSet shows that the controller of LeaderWorkerSets updates the replicas of a set that runs all of them, whether it is ready or not.
func TestPaceOneSet(t *testing.T) {
	for name, status := range map[string]*lwsv1.LeaderWorkerSetStatus{"Ready": upStatus(), "NotReady": downStatus()} {
		t.Run(name, func(t *testing.T) {
			live, wanted := fields{status: status}.leaderWorkerSet(0), fields{image: "2"}.leaderWorkerSet(0)
			for _, set := range []*structpb.Struct{live, wanted} {
				set.Fields["spec"].GetStructValue().Fields["replicas"] = structpb.NewNumberValue(3)
			}
			const key = "leaderworkerset-worker-0"
			req := &fnv1.RunFunctionRequest{
				Observed: &fnv1.State{Resources: map[string]*fnv1.Resource{key: {Resource: live}}},
				Desired:  &fnv1.State{Resources: map[string]*fnv1.Resource{key: {Resource: wanted}}},
			}
			g := graphtest.Of(&graph.Graph{Name: "llama", Namespace: "inference", AdoptedNames: names.Adoption{Sets: []string{"worker"}}}, v1alpha1.DynamoGraphDeploymentSpec{
				Services: map[string]v1alpha1.Service{"Worker": {Replicas: new(int32(3)), Multinode: &v1alpha1.Multinode{NodeCount: 2}}},
			})
			rsp := response.To(req, response.DefaultTTL)
			rollouts, err := Pace(req, rsp, g, &graphplan.Plan{Orchestrator: graphplan.LeaderWorkerSet})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(map[string]Rollout{"Worker": {Replicas: 3, Old: 3, Outdated: []string{key}, Unready: []string{"llama-worker-0"}}}, rollouts); diff != "" {
				t.Errorf("Pace(...): -want, +got:\n%s", diff)
			}
			if diff := cmp.Diff(templateOf(wanted), templateOf(rsp.GetDesired().GetResources()[key].GetResource()), protocmp.Transform()); diff != "" {
				t.Errorf("pods: -want, +got:\n%s", diff)
			}
			if want, got := "0 of 3 replicas have the new pod template", rollouts["Worker"].Message(); got != want {
				t.Errorf("Message(): want %q, got %q", want, got)
			}
		})
	}
}

func TestMessage(t *testing.T) {
	outdated := []string{"leaderworkerset-worker-0", "leaderworkerset-worker-1"}
	for want, r := range map[string]Rollout{
		"1 of 3 replicas have the new pod template": {Replicas: 3, Old: 2, Outdated: outdated, Unready: []string{"llama-worker-0"}},
		"1 of 3 replicas have the new pod template, and the next replica is updated when LeaderWorkerSet llama-worker-0 is ready":                                    {Replicas: 3, Old: 2, Outdated: outdated, Waits: true, Unready: []string{"llama-worker-0"}},
		"2 of 4 replicas have the new pod template, and the next replica is updated when one of LeaderWorkerSets llama-worker-0, llama-worker-1 is ready":            {Replicas: 4, Old: 2, Outdated: outdated, Waits: true, Unready: []string{"llama-worker-0", "llama-worker-1"}},
		"0 of 2 replicas have the new pod template, and the old generation of workers stays until Prefill has a ready replica of the new generation":                 {Replicas: 2, Old: 2, Lacking: []string{"Prefill"}},
		"1 of 2 replicas have the new pod template, and the old generation of workers stays until each of Decode, Prefill has a ready replica of the new generation": {Replicas: 2, Old: 1, Lacking: []string{"Decode", "Prefill"}},
	} {
		if got := r.Message(); got != want {
			t.Errorf("Message(): want %q, got %q", want, got)
		}
	}
}
