package status

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"
)

const (
	lwsPlan = `{"version":2,"release":"development","orchestrator":"LeaderWorkerSet","lws":{"gang":{"provider":"PodGroup","schedulerName":"volcano","queue":"default"}},"services":{},"totalGPUs":16}`

	desiredDeployment = `{"kind":"Deployment","metadata":{"name":"llama-frontend"}}`
	stuckDeployment   = `{"kind":"Deployment","metadata":{"generation":1},"status":{"observedGeneration":1,"replicas":1,"updatedReplicas":1,
		"conditions":[{"type":"Progressing","status":"False","reason":"ProgressDeadlineExceeded"}]}}`
	readyDeployment = `{"kind":"Deployment","metadata":{"generation":1},"status":{"observedGeneration":1,"replicas":1,"updatedReplicas":1,"readyReplicas":1,"availableReplicas":1,
		"conditions":[{"type":"Available","status":"True"}]}}`
	desiredWorker   = `{"kind":"LeaderWorkerSet","metadata":{"name":"llama-worker-0"}}`
	startingWorker  = `{"kind":"LeaderWorkerSet","spec":{"replicas":1},"status":{"replicas":1,"updatedReplicas":1}}`
	desiredPodGroup = `{"kind":"PodGroup","metadata":{"name":"llama-worker-0"}}`
	waitingPodGroup = `{"kind":"PodGroup","status":{"phase":"Inqueue"}}`
	desiredVolume   = `{"kind":"PersistentVolumeClaim","metadata":{"name":"cache"}}`
	lostVolume      = `{"kind":"PersistentVolumeClaim","status":{"phase":"Lost"}}`
	pendingVolume   = `{"kind":"PersistentVolumeClaim","status":{"phase":"Pending"}}`
)

// workerUp is the status of a LeaderWorkerSet that does its work, JSON.
const workerUp = `,"status":{"replicas":1,"updatedReplicas":1,"readyReplicas":1,"conditions":[{"type":"Available","status":"True"}]}`

// templated is a LeaderWorkerSet with this image in its pods, and with further fields, JSON.
func templated(image, more string) string {
	return `{"kind":"LeaderWorkerSet","metadata":{"name":"llama-worker"},"spec":{"leaderWorkerTemplate":{"workerTemplate":{"spec":{"containers":[{"image":"` + image + `"}]}}}}` + more + `}`
}

// hashed is a LeaderWorkerSet with the mark of its pod template, the one with image 2.
func hashed(set string) string {
	return strings.Replace(set, `"llama-worker"`, `"llama-worker","annotations":{"dynamo.nvidia.com/pod-template-hash":"e3a1b6fb9c7f044b"}`, 1)
}

// both services of a graph: Frontend on one node, Worker on two.
func both(plan string) *fnv1.RunFunctionRequest {
	req := request(plan)
	req.Observed.Composite.Resource = resource.MustStructJSON(`{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment",
		"metadata":{"name":"llama","namespace":"inference","generation":3},"spec":{"services":{"Worker":{"multinode":{"nodeCount":2}},"Frontend":{}}}}`)
	return req
}

