// Package pod builds the pods of a graph's components, in the same way for every orchestrator: defaults by component type, the settings of
// the user, and the changes of the backend for the role.
package pod

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// Builder builds the pods of one graph.
type Builder struct {
	Graph *graph.Graph
	Plan  *graphplan.Plan

	// Replica whose pods are built. 0 for pods that are the same in all replicas.
	Replica int32

	// Rank of the node whose pods are built, if each node of a replica has pods of its own.
	Rank int32
}

// Build the pod of a component in one role. hosts gives the orchestrator's addresses of a multinode component.
func (b *Builder) Build(component string, role backend.Role, hosts backend.Hosts) corev1.PodTemplateSpec {
	b = b.of(role)
	c := b.component(component)
	c.role = role
	d := b.defaultsOf(c, MainContainer)
	settings := b.BackendSettings(component, role, hosts)

	container := b.mainContainer(c, d)
	ownMounts := slices.Clone(container.VolumeMounts)
	if role == backend.RoleWorker && c.spec.IsWorker() && (backend.ConnectsItself(&container, settings) ||
		settings.OwnCommand && !b.Graph.CommandLines.Registers(&container, settings.Framework, role)) {
		// Nothing says that the other nodes of a program of the user serve Dynamo's system port. The first one is what is discovered.
		keepOwnChecks(&container, c.spec.Main())
	}
	beside, awaitsRay := c.spec.HasRuntimeContainer(), backend.AwaitsRay(settings, &container)
	if !beside {
		backend.ConfigureContainer(&container, settings)
	}

	c.registers = b.Graph.CommandLines.Registers(&container, settings.Framework, role)

	spec := b.spec(c, d)
	spec.Volumes = ClaimVolumes(spec.Volumes, c.spec.VolumeMounts)
	b.addTopologyVolume(&spec, c)
	shareMemory(&spec, &container, c.spec.SharedMemorySize)
	if beside {
		b.addRuntime(&spec, c)
	} else {
		backend.ConfigurePod(&spec, &container, settings)
	}
	if awaitsRay {
		backend.AwaitRay(&spec, &container, settings)
	}

	// The main container comes first, because tools that only support one container use the first.
	spec.Containers = slices.Insert(b.addFrontend(spec.Containers, c, ownMounts), 0, container)
	b.shareGPUs(&spec, c)
	b.shareWeights(&spec, c)
	addStandby(&spec, c)
	b.restore(&spec, c)
	b.addPullSecrets(&spec, c)
	template := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: b.podLabels(c), Annotations: b.podAnnotations(c)}, Spec: spec}
	b.restoreStored(&template, c)
	return template
}

// of a role is the builder of its pods.
func (b *Builder) of(role backend.Role) *Builder {
	own := *b
	if role != backend.RoleWorker {
		return b
	}
	if own.Graph = b.Graph.OfWorkers(); own.Graph == nil {
		return b
	}
	return &own
}

// Inspection is the result of building a pod, without the pod.
type Inspection struct {
	// Warnings of the backend, with the remedy.
	Warnings []message.Text

	// Parallelism in the arguments of the engine.
	Parallelism backend.Parallelism

	// IdleGPUs of a replica that the engine does not use for certain.
	IdleGPUs int64

	// WaitsForLeader says that the pod mounts the script that makes workers wait for their leader.
	WaitsForLeader bool

	// NeedsSSH says that the pod mounts the MPI key pair.
	NeedsSSH bool

	// HidesElasticEngine says that an elastic engine cannot be started after Ray, because its command is not known.
	HidesElasticEngine bool

	// Ray is what of the pod needs Ray in its image, and Processes says that the pod is a node of vLLM's own processes.
	Ray       backend.RayUse
	Processes bool

	// NoStandby is why the pod cannot run the second engine that its user asks for, with the remedy. It is empty if it can.
	NoStandby string
}

// Inspect the pod of a component in one role.
func (b *Builder) Inspect(component string, role backend.Role, hosts backend.Hosts) Inspection {
	b = b.of(role)
	c := b.component(component)
	settings := b.BackendSettings(component, role, hosts)
	container := b.mainContainer(c, b.defaultsOf(c, MainContainer))
	inspection := Inspection{
		HidesElasticEngine: backend.HidesElasticEngine(&container, settings),
		Parallelism:        b.Graph.CommandLines.ParseParallelism(settings.Framework, container.Command, container.Args, container.Env...),
		IdleGPUs:           backend.IdleGPUs(&container, settings),
		WaitsForLeader:     backend.NeedsWaitScript(settings, &container),
		NeedsSSH:           backend.NeedsSSH(settings),
		Processes:          backend.UsesProcesses(&container, settings),
	}
	own := *container.DeepCopy()
	if !c.spec.HasRuntimeContainer() {
		inspection.Warnings = backend.ConfigureContainer(&container, settings)
	}
	if place := backend.UnknownLeaderPort(settings, &container); place != "" {
		inspection.Warnings = append(inspection.Warnings, message.Format("the value of %s is only known to the command itself, so nodes do not wait until the first node listens there; write the number", place))
	}
	inspection.Ray = backend.UsesRay(&own, &container, settings)
	if c.spec.HasStandby() {
		inspection.NoStandby = backend.NoStandby(&container, settings)
	}
	return inspection
}

