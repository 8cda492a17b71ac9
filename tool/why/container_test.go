package why

import (
	"fmt"
	"testing"
)

func TestPodsOnNodes(t *testing.T) {
	// status of a pod on a node with a container.
	on := func(container string) string {
		return `{spec: {nodeName: node-1}, status: {phase: Running, conditions: [{type: Ready, status: "False"}], containerStatuses: [{name: main, image: a/b:c, ` + container + `}]}}`
	}
	ended := func(exit int, reason string, restarts int) string {
		return on(fmt.Sprintf(`restartCount: %d, state: {waiting: {reason: CrashLoopBackOff, message: "back-off 5m0s"}}, lastState: {terminated: {exitCode: %d, reason: %s, message: "a secret"}}`, restarts, exit, reason))
	}
	checkPods(t, map[string]podCase{
		"ImagePull": {
			reason: "The event of the kubelet says why an image cannot be pulled.", pod: on(`state: {waiting: {reason: ImagePullBackOff, message: back-off}}`),
			event: [2]string{"Failed", `Failed to pull image "a/b:c": not found`},
			want:  said{ImagePull, `POD: image a/b:c of container main cannot be pulled (ImagePullBackOff): Failed to pull image "a/b:c": not found.`, describePod},
		},
		"Secret": {
			reason: "A Secret that does not exist is named, not read.", pod: on(`state: {waiting: {reason: CreateContainerConfigError, message: 'secret "hf-token" not found'}}`),
			want: said{ObjectMissing, `POD: container main refers to something that does not exist: secret "hf-token" not found.`, describePod},
		},
		"ConfigMap": {
			reason: "A volume of a ConfigMap that does not exist is told by an event.", pod: on(`state: {waiting: {reason: ContainerCreating}}`),
			event: [2]string{"FailedMount", `MountVolume.SetUp failed for volume "a" : configmap "engine" not found`},
			want:  said{ObjectMissing, `POD: a volume cannot be mounted: MountVolume.SetUp failed for volume "a" : configmap "engine" not found.`, "kubectl get configmaps --namespace=inference"},
		},
		"Key": {
			reason: "A key that is not in a Secret is named, and the Secret is not read.", pod: on(`state: {waiting: {reason: CreateContainerConfigError, message: "couldn't find key token in Secret inference/hf-token"}}`),
			want: said{ObjectMissing, "POD: container main refers to something that does not exist: couldn't find key token in Secret inference/hf-token.", describePod},
		},
		"KeyOfVolume": {
			reason: "A key that is not in a ConfigMap is told as the ConfigMap would be.", pod: on(`state: {waiting: {reason: ContainerCreating}}`),
			event: [2]string{"FailedMount", `MountVolume.SetUp failed for volume "a" : configmap references non-existent config key: engine.yaml`},
			want:  said{ObjectMissing, `POD: a volume cannot be mounted: MountVolume.SetUp failed for volume "a" : configmap references non-existent config key: engine.yaml.`, "kubectl get configmaps --namespace=inference"},
		},
		"KeyOfSecret": {
			reason: "A key that is not in a Secret is told as the Secret would be.", pod: on(`state: {waiting: {reason: ContainerCreating}}`),
			event: [2]string{"FailedMount", `MountVolume.SetUp failed for volume "a" : references non-existent secret key: token`},
			want:  said{ObjectMissing, `POD: a volume cannot be mounted: MountVolume.SetUp failed for volume "a" : references non-existent secret key: token.`, describePod},
		},
		"ImagePullOfKubelet": {
			reason: "The kubelet repeats in its status why it backs off, after the event that says so was followed by others.",
			pod: on(`state: {waiting: {reason: ImagePullBackOff, message: 'Back-off pulling image "a/b:c": ErrImagePull: rpc error: code = NotFound desc = failed to pull and unpack image "a/b:c": ` +
				`failed to resolve reference "a/b:c": a/b:c: not found'}}`),
			event: [2]string{"Failed", "Error: ImagePullBackOff"},
			want: said{ImagePull, `POD: image a/b:c of container main cannot be pulled (ImagePullBackOff): Back-off pulling image "a/b:c": ErrImagePull: rpc error: code = NotFound desc = ` +
				`failed to pull and unpack image "a/b:c": failed to resolve reference "a/b:c": a/b:c: not found.`, describePod},
		},
		"Mount": {
			reason: "Storage that does not answer is told by an event.", pod: on(`state: {waiting: {reason: ContainerCreating}}`), event: [2]string{"FailedAttachVolume", "timed out"},
			want: said{Volume, "POD: a volume cannot be mounted: timed out.", describePod},
		},
		"Sandbox": {
			reason: "A node that cannot prepare a pod says so in an event.", pod: on(`state: {waiting: {reason: ContainerCreating}}`), event: [2]string{"FailedPrepareDynamicResources", "no domain"},
			want: said{Sandbox, "POD: its node cannot prepare it (FailedPrepareDynamicResources): no domain.", describePod},
		},
		"Creating": {
			reason: "Containers take time to be created.", pod: on(`state: {waiting: {reason: ContainerCreating}}`),
			want: said{Starting, "POD: its containers are being created.", describePod},
		},
		"Command": {
			reason: "A command that is not in the image is named.", pod: on(`state: {waiting: {reason: RunContainerError, message: 'exec: "python4": not found'}}`),
			want: said{CannotStart, `POD: container main cannot be started (RunContainerError): exec: "python4": not found.`, describePod},
		},
		"Hook": {
			reason: "What a hook prints is part of the log.", pod: on(`state: {waiting: {reason: PostStartHookError, message: a secret}}`),
			want: said{CannotStart, "POD: container main cannot be started (PostStartHookError).", describePod},
		},
		"Crash": {
			reason: "What a container has written when it ended is part of the log.", pod: ended(3, "Error", 7),
			want: said{Crash, "POD: container main crashed with exit code 3, and was restarted 7 times.", previous},
		},
		"CrashNow": {
			reason: "A container that has just ended is not restarted yet.", pod: on(`restartCount: 0, state: {terminated: {exitCode: 1, reason: Error}}`),
			want: said{Crash, "POD: container main crashed with exit code 1.", logs},
		},
		"Memory": {
			reason: "A container that ran out of memory is told apart.", pod: ended(137, "OOMKilled", 1),
			want: said{Crash, "POD: container main ran out of memory (OOMKilled, exit code 137), and was restarted once.", previous},
		},
		"Ended": {
			reason: "A server must not end, even if it ends well.", pod: ended(0, "Completed", 2),
			want: said{Crash, "POD: container main ended, although it should go on (exit code 0), and was restarted 2 times.", previous},
		},
		"Killed": {
			reason: "A container that is killed because of its startup probe has not crashed.", pod: ended(137, "Error", 2),
			event: [2]string{"Unhealthy", `Startup probe failed: Get "http://10.0.0.1:9090/live": connection refused`},
			want:  said{ProbeFails, `POD: the startup probe of container main fails: Get "http://10.0.0.1:9090/live": connection refused, so that it was restarted 2 times.`, previous},
		},
		"NotReady": {
			reason: "The readiness probe says why a container is not ready.", pod: on(`started: true, state: {running: {}}`),
			event: [2]string{"Unhealthy", "Readiness probe failed: HTTP probe failed with statuscode: 503"},
			want:  said{ProbeFails, "POD: the readiness probe of container main fails: HTTP probe failed with statuscode: 503.", logs},
		},
		"Exec": {
			reason: "What the command of a probe prints is part of the log.", pod: on(`started: true, state: {running: {}}`), event: [2]string{"Unhealthy", "Readiness probe failed: a secret"},
			want: said{ProbeFails, "POD: the readiness probe of container main fails.", logs},
		},
		"Starting": {
			reason: "A model takes long to load.", pod: on(`started: false, state: {running: {}}`),
			want: said{Starting, "POD: container main is starting: its startup probe has not succeeded yet.", logs},
		},
		"Leader": {
			reason: "Workers wait for their leader.",
			pod:    `{spec: {nodeName: node-1}, status: {phase: Pending, initContainerStatuses: [{name: wait-for-leader-mp, state: {running: {}}}], containerStatuses: [{name: main, state: {waiting: {reason: PodInitializing}}}]}}`,
			want:   said{WaitingForLeader, "POD: init container wait-for-leader-mp waits for the leader of its replica.", describePod},
		},
		"LeaderOfRay": {
			reason: "Workers wait for their leader.",
			pod:    `{spec: {nodeName: node-1}, status: {phase: Pending, initContainerStatuses: [{name: wait-for-ray-head, state: {running: {}}}], containerStatuses: [{name: main, state: {waiting: {reason: PodInitializing}}}]}}`,
			want:   said{WaitingForLeader, "POD: init container wait-for-ray-head waits for the leader of its replica.", describePod},
		},
		"Init": {
			reason: "An init container takes time, or hangs.",
			pod:    `{spec: {nodeName: node-1}, status: {phase: Pending, initContainerStatuses: [{name: fetch, state: {running: {}}}]}}`,
			want:   said{Initializing, "POD: init container fetch has not completed yet.", "kubectl logs llama-decode-0 --container=fetch --namespace=inference"},
		},
		"Evicted": {
			reason: "A pod that its node has evicted says why.", pod: `{spec: {nodeName: node-1}, status: {phase: Failed, reason: Evicted, message: The node was low on resource}}`,
			want: said{PodFailed, "POD: Evicted: The node was low on resource.", describePod},
		},
		"NodeLost": {
			reason: "Containers of a lost node stay as they were last seen.",
			pod:    `{spec: {nodeName: node-1}, status: {phase: Running, conditions: [{type: Ready, status: "False"}, {type: ContainersReady, status: "True"}], containerStatuses: [{name: main, ready: true, state: {running: {}}}]}}`,
			want:   said{NodeLost, "POD: its node node-1 no longer reports to the cluster.", describePod},
		},
		"Unreadable": {
			reason: "A pod that cannot be decoded is not ready, and does not stop anything.", pod: `{spec: [], status: {phase: Running}}`,
			want: said{Unknown, "POD: it cannot be read: json: cannot unmarshal array into Go struct field Pod.spec of type v1.PodSpec.", describePod},
		},
	})
}
