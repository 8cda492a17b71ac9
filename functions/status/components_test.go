package status

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"
	volcanov1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

func desiredDeployment() *metav1.PartialObjectMetadata {
	return named("apps/v1", "Deployment", "llama-frontend")
}

// frontendOf is an observed Deployment whose replicas have the latest template. The given number of them is ready.
func frontendOf(replicas, ready int32, conditions ...appsv1.DeploymentCondition) *appsv1.Deployment {
	return &appsv1.Deployment{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
		ObjectMeta: metav1.ObjectMeta{Name: "llama-frontend", Generation: 1},
		Spec:       appsv1.DeploymentSpec{Replicas: new(replicas)},
		Status: appsv1.DeploymentStatus{
			ObservedGeneration: 1, Replicas: replicas, UpdatedReplicas: replicas, ReadyReplicas: ready, AvailableReplicas: ready, Conditions: conditions,
		},
	}
}

func available() appsv1.DeploymentCondition {
	return appsv1.DeploymentCondition{Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue}
}

// exceeded is the condition of a Deployment that is past its deadline.
func exceeded() appsv1.DeploymentCondition {
	return appsv1.DeploymentCondition{Type: appsv1.DeploymentProgressing, Status: corev1.ConditionFalse, Reason: "ProgressDeadlineExceeded"}
}

func readyDeployment() *appsv1.Deployment { return frontendOf(1, 1, available()) }

// workerOf is a LeaderWorkerSet of one group with this status.
func workerOf(status lwsv1.LeaderWorkerSetStatus) *lwsv1.LeaderWorkerSet {
	return &lwsv1.LeaderWorkerSet{
		TypeMeta:   metav1.TypeMeta{APIVersion: "leaderworkerset.x-k8s.io/v1", Kind: "LeaderWorkerSet"},
		ObjectMeta: metav1.ObjectMeta{Name: "llama-worker-0"},
		Spec:       lwsv1.LeaderWorkerSetSpec{Replicas: new(int32(1))},
		Status:     status,
	}
}

