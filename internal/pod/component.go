package pod

import (
	"cmp"
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	snapshotv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/snapshot/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
)

// component is one component with the settings of its graph.
type component struct {
	name     string
	spec     *graph.Component
	decision graphplan.Component

	// weights says that the weights of the component are in pods of their own.
	weights bool

	// graphEnv are the variables of the graph, as far as the program gets them.
	graphEnv []corev1.EnvVar

	// texts of the command lines of the graph.
	texts *backend.Texts

	// role of the pod that is built. It is empty if it does not matter.
	role backend.Role

	// registers says that the pod that is built is an instance that gets requests.
	registers bool
}

func (b *Builder) component(name string) component {
	c := b.Graph.Component(name)
	return component{
		name: name, spec: c, decision: b.Plan.Components[name], weights: c.RunsWeightServers(), graphEnv: b.Graph.Spec.Env,
		texts: b.Graph.CommandLines,
	}
}

// WorkloadLabels are the labels of a Deployment or LeaderWorkerSet itself, not of its pods.
func WorkloadLabels(c *graph.Component, p *graphplan.Plan) map[string]string {
	labels := c.TemplateLabels()
	labels[metadata.LabelComponent] = c.Name
	labels[metadata.LabelGraphName] = c.Graph().Name
	labels[metadata.LabelDynamoNamespace] = p.Components[c.Name].DynamoNamespace
	if _, sub := c.Types(); sub != "" {
		labels[metadata.LabelSubComponentType] = sub
	}
	if c.ModelRef != nil {
		labels[metadata.LabelBaseModelHash] = names.ModelHash(c.ModelRef.Name)
	}
	return labels
}

// Queue puts a workload into the queue of Kueue that its graph has, with the priority of the graph unless it has its own. Its pod template stays as
// it is: what Kueue needs there, its webhook writes.
func Queue(object *metav1.ObjectMeta, p *graphplan.Plan) {
	if p.KueueQueue == "" {
		return
	}
	if object.Labels == nil {
		object.Labels = map[string]string{}
	}
	if object.Annotations == nil {
		object.Annotations = map[string]string{}
	}
	object.Labels[metadata.LabelKueueQueue], object.Annotations[metadata.AnnotationKueueQueue] = p.KueueQueue, p.KueueQueue
	if p.KueuePriority == "" {
		return
	}
	object.Annotations[metadata.AnnotationKueuePriority] = p.KueuePriority
	if _, own := object.Labels[metadata.LabelKueuePriority]; !own {
		object.Labels[metadata.LabelKueuePriority] = p.KueuePriority
	}
}

// WorkloadAnnotations are the annotations of a Deployment or LeaderWorkerSet itself, not of its pods.
func WorkloadAnnotations(c *graph.Component) map[string]string {
	annotations := c.AllAnnotations()
	maps.Copy(annotations, c.PodMetadata().Annotations)
	if c.ModelRef != nil {
		annotations[metadata.AnnotationBaseModel] = c.ModelRef.Name
	}
	return annotations
}

// HasService reports whether a component has a Service: components that are discovered through Kubernetes, frontends, which clients use, and
// the Endpoint Picker, to which the InferencePool refers.
func HasService(c *graph.Component, decision graphplan.Component) bool {
	switch c.Type {
	case v1beta1.ComponentFrontend, v1beta1.ComponentEPP:
		return true
	default:
		return decision.Discovery == graphplan.Kubernetes
	}
}

// HasRayService reports whether other nodes can join the engine of a component by a Service: on Grove, where it is a single pod, because each
// replica is the head of a separate Ray cluster.
func HasRayService(c *graph.Component, p *graphplan.Plan) bool {
	if p.Orchestrator != graphplan.Grove || c.IsMultinode() || c.Replicas() != 1 || c.IsAutoscaled() {
		return false
	}
	main := c.Main()
	return c.Graph().CommandLines.IsElasticHead(p.Components[c.Name].Framework, &main)
}

// RayPort is where other nodes join the engine of a component. It is false if that is not in the graph.
func RayPort(c *graph.Component) (number int32, known bool) {
	own := Own(c, false)
	told, given := c.Graph().CommandLines.PortFor(backend.Ray, &own)
	return cmp.Or(told.Number, backend.RayPort), !given || told.Number != 0
}

