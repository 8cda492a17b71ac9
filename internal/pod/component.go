package pod

import (
	"maps"
	"slices"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	snapshotv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/snapshot/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
)

// component is one service with the settings of its graph.
type component struct {
	name     string
	service  *v1alpha1.Service
	decision graphplan.Service

	// weights says that the weights of the service are in pods of their own.
	weights bool

	// systemPort at which the program of the service answers.
	systemPort int32

	// texts of the command lines of the graph.
	texts *backend.Texts

	// role of the pod that is built. Empty: it does not matter.
	role backend.Role
}

func (b *Builder) component(name string) component {
	service := b.Graph.Spec.Services[name]
	return component{
		name: name, service: &service, decision: b.Plan.Services[name], weights: RunsWeightServers(b.Graph, name), systemPort: SystemPort(b.Graph, name),
		texts: b.Graph.CommandLines,
	}
}

// ServiceAnnotations are the annotations of a service and, with lower priority, those that apply to it from elsewhere: five known keys of its
// pods and of the metadata of the graph, then spec.annotations.
func ServiceAnnotations(g *graph.Graph, name string) map[string]string {
	annotations := withDefaults(g.Spec.Services[name].Annotations, g.Spec.Annotations)
	for _, key := range metadata.PropagatedAnnotations() {
		if value, ok := serviceAnnotation(g, name, key); ok {
			annotations[key] = value
		}
	}
	return annotations
}

// ServiceAnnotation is one of them. Empty: the service does not have it. A graph may have thousands of others.
func ServiceAnnotation(g *graph.Graph, name, key string) string {
	value, _ := serviceAnnotation(g, name, key)
	return value
}

func serviceAnnotation(g *graph.Graph, name, key string) (value string, ok bool) {
	if value, ok = g.Spec.Services[name].Annotations[key]; ok {
		return value, true
	}
	if slices.Contains(metadata.PropagatedAnnotations(), key) {
		// A component of v1beta1 has its annotations in the pod template, which is this field of v1alpha1.
		if extra := g.Spec.Services[name].ExtraPodMetadata; extra != nil {
			if value, ok = extra.Annotations[key]; ok {
				return value, true
			}
		}
		if value, ok = g.Annotations[key]; ok {
			return value, true
		}
	}
	value, ok = g.Spec.Annotations[key]
	return value, ok
}

// Labels of every object of a service: those of the service and, with lower priority, those of the graph.
func Labels(g *graph.Graph, name string) map[string]string {
	return withDefaults(g.Spec.Services[name].Labels, g.Spec.Labels)
}

// TemplateLabels are the labels that the user sets for the pods of a service.
func TemplateLabels(g *graph.Graph, name string) map[string]string {
	labels := Labels(g, name)
	if extra := g.Spec.Services[name].ExtraPodMetadata; extra != nil {
		maps.Copy(labels, extra.Labels)
	}
	return labels
}

// WorkloadLabels are the labels of a Deployment or LeaderWorkerSet itself, not of its pods.
func WorkloadLabels(g *graph.Graph, p *graphplan.Plan, name string) map[string]string {
	labels, service := TemplateLabels(g, name), g.Spec.Services[name]
	labels[metadata.LabelComponent] = name
	labels[metadata.LabelGraphName] = g.Name
	labels[metadata.LabelDynamoNamespace] = p.Services[name].DynamoNamespace
	if _, sub := Types(&service); sub != "" {
		labels[metadata.LabelSubComponentType] = sub
	}
	if service.ModelRef != nil {
		labels[metadata.LabelBaseModelHash] = names.ModelHash(service.ModelRef.Name)
	}
	return labels
}

// WorkloadAnnotations are the annotations of a Deployment or LeaderWorkerSet itself, not of its pods.
func WorkloadAnnotations(g *graph.Graph, name string) map[string]string {
	annotations := ServiceAnnotations(g, name)
	service := g.Spec.Services[name]
	if service.ExtraPodMetadata != nil {
		maps.Copy(annotations, service.ExtraPodMetadata.Annotations)
	}
	if service.ModelRef != nil {
		annotations[metadata.AnnotationBaseModel] = service.ModelRef.Name
	}
	return annotations
}

