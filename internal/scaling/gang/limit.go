package gang

import (
	"math"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
)

// Limit is the number of replicas that may be unavailable during a rollout. It is set by the same annotations as for Deployments. A
// percentage is rounded down, as for a Deployment, but to no less than 1, because no replica is added during the rollout. It
// defaults to 1, because a replica that spans nodes is expensive to lose.
func Limit(annotations map[string]string, replicas int) int {
	if annotations[metadata.AnnotationDeploymentStrategy] == string(appsv1.RecreateDeploymentStrategyType) {
		return math.MaxInt32
	}
	value, ok := annotations[metadata.AnnotationMaxUnavailable]
	if !ok {
		return 1
	}
	parsed := intstr.Parse(value)
	number, err := intstr.GetScaledValueFromIntOrPercent(&parsed, replicas, false)
	if err != nil {
		return 1
	}
	return max(1, number)
}
