package written

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/strict"
)

// component is what the user has written for the pods of one component. The fields of the graph that reach them are in it, and no
// others: replicas, autoscaling, scaling adapter, exposure, minAvailable and topology constraints do not reach pods. Name and
// namespace of the graph do, but a graph keeps them; the same holds for what is decided once when a graph is created, which
// annotations choose: the orchestrator, and NVLink domains.
//
// What may stand in several places of the main container is merged, so that the same graph in the other version of the API has the same
// hash. Labels and annotations that are overridden are kept below those that override them, because some annotations decide about pods
// although another value is on them. What is absent here is as good as absent in the graph.
//
// The names of the fields are part of the format.
type component struct {
	// Format is the number of the format.
	Format int `json:"format"`

	// Name of the component as it is spelled: a label.
	Name string `json:"name"`

	// Type and SubType are labels, and Type decides about the defaults of the pods.
	Type    string `json:"type,omitempty"`
	SubType string `json:"subType,omitempty"`

	// Labels and Annotations of the pods: those of the graph, of the component, and of the pods. Those of the graph's metadata
	// that reach components are among them. Annotations also decide about discovery, metrics, pull secrets and executors.
	Labels      map[string][]string `json:"labels,omitempty"`
	Annotations map[string][]string `json:"annotations,omitempty"`

	// Deciding are the annotations whose value on the pods is not the one that decides about them.
	Deciding map[string]string `json:"deciding,omitempty"`

	// Framework that the graph declares, for workers only: it decides about their command, and how nodes are joined.
	Framework v1alpha1.BackendFramework `json:"framework,omitempty"`

	// GlobalDynamoNamespace is a label, and an environment variable.
	GlobalDynamoNamespace bool `json:"globalDynamoNamespace,omitempty"`

	// RuntimeVersion that the user says the image has: what pods need depends on the version of the runtime. Where nobody says it,
	// it follows from the image, or from what the platform says, which does not count here.
	RuntimeVersion string `json:"runtimeVersion,omitempty"`

	// Model that the component serves: a label.
	Model string `json:"model,omitempty"`

	// Nodes of one replica: engines are told how many they are.
	Nodes int32 `json:"nodes,omitempty"`

	// Workers are the kinds of workers of a graph with an Endpoint Picker, for its workers only: which label its InferencePool
	// selects by depends on what they have in common. OwnType is its own kind as the user has written it, which is a label then.
	Workers []string `json:"workers,omitempty"`
	OwnType string   `json:"ownType,omitempty"`

	// SSHSecret of the user's own, for workers that span nodes only: the pods of engines that are joined by SSH mount it.
	SSHSecret string `json:"sshSecret,omitempty"`

	// EPPConfig is the ConfigMap of the user's own that an Endpoint Picker mounts, and EPPConfigContent is what one contains that is
	// composed: an annotation, because the picker reads it only when it starts.
	EPPConfig        *corev1.ConfigMapKeySelector `json:"eppConfig,omitempty"`
	EPPConfigContent string                       `json:"eppConfigContent,omitempty"`

	// NativeEPP says that an Endpoint Picker has no configuration.
	NativeEPP bool `json:"nativeEPP,omitempty"`

	// SharedMemory is the size of the tmpfs, 0 where the user wants none.
	SharedMemory string `json:"sharedMemory,omitempty"`

	// Caches are the claims that hold compiled kernels. Other claims of the component are mounts of the main container.
	Caches []v1alpha1.VolumeMount `json:"caches,omitempty"`

	// GPUMemory is how containers share the GPUs of a pod.
	GPUMemory *gpuMemory `json:"gpuMemory,omitempty"`

	// GPUTypes are the resource names that the user calls GPUs without asking for any by a number: containers that ask for them in
	// another way take part in an NVLink domain.
	GPUTypes []string `json:"gpuTypes,omitempty"`

	// Main is the main container.
	Main container `json:"main,omitzero"`

	// RuntimeEnv are the variables of an init container with the runtime that have effect.
	RuntimeEnv map[string]corev1.EnvVar `json:"runtimeEnv,omitempty"`

	// Frontend is the frontend sidecar beside it, and SidecarFollowedBy is how many containers come after it. Sidecar is the same without the
	// variables of the graph.
	Frontend          *container `json:"frontend,omitempty"`
	Sidecar           *container `json:"sidecar,omitempty"`
	SidecarFollowedBy int        `json:"sidecarFollowedBy,omitempty"`

	// Pod is all else of the pods, with the volumes for the claims of the component. The order of volumes does not matter.
	Pod corev1.PodSpec `json:"pod,omitzero"`

	// PodsOfWorkers, if roles have pod templates, is the component with that of its workers; all else is with that of its leader.
	PodsOfWorkers *component `json:"podsOfWorkers,omitempty"`

	// DecidingWorkers are the annotations of the leader that decide for the whole component, where pods of workers have another value.
	DecidingWorkers map[string]string `json:"decidingWorkers,omitempty"`

	// Transfer is the policy for the transfer of KV caches, for workers only: variables, a volume and an annotation.
	Transfer *v1alpha1.KVTransferPolicy `json:"transfer,omitempty"`

	// Checkpoint from which the pods are restored: labels, annotations, a volume and variables.
	Checkpoint *checkpoint `json:"checkpoint,omitempty"`

	// PriorityClass of the graph on Grove, which replaces pods when it changes. No other orchestrator reads it.
	PriorityClass string `json:"priorityClass,omitempty"`

	// Queue of the KAI scheduler that the pods are in, where the graph names one: a label. While they cannot be put into the one that
	// is named, it is the one that they are in.
	Queue string `json:"queue,omitempty"`

	// Restart is the id of the last restart that has reached the component: an annotation.
	Restart string `json:"restart,omitempty"`
}

