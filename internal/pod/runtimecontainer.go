package pod

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
)

const (
	// RuntimeContainerName is the name of the init container in which the runtime of Dynamo may run, beside the engine.
	RuntimeContainerName = "runtime"

	envSystemPort    = "DYN_SYSTEM_PORT"
	envSystemEnabled = "DYN_SYSTEM_ENABLED"
)

// RuntimeContainer is the init container of a worker that runs beside its engine, and its index, if it has the name of the one for the runtime. nil
// means that there is none. Whether the runtime is in it depends on its release.
func RuntimeContainer(s *graph.Component) (*corev1.Container, int) {
	i := NamedRuntime(s)
	if i < 0 || !s.IsWorker() || ptr.Deref(s.Pod().InitContainers[i].RestartPolicy, "") != corev1.ContainerRestartPolicyAlways {
		return nil, 0
	}
	return &s.Pod().InitContainers[i], i
}

// NamedRuntime is the index of the init container of a component that has the name of the one for the runtime. Negative: there is none.
func NamedRuntime(s *graph.Component) int {
	return slices.IndexFunc(s.Pod().InitContainers, func(c corev1.Container) bool { return c.Name == RuntimeContainerName })
}

// RuntimeOf is the container of a component that runs Dynamo, as the user has written it.
func RuntimeOf(c *graph.Component) corev1.Container {
	if c.HasRuntimeContainer() {
		if container, _ := RuntimeContainer(c); container != nil {
			return *container
		}
	}
	return c.Main()
}

// RuntimeOfPod is the container that runs Dynamo in a pod that was built for a component. nil if there is none.
func RuntimeOfPod(spec *corev1.PodSpec) *corev1.Container {
	if IsInRuntimeContainer(spec) {
		return &spec.InitContainers[indexOfRuntime(spec)]
	}
	return MainOfPod(spec)
}

// IsInRuntimeContainer reports whether the runtime of a pod is in an init container, which is told so.
func IsInRuntimeContainer(spec *corev1.PodSpec) bool {
	i := indexOfRuntime(spec)
	return i >= 0 && hasEnv(spec.InitContainers[i].Env, envSystemEnabled)
}

// RunsInitContainer reports whether a pod has an init container with a name and an image.
func RunsInitContainer(spec *corev1.PodSpec, name, image string) bool {
	return slices.ContainsFunc(spec.InitContainers, func(c corev1.Container) bool { return c.Name == name && c.Image == image })
}

func indexOfRuntime(spec *corev1.PodSpec) int {
	return slices.IndexFunc(spec.InitContainers, func(c corev1.Container) bool { return c.Name == RuntimeContainerName })
}

// engineContainer is the main container of a component whose runtime is in an init container. It runs what the user says, and is not told
// anything about Dynamo.
func (b *Builder) engineContainer(c component) corev1.Container {
	user := c.spec.Main()
	container := *user.DeepCopy()
	container.Env = mergeEnv(b.Graph.Spec.Env, user.Env)
	addDefaultResources(&container.Resources, c.spec, b.Plan.DefaultResources)
	mountClaims(&container, c)
	return container
}

// addRuntime makes an init container the runtime of a component. It is neither an engine nor does it wait for one: it is alive as soon as it
// answers, and ready when it has found its engine.
// https://github.com/ai-dynamo/dynamo/blob/main/docs/fern/pages/reference/kubernetes-api/dynamo-component-deployment.mdx#dynamo-sidecar-mode
func (b *Builder) addRuntime(spec *corev1.PodSpec, c component) {
	i := indexOfRuntime(spec)
	user, system := spec.InitContainers[i], c.listens(backend.System, port(PortSystemName, PortSystem))
	answers := c.answers(PortSystemName)
	base := corev1.Container{
		Name:           RuntimeContainerName,
		Ports:          []corev1.ContainerPort{system},
		StartupProbe:   answers.live(timing{period: 2, timeout: 1, failures: 30}),
		LivenessProbe:  answers.live(timing{period: 5, timeout: 4, failures: 3}),
		ReadinessProbe: answers.health(timing{period: 5, timeout: 4, failures: 3}),
		Env: []corev1.EnvVar{
			{Name: envSystemEnabled, Value: "true"},
			{Name: envSystemPort, Value: number(system)},
		},
	}
	if generation := b.Plan.WorkerGeneration; generation != "" {
		base.Env = append(base.Env, corev1.EnvVar{Name: EnvWorkerSuffix, Value: generation})
	}
	base.Env = append(base.Env, b.identityEnv(c, RuntimeContainerName)...)
	container := b.mergeContainer(c, base, user.DeepCopy())
	container.Env = mergeEnv(infrastructureEnv(b.Plan.Infrastructure), base.Env, b.Graph.Spec.Env, user.Env)
	b.publishDomain(&container, c)
	spec.InitContainers[i] = container
}
