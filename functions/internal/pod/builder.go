// Package pod builds the pods of a graph's services, the same for every orchestrator: defaults by component type, the
// user's settings merged over them, then what the backend changes for its role.
package pod

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/metadata"
)

// Builder builds the pods of one graph.
type Builder struct {
	Graph *graph.Graph
	Plan  *graphplan.Plan

	// Replica whose pods are built. 0 for pods that are the same in all replicas.
	Replica int32
}

// Template is a pod without a name.
type Template struct {
	Labels      map[string]string
	Annotations map[string]string
	Spec        corev1.PodSpec
}

// Build the pod of a service in one role. hosts gives the orchestrator's addresses of a multinode service.
func (b *Builder) Build(service string, role backend.Role, hosts backend.Hosts) Template {
	c := b.component(service)
	d := b.defaultsOf(c, MainContainer)
	settings := b.BackendSettings(service, role, hosts)

	container := b.mainContainer(c, d)
	backend.ConfigureContainer(&container, settings)

	spec := b.spec(c, d)
	spec.Volumes = claimVolumes(spec.Volumes, c.service.VolumeMounts)
	shareMemory(&spec, &container, c.service.SharedMemory)
	backend.ConfigurePod(&spec, &container, settings)

	// The main container comes first: tools that know of one container only take the first.
	spec.Containers = slices.Insert(spec.Containers, 0, container)
	if c.service.FrontendSidecar != nil {
		spec.Containers = append(spec.Containers, b.frontendSidecar(c))
	}
	b.shareGPUs(&spec, c)
	b.addPullSecrets(&spec, c)
	return Template{Labels: b.podLabels(c, role), Annotations: b.podAnnotations(c), Spec: spec}
}

// Inspection is what building a pod tells, without the pod.
type Inspection struct {
	// Warnings of the backend: what it could not do, and the remedy.
	Warnings []string

	// Parallelism that the engine's arguments ask for.
	Parallelism backend.Parallelism

	// IdleGPUs of a replica that the engine certainly leaves unused.
	IdleGPUs int64

	// WaitsForLeader says that the pod mounts the script with which workers wait for their leader.
	WaitsForLeader bool

	// NeedsSSH says that the pod mounts the MPI key pair.
	NeedsSSH bool
}

// Inspect the pod of a service in one role.
func (b *Builder) Inspect(service string, role backend.Role, hosts backend.Hosts) Inspection {
	c := b.component(service)
	settings := b.BackendSettings(service, role, hosts)
	container := b.mainContainer(c, b.defaultsOf(c, MainContainer))
	return Inspection{
		Parallelism:    backend.ParseParallelism(settings.Framework, container.Command, container.Args, container.Env...),
		IdleGPUs:       backend.IdleGPUs(&container, settings),
		WaitsForLeader: backend.NeedsWaitScript(settings, &container),
		NeedsSSH:       backend.NeedsSSH(settings),
		Warnings:       backend.ConfigureContainer(&container, settings),
	}
}

// BackendSettings tell the backend what it needs to know of a service.
func (b *Builder) BackendSettings(service string, role backend.Role, hosts backend.Hosts) backend.Settings {
	s := b.Graph.Spec.Services[service]
	return backend.Settings{
		Framework:           b.Plan.Services[service].Framework,
		Role:                role,
		NodeCount:           NodeCount(&s),
		Hosts:               hosts,
		Executor:            backend.Executor(b.Plan.Services[service].Executor),
		GPULimit:            GPULimit(&s),
		GPURequest:          GPURequest(&s),
		WaitScriptConfigMap: b.Graph.Names().WaitForLeader(),
		SSHSecret:           SSHSecret(b.Graph),
	}
}

// SSHSecret is the name of the Secret with the MPI key pair: the user's own, else the graph's.
func SSHSecret(g *graph.Graph) string {
	return cmp.Or(g.Annotations[metadata.AnnotationSSHSecret], g.Names().SSHSecret())
}

// mainContainer is the user's main container with the component type's defaults below it, the service's fields above.
func (b *Builder) mainContainer(c component, d defaults) corev1.Container {
	container := d.container
	var userEnv []corev1.EnvVar
	if c.service.ExtraPodSpec != nil && c.service.ExtraPodSpec.MainContainer != nil {
		user := c.service.ExtraPodSpec.MainContainer.DeepCopy()
		userEnv = user.Env
		container = b.mergeContainer(c, d.container, user)
	}
	if c.service.LivenessProbe != nil {
		container.LivenessProbe = c.service.LivenessProbe.DeepCopy()
	}
	if c.service.ReadinessProbe != nil {
		container.ReadinessProbe = c.service.ReadinessProbe.DeepCopy()
	}
	applyResources(&container, c.service.Resources)
	container.Env = mergeEnv(infrastructureEnv(b.Plan.Infrastructure), d.container.Env, b.Graph.Spec.Envs, userEnv, c.service.Envs)
	if secret := ptr.Deref(c.service.EnvFromSecret, ""); secret != "" {
		container.EnvFrom = append(container.EnvFrom, fromSecret(secret))
	}
	mountClaims(&container, c)
	return container
}

