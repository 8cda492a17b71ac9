package backend

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/engine"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
)

// RayWaitContainer is the init container that delays a node of a Ray cluster until its head answers.
const RayWaitContainer = "wait-for-ray-head"

// AwaitsRay reports whether a pod with this main container, before ConfigureContainer, waits for the head of its Ray cluster. Without it, Ray
// gives up after a while, and the pod restarts until there is a head. A command of the user that starts Ray connects the nodes by itself, and
// a worker of an elastic engine waits longer, until the engine serves requests.
func AwaitsRay(s Settings, main *corev1.Container) bool {
	if !s.multinode() || engine.Of(s.Framework).Nodes != engine.ByExecutor || s.Executor != ExecutorRay || s.Role != RoleWorker {
		return false
	}
	if s.OwnCommand || !s.RuntimeVersion.Has(runtime.RayHeadWait) || startsRay(main) || !s.Texts.readInvocation(s.Framework, main).found {
		return false
	}
	read := s.Texts.readShape(s.Framework, main)
	return read.span(s.GPULimit) == spanWorld
}

// AwaitRay adds an init container that waits for the head. There is no time limit, as for other leaders, but an image without Ray fails at
// once. Ray may be on a path, and encrypt its connections with certificates, that only the main container has, so both have the same
// variables and mounts.
func AwaitRay(p *corev1.PodSpec, main *corev1.Container, s Settings) {
	head := s.Hosts.Leader().withPort(rayPort).Shell
	p.InitContainers = append(slices.Clip(p.InitContainers), corev1.Container{
		Name:            RayWaitContainer,
		Image:           main.Image,
		ImagePullPolicy: main.ImagePullPolicy,
		Command:         []string{"sh", "-c"},
		// The shell expands the host, so %q cannot be used.
		Args:            []string{fmt.Sprintf(`ray --version && until ray health-check --address "%s"; do sleep 2; done`, head)}, //nolint:gocritic // See above.
		Env:             slices.Clone(main.Env),
		EnvFrom:         slices.Clone(main.EnvFrom),
		SecurityContext: main.SecurityContext.DeepCopy(),
		VolumeMounts:    slices.Clone(main.VolumeMounts),
	})
}