// gpuMemory is how containers share the GPUs of a pod, or pods those of a node. The class of their devices is that of the claim, which pods refer to by
// a name that does not change.
type gpuMemory struct {
	// Clients are the containers that do so beside the main container, sorted.
	Clients []string `json:"clients,omitempty"`

	// Standby says that there is a second engine, which takes over when the first one fails.
	Standby bool `json:"standby,omitempty"`

	// BetweenPods says that the weights are in pods of their own.
	BetweenPods bool `json:"betweenPods,omitempty"`
}

// checkpoint from which pods are restored. Defaults are left out.
type checkpoint struct {
	Name   string                           `json:"name"`
	Policy v1alpha1.CheckpointStartupPolicy `json:"policy,omitempty"`
	Target string                           `json:"target,omitempty"`
}

// writer writes down the components of one graph.
type writer struct {
	graph *graph.Graph
	plan  *graphplan.Plan

	// restarts are the last ones of components, if restarted. Otherwise they are those of the plan.
	restarts  map[string]string
	restarted bool
}

func (w writer) component(name string) component {
	s := w.graph.Component(name)
	c := component{
		Name:   name,
		Labels: w.labels(s), Annotations: w.annotations(s), Deciding: deciding(s, s),
		GlobalDynamoNamespace: s.GlobalDynamoNamespace, RuntimeVersion: s.RuntimeVersionOverride,
		Nodes:        s.Nodes(),
		SharedMemory: sharedMemory(s.SharedMemorySize),
		Caches:       cachesOf(s), GPUMemory: w.gpuMemory(name), GPUTypes: gpuTypes(s.Resources), Checkpoint: checkpointOf(s),
		Main:  w.mainContainer(name),
		Queue: w.queue(s), Restart: w.restart(name),
	}
	c.Type, c.SubType = s.Types()
	if s.ModelRef != nil {
		c.Model = s.ModelRef.Name
	}
	c.NativeEPP, c.EPPConfigContent = s.IsNativeEPP(), pod.EPPConfig(s)
	if s.EPPConfig != nil {
		c.EPPConfig = s.EPPConfig.ConfigMapRef
	}
	c.Pod = *s.Pod()
	c.Pod.Containers = s.Beside()
	w.addSidecar(&c, name)
	w.addRuntime(&c, s)
	c.Pod.Volumes = pod.ClaimVolumes(slices.Clone(c.Pod.Volumes), s.VolumeMounts)
	slices.SortStableFunc(c.Pod.Volumes, func(a, b corev1.Volume) int { return cmp.Compare(a.Name, b.Name) })
	if w.plan.Orchestrator == graphplan.Grove {
		c.PriorityClass = w.graph.Spec.PriorityClassName
	}
	if s.IsWorker() {
		c.Framework, c.Workers = w.graph.Spec.BackendFramework, w.workers()
		c.Transfer = w.transfer()
		if c.Workers != nil {
			c.OwnType = s.ComponentType
		}
		if s.IsMultinode() {
			c.SSHSecret = w.graph.Annotations[metadata.AnnotationSSHSecret]
		}
	}
	if workers := w.graph.OfWorkers(); workers != nil && s.HasRoleTemplates() {
		w.graph = workers
		c.PodsOfWorkers, c.DecidingWorkers = new(w.component(name)), deciding(s, workers.Component(name))
	}
	return c
}

// addSidecar writes down the frontend sidecar apart from the other containers.
func (w writer) addSidecar(c *component, name string) {
	sidecar, index := w.sidecar(name)
	if c.Sidecar = sidecar; sidecar != nil && index < len(c.Pod.Containers) {
		c.SidecarFollowedBy = len(c.Pod.Containers) - 1 - index
		c.Pod.Containers = slices.Concat(c.Pod.Containers[:index], c.Pod.Containers[index+1:])
	}
	if sidecar != nil {
		frontend := *sidecar
		frontend.Env = byName(slices.Concat(pod.SidecarEnv(w.graph.Spec.Env), slices.Collect(maps.Values(sidecar.Env))))
		c.Frontend = &frontend
	}
}