func TestServices(t *testing.T) {
	const (
		children = `"children":{"Frontend":{"kind":"PodClique","name":"llama-0-frontend","generation":1,"observedGeneration":1,"specReplicas":1,"replicas":1,"updatedReplicas":1,
			"readyReplicas":1,"availableReplicas":0,"scheduledReplicas":1},
			"Worker":{"kind":"PodCliqueScalingGroup","name":"llama-0-worker","generation":1,"observedGeneration":1,"specReplicas":2,"replicas":2,"updatedReplicas":2,
			"readyReplicas":0,"availableReplicas":1,"scheduledReplicas":2,"problem":"its gang was terminated"}},`
		onGrove = `{"version":2,"release":"development",` + children + `"orchestrator":"Grove","grove":{"terminationDelay":"15m0s"},"services":{},"totalGPUs":16}`

		cliqueStatus = `"Frontend":{"componentKind":"PodClique","componentName":"llama-0-frontend","componentNames":["llama-0-frontend"],"replicas":1,"updatedReplicas":1,
			"readyReplicas":1,"scheduledReplicas":1}`
		groupStatus = `"Worker":{"componentKind":"PodCliqueScalingGroup","componentName":"llama-0-worker","componentNames":["llama-0-worker"],"replicas":2,"updatedReplicas":2,
			"availableReplicas":1,"scheduledReplicas":2}`
		workerStatus = `"Worker":{"componentKind":"LeaderWorkerSet","componentName":"llama-worker-0","componentNames":["llama-worker-0"],"replicas":1,"updatedReplicas":1,"readyReplicas":0}`
		stuckStatus  = `"Frontend":{"componentKind":"Deployment","componentName":"llama-frontend","componentNames":["llama-frontend"],"replicas":1,"updatedReplicas":1,
			"readyReplicas":0,"availableReplicas":0}`
		upStatus = `"Frontend":{"componentKind":"Deployment","componentName":"llama-frontend","componentNames":["llama-frontend"],"replicas":1,"updatedReplicas":1,
			"readyReplicas":1,"availableReplicas":1}`
	)
	status := func(state, orchestrator, services string) responseOption {
		return statusIs(`{"state":"` + state + `","observedGeneration":3,"orchestrator":"` + orchestrator + `","mnnvl":{"mode":"Disabled"},"totalGPUs":16,"services":{` + services + `}}`)
	}
	grove := with(with(both(onGrove), "podcliqueset", desiredSet, readySet), "service-frontend", desiredService, "")
	overruled := with(both(onGrove), "podcliqueset", desiredSet, readySet)
	overruled.Desired.Resources["podcliqueset"].Ready = fnv1.Ready_READY_TRUE
	failed := with(with(with(both(lwsPlan), "deployment-frontend", desiredDeployment, stuckDeployment),
		"leaderworkerset-worker-0", desiredWorker, startingWorker), "podgroup-worker-0", desiredPodGroup, waitingPodGroup)
	lost := with(request(lwsPlan), "deployment-frontend", desiredDeployment, readyDeployment)
	lost = with(lost, "pvc-cache", desiredVolume, lostVolume)
	pendingAlone := with(with(request(lwsPlan), "deployment-frontend", desiredDeployment, readyDeployment), "pvc-cache", desiredVolume, pendingVolume)

	rolling := with(with(request(lwsPlan), "leaderworkerset-worker-0", templated("2", ""), templated("2", workerUp)), "leaderworkerset-worker-1", templated("2", ""), templated("1", workerUp))
	rolling.Observed.Composite.Resource = resource.MustStructJSON(`{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment",
		"metadata":{"name":"llama","namespace":"inference","generation":3},"spec":{"services":{"Worker":{"replicas":2,"multinode":{"nodeCount":2}}}}}`)

	cases := map[string]struct {
		reason string
		req    *fnv1.RunFunctionRequest
		want   *fnv1.RunFunctionResponse
	}{
		"Rolling": {
			reason: "A replica that takes its new pod template now counts neither as ready nor as updated, though what it has is.",
			req:    rolling,
			want: answer(rolling, soon(), status("pending", "LeaderWorkerSet",
				`"Worker":{"componentKind":"LeaderWorkerSet","componentName":"llama-worker-0","componentNames":["llama-worker-0","llama-worker-1"],"replicas":2,"updatedReplicas":1,"readyReplicas":2}`),
				desires("leaderworkerset-worker-0", templated("2", ""), fnv1.Ready_READY_TRUE), desires("leaderworkerset-worker-1", hashed(templated("2", "")), fnv1.Ready_READY_FALSE),
				notReady("Worker: 1 of 2 replicas have the new pod template")),
		},
		"Grove": {
			reason: "A PodCliqueSet is as ready as what it is made of, whatever it says; services come before other objects.",
			req:    grove,
			want: answer(grove, soon(), status("pending", "Grove", cliqueStatus+","+groupStatus),
				desires("podcliqueset", desiredSet, fnv1.Ready_READY_FALSE), desires("service-frontend", desiredService, fnv1.Ready_READY_FALSE),
				notReady("Worker: PodCliqueScalingGroup llama-0-worker: 1 of 2 replicas are available, its gang was terminated; Service llama-frontend: not created yet")),
		},
		"JudgedByOthers": {
			reason: "What another function holds for ready is not waited for; the counts stay what they are.",
			req:    overruled,
			want: answer(overruled, status("successful", "Grove", cliqueStatus+","+groupStatus),
				desires("podcliqueset", desiredSet, fnv1.Ready_READY_TRUE), allReady()),
		},
		"Failed": {
			reason: "A rollout past its deadline is a failure; what a scheduler says may explain the rest.",
			req:    failed,
			want: answer(failed, soon(), status("failed", "LeaderWorkerSet", stuckStatus+","+workerStatus),
				desires("deployment-frontend", desiredDeployment, fnv1.Ready_READY_FALSE), desires("leaderworkerset-worker-0", desiredWorker, fnv1.Ready_READY_FALSE),
				desires("podgroup-worker-0", desiredPodGroup, fnv1.Ready_READY_TRUE),
				notReady("Frontend: Deployment llama-frontend: its progress deadline was exceeded, 0 of 1 replicas are available; "+
					"Worker: LeaderWorkerSet llama-worker-0: 0 of 1 groups are ready; PodGroup llama-worker-0: is waiting for its pods (phase Inqueue)")),
		},
		"LostVolume": {
			reason: "A lost volume is a failure, even with every service up.",
			req:    lost,
			want: answer(lost, soon(), status("failed", "LeaderWorkerSet", upStatus),
				desires("deployment-frontend", desiredDeployment, fnv1.Ready_READY_TRUE), desires("pvc-cache", desiredVolume, fnv1.Ready_READY_FALSE),
				notReady("PersistentVolumeClaim cache: its volume, and the data on it, are lost")),
		},
		"PendingVolume": {
			reason: "What may explain something explains nothing when all is well.",
			req:    pendingAlone,
			want: answer(pendingAlone, status("successful", "LeaderWorkerSet", upStatus),
				desires("deployment-frontend", desiredDeployment, fnv1.Ready_READY_TRUE), desires("pvc-cache", desiredVolume, fnv1.Ready_READY_TRUE), allReady()),
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