// BackendSettings are the properties of a component that the backend needs.
func (b *Builder) BackendSettings(component string, role backend.Role, hosts backend.Hosts) backend.Settings {
	s := b.of(role).Graph.Component(component)
	main := s.Main()
	framework := b.Plan.Components[component].Framework
	if s.IsMultinode() && b.Graph.CommandLines.OtherModule(&main) != "" {
		framework = "" // The framework of the graph is that of other components.
	}
	limit := cmp.Or(s.GPULimit(), s.Shares())
	if limit == 0 && s.GPURequest() == 0 {
		main.Env = slices.Concat(b.Graph.Spec.Env, main.Env)
		limit = b.Graph.CommandLines.ClaimedGPUs(framework, &main, int64(s.Nodes()))
	}
	return backend.Settings{
		Texts:               b.Graph.CommandLines,
		Framework:           framework,
		Role:                role,
		OwnCommand:          s.HasRoleTemplates(),
		NodeCount:           s.Nodes(),
		Hosts:               hosts,
		Executor:            backend.Executor(b.Plan.Components[component].Executor),
		GPULimit:            limit,
		GPURequest:          s.GPURequest(),
		RuntimeVersion:      b.Plan.Components[component].RuntimeVersion,
		WaitScriptConfigMap: b.Graph.Names().WaitForLeader(),
		SSHSecret:           SSHSecret(b.Graph),
		FromWeightServer:    s.RunsWeightServers() && role != backend.RoleWeights,
	}
}

// SSHSecret is the name of the Secret with the MPI key pair: that of the user, otherwise that of the graph.
func SSHSecret(g *graph.Graph) string {
	return cmp.Or(g.Annotations[metadata.AnnotationSSHSecret], g.Names().SSHSecret())
}

// mainContainer is the main container of the user, merged with the defaults of the component type, which have lower priority.
func (b *Builder) mainContainer(c component, d defaults) corev1.Container {
	if c.spec.HasRuntimeContainer() {
		return b.engineContainer(c)
	}
	user := c.spec.Main()
	container := b.mergeContainer(c, d.container, user.DeepCopy())
	container.Env = mergeEnv(infrastructureEnv(b.Plan.Infrastructure), d.container.Env, b.Graph.Spec.Env, user.Env)
	addDefaultResources(&container.Resources, c.spec, b.Plan.DefaultResources)
	mountClaims(&container, c)
	b.publishDomain(&container, c)
	return container
}

// mergeContainer sets the fields that the user's container does not set. A list of the user replaces the whole default list, even if
// it is empty.
func (b *Builder) mergeContainer(c component, base corev1.Container, user *corev1.Container) corev1.Container {
	merged := *user
	merged.Name = base.Name
	if user.Command == nil {
		merged.Command = base.Command
	}
	// The default args belong to the default command. A command of the user would interpret them as its own.
	if user.Args == nil && (user.Command == nil || base.Command == nil) {
		merged.Args = base.Args
	}
	if user.Ports == nil {
		merged.Ports = base.Ports
	}
	merged.VolumeMounts = withDefaultMounts(user.VolumeMounts, base.VolumeMounts)
	merged.LivenessProbe = b.probe(c, base.Name, graph.LivenessProbe, probeOf(base.LivenessProbe, &merged, base.Ports), user.LivenessProbe)
	merged.ReadinessProbe = b.probe(c, base.Name, graph.ReadinessProbe, probeOf(base.ReadinessProbe, &merged, base.Ports), user.ReadinessProbe)
	merged.StartupProbe = b.probe(c, base.Name, graph.StartupProbe, probeOf(base.StartupProbe, &merged, base.Ports), user.StartupProbe)
	return merged
}

// probe of the user, or the default one. How long an engine may take to answer depends on the check, so a probe with a handler replaces
// the default as a whole. One without a handler only changes its other fields.
func (b *Builder) probe(c component, container, name string, base, user *corev1.Probe) *corev1.Probe {
	if user != nil && graph.HasHandler(user) {
		return user
	}
	return graph.MergeProbe(base, user, c.spec.FieldsOfProbe(container, name))
}

// spec is the user's pod spec merged with the defaults, without the main container.
func (b *Builder) spec(c component, d defaults) corev1.PodSpec {
	own := *c.spec.Pod()
	own.Containers = c.spec.Beside()
	spec := *own.DeepCopy()
	if spec.TerminationGracePeriodSeconds == nil {
		spec.TerminationGracePeriodSeconds = new(d.terminationGracePeriodSeconds)
	}
	if spec.RestartPolicy == "" {
		spec.RestartPolicy = corev1.RestartPolicyAlways
	}
	if spec.SecurityContext == nil {
		spec.SecurityContext = b.defaultSecurityContext()
	}
	spec.Volumes = withDefaultVolumes(spec.Volumes, d.volumes)
	spec.ServiceAccountName = cmp.Or(c.spec.UserAccount(), d.serviceAccountName)
	if spec.ServiceAccountName == "" && c.decision.Discovery == graphplan.Kubernetes {
		spec.ServiceAccountName = b.Graph.Names().DiscoveryServiceAccount()
	}
	return spec
}

// defaultSecurityContext of pods: that of the platform, or the group of the user in images of Dynamo, who writes to volumes. nil means none.
func (b *Builder) defaultSecurityContext() *corev1.PodSecurityContext {
	switch context := b.Plan.PodSecurityContext; {
	case context == nil:
		return &corev1.PodSecurityContext{FSGroup: ptr.To[int64](1000)}
	case equality.Semantic.DeepEqual(*context, corev1.PodSecurityContext{}):
		return nil
	default:
		return context.DeepCopy()
	}
}

// MultinodeComponents of a graph, by name.
func MultinodeComponents(g *graph.Graph) []string {
	var components []string
	for _, component := range g.ComponentsByName() {
		if component.IsMultinode() {
			components = append(components, component.Name)
		}
	}
	return components
}
