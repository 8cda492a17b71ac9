package autoscaling

import "github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"

// Version and kind of the object that represents the replicas of one service, with a scale subresource for autoscalers. Its controller
// copies the number to the graph.
const (
	AdapterAPIVersion = v1alpha1.Group + "/" + v1alpha1.Version
	KindAdapter       = "DynamoGraphDeploymentScalingAdapter"
)

// AdapterEnabled reports whether a service requests a scaling adapter.
func AdapterEnabled(service *v1alpha1.Service) bool {
	return service.ScalingAdapter != nil && service.ScalingAdapter.Enabled
}
