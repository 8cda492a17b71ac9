package why

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestObjects diagnoses graphs with a single object that is not a pod, and its pods.
func TestObjects(t *testing.T) {
	const (
		owned   = `ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: llama-decode-6d4f, uid: rs, controller: true}]`
		isReady = `status: {phase: Running, conditions: [{type: Ready, status: "True"}]}`
		evicted = `{apiVersion: v1, kind: Pod, metadata: {name: old, uid: old, ` + owned + `}, spec: {nodeName: node-1}, status: {phase: Failed, reason: Evicted, message: low on memory}}`
	)
	event := func(uid, reason, message string) string {
		return `{apiVersion: v1, kind: Event, involvedObject: {uid: ` + uid + `}, reason: ` + reason + `, message: '` + message + `'}`
	}
	cases := map[string]struct {
		reason  string
		objects []string
		events  []string
		want    said
	}{
		"ClaimLost": {
			reason:  "A volume that is lost does not come back.",
			objects: []string{`{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: models, uid: claim}, status: {phase: Lost}}`},
			want:    said{Volume, "PersistentVolumeClaim models: its volume, and the data on it, are lost.", "kubectl describe persistentvolumeclaim models --namespace=inference"},
		},
		"ClaimPending": {
			reason:  "A claim that cannot be provisioned says so in an event.",
			objects: []string{`{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: models, uid: claim}, status: {phase: Pending}}`},
			events:  []string{event("claim", "ProvisioningFailed", "storageclass.storage.k8s.io fast not found")},
			want:    said{Volume, "PersistentVolumeClaim models is not bound to a volume: storageclass.storage.k8s.io fast not found.", "kubectl describe persistentvolumeclaim models --namespace=inference"},
		},
		"ClaimWaits": {
			reason:  "A claim may wait for its first pod.",
			objects: []string{`{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: models, uid: claim}, status: {phase: Pending}}`},
			want:    said{Updating, "The graph is not ready: Resources not ready.", "kubectl describe dgd llama --namespace=inference"},
		},
		"NoPods": {
			reason:  "An object without pods whose controller says nothing may have no controller.",
			objects: []string{`{apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, metadata: {name: llama-decode-0, uid: set, labels: {nvidia.com/dynamo-component: Decode}}, spec: {replicas: 1}}`},
			want:    said{NoPods, "Decode is not ready: LeaderWorkerSet llama-decode-0 has no pods: 0 of 1 groups have pods.", "kubectl describe leaderworkerset llama-decode-0 --namespace=inference"},
		},
		"Account": {
			reason:  "A ServiceAccount that does not exist keeps pods from being created.",
			objects: []string{`{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: llama-decode-6d4f, uid: rs, labels: {nvidia.com/dynamo-component: Decode}}, spec: {replicas: 1}}`},
			events:  []string{event("rs", "FailedCreate", `Error creating: pods "a-" is forbidden: error looking up service account inference/b: serviceaccount "b" not found`)},
			want:    said{ObjectMissing, `Decode is not ready: pods cannot be created: error looking up service account inference/b: serviceaccount "b" not found.`, "kubectl get serviceaccounts --namespace=inference"},
		},
		"Invalid": {
			reason:  "What the API server finds invalid is no matter of permissions.",
			objects: []string{`{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: llama-decode-6d4f, uid: rs, labels: {nvidia.com/dynamo-component: Decode}}, spec: {replicas: 1}}`},
			events:  []string{event("rs", "FailedCreate", `Error creating: Pod "a" is invalid: spec.priority: wrong`)},
			want:    said{PodsRefused, `Decode is not ready: pods cannot be created: invalid: spec.priority: wrong.`, "kubectl describe replicaset llama-decode-6d4f --namespace=inference"},
		},
		"OldEvent": {
			reason: "Events stay for an hour after what they are about.",
			objects: []string{
				`{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: llama-decode-6d4f, uid: rs}, spec: {replicas: 1}, status: {replicas: 1}}`,
				`{apiVersion: v1, kind: Pod, metadata: {name: new, uid: new, ` + owned + `}, spec: {nodeName: node-1}, status: {phase: Pending}}`,
			},
			events: []string{event("rs", "FailedCreate", "exceeded quota: gpus")},
			want:   said{Starting, "Pod new is not ready: its containers are being created.", "kubectl describe pod new --namespace=inference"},
		},
		"Leftover": {
			reason: "A pod that was evicted and replaced is not missed.",
			objects: []string{
				`{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: llama-decode-6d4f, uid: rs}, spec: {replicas: 1}, status: {replicas: 1, readyReplicas: 1}}`, evicted,
				`{apiVersion: v1, kind: Pod, metadata: {name: new, uid: new, ` + owned + `}, ` + isReady + `}`,
			},
			want: said{Updating, "The graph is not ready: Resources not ready.", "kubectl describe dgd llama --namespace=inference"},
		},
		"Missed": {
			reason: "A pod that was evicted and is not replaced is.",
			objects: []string{
				`{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: llama-decode-6d4f, uid: rs}, spec: {replicas: 1}, status: {replicas: 1}}`, evicted,
			},
			want: said{PodFailed, "Pod old is not ready: Evicted: low on memory.", "kubectl describe pod old --namespace=inference"},
		},
		"Group": {
			reason: "A group that LWS creates anew has crashed, unless its pods tell something else.",
			objects: []string{
				`{apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, metadata: {name: llama-decode-0, uid: set, labels: {nvidia.com/dynamo-component: Decode}}, spec: {replicas: 1}}`,
				`{apiVersion: v1, kind: Pod, metadata: {name: llama-decode-0-0, uid: pod, ownerReferences: [{uid: set, controller: true}]}, status: {phase: Pending, conditions: [{type: PodScheduled, status: "False", reason: Unschedulable, message: no room}]}}`,
			},
			events: []string{event("set", "RecreateGroup", "Worker pod llama-decode-0-1 failed, deleted leader pod llama-decode-0 to recreate group 0")},
			want:   said{Unschedulable, "Pod llama-decode-0-0 of Decode is not ready: no node fits; the scheduler says: no room.", "kubectl describe pod llama-decode-0-0 --namespace=inference"},
		},
		"Cycle": {
			reason: "Objects that own each other are all shown, and do not go round in circles.",
			objects: []string{
				`{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: a, uid: a, ownerReferences: [{uid: b, controller: true}]}, spec: {replicas: 1}}`,
				`{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: b, uid: b, ownerReferences: [{uid: a, controller: true}]}, spec: {replicas: 0}}`,
			},
			want: said{NoPods, "ReplicaSet a has no pods: 0 of 1 pods are ready.", "kubectl describe replicaset a --namespace=inference"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := &Facts{Graph: waiting(t)}
			for list, texts := range map[*[]unstructured.Unstructured][]string{&f.Objects: tc.objects, &f.Events: tc.events} {
				for _, text := range texts {
					*list = append(*list, object(t, text))
				}
			}
			if diff := cmp.Diff(tc.want, saidBy(Diagnose(f, "kubectl"))); diff != "" {
				t.Errorf("%s\nDiagnose(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
