package lws

import (
	"cmp"
	"math"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

const (
	// defaultDeadline is the default progress deadline of a Deployment, in seconds.
	// https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#progress-deadline-seconds
	defaultDeadline = 600
	// placement is the time in seconds that is allowed for scheduling a pod and pulling its images.
	placement = 300
)

// The API server's defaults for probes without these fields.
const (
	defaultPeriodSeconds    = 10
	defaultFailureThreshold = 3
	defaultSuccessThreshold = 1
)

// deadline of a Deployment. Its live pods may have started cold, before their checkpoint was ready, so it is also long enough for those.
func (b *builder) deadline(name string, template corev1.PodTemplateSpec) *int32 {
	deadline := b.progressDeadline(template.Spec)
	cold, ok := b.pods.BuildCold(name)
	if !ok {
		return deadline
	}
	if other := b.progressDeadline(cold.Spec); ptr.Deref(other, 0) > ptr.Deref(deadline, 0) {
		return other
	}
	return deadline
}

// progressDeadline is the time without progress after which a Deployment has failed. It is longer than the probes allow its pods to start and to be
// ready for long enough. nil if the default of Kubernetes is long enough.
func (b *builder) progressDeadline(spec corev1.PodSpec) *int32 {
	deadline := placement + startup(spec) + int64(b.plan.MinReadySeconds)
	if deadline <= defaultDeadline {
		return nil
	}
	// Kubernetes treats the greatest number as no deadline.
	return new(int32(min(deadline, math.MaxInt32))) //nolint:gosec // It is bounded on this line.
}

// startup is the time in seconds that the probes of a pod allow it to become ready. Init containers that are sidecars start one after the
// other, before all other containers, which start at the same time.
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
		// The delay starts with the container. The probe itself starts when the startup probe has succeeded.
		started = max(started, int64(p.InitialDelaySeconds))
		ready = product(p.PeriodSeconds, defaultPeriodSeconds, p.SuccessThreshold, defaultSuccessThreshold)
	}
	return started + ready
}

// startupBudget is the time for which a startup probe can fail before the kubelet restarts the container.
func startupBudget(p *corev1.Probe) int64 {
	return int64(p.InitialDelaySeconds) + product(p.PeriodSeconds, defaultPeriodSeconds, p.FailureThreshold, defaultFailureThreshold)
}

// product of a period and a threshold, or of their defaults. It is limited so that the sum over many containers cannot overflow.
func product(period, defaultPeriod, threshold, defaultThreshold int32) int64 {
	return min(int64(cmp.Or(period, defaultPeriod))*int64(cmp.Or(threshold, defaultThreshold)), math.MaxInt32)
}
