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

// Pods of a graph, by component.
type Pods map[string][]Built

// Built is a pod in one role, with what its backend has done. Its parts may share memory with others.
type Built struct {
	Template corev1.PodTemplateSpec

	// Settings by which the backend configures the main container.
	Settings backend.Settings

	// Own is the command of the main container before the backend configures it, and Configured is it afterwards, both with their variables.
	Own, Configured corev1.Container

	// Warnings of the backend, with the remedy.
	Warnings []message.Text
}

// All pods of a graph, as they would be if they were new: for each component a pod in each role. Of several workers it is the first.
func (b *Builder) All() Pods {
	all := Pods{}
	for _, component := range b.Graph.ComponentsByName() {
		for _, c := range Cliques(component) {
			if slices.ContainsFunc(all[component.Name], func(built Built) bool { return built.Settings.Role == c.Role }) {
				continue
			}
			var hosts backend.Hosts = backend.LWSHosts{}
			if b.Plan.Orchestrator == graphplan.Grove {
				hosts = HostsOnGrove(component, c.Rank)
			}
			all[component.Name] = append(all[component.Name], b.build(component.Name, c.Role, hosts))
		}
	}
	return all
}

// Build the pod of a component in one role. hosts gives the orchestrator's addresses of a multinode component.
func (b *Builder) Build(component string, role backend.Role, hosts backend.Hosts) corev1.PodTemplateSpec {
	return b.build(component, role, hosts).Template
}

func (b *Builder) build(component string, role backend.Role, hosts backend.Hosts) Built {
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
	awaitsRay := backend.AwaitsRay(settings, &container)
	built := Built{Settings: settings, Own: container}
	if !c.spec.HasRuntimeContainer() {
		built.Warnings = backend.ConfigureContainer(&container, settings)
	}
	built.Configured = container
	container.Env = slices.Clone(container.Env) // Variables are replaced in place below.
	c.registers = b.Graph.CommandLines.Registers(&container, settings.Framework, role)

	spec := b.spec(c, d)
	spec.Volumes = ClaimVolumes(spec.Volumes, c.spec.VolumeMounts)
	b.addTopologyVolume(&spec, c)
	shareMemory(&spec, &container, c.spec.SharedMemorySize)
	if c.spec.HasRuntimeContainer() {
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
	built.Template = corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: b.podLabels(c), Annotations: b.podAnnotations(c)}, Spec: spec}
	b.restoreStored(&built.Template, c)
	return built
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
