package plantest

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
)

// WithAdapterSchema delivers whether scaling adapters are served.
func WithAdapterSchema(served bool) RequestOption {
	return WithSchemaOf("schema-scalingadapter", served)
}

// WithScalingAdapter lets a component have a scaling adapter.
func WithScalingAdapter(s *v1alpha1.Service) {
	s.ScalingAdapter = &v1alpha1.ScalingAdapter{Enabled: true}
}

// ScalingAdapter of component Frontend, as it is observed.
func ScalingAdapter(replicas int32, meta metav1.ObjectMeta) any {
	return map[string]any{
		"apiVersion": "nvidia.com/v1beta1", "kind": "DynamoGraphDeploymentScalingAdapter", "metadata": meta,
		"spec": map[string]any{"replicas": replicas},
	}
}
