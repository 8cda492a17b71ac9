package why

import (
	"fmt"
	"regexp"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
)

// container that keeps a pod from being ready, and why. nil if all are ready.
func (p *pod) container(e events) *finding {
	for i := range p.Status.InitContainerStatuses {
		s := &p.Status.InitContainerStatuses[i]
		if p.isInitialized(s) {
			continue
		}
		if f := p.status(s, e, true); f != nil {
			return f
		}
	}
	var worst *finding
	for i := range p.Status.ContainerStatuses {
		s := &p.Status.ContainerStatuses[i]
		if f := p.status(s, e, false); f != nil && !s.Ready && (worst == nil || rank(f.code) < rank(worst.code)) {
			worst = f
		}
	}
	if worst == nil && len(p.Status.ContainerStatuses) == 0 {
		return p.creating(e, "")
	}
	return worst
}

// isInitialized reports whether an init container has completed, or runs as long as the pod and has started.
func (p *pod) isInitialized(s *corev1.ContainerStatus) bool {
	if done := s.State.Terminated; done != nil && done.ExitCode == 0 || s.Ready {
		return true
	}
	return s.Started != nil && *s.Started && s.State.Running != nil && p.isSidecar(s.Name)
}

// isSidecar reports whether an init container runs as long as the pod.
func (p *pod) isSidecar(name string) bool {
	for i := range p.Spec.InitContainers {
		if c := &p.Spec.InitContainers[i]; c.Name == name {
			return c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways
		}
	}
	return false
}

// status of a container that is not ready.
func (p *pod) status(s *corev1.ContainerStatus, e events, isInit bool) *finding {
	if waiting := s.State.Waiting; waiting != nil {
		if f := p.waiting(s, waiting, e); f != nil {
			return f
		}
	}
	if f := p.crashed(s, e); f != nil {
		return f
	}
	switch {
	case s.State.Waiting != nil:
		return p.creating(e, s.Name)
	case isInit && (s.Name == backend.WaitContainer || s.Name == backend.RayWaitContainer):
		return &finding{code: WaitingForLeader, what: "init container " + s.Name + " waits for the leader of its replica", container: s.Name}
	case isInit:
		return &finding{code: Initializing, what: "init container " + s.Name + " has not completed yet", container: s.Name, next: p.log(s.Name, false)}
	default:
		return p.unready(s, e)
	}
}

// waiting is why a container cannot be started. nil if it only takes time, or has crashed.
func (p *pod) waiting(s *corev1.ContainerStatus, waiting *corev1.ContainerStateWaiting, e events) *finding {
	f := &finding{container: s.Name}
	switch waiting.Reason {
	case "ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError", "RegistryUnavailable", "SignatureValidationFailed":
		f.code, f.what = ImagePull, fmt.Sprintf("image %s of container %s cannot be pulled (%s)", s.Image, s.Name, waiting.Reason)
		if event, ok := e.last(p.UID, "Failed"); ok && strings.Contains(event.Message, "pull") {
			f.what += ": " + brief(event.Message)
		} else if waiting.Message != "" {
			f.what += ": " + brief(waiting.Message)
		}
	case "CreateContainerConfigError":
		f.code, f.what = ObjectMissing, fmt.Sprintf("container %s refers to something that does not exist: %s", s.Name, brief(waiting.Message))
		f.next = missingIn(waiting.Message)
	case "CreateContainerError", "RunContainerError", "ContainerCannotRun", "PreCreateHookError", "PreStartHookError", "PostStartHookError":
		// What a hook has printed is part of the log.
		f.code, f.what = CannotStart, fmt.Sprintf("container %s cannot be started (%s)", s.Name, waiting.Reason)
		if !strings.Contains(waiting.Reason, "Hook") {
			f.what += ": " + brief(waiting.Message)
		}
	default:
		return nil
	}
	return f
}

// missing is what the kubelet says of an object that a pod refers to and that does not exist, or lacks a key. notThere is how it says so of volumes.
// https://github.com/kubernetes/kubernetes/blob/v1.36.3/pkg/volume/secret/secret.go
var (
	missing  = regexp.MustCompile(`(?i)\b(secret|configmap|persistentvolumeclaim|serviceaccount)s? "?([a-z0-9][a-z0-9./-]*)"?`)
	notThere = regexp.MustCompile(`not found|references non-existent`)
)

// missingIn are the arguments of kubectl that list objects of the kind that is missing. nil if the message names none, or only those that
// most users may not read.
func missingIn(message string) []string {
	match := missing.FindStringSubmatch(message)
	if len(match) < 2 || strings.EqualFold(match[1], "secret") {
		return nil
	}
	return []string{"get", strings.ToLower(match[1]) + "s"}
}