// HasService reports whether a service has a Service: services that are discovered through Kubernetes, frontends, which clients use, and
// the Endpoint Picker, to which the InferencePool refers.
func HasService(s *v1alpha1.Service, decision graphplan.Service) bool {
	switch s.ComponentType {
	case v1alpha1.ComponentFrontend, v1alpha1.ComponentEPP:
		return true
	default:
		return decision.Discovery == graphplan.Kubernetes
	}
}

// HasRayService reports whether other nodes can join the engine of a service by a Service: on Grove, where it is a single pod, because each
// replica is the head of a separate Ray cluster.
func HasRayService(g *graph.Graph, p *graphplan.Plan, name string) bool {
	service := g.Spec.Services[name]
	if p.Orchestrator != graphplan.Grove || IsMultinode(&service) || Replicas(&service) != 1 || service.Autoscaling != nil && service.Autoscaling.Enabled {
		return false
	}
	main := UserContainer(&service)
	return g.CommandLines.IsElasticHead(p.Services[name].Framework, &main)
}

// SchedulerName is the scheduler that the user specifies for the pods of a service. Empty: none.
func SchedulerName(s *v1alpha1.Service) string {
	if s.ExtraPodSpec == nil {
		return ""
	}
	return s.ExtraPodSpec.SchedulerName
}

func withDefaults(own, defaults map[string]string) map[string]string {
	merged := make(map[string]string, len(own)+len(defaults))
	maps.Copy(merged, defaults)
	maps.Copy(merged, own)
	return merged
}

// podLabels are the labels of a service's pods. Labels that identify the pod take precedence over those of the user: Services, discovery
// and the schedulers select by them.
func (b *Builder) podLabels(c component) map[string]string {
	labels := TemplateLabels(b.Graph, c.name)
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
	componentType, subType := labelsOfType(b.Graph, b.Plan, c.service, c.decision.RuntimeVersion.Has(runtime.PhaseTypes))
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
	if c.weights && HasStandbyPods(c.service) {
		labels[metadata.LabelFailoverMember] = "true"
	}
	if c.service.ModelRef != nil {
		labels[metadata.LabelBaseModelHash] = names.ModelHash(c.service.ModelRef.Name)
	}
	hasClass := b.Plan.PoolByClass || c.decision.RuntimeVersion.Has(runtime.ComponentClass)
	if IsWorker(c.service.ComponentType) && b.Graph.HasComponent(v1alpha1.ComponentEPP) && hasClass {
		labels[metadata.LabelComponentClass] = metadata.ClassWorker
	}
	if generation := b.Plan.WorkerGeneration; generation != "" && IsWorker(c.service.ComponentType) {
		labels[metadata.LabelWorkerHash] = generation
	}
	if inPool(b.Graph, b.Plan, c) {
		labels[metadata.LabelInferencePool] = "true"
	}
	if b.annotation(c, metadata.AnnotationEnableMetrics) != "false" {
		labels[metadata.LabelMetricsEnabled] = "true"
	}
	maps.Copy(labels, DiscoveryLabels(c.decision))
	return labels
}

// DiscoveryLabels mark objects that take part in Kubernetes discovery.
func DiscoveryLabels(s graphplan.Service) map[string]string {
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

// annotation of a component. Empty: it has none with this key.
func (b *Builder) annotation(c component, key string) string {
	return ServiceAnnotation(b.Graph, c.name, key)
}

func (b *Builder) podAnnotations(c component) map[string]string {
	annotations := ServiceAnnotations(b.Graph, c.name)
	if b.Plan.Orchestrator == graphplan.Grove {
		annotations[metadata.AnnotationDiscoveryBackend] = c.decision.Discovery
	}
	if c.service.ExtraPodMetadata != nil {
		maps.Copy(annotations, c.service.ExtraPodMetadata.Annotations)
	}
	// Only the builder knows the template of a pod: see restoreStored.
	delete(annotations, metadata.AnnotationCheckpointTemplate)
	// The gateway of a mesh calls the picker with a certificate that a sidecar would refuse.
	if _, given := annotations[metadata.AnnotationIstioInject]; !given && c.service.ComponentType == v1alpha1.ComponentEPP {
		annotations[metadata.AnnotationIstioInject] = "false"
	}
	maps.Copy(annotations, b.transferAnnotations(c))
	maps.Copy(annotations, b.restoreAnnotations(c))
	if mark := b.Plan.RestartMark(c.name, b.Replica); mark.At != "" {
		annotations[metadata.AnnotationRestartAt] = mark.At
	}
	return annotations
}
