package validate_test

import (
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest/whole"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
)

// TestStrategiesOfDeployments shows where a graph is refused for its strategies, and where they say nothing.
func TestStrategiesOfDeployments(t *testing.T) {
	bad := plantest.Graph(plantest.Frontend, plantest.Changed("Frontend", plantest.WithPodAnnotation("nvidia.com/deployment-strategy", "BlueGreen")))
	// The annotations of a component are the annotations of its pods, and are checked on every orchestrator.
	whole.Table(t, map[string]whole.Row[[]plantest.Said]{
		"Deployment": {
			Reason:    "A Deployment with an unknown strategy is refused.",
			Request:   plantest.Request(bad, plantest.WithGroups()),
			Otherwise: true,
			Want:      plantest.Refused(subject.Mistake, rule.Strategy, "spec.components[Frontend].podTemplate.metadata.annotations[nvidia.com/deployment-strategy]"),
		},
		"Grove": {
			Reason:    "On Grove, an unknown strategy has no effect, because there is no Deployment.",
			Request:   plantest.Request(bad, plantest.WithGroups("grove")),
			Otherwise: true,
		},
	}, func(of *whole.Outcome) []plantest.Said { return of.Said })
}