func (w writer) labels(s *graph.Component) map[string][]string {
	labels := layered(w.graph.Spec.Labels, s.Labels, s.PodMetadata().Labels)
	if w.kaiQueue(s) != "" {
		// Pods have that of the plan instead.
		delete(labels, metadata.LabelKAIQueue)
	}
	return labels
}

func (w writer) annotations(s *graph.Component) map[string][]string {
	propagated := map[string]string{}
	for _, key := range metadata.PropagatedAnnotations() {
		if value, ok := w.graph.Annotations[key]; ok {
			propagated[key] = value
		}
	}
	return layered(w.graph.Spec.Annotations, propagated, s.Annotations, s.PodMetadata().Annotations)
}

// deciding annotations of a component, where pods have another value.
func deciding(s, pods *graph.Component) map[string]string {
	values := map[string]string{}
	for _, key := range metadata.PropagatedAnnotations() {
		if value, ok := pods.PodMetadata().Annotations[key]; ok && value != s.Annotation(key) {
			values[key] = s.Annotation(key)
		}
	}
	return values
}

// transfer is the policy for the transfer of KV caches, with its default, which the API server adds.
func (w writer) transfer() *v1alpha1.KVTransferPolicy {
	policy := pod.TransferPolicy(w.graph)
	if policy == nil {
		return nil
	}
	given := *policy
	given.Enforcement = pod.TransferEnforcement(policy)
	return &given
}

// workers are the kinds of workers of a graph with an Endpoint Picker.
func (w writer) workers() []string {
	if !w.graph.HasComponent(v1beta1.ComponentEPP) {
		return nil
	}
	kinds := map[string]bool{}
	for name, s := range w.graph.Components {
		switch {
		case !s.IsWorker():
		case w.graph.Component(name).HasLeader():
			kinds[s.ComponentType+" over nodes"] = true
		default:
			kinds[s.ComponentType] = true
		}
	}
	return slices.Sorted(maps.Keys(kinds))
}

func sharedMemory(size *resource.Quantity) string {
	switch {
	case size == nil:
		return ""
	case size.IsZero():
		return "0"
	default:
		return strict.CanonicalQuantity(*size)
	}
}

func (w writer) gpuMemory(name string) *gpuMemory {
	s := w.graph.Component(name)
	if s.RunsWeightServers() {
		return &gpuMemory{BetweenPods: true, Standby: s.HasStandbyPods()}
	}
	if !s.SharesGPUs() {
		return nil
	}
	return &gpuMemory{
		Clients: slices.Compact(slices.Sorted(slices.Values(s.GPUMemoryService().ExtraClientContainers))),
		Standby: s.HasStandby(),
	}
}

func checkpointOf(s *graph.Component) *checkpoint {
	name := s.CheckpointName()
	if name == "" {
		return nil
	}
	given := &checkpoint{Name: name}
	if policy := s.CheckpointPolicy(); policy != v1alpha1.CheckpointImmediate {
		given.Policy = policy
	}
	if target := s.CheckpointTarget(); target != pod.MainContainer {
		given.Target = target
	}
	return given
}

func gpuTypes(r *v1alpha1.Resources) []string {
	if r == nil {
		return nil
	}
	var all []string
	for _, list := range []*v1alpha1.ResourceList{r.Requests, r.Limits} {
		if list != nil && list.GPU == nil && list.GPUType != "" {
			all = append(all, list.GPUType)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// queue of the KAI scheduler in which the pods of a component are, where the graph names one.
func (w writer) queue(s *graph.Component) string {
	if strings.TrimSpace(w.graph.Annotations[metadata.AnnotationKAIQueue]) == "" {
		return ""
	}
	return w.kaiQueue(s)
}

// kaiQueue in which the pods of a component are. It is empty if KAI does not place them by the plan.
func (w writer) kaiQueue(s *graph.Component) string {
	scheduler, queue := "", ""
	switch gang := w.plan.LWS.Gang; {
	case w.plan.Grove != nil:
		scheduler, queue = w.plan.Grove.SchedulerName, w.plan.Grove.Queue
	case gang.Provider == graphplan.GangKAI && s.IsMultinode():
		scheduler, queue = gang.SchedulerName, gang.Queue
	}
	if scheduler != graphplan.KAIScheduler || cmp.Or(s.SchedulerName(), scheduler) != scheduler {
		return ""
	}
	return queue
}

// restart is the last one that has reached a component. That its replicas take it one by one does not change the component again.
func (w writer) restart(name string) string {
	if w.restarted {
		return w.restarts[name]
	}
	if r := w.plan.Restart; r != nil && r.ID != "" && slices.Contains(r.Marks[name], graphplan.RestartMark{At: r.ID}) {
		return r.ID
	}
	return w.plan.RestartMark(name, 0).At
}
