package pod

import (
	corev1 "k8s.io/api/core/v1"
)

// probeNames are the JSON names of a container's probes.
const (
	livenessProbe  = "livenessProbe"
	readinessProbe = "readinessProbe"
)

// mergeProbe merges a probe of the user's main container over the default of the component type. A handler replaces the
// default's handler as a whole: a probe with two handlers is refused by the API server. set reports which fields the
// user wrote, so that an explicit 0 counts.
func mergeProbe(base, user *corev1.Probe, set func(field string) bool) *corev1.Probe {
	if user == nil {
		return base
	}
	if base == nil {
		return user
	}
	merged := base.DeepCopy()
	if hasHandler(user.ProbeHandler) {
		merged.ProbeHandler = user.ProbeHandler
	}
	for name, value := range map[string]struct{ into, from *int32 }{
		"initialDelaySeconds": {&merged.InitialDelaySeconds, &user.InitialDelaySeconds},
		"periodSeconds":       {&merged.PeriodSeconds, &user.PeriodSeconds},
		"timeoutSeconds":      {&merged.TimeoutSeconds, &user.TimeoutSeconds},
		"successThreshold":    {&merged.SuccessThreshold, &user.SuccessThreshold},
		"failureThreshold":    {&merged.FailureThreshold, &user.FailureThreshold},
	} {
		if set(name) {
			*value.into = *value.from
		}
	}
	if user.TerminationGracePeriodSeconds != nil {
		merged.TerminationGracePeriodSeconds = user.TerminationGracePeriodSeconds
	}
	return merged
}

func hasHandler(h corev1.ProbeHandler) bool {
	return h.Exec != nil || h.HTTPGet != nil || h.TCPSocket != nil || h.GRPC != nil
}
