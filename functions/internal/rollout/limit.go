package rollout

import (
	"math"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/metadata"
)

// limit of the replicas of a service that a rollout may have unavailable at a time, by the annotations that bound the
// rollout of a Deployment too. A percentage is rounded down, as for a Deployment; but there is no room for a replica more, so
// at least one has to go first. Without an annotation it is one: a replica that spans nodes is too much to lose several of.
func limit(annotations map[string]string, replicas int) int {
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
