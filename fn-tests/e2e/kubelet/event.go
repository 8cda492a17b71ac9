package kubelet

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/scheme"
)

// An event of a pod.
type event struct {
	// path of the container that it is about, empty for one about the pod.
	path string

	eventType, reason, message string
}

// tell the API server what happens to a pod. Events that are told again are counted, and too many are dropped, as those of real kubelets.
func (k *Kubelet) tell(pod *corev1.Pod, events []event) {
	recorder := k.events.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "kubelet", Host: pod.Spec.NodeName})
	for _, e := range events {
		recorder.Event(&corev1.ObjectReference{
			APIVersion: "v1", Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID, ResourceVersion: pod.ResourceVersion, FieldPath: e.path,
		}, e.eventType, e.reason, e.message)
	}
}
