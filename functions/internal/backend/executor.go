package backend

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// ExecutorOf returns the executor for which a pod with multinode vLLM was built. It compares the main container with that of the user, and
// looks for additions that only one executor makes. If the container of the user already has all of them, pods are the same with both
// executors.
func ExecutorOf(built *corev1.PodSpec, own *corev1.Container) Executor {
	if slices.ContainsFunc(built.InitContainers, func(c corev1.Container) bool { return c.Name == WaitContainer }) {
		return ExecutorMP
	}
	// The main container comes first.
	if len(built.Containers) == 0 || announces(own) || startsRay(&built.Containers[0]) && !startsRay(own) {
		return ExecutorRay
	}
	if announces(&built.Containers[0]) {
		return ExecutorMP
	}
	return ExecutorRay
}

func startsRay(c *corev1.Container) bool {
	return strings.Contains(strings.Join(slices.Concat(c.Command, c.Args), " "), rayStart)
}

func announces(c *corev1.Container) bool {
	return slices.ContainsFunc(c.Env, func(e corev1.EnvVar) bool { return e.Name == envSideChannelHost })
}
