package kubelet

import (
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Tags of images that do not work.
const (
	// TagMissing is the tag of an image that cannot be pulled.
	TagMissing = ":missing"
	// TagCrashing is the tag of an image whose container repeatedly exits soon after its start.
	TagCrashing = ":crashing"
	// TagUnready is the tag of an image whose container fails its readiness probe.
	TagUnready = ":unready"
	// TagInitializing is the tag of an image whose init containers do not complete.
	TagInitializing = ":initializing"
)

// crashInterval is the time after which a container crashes. It restarts immediately, without the back-off of real nodes.
const crashInterval = 10 * time.Second

func isCrashing(c corev1.Container) bool { return strings.HasSuffix(c.Image, TagCrashing) }

func isUnready(c corev1.Container) bool { return strings.HasSuffix(c.Image, TagUnready) }

// statusOf a pod whose containers started this long ago.
func statusOf(pod *corev1.Pod, running time.Duration) corev1.PodStatus {
	status := *pod.Status.DeepCopy()
	status.Phase, status.ContainerStatuses, status.InitContainerStatuses = corev1.PodRunning, nil, nil
	isInitialized, ready := corev1.ConditionTrue, corev1.ConditionTrue
	for i := range pod.Spec.InitContainers {
		c := initialized(&pod.Spec.InitContainers[i])
		status.InitContainerStatuses = append(status.InitContainerStatuses, c)
		if !c.Ready {
			isInitialized = corev1.ConditionFalse
			status.Phase = corev1.PodPending
		}
	}
	for i := range pod.Spec.Containers {
		c := statusOfContainer(&pod.Spec.Containers[i], pod, running)
		if isInitialized == corev1.ConditionFalse {
			c = corev1.ContainerStatus{Name: c.Name, Image: c.Image}
			c.State.Waiting = &corev1.ContainerStateWaiting{Reason: "PodInitializing"}
		}
		status.ContainerStatuses = append(status.ContainerStatuses, c)
		if !c.Ready {
			ready = corev1.ConditionFalse
		}
		if strings.HasSuffix(c.Image, TagMissing) {
			status.Phase = corev1.PodPending
		}
	}
	if status.StartTime == nil {
		status.StartTime = new(metav1.Now())
	}
	if status.PodIP == "" {
		status.PodIP = addressOf(pod)
		status.PodIPs = []corev1.PodIP{{IP: status.PodIP}}
	}
	setCondition(&status, corev1.PodInitialized, isInitialized)
	setCondition(&status, corev1.ContainersReady, ready)
	setCondition(&status, corev1.PodReady, ready)
	return status
}

// statusOfContainer depends on the tag of its image.
func statusOfContainer(c *corev1.Container, pod *corev1.Pod, running time.Duration) corev1.ContainerStatus {
	status := corev1.ContainerStatus{Name: c.Name, Image: c.Image}
	waits := func(reason, message string) {
		status.State.Waiting = &corev1.ContainerStateWaiting{Reason: reason, Message: message}
	}
	switch {
	case strings.HasSuffix(c.Image, TagMissing):
		waits("ImagePullBackOff", "Back-off pulling image "+c.Image)
	case isCrashing(*c) && running < crashInterval:
		status.Started, status.ImageID = new(false), c.Image
		status.State.Running = &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(boundAt(pod))}
	case isCrashing(*c):
		waits("CrashLoopBackOff", "back-off restarting failed container "+c.Name)
		status.RestartCount = int32(running / crashInterval) //nolint:gosec // No test takes that long.
		status.LastTerminationState.Terminated = &corev1.ContainerStateTerminated{ExitCode: 1, Reason: "Error"}
	default:
		status.Ready, status.Started, status.ImageID = !isUnready(*c), new(true), c.Image
		status.State.Running = &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(boundAt(pod))}
	}
	return status
}

// initialized is the status of an init container that has completed, or still runs, or of a sidecar.
func initialized(c *corev1.Container) corev1.ContainerStatus {
	status := corev1.ContainerStatus{Name: c.Name, Image: c.Image, ImageID: c.Image, Ready: true}
	if strings.HasSuffix(c.Image, TagInitializing) {
		status.Ready, status.Started, status.State.Running = false, new(true), &corev1.ContainerStateRunning{}
		return status
	}
	if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
		status.Started, status.State.Running = new(true), &corev1.ContainerStateRunning{}
		return status
	}
	status.State.Terminated = &corev1.ContainerStateTerminated{Reason: "Completed"}
	return status
}

// setCondition preserves the transition time of a condition that does not change.
func setCondition(status *corev1.PodStatus, conditionType corev1.PodConditionType, value corev1.ConditionStatus) {
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
