package backend

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
)

// ExecutorOf returns the executor for which a pod with multinode vLLM was built. It compares the main container with that of the user, and
// looks for additions that only one executor makes. If the container of the user already has all of them, pods are the same with both
// executors.
func (t *Texts) ExecutorOf(built *corev1.PodSpec, own *corev1.Container) Executor {
	if slices.ContainsFunc(built.InitContainers, func(c corev1.Container) bool { return c.Name == WaitContainer }) {
		return ExecutorMP
	}
	// The main container comes first. Elastic engines run on Ray with both executors.
	startedForExecutor := func(c *corev1.Container) bool {
		return startsRay(c) && !startsRay(own) && !t.readShape(v1alpha1.BackendVLLM, own).elastic
	}
	if len(built.Containers) == 0 || announces(own) || startedForExecutor(&built.Containers[0]) {
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
