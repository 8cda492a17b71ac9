package foundation

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/apis/networking"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
)

// inferencePool is the pool of workers from which the Endpoint Picker selects. The port is that of the frontend sidecar of each worker.
func (f *foundation) inferencePool() []composed {
	if !f.serves(networking.KindInferencePool) || f.plan.Pool == nil {
		return nil
	}
	for _, name := range f.graph.ComponentNames() {
		if f.graph.Component(name).Type != v1beta1.ComponentEPP {
			continue
		}
		return []composed{{names.KeyEPPInferencePool, &networking.InferencePool{
			TypeMeta:   metav1.TypeMeta{APIVersion: networking.InferenceAPIVersion, Kind: networking.KindInferencePool},
			ObjectMeta: f.objectMeta(f.graph.Names().InferencePool(), f.eppLabels(name)),
			Spec: networking.InferencePoolSpec{
				Selector:    networking.PoolSelector{MatchLabels: f.plan.Pool.Selector},
				TargetPorts: []networking.PoolPort{{Number: f.plan.Pool.Port}},
				EndpointPickerRef: networking.EndpointPickerRef{
					Kind: "Service",
					Name: f.graph.Names().Service(name),
					Port: networking.PoolPort{Number: pod.PortEPP},
				},
			},
		}}}
	}
	return nil
}

func (f *foundation) eppLabels(component string) map[string]string {
	return map[string]string{
		metadata.LabelGraphName:     f.graph.Name,
		metadata.LabelComponent:     component,
		metadata.LabelComponentType: v1alpha1.ComponentEPP,
	}
}
