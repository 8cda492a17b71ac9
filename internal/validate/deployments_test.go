package validate_test

import (
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest/whole"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
)

// TestStrategiesOfDeployments shows where a graph is refused for its strategies, and where they say nothing.
func TestStrategiesOfDeployments(t *testing.T) {
	bad := plantest.Graph(plantest.Frontend, plantest.Changed("Frontend", plantest.WithPodAnnotation("nvidia.com/deployment-strategy", "BlueGreen")))
	type strategyCase struct {
		reason string
		req    *fnv1.RunFunctionRequest
		want   []plantest.Said
		// otherwise says that the annotations of a component are those of its pods, and are checked on every orchestrator.
		otherwise bool
	}
	whole.Table(t, map[string]strategyCase{
		"Deployment": {
			otherwise: true, reason: "A Deployment with an unknown strategy is refused.",
			req:  plantest.Request(bad, plantest.WithGroups()),
			want: plantest.Refused(subject.Mistake, rule.Strategy, "spec.components[Frontend].podTemplate.metadata.annotations[nvidia.com/deployment-strategy]"),
		},
		"Grove": {
			reason:    "On Grove, an unknown strategy has no effect, because there is no Deployment.",
			req:       plantest.Request(bad, plantest.WithGroups("grove")),
			otherwise: true,
		},
	}, func(tc strategyCase) whole.Row[[]plantest.Said] {
		return whole.Row[[]plantest.Said]{Reason: tc.reason, Request: tc.req, Want: tc.want, Otherwise: tc.otherwise}
	}, func(of *whole.Outcome) []plantest.Said { return of.Said })
}
