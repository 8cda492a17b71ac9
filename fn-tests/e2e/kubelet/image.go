package kubelet

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Images that do not work.
const (
	// TagMissing is a tag of an image that cannot be pulled. So is every image whose name or tag ends in missing.
	TagMissing = ":1" + missing
	missing    = "-missing"
	// TagCrashing is the tag of an image whose container repeatedly exits soon after its start.
	TagCrashing = ":crashing"
	// TagUnready is the tag of an image whose container fails its readiness probe.
	TagUnready = ":unready"
)

// Reasons why a container waits for its image.
const (
	errImagePull     = "ErrImagePull"
	imagePullBackOff = "ImagePullBackOff"
)

const (
	// pull is how long an image is reported as not pulled until the kubelet looks at the pod again.
	pull = 2 * time.Second
	// firstBackOff and lastBackOff are the shortest and the longest pause between two pulls, which doubles. Both are those of the kubelet.
	// https://github.com/kubernetes/kubernetes/blob/v1.36.3/pkg/kubelet/kubelet.go#L228
	firstBackOff = 10 * time.Second
	lastBackOff  = 300 * time.Second
)

func isCrashing(c *corev1.Container) bool { return strings.HasSuffix(c.Image, TagCrashing) }

func isUnready(c *corev1.Container) bool { return strings.HasSuffix(c.Image, TagUnready) }

// isMissing reports whether an image cannot be pulled.
func isMissing(image string) bool {
	name, _, _ := strings.Cut(image, "@")
	tag := ""
	if i := strings.LastIndex(name, ":"); i > strings.LastIndex(name, "/") {
		name, tag = name[:i], name[i+1:]
	}
	return strings.HasSuffix(name, missing) || strings.HasSuffix(tag, missing)
}

// backsOff reports whether a kubelet that tries to pull a missing image since some time waits before it tries again, and when that changes.
func backsOff(since time.Duration) (waits bool, change time.Duration) {
	for pause := firstBackOff; ; pause = min(2*pause, lastBackOff) {
		if since < pause {
			if since < pull {
				return false, pull - since
			}
			return true, pause - since
		}
		since -= pause
	}
}

// pulled is why a container waits for an image that is missing, in the words of the kubelet and of containerd.
// https://github.com/kubernetes/kubernetes/blob/v1.36.3/pkg/kubelet/images/image_manager.go#L310
func (l *look) pulled(c *corev1.Container, path string) *corev1.ContainerStateWaiting {
	cause := fmt.Sprintf("rpc error: code = NotFound desc = failed to pull and unpack image %[1]q: failed to resolve reference %[1]q: %[2]s: not found", c.Image, c.Image)
	waits, change := backsOff(l.running)
	l.lookAgain(change)
	waiting := &corev1.ContainerStateWaiting{Reason: errImagePull, Message: cause}
	if waits {
		backOff := fmt.Sprintf("Back-off pulling image %q", c.Image)
		waiting = &corev1.ContainerStateWaiting{Reason: imagePullBackOff, Message: backOff + ": " + errImagePull + ": " + cause}
		l.say(path, corev1.EventTypeNormal, "BackOff", backOff)
	} else {
		l.say(path, corev1.EventTypeNormal, "Pulling", fmt.Sprintf("Pulling image %q", c.Image))
		l.say(path, corev1.EventTypeWarning, "Failed", fmt.Sprintf("Failed to pull image %q: %s", c.Image, cause))
	}
	l.say(path, corev1.EventTypeWarning, "Failed", "Error: "+waiting.Reason)
	return waiting
}