// crashed is how a container ended. nil if it has not ended.
func (p *pod) crashed(s *corev1.ContainerStatus, e events) *finding {
	ended, previous := s.State.Terminated, false
	if ended == nil {
		ended, previous = s.LastTerminationState.Terminated, true
	}
	if ended == nil || s.RestartCount == 0 && previous {
		if s.State.Waiting == nil || s.State.Waiting.Reason != "CrashLoopBackOff" {
			return nil
		}
		ended = &corev1.ContainerStateTerminated{}
	}
	if killed := p.killedByProbe(s, e); killed != nil {
		return killed
	}
	f := &finding{code: Crash, container: s.Name, previous: previous, next: p.log(s.Name, previous)}
	f.what = fmt.Sprintf("container %s %s", s.Name, ending(ended))
	if s.RestartCount > 0 {
		f.what += fmt.Sprintf(", and was restarted %s", times(int(s.RestartCount)))
	}
	return f
}

// ending is how a container ended, in words.
func ending(ended *corev1.ContainerStateTerminated) string {
	switch {
	case ended.Reason == "OOMKilled":
		return fmt.Sprintf("ran out of memory (OOMKilled, exit code %d)", ended.ExitCode)
	case ended.Signal != 0:
		return fmt.Sprintf("was ended by signal %d", ended.Signal)
	case ended.ExitCode == 137:
		return "was killed (exit code 137)"
	case ended.ExitCode == 0:
		return "ended, although it should go on (exit code 0)"
	default:
		return fmt.Sprintf("crashed with exit code %d", ended.ExitCode)
	}
}

// killedByProbe is a container that was killed because its startup or liveness probe has failed. nil if it was not.
func (p *pod) killedByProbe(s *corev1.ContainerStatus, e events) *finding {
	if ended := s.LastTerminationState.Terminated; ended == nil || ended.ExitCode != 137 && ended.ExitCode != 143 || ended.Reason == "OOMKilled" {
		return nil
	}
	f := p.probe(s, e)
	if f == nil || strings.HasPrefix(f.what, "the readiness") {
		return nil
	}
	f.what += fmt.Sprintf(", so that it was restarted %s", times(int(s.RestartCount)))
	f.previous, f.next = true, p.log(s.Name, true)
	return f
}

// unready is why a container that runs is not ready.
func (p *pod) unready(s *corev1.ContainerStatus, e events) *finding {
	if f := p.probe(s, e); f != nil {
		return f
	}
	what := "container " + s.Name + " runs and is not ready yet"
	if s.Started != nil && !*s.Started {
		what = "container " + s.Name + " is starting: its startup probe has not succeeded yet"
	}
	return &finding{code: Starting, what: what, container: s.Name, next: p.log(s.Name, false)}
}

// Events of probes. The output of a probe that runs a command is part of the log, so it is not shown.
// https://github.com/kubernetes/kubernetes/blob/v1.36.3/pkg/kubelet/prober/prober.go
var (
	unhealthy = regexp.MustCompile(`^(Startup|Liveness|Readiness) probe (?:failed|errored)[^:]*(?:: )?(.*)$`)
	network   = regexp.MustCompile(`^(HTTP probe failed|Get "|dial tcp|service unhealthy|timeout|error: .*health rpc|command timed out|rpc error)`)
)

// probe of a container that fails. nil if none does.
func (p *pod) probe(s *corev1.ContainerStatus, e events) *finding {
	for _, event := range e[p.UID] {
		match := unhealthy.FindStringSubmatch(oneLine(event.Message))
		if event.Reason != "Unhealthy" || match == nil || !isAbout(event.InvolvedObject.FieldPath, s.Name) {
			continue
		}
		what := fmt.Sprintf("the %s probe of container %s fails", strings.ToLower(match[1]), s.Name)
		if network.MatchString(match[2]) {
			what += ": " + brief(match[2])
		}
		return &finding{code: ProbeFails, what: what, container: s.Name, next: p.log(s.Name, false)}
	}
	return nil
}

// isAbout reports whether the field path of an event is that of a container. Without a path it may be about any.
func isAbout(path, container string) bool {
	return path == "" || strings.HasSuffix(path, "{"+container+"}")
}

// creating is why containers are not created yet.
func (p *pod) creating(e events, container string) *finding {
	if event, ok := e.last(p.UID, "FailedMount", "FailedAttachVolume", "FailedMapVolume"); ok {
		if missing.MatchString(event.Message) && notThere.MatchString(event.Message) {
			return &finding{code: ObjectMissing, what: "a volume cannot be mounted: " + brief(event.Message), next: missingIn(event.Message)}
		}
		return &finding{code: Volume, what: "a volume cannot be mounted: " + brief(event.Message)}
	}
	if event, ok := e.last(p.UID, "FailedCreatePodSandBox", "FailedPrepareDynamicResources", "NetworkNotReady"); ok {
		return &finding{code: Sandbox, what: "its node cannot prepare it (" + event.Reason + "): " + brief(event.Message)}
	}
	return &finding{code: Starting, what: "its containers are being created", container: container}
}

// log are the arguments of kubectl that print the log of a container.
func (p *pod) log(container string, previous bool) []string {
	args := []string{"logs", p.Name, "--container=" + container}
	if previous {
		args = append(args, "--previous")
	}
	return args
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
