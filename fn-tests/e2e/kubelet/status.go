package kubelet

import (
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

const (
	// crashInterval is the time after which a container crashes. It restarts immediately, without the back-off of real nodes.
	crashInterval = 10 * time.Second

	// retryInterval is the time after which a kubelet looks again for what a pod refers to. Real kubelets take up to two minutes.
	retryInterval = 3 * time.Second
)

// A look of a kubelet at a pod.
type look struct {
	pod  *corev1.Pod
	find finder
	// running is for how long the containers of the pod could have run.
	running time.Duration

	// status that the pod has by now, and what the kubelet says about it.
	status corev1.PodStatus
	events []event
	// again is the time until the next look. It is zero if none is needed.
	again time.Duration
}

// lookAt a pod whose containers could have run for some time.
func lookAt(pod *corev1.Pod, running time.Duration, find finder) *look {
	l := &look{pod: pod, find: find, running: running, status: *pod.Status.DeepCopy()}
	l.status.Phase, l.status.ContainerStatuses, l.status.InitContainerStatuses = corev1.PodRunning, nil, nil
	// Volumes are mounted before the first container is created.
	mounted := l.has(func(s corev1.ContainerStatus) bool { return s.ImageID != "" }) || l.mount()
	isInitialized, isReady := mounted, true
	for i := range pod.Spec.InitContainers {
		status := l.waits(&pod.Spec.InitContainers[i])
		if isInitialized {
			status = l.initialize(&pod.Spec.InitContainers[i])
		}
		isInitialized = isInitialized && status.Ready
		l.status.InitContainerStatuses = append(l.status.InitContainerStatuses, status)
	}
	for i := range pod.Spec.Containers {
		status := l.waits(&pod.Spec.Containers[i])
		if isInitialized {
			status = l.run(&pod.Spec.Containers[i])
		}
		isReady = isReady && status.Ready
		l.status.ContainerStatuses = append(l.status.ContainerStatuses, status)
		if status.State.Waiting != nil && status.LastTerminationState.Terminated == nil {
			l.status.Phase = corev1.PodPending
		}
	}
	if l.status.StartTime == nil {
		l.status.StartTime = new(metav1.Now())
	}
	if !mounted {
		l.lookAgain(retryInterval)
	} else if l.status.PodIP == "" {
		// The network is set up once the volumes are mounted.
		l.status.PodIP = addressOf(pod)
		l.status.PodIPs = []corev1.PodIP{{IP: l.status.PodIP}}
	}
	setCondition(&l.status, corev1.PodInitialized, isInitialized || len(pod.Spec.InitContainers) == 0)
	setCondition(&l.status, corev1.ContainersReady, isReady)
	setCondition(&l.status, corev1.PodReady, isReady)
	return l
}

// say something about a container, or about the pod if the path is empty.
func (l *look) say(path, eventType, reason, message string) {
	l.events = append(l.events, event{path: path, eventType: eventType, reason: reason, message: message})
}

// lookAgain after some time, or earlier.
func (l *look) lookAgain(after time.Duration) {
	if l.again == 0 || after < l.again {
		l.again = after
	}
}

// has reports whether a container of the pod has such a status.
func (l *look) has(such func(corev1.ContainerStatus) bool) bool {
	return slices.ContainsFunc(l.pod.Status.InitContainerStatuses, such) || slices.ContainsFunc(l.pod.Status.ContainerStatuses, such)
}

// waits is the status of a container that waits for the volumes, or for init containers.
func (l *look) waits(c *corev1.Container) corev1.ContainerStatus {
	status := corev1.ContainerStatus{Name: c.Name, Image: c.Image}
	status.State.Waiting = &corev1.ContainerStateWaiting{Reason: "ContainerCreating"}
	if len(l.pod.Spec.InitContainers) > 0 {
		status.State.Waiting.Reason = "PodInitializing"
	}
	return status
}

// create a container: pull its image, and resolve its variables. created is false if that fails, and status says why.
func (l *look) create(c *corev1.Container, field string) (status corev1.ContainerStatus, created bool) {
	status = corev1.ContainerStatus{Name: c.Name, Image: c.Image}
	path := fmt.Sprintf("spec.%s{%s}", field, c.Name)
	if l.has(func(s corev1.ContainerStatus) bool { return s.Name == c.Name && s.ImageID == c.Image }) {
		status.ImageID = c.Image
		return status, true
	}
	if isMissing(c.Image) {
		status.State.Waiting = l.pulled(c, path)
		return status, false
	}
	if err := l.configure(c); err != nil {
		l.say(path, corev1.EventTypeNormal, "Pulled", fmt.Sprintf("Container image %q already present on machine and can be accessed by the pod", c.Image))
		l.say(path, corev1.EventTypeWarning, "Failed", "Error: "+err.Error())
		l.lookAgain(retryInterval)
		status.State.Waiting = &corev1.ContainerStateWaiting{Reason: "CreateContainerConfigError", Message: err.Error()}
		return status, false
	}
	status.ImageID = c.Image
	return status, true
}

// run a container: what happens depends on the tag of its image.
func (l *look) run(c *corev1.Container) corev1.ContainerStatus {
	status, created := l.create(c, "containers")
	switch {
	case !created:
		return status
	case isCrashing(c) && l.running < crashInterval:
		status.Started = new(false)
		status.State.Running = &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(boundAt(l.pod))}
	case isCrashing(c):
		status.State.Waiting = &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff", Message: "back-off restarting failed container " + c.Name}
		status.RestartCount = int32(l.running / crashInterval) //nolint:gosec // No test takes that long.
		status.LastTerminationState.Terminated = &corev1.ContainerStateTerminated{ExitCode: 1, Reason: "Error"}
	default:
		status.Ready, status.Started = !isUnready(c), new(true)
		status.State.Running = &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(boundAt(l.pod))}
	}
	if isCrashing(c) {
		l.lookAgain(crashInterval)
	}
	if isUnready(c) {
		l.say(fmt.Sprintf("spec.containers{%s}", c.Name), corev1.EventTypeWarning, "Unhealthy", "Readiness probe failed: HTTP probe failed with statuscode: 503")
	}
	return status
}

