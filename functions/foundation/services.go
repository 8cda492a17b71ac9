package foundation

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
)

// services are the Kubernetes Services of the services of the graph.
func (f *foundation) services() []composed {
	var all []composed
	for _, component := range f.graph.ComponentsByName() {
		decision := f.plan.Components[component.Name]
		if pod.HasService(component, decision) {
			all = append(all, composed{names.KeyService(component.Name), f.service(component, decision)})
		}
		if pod.HasRayService(component, f.plan) {
			all = append(all, composed{names.KeyRayService(component.Name), f.rayService(component, decision)})
		}
	}
	return all
}

func (f *foundation) service(service *graph.Component, decision graphplan.Component) *corev1.Service {
	object := f.objectMeta(f.graph.Names().Service(service.Name), pod.WorkloadLabels(service, f.plan))
	object.Annotations = pod.WorkloadAnnotations(service)
	if f.plan.Orchestrator == graphplan.Grove {
		object.Labels, object.Annotations = f.metadataOfUser(service)
	}
	maps.Copy(object.Labels, pod.DiscoveryLabels(decision))
	return &corev1.Service{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Service"},
		ObjectMeta: object,
		Spec:       corev1.ServiceSpec{Selector: f.selector(service, decision), Ports: []corev1.ServicePort{servicePort(service, decision)}},
	}
}

// rayService is the address by which nodes join the Ray cluster of a single pod. It is published before the engine is ready, because the
// engine may wait for the nodes, and it is headless, because the nodes communicate on many ports.
// https://github.com/ai-dynamo/dynamo/blob/2a6da14c8/deploy/operator/internal/dynamo/graph.go#L1012
func (f *foundation) rayService(component *graph.Component, decision graphplan.Component) *corev1.Service {
	labels, annotations := f.metadataOfUser(component)
	object := f.objectMeta(f.graph.Names().RayService(component.Name), labels)
	object.Annotations = annotations
	// Nothing translates the ports of a headless Service.
	port, _ := pod.RayPort(component)
	return &corev1.Service{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Service"},
		ObjectMeta: object,
		Spec: corev1.ServiceSpec{
			ClusterIP:                corev1.ClusterIPNone,
			PublishNotReadyAddresses: true,
			Selector:                 f.selector(component, decision),
			Ports: []corev1.ServicePort{
				{Name: "ray-gcs", Port: port, TargetPort: intstr.FromInt32(port), Protocol: corev1.ProtocolTCP},
				servicePort(component, decision),
			},
		},
	}
}

// selector of the pods of a component that serve requests.
func (f *foundation) selector(component *graph.Component, decision graphplan.Component) map[string]string {
	selector := map[string]string{
		metadata.LabelComponent:       component.Name,
		metadata.LabelDynamoNamespace: decision.DynamoNamespace,
	}
	// Other graphs in the namespace can have components of the same name, if the Dynamo namespace is not the graph's own.
	if decision.DynamoNamespace != f.graph.Names().DynamoNamespace(f.graph.Namespace) {
		selector[metadata.LabelGraphName] = f.graph.Name
	}
	// Pods of a component without a type do not have the label, so selecting by it would find none. The label of workers for one phase
	// depends on the release in their image, and a selector must match running pods and new ones.
	if component.ComponentType != "" && !component.IsPhase() {
		selector[metadata.LabelComponentType] = component.ComponentType
	}
	// The other nodes of an engine only listen to the first one, and weight servers only to engines.
	if decision.Endpoints.FirstNodeOnly {
		selector[metadata.LabelRole] = string(backend.RoleLeader)
	}
	return selector
}

// metadataOfUser are the labels and annotations that the user sets on the graph, on a component and on its pods. On Grove, the Service of
// the component has no others.
func (f *foundation) metadataOfUser(component *graph.Component) (labels, annotations map[string]string) {
	labels, annotations = component.AllLabels(), map[string]string{}
	maps.Copy(annotations, f.graph.Spec.Annotations)
	maps.Copy(annotations, component.Annotations)
	maps.Copy(labels, component.PodMetadata().Labels)
	maps.Copy(annotations, component.PodMetadata().Annotations)
	return labels, annotations
}

// servicePort is the port of a Service, which leads to where its pods listen. Its number is an address for clients, and does not change.
func servicePort(s *graph.Component, decision graphplan.Component) corev1.ServicePort {
	port := corev1.ServicePort{Name: pod.PortSystemName, Port: pod.PortSystem, TargetPort: decision.Endpoints.Port, Protocol: corev1.ProtocolTCP}
	if s.Type == v1beta1.ComponentEPP {
		port.Name, port.Port, port.AppProtocol = pod.PortEPPName, pod.PortEPP, new("http2")
	}
	if s.Type == v1beta1.ComponentFrontend {
		port.Name, port.Port = pod.PortHTTPName, pod.PortHTTP
	}
	return port
}

// modelServices are headless Services. Each selects all pods that serve a model.
func (f *foundation) modelServices() []composed {
	var all []composed
	targets := map[string]intstr.IntOrString{}
	for _, component := range f.graph.ComponentsByName() {
		if component.ModelRef == nil {
			continue
		}
		own := f.plan.Components[component.Name].Endpoints
		target := intstr.FromInt32(own.Number)
		// Where pods differ, only the name leads to each of them.
		if other, ok := targets[component.ModelRef.Name]; own.Number == 0 || ok && other != target {
			target = own.Port
		}
		targets[component.ModelRef.Name] = target
	}
	for _, model := range slices.Sorted(maps.Keys(targets)) {
		all = append(all, composed{names.KeyModelService(model), f.modelService(model, targets[model])})
	}
	return all
}

func (f *foundation) modelService(model string, target intstr.IntOrString) *corev1.Service {
	hash := names.ModelHash(model)
	object := f.objectMeta(f.graph.Names().ModelService(model), map[string]string{
		metadata.LabelBaseModelHash: hash,
		metadata.LabelManagedBy:     metadata.ManagedBy,
		metadata.LabelGraphName:     f.graph.Name,
	})
	object.Annotations = map[string]string{metadata.AnnotationBaseModel: model}
	return &corev1.Service{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Service"},
		ObjectMeta: object,
		Spec: corev1.ServiceSpec{
			ClusterIP: corev1.ClusterIPNone,
			// Another graph can serve the same model. Its pods have their own Service.
			Selector: map[string]string{metadata.LabelBaseModelHash: hash, metadata.LabelGraphName: f.graph.Name},
			Ports:    []corev1.ServicePort{{Name: pod.PortSystemName, Port: pod.PortSystem, TargetPort: target, Protocol: corev1.ProtocolTCP}},
		},
	}
}
