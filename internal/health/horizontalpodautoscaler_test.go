package health

import "testing"

func TestHorizontalPodAutoscaler(t *testing.T) {
	compare(t, map[string]healthCase{
		"New":       {reason: "The workload that a new autoscaler scales runs without it.", observed: `{"kind":"HorizontalPodAutoscaler"}`, want: Health{Ready: true}},
		"Active":    {reason: "An autoscaler that works has nothing to say.", observed: `{"kind":"HorizontalPodAutoscaler","status":{"conditions":[{"type":"AbleToScale","status":"True","reason":"SucceededGetScale"},{"type":"ScalingActive","status":"True","reason":"ValidMetricFound"}]}}`, want: Health{Ready: true}},
		"NoMetrics": {reason: "An autoscaler that has no metrics may explain missing replicas.", observed: `{"kind":"HorizontalPodAutoscaler","status":{"conditions":[{"type":"AbleToScale","status":"True"},{"type":"ScalingActive","status":"False","reason":"FailedGetResourceMetric","message":"unable to get metrics at 12:00"}]}}`, want: Health{Ready: true, Note: "condition ScalingActive is False (FailedGetResourceMetric)"}},
		"Fixed":     {reason: "An autoscaler with equal limits needs no metrics.", observed: `{"kind":"HorizontalPodAutoscaler","spec":{"minReplicas":4,"maxReplicas":4},"status":{"conditions":[{"type":"AbleToScale","status":"True"},{"type":"ScalingActive","status":"False","reason":"FailedGetResourceMetric"}]}}`, want: Health{Ready: true}},
		"FixedLost": {reason: "An autoscaler with equal limits has to find what it scales.", observed: `{"kind":"HorizontalPodAutoscaler","spec":{"minReplicas":4,"maxReplicas":4},"status":{"conditions":[{"type":"AbleToScale","status":"False","reason":"FailedGetScale"}]}}`, want: Health{Ready: true, Note: "condition AbleToScale is False (FailedGetScale)"}},
		"NoTarget":  {reason: "An autoscaler that finds nothing to scale may explain missing replicas.", observed: `{"kind":"HorizontalPodAutoscaler","status":{"conditions":[{"type":"ScalingActive","status":"False","reason":"X"},{"type":"AbleToScale","status":"False","reason":"FailedGetScale"}]}}`, want: Health{Ready: true, Note: "condition AbleToScale is False (FailedGetScale)"}},
	})
}
