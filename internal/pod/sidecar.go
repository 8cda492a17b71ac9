package pod

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
)

// SidecarContainer is the name of the frontend sidecar of a service of v1alpha1.
const SidecarContainer = "sidecar-frontend"

// FrontendSidecar is the container of a component that is a frontend, as the user wrote it, and its index among the containers beside the main
// container. A service of v1alpha1 has it in a field of its own and it comes last; a component names one of its containers. Without such a
// container it is nil.
func FrontendSidecar(s *graph.Component) (*corev1.Container, int) {
	beside := s.Beside()
	if settings := s.Sidecar; settings != nil {
		container := &corev1.Container{Name: SidecarContainer, Image: settings.Image, Args: settings.Args, Env: settings.Envs}
		if secret := ptr.Deref(settings.EnvFromSecret, ""); secret != "" {
			container.EnvFrom = []corev1.EnvFromSource{graph.FromSecret(secret)}
		}
		return container, len(beside)
	}
	name := s.FrontendSidecar
	i := slices.IndexFunc(beside, func(c corev1.Container) bool { return c.Name == name })
	if name == "" || i < 0 {
		return nil, 0
	}
	return beside[i].DeepCopy(), i
}

// addFrontend makes the frontend sidecar a frontend in the Dynamo namespace of the worker, for gateways that select the worker themselves.
// containers are those beside the main container, and mounts those that the main container has from its user.
func (b *Builder) addFrontend(containers []corev1.Container, c component, mounts []corev1.VolumeMount) []corev1.Container {
	user, i := FrontendSidecar(c.spec)
	if user == nil {
		return containers
	}
	frontend := c
	frontend.spec, frontend.graphEnv = c.spec.AsFrontend(user), SidecarEnv(c.graphEnv)
	// What a frontend knows depends on its own image.
	frontend.decision.RuntimeVersion = cmp.Or(c.decision.SidecarVersion, c.decision.RuntimeVersion)
	base := b.defaultsOf(frontend, user.Name).container
	if frontend.decision.RuntimeVersion.Has(runtime.FrontendSidecarIdentity) {
		base.Env = mergeEnv(base.Env, []corev1.EnvVar{{Name: "CONTAINER_NAME", Value: user.Name}})
	}
	container := b.mergeContainer(c, base, user)
	container.Env = mergeEnv(infrastructureEnv(b.Plan.Infrastructure), base.Env, frontend.graphEnv, user.Env)
	if c.decision.RuntimeVersion.Has(runtime.FrontendSidecarMounts) {
		mountAlike(&container, mounts)
	}
	if i < len(containers) {
		containers[i] = container
		return containers
	}
	return append(containers, container)
}

// SidecarEnv are the variables of a graph that reach the frontend sidecars of its workers, which share the network of the worker: the port of
// the system server is that of the worker.
func SidecarEnv(ofGraph []corev1.EnvVar) []corev1.EnvVar {
	return slices.DeleteFunc(slices.Clone(ofGraph), func(e corev1.EnvVar) bool { return e.Name == envSystemPort })
}

// mountAlike gives a container the mounts of another one, as far as it can have them, unless it mounts the volume or something at the path
// itself.
func mountAlike(container *corev1.Container, mounts []corev1.VolumeMount) {
	volumes, points, variables := sets.New[string](), sets.New[string](), sets.New[string]()
	for _, mount := range container.VolumeMounts {
		volumes.Insert(mount.Name)
		points.Insert(mount.MountPath)
	}
	for i := range container.Env {
		variables.Insert(container.Env[i].Name)
	}
	for _, mount := range mounts {
		if volumes.Has(mount.Name) || points.Has(mount.MountPath) {
			continue
		}
		// The kubelet does not start a container that lacks a variable of the path.
		if !variables.HasAll(slices.Collect(references(mount.SubPathExpr))...) {
			continue
		}
		// The API server only allows propagation to the host in privileged containers.
		mount.MountPropagation = nil
		container.VolumeMounts = append(container.VolumeMounts, mount)
	}
}
