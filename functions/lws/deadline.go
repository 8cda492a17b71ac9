package lws

import (
	"cmp"
	"math"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

const (
	// defaultDeadline is the progress deadline that Kubernetes gives a Deployment without one, in seconds.
	// https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#progress-deadline-seconds
	defaultDeadline = 600
	// placement is how long a pod may take to get a node and its images before its containers start, in seconds.
	placement = 300
)

// What the API server fills in for probes without these fields.
const (
	defaultPeriodSeconds    = 10
	defaultFailureThreshold = 3
	defaultSuccessThreshold = 1
)

// progressDeadline is how long a Deployment may make no progress before it has failed: longer than the probes let its pods
// take to start. nil where the default of Kubernetes is long enough.
func progressDeadline(spec corev1.PodSpec) *int32 {
	deadline := placement + startup(spec)
	if deadline <= defaultDeadline {
		return nil
	}
	// Kubernetes takes the largest number for no deadline.
	return new(int32(min(deadline, math.MaxInt32))) //nolint:gosec // It is bounded on this line.
}

// startup is how long the probes of a pod let it take to become ready, in seconds. Sidecars among the init containers
// start one after the other, and before all others, which start together.
func startup(spec corev1.PodSpec) int64 {
	var before, longest int64
	for _, c := range spec.InitContainers {
		if c.StartupProbe != nil && ptr.Deref(c.RestartPolicy, "") == corev1.ContainerRestartPolicyAlways {
			before += startupBudget(c.StartupProbe)
		}
	}
	for _, c := range spec.Containers {
		longest = max(longest, containerStartup(c))
	}
	return before + longest
}

func containerStartup(c corev1.Container) int64 {
	var started, ready int64
	if c.StartupProbe != nil {
		started = startupBudget(c.StartupProbe)
	}
	if p := c.ReadinessProbe; p != nil {
		// The delay runs from the start of the container. The probe itself begins once the startup probe has succeeded.
		started = max(started, int64(p.InitialDelaySeconds))
		ready = product(p.PeriodSeconds, defaultPeriodSeconds, p.SuccessThreshold, defaultSuccessThreshold)
	}
	return started + ready
}

// startupBudget is how long a startup probe may fail before the kubelet restarts the container.
func startupBudget(p *corev1.Probe) int64 {
	return int64(p.InitialDelaySeconds) + product(p.PeriodSeconds, defaultPeriodSeconds, p.FailureThreshold, defaultFailureThreshold)
}

// product of a period and a threshold, or of their defaults, bounded so that the sum over many containers cannot overflow.
func product(period, defaultPeriod, threshold, defaultThreshold int32) int64 {
	return min(int64(cmp.Or(period, defaultPeriod))*int64(cmp.Or(threshold, defaultThreshold)), math.MaxInt32)
}