// podLabels are the labels of a component's pods. Labels that identify the pod take precedence over those of the user: Services, discovery
// and the schedulers select by them.
func (b *Builder) podLabels(c component) map[string]string {
	labels := c.spec.TemplateLabels()
	for _, key := range snapshotv1alpha1.AgentLabels() {
		delete(labels, key)
	}
	maps.Copy(labels, restoreLabels(c))
	labels[metadata.LabelSelector] = b.Graph.Names().Component(c.name)
	labels[metadata.LabelGraphName] = b.Graph.Name
	labels[metadata.LabelComponent] = c.name
	labels[metadata.LabelDynamoNamespace] = c.decision.DynamoNamespace
	if label := roleLabel(c); label != "" {
		labels[metadata.LabelRole] = label
	}
	componentType, subType := labelsOfType(b.Graph, b.Plan, c.spec, c.decision.RuntimeVersion.Has(runtime.PhaseTypes))
	if componentType != "" {
		labels[metadata.LabelComponentType] = componentType
	}
	if subType != "" {
		labels[metadata.LabelSubComponentType] = subType
	}
	if c.role == backend.RoleWeights {
		// It serves neither requests nor metrics, and is not discovered.
		return labels
	}
	if c.weights && c.spec.HasStandbyPods() {
		labels[metadata.LabelFailoverMember] = "true"
	}
	if c.spec.ModelRef != nil && c.registers {
		labels[metadata.LabelBaseModelHash] = names.ModelHash(c.spec.ModelRef.Name)
	}
	hasClass := b.Plan.PoolByClass || c.decision.RuntimeVersion.Has(runtime.ComponentClass)
	if c.spec.IsWorker() && b.Graph.HasComponent(v1beta1.ComponentEPP) && hasClass {
		labels[metadata.LabelComponentClass] = metadata.ClassWorker
	}
	if generation := b.Plan.WorkerGeneration; generation != "" && c.spec.IsWorker() {
		labels[metadata.LabelWorkerHash] = generation
	}
	if b.inPool(c) {
		labels[metadata.LabelInferencePool] = "true"
	}
	if b.annotation(c, metadata.AnnotationEnableMetrics) != "false" {
		labels[metadata.LabelMetricsEnabled] = "true"
	}
	maps.Copy(labels, DiscoveryLabels(c.decision))
	return labels
}

// DiscoveryLabels mark objects that take part in Kubernetes discovery.
func DiscoveryLabels(s graphplan.Component) map[string]string {
	if s.Discovery != graphplan.Kubernetes {
		return nil
	}
	return map[string]string{
		metadata.LabelDiscoveryBackend: graphplan.Kubernetes,
		metadata.LabelDiscoveryEnabled: "true",
	}
}

// IsDiscovered reports whether labels say that a pod takes part in Kubernetes discovery.
func IsDiscovered(labels map[string]string) bool {
	return labels[metadata.LabelDiscoveryBackend] == graphplan.Kubernetes && labels[metadata.LabelDiscoveryEnabled] == "true"
}

// annotation of a component. It is empty if it has none with this key.
func (b *Builder) annotation(c component, key string) string {
	return b.Graph.Component(c.name).Annotation(key)
}

func (b *Builder) podAnnotations(c component) map[string]string {
	annotations := c.spec.AllAnnotations()
	if b.Plan.Orchestrator == graphplan.Grove {
		annotations[metadata.AnnotationDiscoveryBackend] = c.decision.Discovery
	}
	maps.Copy(annotations, c.spec.PodMetadata().Annotations)
	// Only the builder knows the template of a pod: see restoreStored.
	delete(annotations, metadata.AnnotationCheckpointTemplate)
	// The gateway of a mesh calls the picker with a certificate that a sidecar would refuse.
	if _, given := annotations[metadata.AnnotationIstioInject]; !given && c.spec.Type == v1beta1.ComponentEPP {
		annotations[metadata.AnnotationIstioInject] = "false"
	}
	maps.Copy(annotations, eppAnnotations(c))
	maps.Copy(annotations, b.transferAnnotations(c))
	maps.Copy(annotations, b.restoreAnnotations(c))
	if mark := b.Plan.RestartMark(c.name, b.Replica); mark.At != "" {
		annotations[metadata.AnnotationRestartAt] = mark.At
	}
	return annotations
}
