package foundation

import (
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/scaling/autoscaling"
)

// scalingAdapter is the DynamoGraphDeploymentScalingAdapter of a service: an object with a scale subresource, which autoscalers can use.
// Its number of replicas takes precedence over that of the graph.
type scalingAdapter struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec scalingAdapterSpec `json:"spec"`
}

type scalingAdapterSpec struct {
	Replicas *int32         `json:"replicas,omitempty"`
	DGDRef   graphReference `json:"dgdRef"`
}

// graphReference refers to a service of a graph.
type graphReference struct {
	Name        string `json:"name"`
	ServiceName string `json:"serviceName"`
}

// scalingAdapters of the services that have one.
func (f *foundation) scalingAdapters() []composed {
	var all []composed
	for _, name := range f.graph.ServiceNames() {
		if !f.plan.Services[name].ScalingAdapter {
			continue
		}
		object := f.objectMeta(f.graph.Names().ScalingAdapter(name), autoscaling.Labels(f.graph, name))
		object.Annotations = f.adapterAnnotations(name)
		all = append(all, composed{names.KeyScalingAdapter(name), &scalingAdapter{
			TypeMeta:   metav1.TypeMeta{APIVersion: autoscaling.AdapterAPIVersion, Kind: autoscaling.KindAdapter},
			ObjectMeta: object,
			Spec: scalingAdapterSpec{
				Replicas: f.adapterReplicas(name),
				DGDRef:   graphReference{Name: f.graph.Name, ServiceName: name},
			},
		}})
	}
	return all
}

// adapterReplicas are initially the replicas in the graph. After that, the adapter determines their number.
func (f *foundation) adapterReplicas(name string) *int32 {
	adapter := f.observed[string(names.KeyScalingAdapter(name))].GetResource()
	if observed.ScaledByOthers(adapter) {
		return nil
	}
	if current, ok := autoscaling.AdapterReplicas(adapter); ok {
		return &current
	}
	service := f.graph.Component(name)
	return new(service.Replicas())
}

// adapterAnnotations record the number of replicas in the graph at the time when the adapter starts to determine it.
func (f *foundation) adapterAnnotations(name string) map[string]string {
	adapter := f.observed[string(names.KeyScalingAdapter(name))].GetResource()
	began := autoscaling.AdapterGraphReplicas(adapter)
	if _, decides := autoscaling.AdapterReplicas(adapter); began == "" && decides {
		return nil
	}
	if began == "" {
		replicas, _ := f.graph.WrittenReplicas(name)
		began = strconv.Itoa(int(replicas))
	}
	return map[string]string{metadata.AnnotationGraphReplicas: began}
}
