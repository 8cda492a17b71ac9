package graph

import (
	"google.golang.org/protobuf/types/known/structpb"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/conversion"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/strict"
)

// decodeServices reads a graph that is written with services.
func (g *Graph) decodeServices(note func(*field.Error, strict.Unknown)) field.ErrorList {
	var spec v1alpha1.DynamoGraphDeploymentSpec
	errs := strict.Decode(structpb.NewStructValue(g.spec), &spec, field.NewPath("spec"), g.decoding(note))
	g.TakeServices(&spec)
	return errs
}

// TakeServices gives the graph a spec that is written with services.
func (g *Graph) TakeServices(spec *v1alpha1.DynamoGraphDeploymentSpec) {
	g.Spec = v1beta1.DynamoGraphDeploymentSpec{
		Annotations:       spec.Annotations,
		Labels:            spec.Labels,
		Env:               spec.Envs,
		BackendFramework:  spec.BackendFramework,
		Restart:           spec.Restart,
		PriorityClassName: spec.PriorityClassName,
		ProviderOverride:  spec.ProviderOverride,
		Experimental:      spec.Experimental,
	}
	if t := spec.TopologyConstraint; t != nil {
		g.Spec.TopologyConstraint = &v1beta1.SpecTopologyConstraint{ClusterTopologyName: t.TopologyProfile, PackDomain: t.PackDomain}
	}
	g.PVCs = spec.PVCs
	for name, service := range spec.Services {
		g.Add(name, service)
	}
}

// ServiceFields are those that only the form with services has.
type ServiceFields struct {
	// ComponentType and SubComponentType as the labels of the pods have them. Those of a component that is a worker for one phase of inference
	// are the type of workers, and the phase.
	ComponentType, SubComponentType string

	// ServiceName, DynamoNamespace, Labels, Autoscaling and Ingress have no place in the form with components.
	ServiceName     string
	DynamoNamespace *string
	Labels          map[string]string
	Autoscaling     *v1alpha1.Autoscaling
	Ingress         *v1alpha1.Ingress

	// Annotations of the service. Those of a component are the ones of its pod template that have a meaning for this project.
	Annotations map[string]string

	// Resources, Envs, EnvFromSecret and the probes are those of the main container beside its pod. They are also in the main container.
	Resources      *v1alpha1.Resources
	Envs           []corev1.EnvVar
	EnvFromSecret  *string
	LivenessProbe  *corev1.Probe
	ReadinessProbe *corev1.Probe

	// VolumeMounts are the claims that the main container mounts. The compilation cache of a component is one.
	VolumeMounts []v1alpha1.VolumeMount

	// Sidecar is a frontend beside the main container, which a component names among its containers.
	Sidecar *v1alpha1.FrontendSidecar

	// SwitchedOff are the features that are written and not enabled.
	SwitchedOff *v1beta1.ComponentExperimental
}

// Add a service to the graph, or replace the one of that name.
func (g *Graph) Add(name string, service v1alpha1.Service) *Component {
	component := v1beta1.Component{
		Name:                   name,
		Type:                   v1beta1.ComponentType(conversion.TypeOf(service.ComponentType, service.SubComponentType)),
		GlobalDynamoNamespace:  service.GlobalDynamoNamespace,
		Replicas:               service.Replicas,
		MinAvailable:           service.MinAvailable,
		Multinode:              service.Multinode,
		Roles:                  service.Roles,
		SharedMemorySize:       sharedMemorySize(service.SharedMemory),
		ModelRef:               service.ModelRef,
		EPPConfig:              service.EPPConfig,
		TopologyConstraint:     service.TopologyConstraint,
		ProviderOverride:       service.ProviderOverride,
		RuntimeVersionOverride: service.RuntimeVersionOverride,
	}
	var off *v1beta1.ComponentExperimental
	component.Experimental, off = experimentalOf(&service)
	if adapter := service.ScalingAdapter; adapter != nil && adapter.Enabled {
		component.ScalingAdapter = &v1beta1.ScalingAdapter{}
	}
	c := g.add(component, ServiceFields{
		ComponentType:    service.ComponentType,
		SubComponentType: service.SubComponentType,
		ServiceName:      service.ServiceName,
		DynamoNamespace:  service.DynamoNamespace,
		Labels:           service.Labels,
		Autoscaling:      service.Autoscaling,
		Ingress:          service.Ingress,
		Annotations:      service.Annotations,
		Resources:        service.Resources,
		Envs:             service.Envs,
		EnvFromSecret:    service.EnvFromSecret,
		LivenessProbe:    service.LivenessProbe,
		ReadinessProbe:   service.ReadinessProbe,
		VolumeMounts:     service.VolumeMounts,
		Sidecar:          service.FrontendSidecar,
		SwitchedOff:      off,
	})
	c.takePod(&service)
	c.takeRoles()
	return c
}

// sharedMemorySize is 0 if shared memory is disabled, and nil if it has no size.
func sharedMemorySize(memory *v1alpha1.SharedMemory) *resource.Quantity {
	switch {
	case memory == nil:
		return nil
	case memory.Disabled:
		return &resource.Quantity{}
	case memory.Size.IsZero():
		return nil
	default:
		return &memory.Size
	}
}

// experimentalOf a service are the features that it has switched on, which components have in one place, and those that it has and does not
// switch on.
func experimentalOf(service *v1alpha1.Service) (on, off *v1beta1.ComponentExperimental) {
	on, off = &v1beta1.ComponentExperimental{Checkpoint: service.Checkpoint}, &v1beta1.ComponentExperimental{}
	place := func(enabled bool) *v1beta1.ComponentExperimental {
		if enabled {
			return on
		}
		return off
	}
	if m := service.GPUMemoryService; m != nil {
		place(m.Enabled).GPUMemoryService = &v1beta1.GPUMemoryService{
			Mode:                  shareMode(m.Mode),
			DeviceClassName:       m.DeviceClassName,
			ExtraClientContainers: m.ExtraClientContainers,
			ExtraClientPods:       m.ExtraClientPods,
		}
	}
	if f := service.Failover; f != nil {
		place(f.Enabled).Failover = &v1beta1.Failover{Mode: shareMode(f.Mode), NumShadows: f.NumShadows}
	}
	return unlessEmpty(on), unlessEmpty(off)
}

func unlessEmpty(e *v1beta1.ComponentExperimental) *v1beta1.ComponentExperimental {
	if *e == (v1beta1.ComponentExperimental{}) {
		return nil
	}
	return e
}

// shareMode of a service as that of a component: intraPod is IntraPod. The words of each form are none in the other one, and other values stay as
// they are, so that both are refused later.
func shareMode(mode v1alpha1.ShareMode) v1beta1.ShareMode {
	for alpha, beta := range conversion.ShareModes() {
		switch string(mode) {
		case alpha:
			return v1beta1.ShareMode(beta)
		case beta:
			return v1beta1.ShareMode(alpha)
		}
	}
	return v1beta1.ShareMode(mode)
}

// ShareMode in the form in which the graph is written.
func (g *Graph) ShareMode(mode v1beta1.ShareMode) string {
	if g.Form == Services {
		return string(shareMode(v1alpha1.ShareMode(mode)))
	}
	return string(mode)
}
