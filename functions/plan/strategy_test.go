package plan_test

import (
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
)

// TestStrategiesOfDeployments shows where a graph is refused for its strategies, and where they say nothing.
func TestStrategiesOfDeployments(t *testing.T) {
	bad := plantest.Graph(plantest.Frontend, plantest.Changed("Frontend", plantest.WithPodAnnotation("nvidia.com/deployment-strategy", "BlueGreen")))
	compare(t, map[string]responseCase{
		"Deployment": {
			reason: "A Deployment with an unknown strategy is refused.",
			req:    plantest.Request(bad, plantest.WithGroups()),
			want: want(asksForGroups(), refusal("Invalid",
				`spec.services[Frontend].extraPodMetadata.annotations[nvidia.com/deployment-strategy]: Unsupported value: "BlueGreen": supported values: "Recreate", "RollingUpdate"`)),
		},
		"Grove": {
			reason: "On Grove, an unknown strategy has no effect, because there is no Deployment.",
			req:    plantest.Request(bad, plantest.WithGroups("grove")),
			want:   want(asksForGroups(), accepted(), onGrove(), noQueue(), groveWithoutKAI()),
		},
	})
}