func desiredWorker() *metav1.PartialObjectMetadata {
	return named("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "llama-worker-0")
}

func startingWorker() *lwsv1.LeaderWorkerSet {
	return workerOf(lwsv1.LeaderWorkerSetStatus{Replicas: 1, UpdatedReplicas: 1})
}

// templated is a LeaderWorkerSet whose pods have this image.
func templated(name, image string, status lwsv1.LeaderWorkerSetStatus) *lwsv1.LeaderWorkerSet {
	set := workerOf(status)
	set.Name = name
	set.Spec.LeaderWorkerTemplate.WorkerTemplate.Spec.Containers = []corev1.Container{{Name: "main", Image: image}}
	return set
}

// volume is a PersistentVolumeClaim in this phase.
func volume(phase corev1.PersistentVolumeClaimPhase) *corev1.PersistentVolumeClaim {
	return &corev1.PersistentVolumeClaim{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PersistentVolumeClaim"}, ObjectMeta: metav1.ObjectMeta{Name: "cache"},
		Status: corev1.PersistentVolumeClaimStatus{Phase: phase},
	}
}

// onLWS is the plan of a graph on LeaderWorkerSets.
func onLWS() *graphplan.Plan {
	return planOf(func(p *graphplan.Plan) {
		p.Orchestrator, p.Grove = graphplan.LeaderWorkerSet, nil
		p.LWS.Gang = graphplan.Gang{Provider: graphplan.GangPodGroup, SchedulerName: graphplan.VolcanoScheduler, Queue: "default"}
	})
}

// both components of a graph: Frontend on one node, Worker on two.
func both(plan *graphplan.Plan) *fnv1.RunFunctionRequest {
	return requestFor(v1alpha1.DynamoGraphDeploymentSpec{Services: map[string]v1alpha1.Service{"Frontend": {}, "Worker": {Multinode: &v1alpha1.Multinode{NodeCount: 2}}}}, plan)
}

func TestComponents(t *testing.T) {
	zero, one := new(int32(0)), new(int32(1))
	var (
		aClique = v1alpha1.ServiceStatus{
			ComponentKind: "PodClique", ComponentName: "llama-0-frontend", ComponentNames: []string{"llama-0-frontend"},
			Replicas: 1, UpdatedReplicas: 1, ReadyReplicas: one, ScheduledReplicas: one,
		}
		group = v1alpha1.ServiceStatus{
			ComponentKind: "PodCliqueScalingGroup", ComponentName: "llama-0-worker", ComponentNames: []string{"llama-0-worker"},
			Replicas: 2, UpdatedReplicas: 2, AvailableReplicas: one, ScheduledReplicas: new(int32(2)),
		}
		worker = v1alpha1.ServiceStatus{
			ComponentKind: "LeaderWorkerSet", ComponentName: "llama-worker-0", ComponentNames: []string{"llama-worker-0"},
			Replicas: 1, UpdatedReplicas: 1, ReadyReplicas: zero,
		}
		workers = v1alpha1.ServiceStatus{
			ComponentKind: "LeaderWorkerSet", ComponentName: "llama-worker-0", ComponentNames: []string{"llama-worker-0", "llama-worker-1"},
			Replicas: 2, UpdatedReplicas: 1, ReadyReplicas: new(int32(2)), GPUsPerEngine: new(int64(0)), GPUsPerReplica: new(int64(0)),
		}
	)
	// frontend is the status of a component on a Deployment.
	frontend := func(ready *int32) v1alpha1.ServiceStatus {
		return v1alpha1.ServiceStatus{
			ComponentKind: "Deployment", ComponentName: "llama-frontend", ComponentNames: []string{"llama-frontend"},
			Replicas: 1, UpdatedReplicas: 1, ReadyReplicas: ready, AvailableReplicas: ready,
		}
	}
	onGrove := planOf(withChild("Frontend", clique(1)), withChild("Worker", graphplan.Child{
		Kind: "PodCliqueScalingGroup", Name: "llama-0-worker", Generation: 1, ObservedGeneration: new(int64(1)),
		SpecReplicas: 2, Replicas: 2, UpdatedReplicas: 2, AvailableReplicas: 1, ScheduledReplicas: 2, Problem: "its gang was terminated",
	}))
	status := func(state v1alpha1.State, orchestrator graphplan.Orchestrator, services map[string]v1alpha1.ServiceStatus) responseOption {
		return statusIs(statusWith(state, orchestrator, services))
	}
	// partly is status for a graph of whose components some are ready, although something is not.
	partly := func(ready string, state v1alpha1.State, orchestrator graphplan.Orchestrator, services map[string]v1alpha1.ServiceStatus) responseOption {
		all := statusWith(state, orchestrator, services)
		all.ReadyComponents = ready
		return statusIs(all)
	}
	podGroup := named("scheduling.volcano.sh/v1beta1", "PodGroup", "llama-worker-0")
	waitingPodGroup := &volcanov1beta1.PodGroup{
		TypeMeta: podGroup.TypeMeta, ObjectMeta: podGroup.ObjectMeta, Status: volcanov1beta1.PodGroupStatus{Phase: volcanov1beta1.PodGroupInqueue},
	}
	claim := named("v1", "PersistentVolumeClaim", "cache")
	grove := with(with(both(onGrove), "podcliqueset", desiredSet(), readySet()), "service-frontend", desiredComponent(), nil)
	overruled := with(both(onGrove), "podcliqueset", desiredSet(), readySet())
	overruled.Desired.Resources["podcliqueset"].Ready = fnv1.Ready_READY_TRUE
	failed := with(with(with(both(onLWS()), "deployment-frontend", desiredDeployment(), frontendOf(1, 0, exceeded())),
		"leaderworkerset-worker-0", desiredWorker(), startingWorker()), "podgroup-worker-0", podGroup, waitingPodGroup)
	lost := with(request(onLWS()), "deployment-frontend", desiredDeployment(), readyDeployment())
	lost = with(lost, "pvc-cache", claim, volume(corev1.ClaimLost))
	pendingAlone := with(with(request(onLWS()), "deployment-frontend", desiredDeployment(), readyDeployment()), "pvc-cache", claim, volume(corev1.ClaimPending))

	twoWorkers := v1alpha1.Service{Replicas: new(int32(2)), Multinode: &v1alpha1.Multinode{NodeCount: 2}}
	rolling := requestFor(v1alpha1.DynamoGraphDeploymentSpec{Services: map[string]v1alpha1.Service{"Worker": twoWorkers}}, onLWS())
	up := lwsv1.LeaderWorkerSetStatus{
		Replicas: 1, UpdatedReplicas: 1, ReadyReplicas: 1,
		Conditions: []metav1.Condition{{Type: string(lwsv1.LeaderWorkerSetAvailable), Status: metav1.ConditionTrue}},
	}
	first, second := templated("llama-worker-0", "2", lwsv1.LeaderWorkerSetStatus{}), templated("llama-worker-1", "2", lwsv1.LeaderWorkerSetStatus{})
	rolling = with(rolling, "leaderworkerset-worker-0", first, templated("llama-worker-0", "2", up))
	rolling = with(rolling, "leaderworkerset-worker-1", second, templated("llama-worker-1", "1", up))
	// The LeaderWorkerSet that gets the new pod template now is annotated with the hash of the template.
	marked := second.DeepCopy()
	marked.Annotations = map[string]string{"dynamo.nvidia.com/pod-template-hash": "31db50296d5ba308"}

	cases := map[string]struct {
		reason string
		req    *fnv1.RunFunctionRequest
		want   *fnv1.RunFunctionResponse
	}{
		"Rolling": {
			reason: "A replica that takes its new pod template now counts neither as ready nor as updated, though what it has is.",
			req:    rolling,
			want: answer(rolling, soon(), status("pending", "LeaderWorkerSet", map[string]v1alpha1.ServiceStatus{"Worker": workers}),
				desires("leaderworkerset-worker-0", first, fnv1.Ready_READY_TRUE), desires("leaderworkerset-worker-1", marked, fnv1.Ready_READY_FALSE),
				notReadyFor("rolling_update_in_progress", "Rolling update in progress: Worker: 1 of 2 replicas have the new pod template")),
		},
		"Grove": {
			reason: "A PodCliqueSet is as ready as what it is made of, whatever it says; services come before other objects.",
			req:    grove,
			want: answer(grove, soon(), partly("1/2", "pending", "Grove", map[string]v1alpha1.ServiceStatus{"Frontend": aClique, "Worker": group}),
				desires("podcliqueset", desiredSet(), fnv1.Ready_READY_FALSE), desires("service-frontend", desiredComponent(), fnv1.Ready_READY_FALSE),
				notReadyFor("pods_not_ready", "Resources not ready: llama: Worker: scheduled but available=1/2 (PodCliqueScalingGroup llama-0-worker: its gang was terminated); "+
					"Service llama-frontend: not created yet")),
		},
		"JudgedByOthers": {
			reason: "What another function holds for ready is not waited for; the counts stay what they are.",
			req:    overruled,
			want: answer(overruled, status("successful", "Grove", map[string]v1alpha1.ServiceStatus{"Frontend": aClique, "Worker": group}),
				desires("podcliqueset", desiredSet(), fnv1.Ready_READY_TRUE), allReady()),
		},
		"Failed": {
			reason: "A rollout past its deadline is a failure; what a scheduler says may explain the rest.",
			req:    failed,
			want: answer(failed, soon(), status("failed", "LeaderWorkerSet", map[string]v1alpha1.ServiceStatus{"Frontend": frontend(zero), "Worker": worker}),
				desires("deployment-frontend", desiredDeployment(), fnv1.Ready_READY_FALSE), desires("leaderworkerset-worker-0", desiredWorker(), fnv1.Ready_READY_FALSE),
				desires("podgroup-worker-0", podGroup, fnv1.Ready_READY_TRUE),
				notReady("Frontend: Deployment llama-frontend: its progress deadline was exceeded, 0 of 1 replicas are available; "+
					"Worker: LeaderWorkerSet llama-worker-0: 0 of 1 groups are ready; PodGroup llama-worker-0: is waiting for its pods (phase Inqueue)")),
		},
		"LostVolume": {
			reason: "A lost volume is a failure, even with every service up.",
			req:    lost,
			want: answer(lost, soon(), partly("1/1", "failed", "LeaderWorkerSet", map[string]v1alpha1.ServiceStatus{"Frontend": frontend(one)}),
				desires("deployment-frontend", desiredDeployment(), fnv1.Ready_READY_TRUE), desires("pvc-cache", claim, fnv1.Ready_READY_FALSE),
				notReady("PersistentVolumeClaim cache: its volume, and the data on it, are lost")),
		},
		"PendingVolume": {
			reason: "What may explain something explains nothing when all is well.",
			req:    pendingAlone,
			want: answer(pendingAlone, status("successful", "LeaderWorkerSet", map[string]v1alpha1.ServiceStatus{"Frontend": frontend(one)}),
				desires("deployment-frontend", desiredDeployment(), fnv1.Ready_READY_TRUE), desires("pvc-cache", claim, fnv1.Ready_READY_TRUE), allReady()),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, run(t, tc.req), protocmp.Transform()); diff != "" {
				t.Errorf("%s\nRunFunction(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
