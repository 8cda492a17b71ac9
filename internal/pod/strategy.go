package pod

import (
	"cmp"
	"math"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
)

// defaultRolling is the number of pods that a rolling update can add or remove at the same time.
const defaultRolling = "25%"

// RolloutStrategy of a Deployment, from the annotations of its component.
func RolloutStrategy(annotations map[string]string) appsv1.DeploymentStrategy {
	if annotations[metadata.AnnotationDeploymentStrategy] == string(appsv1.RecreateDeploymentStrategyType) {
		return appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType}
	}
	rolling := func(key string) *intstr.IntOrString {
		return new(intstr.Parse(cmp.Or(annotations[key], defaultRolling)))
	}
	return appsv1.DeploymentStrategy{
		Type: appsv1.RollingUpdateDeploymentStrategyType,
		RollingUpdate: &appsv1.RollingUpdateDeployment{
			MaxSurge:       rolling(metadata.AnnotationMaxSurge),
			MaxUnavailable: rolling(metadata.AnnotationMaxUnavailable),
		},
	}
}

// Surge is how many replicas a rollout adds to those of a Deployment if its strategy adds more than the default, and 0 otherwise.
func Surge(strategy appsv1.DeploymentStrategy, replicas int64) int64 {
	if strategy.RollingUpdate == nil {
		return 0
	}
	scaled := func(value *intstr.IntOrString) int64 {
		// What the API server refuses adds nothing.
		number, err := intstr.GetScaledValueFromIntOrPercent(value, int(replicas), true)
		if err == nil && (number < 0 || number > math.MaxInt32) {
			// The number of replicas of a Deployment is smaller.
			return math.MaxInt32
		}
		return int64(number)
	}
	added := scaled(strategy.RollingUpdate.MaxSurge)
	if added <= scaled(new(intstr.FromString(defaultRolling))) {
		return 0
	}
	return added
}
