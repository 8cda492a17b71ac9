package graph

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
)

// Pod of the component, as its user wrote it. It is empty, and never nil, for a component without one.
func (c *Component) Pod() *corev1.PodSpec {
	if c.PodTemplate == nil {
		return &corev1.PodSpec{}
	}
	return &c.PodTemplate.Spec
}

// PodMetadata are the labels and annotations that the user sets for the pods alone. They are empty, and never nil, if there are none.
func (c *Component) PodMetadata() *metav1.ObjectMeta {
	if c.PodTemplate == nil {
		return &metav1.ObjectMeta{}
	}
	return &c.PodTemplate.ObjectMeta
}

// Main is the main container. It only has its name if there is none.
func (c *Component) Main() corev1.Container {
	if c.main < 0 {
		return corev1.Container{Name: v1beta1.MainContainer}
	}
	return c.Pod().Containers[c.main]
}

// WrittenMain is the main container in the pod, without the fields that a component has beside its pod. It is empty, and never nil, if there is
// none.
func (c *Component) WrittenMain() *corev1.Container {
	if c.written == nil {
		return &corev1.Container{}
	}
	return c.written
}

// HasWrittenMain reports whether the main container is in the pod.
func (c *Component) HasWrittenMain() bool { return c.written != nil }

// Beside are the containers of the pod beside the main container, without a frontend that a component has in a field of its own.
func (c *Component) Beside() []corev1.Container { return c.beside }

// AsFrontend is a frontend of the name and the graph of the component, in a container of its pods.
func (c *Component) AsFrontend(container *corev1.Container) *Component {
	return &Component{
		Component: v1beta1.Component{
			Name: c.Name, Type: v1beta1.ComponentFrontend,
			PodTemplate: &corev1.PodTemplateSpec{Spec: corev1.PodSpec{Containers: []corev1.Container{*container}}},
		},
		ServiceFields: ServiceFields{ComponentType: v1alpha1.ComponentFrontend},
		graph:         c.graph, written: container, cacheMount: -1,
	}
}