// mergeContainer fills what the user's main container leaves open. A list that the user writes replaces the default's
// whole, also when it is empty.
func (b *Builder) mergeContainer(c component, base corev1.Container, user *corev1.Container) corev1.Container {
	merged := *user
	merged.Name = MainContainer
	if user.Command == nil {
		merged.Command = base.Command
	}
	// The default args belong to the default command: after one of the user's own they would be taken for its own.
	if user.Args == nil && (user.Command == nil || base.Command == nil) {
		merged.Args = base.Args
	}
	if user.Ports == nil {
		merged.Ports = base.Ports
	}
	merged.VolumeMounts = withDefaultMounts(user.VolumeMounts, base.VolumeMounts)
	merged.LivenessProbe = mergeProbe(probeOf(base.LivenessProbe, &merged, base.Ports), user.LivenessProbe, b.fieldsOf(c, livenessProbe))
	merged.ReadinessProbe = mergeProbe(probeOf(base.ReadinessProbe, &merged, base.Ports), user.ReadinessProbe, b.fieldsOf(c, readinessProbe))
	// How long an engine may take to start depends on how that is asked: the budget belongs to the handler.
	if user.StartupProbe == nil || !hasHandler(user.StartupProbe.ProbeHandler) {
		merged.StartupProbe = mergeProbe(probeOf(base.StartupProbe, &merged, base.Ports), user.StartupProbe, b.fieldsOf(c, startupProbe))
	}
	return merged
}

// fieldsOf reports which fields of a probe of the main container the user wrote.
func (b *Builder) fieldsOf(c component, probe string) func(string) bool {
	return func(field string) bool {
		return b.Graph.Has("services", c.name, "extraPodSpec", "mainContainer", probe, field)
	}
}

// spec is the user's pod spec with the defaults below it, still without the main container.
func (b *Builder) spec(c component, d defaults) corev1.PodSpec {
	spec := corev1.PodSpec{}
	if c.service.ExtraPodSpec != nil {
		spec = *c.service.ExtraPodSpec.PodSpec.DeepCopy()
	}
	if spec.TerminationGracePeriodSeconds == nil {
		spec.TerminationGracePeriodSeconds = new(d.terminationGracePeriodSeconds)
	}
	if spec.RestartPolicy == "" {
		spec.RestartPolicy = corev1.RestartPolicyAlways
	}
	if spec.SecurityContext == nil {
		spec.SecurityContext = &corev1.PodSecurityContext{FSGroup: ptr.To[int64](1000)}
	}
	spec.Volumes = withDefaultVolumes(spec.Volumes, d.volumes)
	spec.ServiceAccountName = cmp.Or(UserAccount(c.service), d.serviceAccountName)
	if spec.ServiceAccountName == "" && c.decision.Discovery == graphplan.Kubernetes {
		spec.ServiceAccountName = b.Graph.Names().DiscoveryServiceAccount()
	}
	return spec
}

// UserAccount is the name of the ServiceAccount that the user has the pods of a service run as, or "".
func UserAccount(s *v1alpha1.Service) string {
	if s.ExtraPodSpec == nil {
		return ""
	}
	// The API server reads the deprecated name of the field only while the other one is empty.
	return cmp.Or(s.ExtraPodSpec.ServiceAccountName, s.ExtraPodSpec.DeprecatedServiceAccount)
}

// Replicas of a service; absent means 1.
func Replicas(s *v1alpha1.Service) int32 { return ptr.Deref(s.Replicas, 1) }

// MinAvailable is how many replicas of a service the gang scheduler must place together. 0 is the one value that Grove
// refuses, and scaling to zero is refused before.
func MinAvailable(s *v1alpha1.Service) int32 { return ptr.Deref(s.MinAvailable, 1) }

// defaultNodeCount is what the API server fills in for a multinode block without a count. Offline nobody does.
const defaultNodeCount = 2

// NodeCount of one replica of a service; 1 for a single-node service.
func NodeCount(s *v1alpha1.Service) int32 {
	if s.Multinode == nil {
		return 1
	}
	return cmp.Or(s.Multinode.NodeCount, defaultNodeCount)
}

// IsMultinode reports whether one replica spans several nodes.
func IsMultinode(s *v1alpha1.Service) bool { return NodeCount(s) > 1 }

// MultinodeServices of a graph, by name.
func MultinodeServices(g *graph.Graph) []string {
	var services []string
	for _, name := range g.ServiceNames() {
		service := g.Spec.Services[name]
		if IsMultinode(&service) {
			services = append(services, name)
		}
	}
	return services
}
