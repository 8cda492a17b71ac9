package autoscaling

import "github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"

// Version and kind of the object that stands for the replicas of one service, with a scale subresource that autoscalers
// know how to use. Its controller copies the number into the graph.
const (
	AdapterAPIVersion = v1alpha1.Group + "/" + v1alpha1.Version
	KindAdapter       = "DynamoGraphDeploymentScalingAdapter"
)

// AdapterEnabled reports whether a service is to have a scaling adapter.
func AdapterEnabled(service *v1alpha1.Service) bool {
	return service.ScalingAdapter != nil && service.ScalingAdapter.Enabled
}
