package pod

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
)

// SidecarContainer is the name of the frontend sidecar of a worker.
const SidecarContainer = "sidecar-frontend"

// frontendSidecar is a frontend in the Dynamo namespace of the worker, for gateways that select the worker themselves.
func (b *Builder) frontendSidecar(c component) corev1.Container {
	settings := c.service.FrontendSidecar
	sidecar := c
	sidecar.service = &v1alpha1.Service{
		ComponentType: v1alpha1.ComponentFrontend,
		ExtraPodSpec:  &v1alpha1.ExtraPodSpec{MainContainer: &corev1.Container{Args: settings.Args}},
	}

	container := b.defaultsOf(sidecar, SidecarContainer).container
	container.Image = settings.Image
	if settings.Args != nil {
		container.Args = settings.Args
	}
	if secret := ptr.Deref(settings.EnvFromSecret, ""); secret != "" {
		container.EnvFrom = append(container.EnvFrom, fromSecret(secret))
	}
	container.Env = mergeEnv(infrastructureEnv(b.Plan.Infrastructure), container.Env, settings.Envs)
	return container
}
