package health

import "testing"

func TestHorizontalPodAutoscaler(t *testing.T) {
	compare(t, map[string]healthCase{
		"New":       {reason: "What it scales runs without it.", observed: `{"kind":"HorizontalPodAutoscaler"}`, want: Health{Ready: true}},
		"Active":    {reason: "One that works has nothing to say.", observed: `{"kind":"HorizontalPodAutoscaler","status":{"conditions":[{"type":"AbleToScale","status":"True","reason":"SucceededGetScale"},{"type":"ScalingActive","status":"True","reason":"ValidMetricFound"}]}}`, want: Health{Ready: true}},
		"NoMetrics": {reason: "One that does not may explain missing replicas.", observed: `{"kind":"HorizontalPodAutoscaler","status":{"conditions":[{"type":"AbleToScale","status":"True"},{"type":"ScalingActive","status":"False","reason":"FailedGetResourceMetric","message":"unable to get metrics at 12:00"}]}}`, want: Health{Ready: true, Note: "its condition ScalingActive is False (FailedGetResourceMetric)"}},
		"NoTarget":  {reason: "So may one that finds nothing to scale.", observed: `{"kind":"HorizontalPodAutoscaler","status":{"conditions":[{"type":"ScalingActive","status":"False","reason":"X"},{"type":"AbleToScale","status":"False","reason":"FailedGetScale"}]}}`, want: Health{Ready: true, Note: "its condition AbleToScale is False (FailedGetScale)"}},
	})
}