// initialize runs an init container, which completes at once, or is a sidecar.
func (l *look) initialize(c *corev1.Container) corev1.ContainerStatus {
	status, created := l.create(c, "initContainers")
	switch {
	case !created:
	case ptr.Deref(c.RestartPolicy, "") == corev1.ContainerRestartPolicyAlways:
		status.Ready, status.Started, status.State.Running = true, new(true), &corev1.ContainerStateRunning{}
	default:
		status.Ready, status.State.Terminated = true, &corev1.ContainerStateTerminated{Reason: "Completed"}
	}
	return status
}

// setCondition preserves the transition time of a condition that does not change.
func setCondition(status *corev1.PodStatus, conditionType corev1.PodConditionType, holds bool) {
	value := corev1.ConditionFalse
	if holds {
		value = corev1.ConditionTrue
	}
	for i, c := range status.Conditions {
		if c.Type != conditionType {
			continue
		}
		if c.Status != value {
			status.Conditions[i] = corev1.PodCondition{Type: conditionType, Status: value, LastTransitionTime: metav1.Now()}
		}
		return
	}
	status.Conditions = append(status.Conditions, corev1.PodCondition{Type: conditionType, Status: value, LastTransitionTime: metav1.Now()})
}

// addressOf a pod, which is derived from its UID. No process listens there.
func addressOf(pod *corev1.Pod) string {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(pod.UID))
	sum := hash.Sum32()
	return fmt.Sprintf("10.%d.%d.%d", 64+sum>>16&63, sum>>8&255, sum&255)
}
